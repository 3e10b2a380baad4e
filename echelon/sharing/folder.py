"""What a job's folder holds, as a list that can be compared and made again elsewhere."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from echelon.files import write_atomically

LINK, FOLDER = "link", "folder"
"""Kinds beside `file`"""


@dataclass(frozen=True)
class Entry:
    """A file, a link (its content is where it leads), or a folder with nothing in it."""

    kind: str
    sha256: str
    mode: int


Listing = dict[str, Entry]
"""Entries by path"""


class Scanner:
    """Lists a folder; a file is hashed again only when its time, size or number on the disk changed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen: dict[str, tuple[tuple[int, int, int], str]] = {}

    def now(self) -> Listing:
        """Everything in the folder but halves, locks and indexes, which are made anew."""
        found: Listing = {}
        for path in _entries(self._root):
            name, facts = path.relative_to(self._root).as_posix(), path.lstat()
            mode = stat.S_IMODE(facts.st_mode)
            if stat.S_ISLNK(facts.st_mode):
                found[name] = Entry(LINK, sha256_of(str(path.readlink()).encode()), mode)
            elif stat.S_ISDIR(facts.st_mode):
                found[name] = Entry(FOLDER, "", mode)
            else:
                mark = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
                before = self._seen.get(name)
                sha = before[1] if before and before[0] == mark else sha256_of(path.read_bytes())
                self._seen[name] = (mark, sha)
                found[name] = Entry("file", sha, mode)
        return found


def content_of(root: Path, path: str, entry: Entry) -> bytes:
    """The content of an entry as it is now."""
    return str((root / path).readlink()).encode() if entry.kind == LINK else (root / path).read_bytes()


def remove(root: Path, path: str) -> None:
    """Take an entry away."""
    target = root / path
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)


def make(root: Path, path: str, entry: Entry, content: bytes) -> None:
    """Make an entry as it was."""
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if entry.kind == FOLDER:
        target.mkdir(exist_ok=True)
    elif entry.kind == LINK:
        target.unlink(missing_ok=True)
        target.symlink_to(content.decode())
    else:
        write_atomically(target, content)
        target.chmod(entry.mode)


def _entries(root: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(root, followlinks=False):
        folder = Path(here)
        links = [name for name in folders if (folder / name).is_symlink()]
        folders[:] = sorted(set(folders) - set(links))
        kept = sorted(n for n in (*names, *links) if _is_kept(folder, n))
        yield from (folder / name for name in kept)
        if not kept and not folders and folder != root:
            yield folder


def _is_kept(folder: Path, name: str) -> bool:
    in_git = ".git" in folder.parts or name == ".git"
    if name.endswith(".partial") or (".sqlite" in name and not in_git) or (in_git and name.endswith(".lock")):
        return False
    facts = (folder / name).lstat()
    return stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode)


def sha256_of(content: bytes) -> str:
    """The name of a content."""
    return hashlib.sha256(content).hexdigest()
