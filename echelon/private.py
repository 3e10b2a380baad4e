"""What Echelon writes is for its user alone: documents, prompts, answers and the database are confidential."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
OWN_NAME = ".echelon"


def private_files() -> None:
    """From here on the process, and the programs that it runs, make files that nobody else may read."""
    os.umask(0o777 & ~FOLDER)


def keep_private(home: Path) -> None:
    """Make the home, and let nobody else into it, whatever the umask.

    A folder that was there before under a name of the user's own keeps its mode: it may hold other things. What Echelon
    keeps in it is closed all the same. Raises OSError.
    """
    private_files()
    is_ours = not home.exists() or home.name == OWN_NAME
    home.mkdir(parents=True, exist_ok=True)
    if is_ours:
        _close(home, FOLDER)
    for name in ("jobs", "experiences"):
        _close(home / name, FOLDER)
    for path in home.glob("*.sqlite*"):
        _close(path, FILE)


def _close(path: Path, mode: int) -> None:
    """Take from others what they may; what somebody else owns is left as it is."""
    if path.exists() and path.stat().st_uid == os.getuid() and path.stat().st_mode & 0o077:
        path.chmod(mode)
