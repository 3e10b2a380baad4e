"""The change as a branch: a clone of the user's repository with a commit for each accepted task."""

from __future__ import annotations

import shutil
from pathlib import Path

from echelon.crews.coder import tree
from echelon.domains.code.map.walking import git
from echelon.engine.workspace import Workspace
from echelon.errors import UserError

CLONE = "trace/clone"
"""Beside the trace, which is no part of the workspace's own history: it is made anew from that history."""
NAME = "echelon/{job}"
_AUTHOR = ("-c", "user.name=Echelon", "-c", "user.email=echelon@localhost", "-c", "commit.gpgsign=false")


def make_branch(workspace: Workspace, job: str) -> Path | None:
    """Make the clone with the branch; None where there is no commit to build on (a plain folder)."""
    base = tree.base_of(workspace)
    clone = workspace.root / CLONE
    if clone.exists():
        shutil.rmtree(clone)
    if not base.head or not Path(base.source).is_dir():
        return None
    git(workspace.root, "clone", "--quiet", "--no-checkout", "--no-hardlinks", "--", base.source, str(clone))
    git(clone, "checkout", "--quiet", "-B", NAME.format(job=job), base.head)
    last = base.tree
    for commit, message in _commits(workspace):
        last = _apply(workspace, clone, last, f"{commit}:{tree.FOLDER}", message)
    _apply(workspace, clone, last, _now(workspace), "Change what the request asks for")
    return clone


def _commits(workspace: Workspace) -> list[tuple[str, str]]:
    """Accepted tasks, oldest first: (commit, what was done)."""
    said = git(workspace.root, "log", "--reverse", "--format=%H%x00%s", check=False).decode("utf-8", "replace")
    rows = [line.split("\0", 1) for line in said.splitlines() if "\0" in line]
    return [(commit, message.partition(": ")[2]) for commit, message in rows if message.startswith("Round ")]


def _now(workspace: Workspace) -> str:
    return git(workspace.root, "write-tree", f"--prefix={tree.FOLDER}/").decode().strip()


def _apply(workspace: Workspace, clone: Path, old: str, new: str, message: str) -> str:
    """Put the change between two trees of the workspace on the branch; the tree that the branch stands for now."""
    patch = git(workspace.root, "diff", "--binary", "--no-color", "--no-ext-diff", "--no-renames", old, new)
    if not patch.strip():
        return old
    try:
        git(clone, "apply", "--index", "--whitespace=nowarn", "-", stdin=patch)
    except UserError:  # changes that were never committed lie under it: they go along, as one commit of their own
        _uncommitted(workspace, clone, old)
        git(clone, "apply", "--index", "--whitespace=nowarn", "-", stdin=patch)
    git(clone, *_AUTHOR, "commit", "--quiet", "--no-verify", "-m", message)
    return new


def _uncommitted(workspace: Workspace, clone: Path, tree_id: str) -> None:
    for path in tree.base_of(workspace).files:
        data = git(workspace.root, "cat-file", "blob", f"{tree_id}:{path}", check=False)
        (clone / path).parent.mkdir(parents=True, exist_ok=True)
        (clone / path).write_bytes(data)
    git(clone, "add", "--all")
    git(clone, *_AUTHOR, "commit", "--quiet", "--no-verify", "--allow-empty", "-m", "Take the work tree as it is")
