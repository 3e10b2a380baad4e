"""What a model was asked, kept beside the trace: compressed, without secrets, for as many calls as the settings say."""

from __future__ import annotations

import gzip
from collections import deque
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
    _keep_the_latest(run, number, most)


def _keep_the_latest(run: Run, number: int, most: int) -> None:
    """Remove what is more than `most`. The folder is read once a process: that of a long job has thousands of files."""
    if run.prompts is None:
        names = (path.name for path in (run.folder / "trace").iterdir())
        run.prompts = deque(sorted(int(name.removesuffix(ENDING)) for name in names if name.endswith(ENDING)))
    elif number != run.prompts[-1]:  # a step that failed is asked again under its number
        run.prompts.append(number)
    while len(run.prompts) > most:
        path_of(run.folder, run.prompts.popleft()).unlink(missing_ok=True)


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
