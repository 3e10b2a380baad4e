"""What a model was asked, kept beside the trace: compressed, without secrets, for as many calls as the settings say."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from echelon.engine.messages import ModelRequest
from echelon.engine.run import Run
from echelon.files import write_atomically

ENDING = ".prompt.json.gz"


def keep(run: Run, request: ModelRequest, number: int) -> None:
    """Write down what step `number` asks. Of `keep_prompts` the latest stay; 0 keeps none."""
    most = run.config.keep_prompts
    if not most:
        return
    data = run.redactor.data(request.model_dump(mode="json", exclude_defaults=True))
    content = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    write_atomically(path_of(run.folder, number), gzip.compress(content, 1, mtime=0))
    if number > most:  # steps are at least as many as prompts
        for path in sorted((run.folder / "trace").glob(f"*{ENDING}"))[:-most]:
            path.unlink(missing_ok=True)


def path_of(folder: Path, number: int) -> Path:
    """Where the prompt of a step is kept."""
    return folder / "trace" / f"{number:05d}{ENDING}"


def read(folder: Path, number: int) -> ModelRequest | None:
    """What a step asked; None where it was not kept, or is no model call."""
    path = path_of(folder, number)
    if not path.is_file():
        return None
    return ModelRequest.model_validate_json(gzip.decompress(path.read_bytes()))
