"""The folder of a job where every worker can reach it: what a step changed is kept by hash before the step counts as done.

A list in the database says which content stands at which path, and carries a version. Whoever goes on with the job compares
the version with the one that its own folder has, and where they differ makes the folder what the list says. Only
the process that holds the job's lease may write the list, so one that was taken for dead changes nothing.
"""

from __future__ import annotations

import contextlib
import io
import tarfile
import time
from pathlib import Path

import sqlalchemy as sa

from echelon.errors import Superseded, UserError
from echelon.files import write_atomically
from echelon.sharing.blobs import Blobs, blobs_at
from echelon.sharing.folder import FOLDER, Entry, Listing, Scanner, content_of, make, remove, sha256_of
from echelon.store import tables as t
from echelon.store.inserting import insert
from echelon.store.outage import steady
from echelon.store.store import Store, this_process

VARIABLE = "ECHELON_FILES"
INPUTS = "@inputs/"
"""Where the list has the inputs of a job, which lie outside of its folder"""
PACKED = ".tar"
"""Ending of an input that is a folder"""


class SharedFolder:
    """The folder of one job, and its list."""

    def __init__(self, store: Store, job: str, folder: Path, blobs: Blobs) -> None:
        self._engine, self._job, self._folder, self._blobs = store.engine, job, folder, blobs
        self._home = folder.parent.parent
        self._scanner = Scanner(folder)
        self._known: Listing | None = None

    def push(self) -> None:
        """Keep what changed since the last time. Raises Superseded where another process has the job."""
        known = self._list() if self._known is None else self._known
        now = self._scanner.now()
        changed = {path: entry for path, entry in now.items() if known.get(path) != entry}
        gone = [path for path in known if path not in now]
        if not changed and not gone:
            return
        for path, entry in changed.items():
            if entry.kind != FOLDER:
                self._blobs.put(entry.sha256, content_of(self._folder, path, entry))
        version = self._write(changed, gone)
        self._known = now
        write_atomically(self._marker, str(version))

    def pull(self) -> bool:
        """Make the folder what the list says, unless it is as new; returns whether anything was done. Raises UserError."""
        version = self._version()
        if version == 0:
            return False
        self._known = self._list()
        if self._folder.is_dir() and self._has() == version:
            return False
        self._folder.mkdir(parents=True, exist_ok=True)
        there = self._scanner.now()
        for path in [p for p in there if p not in self._known]:
            remove(self._folder, path)
        for path, entry in self._known.items():
            if there.get(path) != entry:
                make(self._folder, path, entry, b"" if entry.kind == FOLDER else self._blobs.get(entry.sha256))
        write_atomically(self._marker, str(version))
        return True

    def give(self, inputs: list[str]) -> None:
        """Keep the inputs of a job that is submitted, so that it can begin anywhere."""
        rows: Listing = {}
        for number, source in enumerate(map(Path, inputs)):
            content = _packed(source) if source.is_dir() else source.read_bytes()
            name = f"{INPUTS}{number}/{source.name}{PACKED if source.is_dir() else ''}"
            rows[name] = Entry(FOLDER if source.is_dir() else "file", sha256_of(content), 0o600)
            self._blobs.put(rows[name].sha256, content)
        with self._engine.begin() as c:
            self._upsert(c, rows)

    def inputs(self, given: list[str]) -> list[str]:
        """Paths of the inputs on this machine: where they were given, or copies of them."""
        rows = self._list(inputs=True)
        if all(Path(p).exists() for p in given) or not rows:
            return given
        paths: list[str] = []
        for name, entry in sorted(rows.items(), key=lambda row: int(row[0].split("/")[1])):
            number, _, last = name.removeprefix(INPUTS).partition("/")
            target = self._home / "inputs" / self._job / number / last
            content = self._blobs.get(entry.sha256)
            if entry.kind == FOLDER:
                target = target.with_name(last.removesuffix(PACKED))
                _unpack(content, target)
            else:
                write_atomically(target, content)
            paths.append(str(target))
        return paths

    def drop(self) -> None:
        """Forget the list and all contents that the job ever had."""
        self._blobs.clear()
        with self._engine.begin() as c:
            for table in (t.shared, t.shared_versions):
                c.execute(table.delete().where(table.c.job == self._job))
        self._marker.unlink(missing_ok=True)

    @property
    def _marker(self) -> Path:
        """Says which version the folder on this machine has."""
        return self._home / "shared" / self._job

    def _has(self) -> int:
        with contextlib.suppress(OSError, ValueError):
            return int(self._marker.read_text(encoding="utf-8"))
        return 0

    @steady
    def _version(self) -> int:
        with self._engine.connect() as c:
            query = sa.select(t.shared_versions.c.version).where(t.shared_versions.c.job == self._job)
            return int(c.execute(query).scalar() or 0)

    def _list(self, *, inputs: bool = False) -> Listing:
        query = sa.select(t.shared).where(t.shared.c.job == self._job)
        with self._engine.connect() as c:
            rows = c.execute(query).all()
        return {r.path: Entry(r.kind, r.sha256, r.mode) for r in rows if r.path.startswith(INPUTS) is inputs}

    def _write(self, changed: Listing, gone: list[str]) -> int:
        """Bring the list up to date in one transaction, as its holder; returns the new version."""
        holder = sa.select(t.leases.c.owner).where(t.leases.c.name == self._job).with_for_update()
        mine, row = t.shared.c.job == self._job, t.shared_versions
        with self._engine.begin() as c:
            if c.execute(holder).scalar() != this_process():
                raise Superseded("Another process has taken the job over.")
            before = c.execute(sa.select(row.c.version).where(row.c.job == self._job)).scalar() or 0
            self._upsert(c, changed)
            for path in gone:
                c.execute(t.shared.delete().where(mine, t.shared.c.path == path))
            values = {"job": self._job, "version": int(before) + 1, "at": time.time()}
            c.execute(insert(c, row).values(**values).on_conflict_do_update(index_elements=["job"], set_=values))
        return int(before) + 1

    def _upsert(self, c: sa.Connection, rows: Listing) -> None:
        for path, entry in rows.items():
            values = {"kind": entry.kind, "sha256": entry.sha256, "mode": entry.mode}
            new = insert(c, t.shared).values(job=self._job, path=path, **values)
            c.execute(new.on_conflict_do_update(index_elements=["job", "path"], set_=values))


def shared_folder(place: str | None, store: Store, job: str, folder: Path) -> SharedFolder | None:
    """The shared folder of a job, None where files stay where they are. `place` is the value of ECHELON_FILES."""
    return None if not place else SharedFolder(store, job, folder, blobs_at(place, store.engine, job))


def _packed(folder: Path) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.add(folder, arcname=".")
    return buffer.getvalue()


def _unpack(content: bytes, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            tar.extractall(target, filter="data")
    except (tarfile.TarError, OSError) as error:
        raise UserError(f"The input {target.name} cannot be unpacked here: {error}.") from error
