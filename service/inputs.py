"""What can be given to a job as an input."""

from __future__ import annotations

from pathlib import Path

from echelon.errors import UserError


def checked_input(path: Path, max_megabytes: int, *, folders: bool = False) -> Path:
    """The real path of an input. Raises UserError with one sentence for what is wrong with it, `folders` or not."""
    if path.is_dir() and folders:
        return path.resolve()
    if path.is_dir():
        raise UserError(f"{path} is a folder; name the files in it.")
    if not path.exists():
        raise UserError(f"There is no file {path}.")
    if not path.is_file():
        raise UserError(f"{path} is no ordinary file but a pipe, a socket or a device; save what it gives to a file.")
    try:
        size = path.stat().st_size
        with path.open("rb") as f:
            f.read(1)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error
    if size == 0:
        raise UserError(f"{path} is empty.")
    if size > max_megabytes * 1_000_000:
        raise UserError(f"{path} has {size / 1e6:.0f} MB; the most is {max_megabytes} MB (inputs.max_megabytes).")
    return path.resolve()
