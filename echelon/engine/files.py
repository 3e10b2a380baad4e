"""Names of input files, and writing files so that a reader sees the old content or the new one, never half of it."""

from __future__ import annotations

import os
import threading
from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write through a temporary file in the same folder and a rename. Makes missing folders. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name[:30]}.{os.getpid()}.{threading.get_ident()}.partial")
    try:
        partial.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def unique_names(inputs: list[str]) -> list[str]:
    """File names of the inputs; a name that comes twice gets a number."""
    seen: dict[str, int] = {}
    out = []
    for source in inputs:
        path = Path(source)
        seen[path.name] = seen.get(path.name, 0) + 1
        count = seen[path.name]
        out.append(path.name if count == 1 else f"{path.stem}-{count}{path.suffix}")
    return out
