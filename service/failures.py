"""Sentences for a person: what went wrong, from any exception. A traceback never reaches the terminal."""

from __future__ import annotations

import contextlib
import traceback
from pathlib import Path

from echelon.errors import EchelonError

TRACE = Path("trace") / "error.txt"
"""Where a job's folder keeps the traceback of what stopped it, for whoever has to mend it."""


def sentence(error: BaseException) -> str:
    """What went wrong, as one sentence with a final stop."""
    from sqlalchemy.exc import SQLAlchemyError

    from echelon.store.store import first_line

    if isinstance(error, EchelonError):
        text = str(error)
    elif isinstance(error, SQLAlchemyError):
        text = f"The database cannot be used: {first_line(error)}"
    elif isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        text = f"{type(error).__name__}: {first_line(error)}"
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


def keep_traceback(folder: Path, error: BaseException) -> None:
    """Write the traceback into a job's folder, if there is one and it can be written to."""
    if folder.is_dir():
        with contextlib.suppress(OSError):
            (folder / TRACE).parent.mkdir(exist_ok=True)
            (folder / TRACE).write_text("".join(traceback.format_exception(error)), encoding="utf-8")
