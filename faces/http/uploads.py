"""Files on their way in: kept under names of ours, counted, measured, and never run."""

from __future__ import annotations

import hashlib
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from echelon.errors import UnknownName, UserError
from echelon.files import unique_names
from echelon.service.ordering import UPLOADS

if TYPE_CHECKING:
    from starlette.datastructures import UploadFile

    from echelon.faces.http.desk import Desk

PIECE = 1 << 20
LEAST_FREE = 500_000_000
"""Bytes that a disk keeps whatever is sent"""


@dataclass(frozen=True)
class Kept:
    """A file that was taken in."""

    id: str
    name: str
    path: Path
    sha256: str
    bytes: int


async def keep(desk: Desk, files: list[UploadFile]) -> list[Kept]:
    """Take files in. Raises UserError; then none is kept."""
    from echelon.faces.http.watches import apart

    names = unique_names([_bare(f.filename or "file") for f in files])
    kept: list[Kept] = []
    try:
        for name, file in zip(names, files, strict=True):
            kept.append(await apart(lambda name=name, file=file: _keep(desk, name, file)))  # type: ignore[misc]
    except BaseException:
        drop(kept)
        raise
    return kept


def _bare(name: str) -> str:
    """The last part of a name, wherever it was a path; '..' and the like are no names."""
    last = name.replace("\\", "/").rpartition("/")[2].strip()
    return last if last.strip(".") else "file"


def _keep(desk: Desk, name: str, file: UploadFile) -> Kept:
    home = desk.service.environment.home
    if shutil.disk_usage(home).free < LEAST_FREE:
        raise UserError("The disk of the server is nearly full, so it takes no files; free some space.")
    number = secrets.token_hex(12)
    path = home / UPLOADS / number / name
    path.parent.mkdir(parents=True, mode=0o700)
    sha, size = hashlib.sha256(), 0
    try:
        with path.open("xb") as out:
            while piece := file.file.read(PIECE):
                size += len(piece)
                if size > desk.options.upload_megabytes * 1_000_000:
                    most = desk.options.upload_megabytes
                    raise UserError(f"{name} is larger than {most} MB, the most that this server takes.")
                sha.update(piece)
                out.write(piece)
        path.chmod(0o400)
    except OSError as error:
        shutil.rmtree(path.parent, ignore_errors=True)
        raise UserError(f"{name} cannot be kept: {error.strerror}.") from error
    except UserError:
        shutil.rmtree(path.parent, ignore_errors=True)
        raise
    return Kept(number, name, path, sha.hexdigest(), size)


def drop(kept: list[Kept]) -> None:
    """Remove files that no job reads."""
    for one in kept:
        shutil.rmtree(one.path.parent, ignore_errors=True)


def found(desk: Desk, ids: list[str]) -> list[Kept]:
    """Files that were uploaded before. Raises UnknownName."""
    out: list[Kept] = []
    for number in ids:
        folder = desk.service.environment.home / UPLOADS / number
        paths = [p for p in folder.iterdir() if p.is_file()] if folder.is_dir() else []
        if len(paths) != 1:
            raise UnknownName("upload", number, [])
        with paths[0].open("rb") as file:
            sha = hashlib.file_digest(file, "sha256").hexdigest()
        out.append(Kept(number, paths[0].name, paths[0], sha, paths[0].stat().st_size))
    return out
