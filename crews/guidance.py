"""What the system prompt says beside the role: instructions for the type of job, and what was learnt in it so far."""

from __future__ import annotations

import functools
from pathlib import Path

from echelon.errors import UserError
from echelon.settings import JobConfig

FOLDER = Path(__file__).resolve().parents[1] / "knowledge" / "instructions"
MOST_INSTRUCTIONS, MOST_LEARNT = 6_000, 1_200
"""Characters of each that a prompt shows."""


def instructions(config: JobConfig) -> str:
    """The instructions for a type of job: the user's file, or ours; '' where there are none, and for guided roles.

    Raises UserError for a file that cannot be read.
    """
    if config.is_guided:
        return ""
    return _read(config.instructions or str(FOLDER / f"{config.job}.md"), bool(config.instructions))[:MOST_INSTRUCTIONS]


@functools.cache
def _read(path: str, must_be_there: bool) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        if not must_be_there:
            return ""
        raise UserError(f"The instructions in {path} cannot be read: {error}.") from error


def latest(text: str) -> str:
    """`workspace.md` as a prompt shows it: its latest lines."""
    if len(text) <= MOST_LEARNT:
        return text.strip()
    return "...\n" + text[-MOST_LEARNT:].partition("\n")[2].strip()
