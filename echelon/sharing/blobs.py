"""Contents of a job's files by their SHA-256, in the database or in an object store: the same content is kept once a job.

Each job has its own, so that removing one removes all that it ever had, and takes nothing from another that has the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from typing import Any, Protocol

import sqlalchemy as sa

from echelon.errors import UserError
from echelon.store import tables as t
from echelon.store.inserting import insert

IN_DATABASE = "database"
EXTRA = "ECHELON_FILES needs a package for this kind of store; install it, such as: pip install 'echelon[files]' s3fs"


class Blobs(Protocol):
    """Where contents are kept."""

    def put(self, sha256: str, content: bytes) -> None:
        """Keep a content; one that is there stays."""
        ...

    def get(self, sha256: str) -> bytes:
        """A content, as it was kept. Raises UserError for one that is gone or was changed."""
        ...

    def clear(self) -> None:
        """Forget all contents of the job."""
        ...


def blobs_at(place: str, engine: sa.Engine, job: str) -> Blobs:
    """The contents of a job at a place: `database`, or an address that fsspec knows. Raises UserError."""
    if place == IN_DATABASE:
        return InDatabase(engine, job)
    return InStore(place, job)


class InDatabase:
    """Contents as rows."""

    def __init__(self, engine: sa.Engine, job: str) -> None:
        self._engine, self._job = engine, job

    def put(self, sha256: str, content: bytes) -> None:
        """Keep a content; one that is there stays."""
        with self._engine.connect() as c:
            if c.execute(sa.select(t.blobs.c.sha256).where(*self._of(sha256))).first() is not None:
                return
        row = {"job": self._job, "sha256": sha256, "content": content, "at": time.time()}
        with self._engine.begin() as c:
            c.execute(insert(c, t.blobs).values(**row).on_conflict_do_nothing())

    def get(self, sha256: str) -> bytes:
        """A content. Raises UserError."""
        with self._engine.connect() as c:
            content = c.execute(sa.select(t.blobs.c.content).where(*self._of(sha256))).scalar()
        return _checked(sha256, None if content is None else bytes(content))

    def clear(self) -> None:
        """Forget all contents of the job."""
        with self._engine.begin() as c:
            c.execute(t.blobs.delete().where(t.blobs.c.job == self._job))

    def _of(self, sha256: str) -> tuple[sa.ColumnElement[bool], ...]:
        return (t.blobs.c.job == self._job, t.blobs.c.sha256 == sha256)


class InStore:
    """Contents as objects below an address, such as s3://bucket/echelon or file:///srv/echelon."""

    def __init__(self, place: str, job: str) -> None:
        import fsspec

        try:
            opening: Any = fsspec.core
            files, root = opening.url_to_fs(place)
        except (ImportError, ValueError) as error:
            raise UserError(f"{EXTRA} ({str(error).splitlines()[0]})") from error
        self._files: Any = files
        self._root = f"{str(root).rstrip('/')}/{job}"

    def put(self, sha256: str, content: bytes) -> None:
        """Keep a content; one that is there stays, unless only a part of it had come there."""
        path = self._path(sha256)
        with contextlib.suppress(FileNotFoundError):
            if self._files.size(path) == len(content):
                return
        try:
            self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(path, content)
        except OSError as error:
            raise UserError(f"The store of ECHELON_FILES takes no files: {error}.") from error

    def get(self, sha256: str) -> bytes:
        """A content. Raises UserError."""
        try:
            content: bytes | None = self._files.cat_file(self._path(sha256))
        except FileNotFoundError:
            content = None
        except OSError as error:
            raise UserError(f"The store of ECHELON_FILES gives no files: {error}.") from error
        return _checked(sha256, content)

    def clear(self) -> None:
        """Forget all contents of the job."""
        with contextlib.suppress(FileNotFoundError):
            self._files.rm(self._root, recursive=True)

    def _path(self, sha256: str) -> str:
        return f"{self._root}/{sha256[:2]}/{sha256}"


def _checked(sha256: str, content: bytes | None) -> bytes:
    if content is None or hashlib.sha256(content).hexdigest() != sha256:
        what = "is gone from" if content is None else "was changed in"
        raise UserError(f"The content {sha256[:12]} of a job's file {what} the store of ECHELON_FILES.")
    return content
