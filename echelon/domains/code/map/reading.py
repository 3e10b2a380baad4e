"""Facts of all source files of a tree, read once a content: an SQLite file keeps them by hash."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from echelon.domains.code.map.facts import FORMAT, FileFacts, pack, unpack
from echelon.domains.code.map.grammar_file import read_by_grammar
from echelon.domains.code.map.languages import is_generated, language_of
from echelon.domains.code.map.python_file import read_python
from echelon.domains.code.map.walking import TreeFile, read_source, tree_files

RACY_NS = 2_000_000_000
"""A file changed so shortly before it was looked at may change again with the same time: its content is read again."""
MANY = 1_500
"""New files from which on several processes read."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (hash TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seen (
    root TEXT, path TEXT, size INT, mtime INT, hash TEXT, PRIMARY KEY (root, path)) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source file and the hash of its content (with the language and the format of the facts)."""

    path: str
    hash: str


def read_file(source: str, language: str) -> FileFacts:
    """Facts of one file."""
    return read_python(source) if language == "python" else read_by_grammar(source, language)


class FactsStore:
    """Facts by content. May be shared by all trees of a machine and by several processes."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._file = file
        self._connection = sqlite3.connect(file, timeout=30, isolation_level=None)
        self._connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;" + _SCHEMA)

    def close(self) -> None:
        self._connection.close()

    def sources(self, root: Path) -> list[SourceFile]:
        """The source files of the tree with their hashes; only files whose size or time changed are read."""
        key, now = str(root.resolve()), time.time_ns()
        known = {
            path: (size, mtime, digest)
            for path, size, mtime, digest in self._connection.execute(
                "SELECT path, size, mtime, hash FROM seen WHERE root = ?", (key,)
            )
        }
        out: list[SourceFile] = []
        fresh: list[tuple[str, str, int, int, str]] = []
        for file in tree_files(root):
            language = language_of(file.path)
            if language is None or is_generated(file.path):
                continue
            before = known.get(file.path)
            if before and before[:2] == (file.size, file.mtime_ns):
                out.append(SourceFile(file.path, before[2]))
            elif (digest := _hash(root, file, language)) is not None:
                out.append(SourceFile(file.path, digest))
                if now - file.mtime_ns > RACY_NS:
                    fresh.append((key, file.path, file.size, file.mtime_ns, digest))
        self._remember(fresh)
        return out

    def facts(self, root: Path, files: Iterable[SourceFile]) -> dict[str, FileFacts]:
        """Facts of `files` by path; what is not in the store is read and put there."""
        wanted = list(files)
        have = self._stored({file.hash for file in wanted})
        missing = {file.hash: file for file in wanted if file.hash not in have}
        if missing:
            read = _read_all(self._file, root, list(missing.values()))
            self._put(read)
            have |= read or self._stored(set(missing))
        return {file.path: have[file.hash] for file in wanted if file.hash in have}

    def _stored(self, hashes: set[str]) -> dict[str, FileFacts]:
        out: dict[str, FileFacts] = {}
        ordered = sorted(hashes)
        for at in range(0, len(ordered), 500):
            some = ordered[at : at + 500]
            marks = ",".join("?" * len(some))
            rows = self._connection.execute(f"SELECT hash, body FROM facts WHERE hash IN ({marks})", some)
            out |= {digest: unpack(body) for digest, body in rows}
        return out

    def _put(self, read: dict[str, FileFacts]) -> None:
        with closing(self._connection.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            cursor.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", [(h, pack(f)) for h, f in read.items()])
            cursor.execute("COMMIT")

    def _remember(self, rows: list[tuple[str, str, int, int, str]]) -> None:
        if rows:
            with closing(self._connection.cursor()) as cursor:
                cursor.execute("BEGIN IMMEDIATE")
                cursor.executemany("INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?)", rows)
                cursor.execute("COMMIT")


def _hash(root: Path, file: TreeFile, language: str) -> str | None:
    try:
        data = (root / file.path).read_bytes()
    except OSError:
        return None
    return hashlib.sha256(f"{FORMAT} {language}\0".encode() + data).hexdigest()


def _read_all(store: Path, root: Path, files: list[SourceFile]) -> dict[str, FileFacts]:
    """Facts by hash. Where there are many, processes of our own read them and leave them in the store."""
    workers = min(os.cpu_count() or 1, 4)
    if len(files) < MANY or workers < 2:
        return {file.hash: _read_one(root, file) for file in files}
    shares = [files[at::workers] for at in range(workers)]
    command = [sys.executable, "-m", __name__, str(store), str(root)]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, text=True) for _ in shares]
    for process, share in zip(running, shares, strict=True):
        assert process.stdin is not None
        json.dump([asdict(file) for file in share], process.stdin)
        process.stdin.close()
    for process in running:
        process.wait()
    return {}


def _read_one(root: Path, file: SourceFile) -> FileFacts:
    try:
        source = read_source(root / file.path)
    except OSError:
        source = ""
    return read_file(source, language_of(file.path) or "")


def _work_off(store: Path, root: Path) -> None:
    """What a reading process does: the files named on standard input, into the store."""
    files = [SourceFile(**each) for each in json.load(sys.stdin)]
    with closing(FactsStore(store)) as facts:
        for at in range(0, len(files), 200):
            facts.facts(root, files[at : at + 200])


if __name__ == "__main__":
    _work_off(Path(sys.argv[1]), Path(sys.argv[2]))
