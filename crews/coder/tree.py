"""The repository in the workspace: its files as they were taken in, and as they are now.

The files lie in `repository/` and are a part of the workspace's own git repository, so that a task that is accepted is
a commit of them too, and a rewind brings them back. The user's own tree is only read.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from echelon.domains.code.editing.patch import unified_diff
from echelon.domains.code.map.walking import git, is_repository, walked
from echelon.engine.workspace import Workspace
from echelon.errors import UserError
from echelon.files import write_atomically

FOLDER = "repository"
BASE = "code/base.json"
MOST_FILES = 20_000
_LFS = b"version https://git-lfs.github.com/spec/"


class Base(BaseModel):
    """What was taken in."""

    model_config = ConfigDict(extra="forbid")

    version: int = 1
    source: str = Field(description="the user's folder")
    head: str = Field(default="", description="the commit that was checked out; empty for a plain folder")
    tree: str = Field(description="git's id of the files as they were taken in")
    files: dict[str, str] = Field(description="path to the SHA-256 of the content")


@dataclass(frozen=True)
class Taken:
    """What came of taking a repository in: notes for the user."""

    base: Base
    warnings: tuple[str, ...]


def root_of(workspace: Workspace) -> Path:
    """The folder with the files that roles change."""
    return workspace.root / FOLDER


def take_in(workspace: Workspace, source: Path, most_megabytes: int) -> Taken:
    """Copy the files that git knows or does not ignore (all of a plain folder). Raises UserError for too much."""
    paths = _paths(source)
    sizes = {path: (source / path).stat().st_size for path in paths}
    total = sum(sizes.values())
    if len(paths) > MOST_FILES or total > most_megabytes * 1_000_000:
        raise UserError(
            f"{source} has {len(paths)} files of {total / 1e6:.0f} MB; the most is {MOST_FILES} files and "
            f"{most_megabytes} MB (inputs.max_megabytes)"
        )
    if not paths:
        raise UserError(f"{source} has no files; name a folder with source code")
    target = root_of(workspace)
    if target.exists():
        shutil.rmtree(target)
    for path in paths:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / path, target / path, follow_symlinks=False)
    git(workspace.root, "add", "--all", "--force", "--", FOLDER)
    tree = git(workspace.root, "write-tree", f"--prefix={FOLDER}/").decode().strip()
    base = Base(source=str(source), head=_head(source), tree=tree, files=manifest(workspace))
    write_atomically(workspace.root / BASE, base.model_dump_json())
    return Taken(base, tuple(_warnings(source, paths)))


def base_of(workspace: Workspace) -> Base:
    """What was taken in."""
    return Base.model_validate_json((workspace.root / BASE).read_bytes())


def files(workspace: Workspace) -> list[str]:
    """Paths of the repository's files as they are now, sorted."""
    listed = git(root_of(workspace), "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    paths = {path.decode("utf-8", "surrogateescape") for path in listed.split(b"\0") if path}
    return sorted(path for path in paths if _is_plain(root_of(workspace) / path))


def manifest(workspace: Workspace) -> dict[str, str]:
    """Path to the SHA-256 of the content, of the files as they are now."""
    root = root_of(workspace)
    return {path: hashlib.sha256((root / path).read_bytes()).hexdigest() for path in files(workspace)}


def fingerprint(contents: dict[str, str]) -> str:
    """One hash for a manifest."""
    return hashlib.sha256("\n".join(f"{path}\0{sha}" for path, sha in sorted(contents.items())).encode()).hexdigest()


def changed_paths(workspace: Workspace, base: Base) -> list[str]:
    """Files that are not as they were taken in."""
    now = manifest(workspace)
    return sorted(path for path in {*now, *base.files} if now.get(path) != base.files.get(path))


def old_content(workspace: Workspace, base: Base, path: str) -> bytes | None:
    """A file as it was taken in; None when it was not there."""
    return git(workspace.root, "cat-file", "blob", f"{base.tree}:{path}") if path in base.files else None


def contents(workspace: Workspace) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """All files before and after."""
    base, root = base_of(workspace), root_of(workspace)
    after = {path: (root / path).read_bytes() for path in files(workspace)}
    changed = set(changed_paths(workspace, base))
    before = {path: data for path, data in after.items() if path not in changed}
    for path in changed:
        data = old_content(workspace, base, path)
        if data is not None:
            before[path] = data
    return before, after


def diff(workspace: Workspace) -> str:
    """The whole change as a patch that `git apply` takes, binary files included."""
    git(workspace.root, "add", "--all", "--", FOLDER)
    now = git(workspace.root, "write-tree", f"--prefix={FOLDER}/").decode().strip()
    options = ("--binary", "--no-color", "--no-ext-diff", "--no-renames")
    said = git(workspace.root, "diff", *options, base_of(workspace).tree, now)
    return said.decode("utf-8", "replace")


def changed_lines(workspace: Workspace) -> dict[str, str]:
    """The lines that the change takes away and adds, by file."""
    before, after = contents(workspace)
    out: dict[str, str] = {}
    for path in changed_paths(workspace, base_of(workspace)):
        old, new = (side.get(path, b"").decode("utf-8", "replace") for side in (before, after))
        said = unified_diff(path, old, new, context=0).splitlines()[2:]
        out[path] = "\n".join(line[1:] for line in said if line[:1] in ("+", "-"))
    return out


def _paths(source: Path) -> list[str]:
    if is_repository(source):
        listed = git(source, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split(b"\0")
        paths = {path.decode("utf-8", "surrogateescape") for path in listed if path}
    else:
        paths = set(walked(source))
    return sorted(path for path in paths if _is_plain(source / path) and not path.startswith(".echelon/"))


def _is_plain(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def _head(source: Path) -> str:
    if not is_repository(source):
        return ""
    return git(source, "rev-parse", "-q", "--verify", "HEAD", check=False).decode().strip()


def _warnings(source: Path, paths: list[str]) -> list[str]:
    out: list[str] = []
    if is_repository(source) and git(source, "status", "--porcelain").strip():
        out.append("the work tree has changes that are not committed; they are taken as they are")
    if ".gitmodules" in paths:
        out.append("submodules are not taken in")
    if any(_is_lfs(source / path) for path in paths if os.path.getsize(source / path) < 400):  # noqa: PTH202
        out.append("files of Git LFS are only pointers here")
    links = _links(source)
    if links:
        out.append(f"{len(links)} links are left out")
    return out


def _links(source: Path) -> list[str]:
    if not is_repository(source):
        return []
    staged = git(source, "ls-files", "-s", "-z").split(b"\0")
    return [line.decode("utf-8", "replace") for line in staged if line.startswith(b"120000")]


def _is_lfs(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(len(_LFS)) == _LFS
