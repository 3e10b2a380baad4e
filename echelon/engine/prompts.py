"""What a model was asked, kept beside the trace: compressed, without secrets, for as many calls as the settings say."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

from echelon.engine.messages import ModelRequest
from echelon.engine.redact import Redactor
from echelon.engine.run import Run
from echelon.files import write_atomically

ENDING = ".prompt.json.gz"


def keep(run: Run, request: ModelRequest, number: int) -> None:
    """Write down what step `number` asks. Of `keep_prompts` the latest stay; 0 keeps none."""
    most = run.config.keep_prompts
    if not most:
        return
    content = _without_secrets(run.redactor, request).encode("utf-8", "replace")
    write_atomically(path_of(run.folder, number), gzip.compress(content, 1, mtime=0))
    if number > most:  # steps are at least as many as prompts
        folder = run.folder / "trace"
        with os.scandir(folder) as files:  # a long job has thousands: made into paths they take ten times as long
            kept = sorted(file.name for file in files if file.name.endswith(ENDING))
        for name in kept[:-most]:
            (folder / name).unlink(missing_ok=True)


def _without_secrets(redactor: Redactor, request: ModelRequest) -> str:
    """The request as JSON, put together from its parts: nearly all of them were in the last request too."""
    rest = request.model_dump_json(exclude={"messages", "tools"}, exclude_defaults=True)
    lists = (
        f'"{name}": [{", ".join(redactor.json(part.model_dump_json(exclude_defaults=True)) for part in parts)}]'
        for name, parts in (("messages", request.messages), ("tools", request.tools))
    )
    return f"{{{', '.join((*lists, *filter(None, [redactor.json(rest)[1:-1]])))}}}"


def path_of(folder: Path, number: int) -> Path:
    """Where the prompt of a step is kept."""
    return folder / "trace" / f"{number:05d}{ENDING}"


def read(folder: Path, number: int) -> ModelRequest | None:
    """What a step asked; None where it was not kept, or is no model call."""
    path = path_of(folder, number)
    if not path.is_file():
        return None
    return ModelRequest.model_validate_json(gzip.decompress(path.read_bytes()))
