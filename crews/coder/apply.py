"""Put the change of a coder job into the user's repository, as a branch, without touching the work tree."""

from __future__ import annotations

from pathlib import Path

from echelon.crews.coder import tree
from echelon.crews.coder.branch import CLONE, NAME
from echelon.domains.code.map.walking import git, is_repository
from echelon.engine.workspace import Workspace
from echelon.errors import UserError


def apply_change(workspace: Workspace, job: str) -> str:
    """Apply the change; says what was done. Raises UserError when the tree has moved under the same lines.

    A git repository gets the branch and its work tree stays as it is; a plain folder gets the files.
    """
    if not (workspace.root / tree.BASE).is_file():
        raise UserError(f"Job {job} has no repository; only coder jobs have changes to apply.")
    base, patch = tree.base_of(workspace), tree.diff(workspace)
    source = Path(base.source)
    if not patch:
        raise UserError(f"Job {job} has changed nothing; there is nothing to apply.")
    if not source.is_dir():
        raise UserError(f"The repository {source} is not there any more.")
    if is_repository(source) and base.head:
        _refuse_moved(source, patch, job)
        name = NAME.format(job=job)
        git(source, "fetch", "--quiet", "--no-tags", str(workspace.root / CLONE), f"{name}:{name}")
        return f"The change is on the branch {name} of {source}; 'git merge {name}' takes it."
    _written(workspace, base, source)
    return f"The change is in {source}."


def _refuse_moved(source: Path, patch: str, job: str) -> None:
    """Raises UserError when the lines under the change are not what they were, so that it would not merge."""
    try:
        git(source, "apply", "--check", "-", stdin=patch.encode("utf-8", "surrogateescape"))
    except UserError as error:
        said = str(error).rpartition("error: ")[2].rstrip(".")
        raise UserError(
            f"{source} has changed under the same lines since the job began ({said}); run the job again, or merge "
            f"output/changes.patch of job {job} by hand."
        ) from error


def _written(workspace: Workspace, base: tree.Base, source: Path) -> None:
    """Write changed files into a plain folder, all or none: refused where one is no longer what was taken in."""
    import hashlib

    from echelon.files import write_atomically

    changed = tree.changed_paths(workspace, base)
    for path in changed:
        file = source / path
        now = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None
        if now != base.files.get(path):
            raise UserError(f"'{path}' in {source} is not what it was when the job began; apply changes.patch by hand.")
    for path in changed:
        new = tree.root_of(workspace) / path
        if new.is_file():
            write_atomically(source / path, new.read_bytes())
        else:
            (source / path).unlink()
