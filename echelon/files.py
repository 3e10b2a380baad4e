"""Names of input files, and writing files so that a reader sees the old content or the new one, never half of it."""

from __future__ import annotations

import itertools
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
    """File names of the inputs; a name that comes twice gets a number, and what cannot be printed becomes '_'."""
    out: list[str] = []
    for source in inputs:
        path = Path("".join(c if c.isprintable() else "_" for c in Path(source).name))
        numbered = (f"{path.stem}-{count}{path.suffix}" for count in itertools.count(2))
        out.append(next(name for name in itertools.chain([path.name], numbered) if name not in out))
    return out
