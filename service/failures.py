"""Sentences for a person: what went wrong, from any exception. A traceback never reaches the terminal."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Mapping
from pathlib import Path

from echelon.engine.redact import Redactor
from echelon.errors import EchelonError, ModelUnavailable, Quarantined

TRACE = Path("trace") / "error.txt"
"""Where a job's folder keeps the traceback of what stopped it, for whoever has to mend it."""


def sentence(error: BaseException, secrets: Mapping[str, str] | None = None) -> str:
    """What went wrong, as one sentence with a final stop. `secrets` are the variables of whom it happened to."""
    from sqlalchemy.exc import SQLAlchemyError

    from echelon.store.store import first_line

    if isinstance(error, EchelonError):
        text = str(error)
    elif _was_ending(error):
        text = "The process that ran the job was ended"
    elif isinstance(error, SQLAlchemyError):
        text = f"The database cannot be used: {first_line(error)}"
    elif isinstance(error, OSError) and str(error):
        said = error.strerror or str(error)
        text = f"{error.filename}: {said}" if error.filename else said
    else:
        text = f"{type(error).__name__}: {first_line(error)}"
    text = " ".join(Redactor(secrets).text(text).split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


def is_outage(error: BaseException) -> bool:
    """Whether the surroundings failed (model server, disk, database, the process that ran it): the same job can end
    otherwise another time.

    What a job itself did, or our code, is none, nor a request that a server refuses for what it says. Who ended two workers
    may have been on a machine that was switched off twice: another try is for a person to ask for.
    """
    from sqlalchemy.exc import OperationalError

    if isinstance(error, ModelUnavailable):
        return error.outage
    return isinstance(error, OSError | OperationalError | Quarantined) or _was_ending(error)


def _was_ending(error: BaseException) -> bool:
    """Whether the process was ending under the job: Python starts no threads for it any more."""
    return isinstance(error, RuntimeError) and "cannot schedule new futures" in str(error)


def keep_traceback(folder: Path, error: BaseException, secrets: Mapping[str, str] | None = None) -> None:
    """Write the traceback into a job's folder, if there is one and it can be written to."""
    if folder.is_dir():
        with contextlib.suppress(OSError):
            (folder / TRACE).parent.mkdir(exist_ok=True)
            text = Redactor(secrets).text("".join(traceback.format_exception(error)))
            (folder / TRACE).write_text(text, encoding="utf-8", errors="replace")
