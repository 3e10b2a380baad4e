"""Whether the folder of a job still holds what its steps left there, when it goes on.

Each step that may change files writes the hashes of what it changed into the database. Before a job goes on, what is on
the disk is compared: a file that is missing or that somebody changed is taken from the last commit, where that is what
the steps left; where it is not, the job stops with the name of the file. It never goes on with less than it had.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

from echelon.engine.kept import set_aside
from echelon.engine.workspace import Workspace
from echelon.errors import UserError
from echelon.files import files_below, write_atomically
from echelon.store import files as noted
from echelon.store.records.jobs import Json
from echelon.store.records.steps import Step
from echelon.store.store import Store

CHANGED = Path("trace") / "changed"
"""Where a job's folder keeps what somebody changed and the record replaced."""
NAMED = 3
"""Files that a sentence names at most."""


class LostFiles(UserError):
    """Files of a job are not as its steps left them, and the record does not hold them. `paths` are all of them."""

    def __init__(self, job: str, folder: Path, paths: list[str]) -> None:
        named = ", ".join(paths[:NAMED]) + (f" and {len(paths) - NAMED} more" if len(paths) > NAMED else "")
        super().__init__(
            f"The job cannot go on: in {folder} it no longer finds what it left in {named}. "
            f"Put them back and go on with: echelon resume {job}"
        )
        self.paths = tuple(paths)


class Seen:
    """The files of a folder by path, with hashes that are computed again only for what changed on the disk."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._hashes: dict[str, tuple[tuple[int, int, int], str]] = {}

    def now(self) -> dict[str, str]:
        """The hash of each file that is there, by path."""
        found: dict[str, tuple[tuple[int, int, int], str]] = {}
        for path, entry in files_below(str(self._root), apart=(".git", "trace")):
            if _is_made_again(entry.name):
                continue
            stat = entry.stat()
            mark = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            before = self._hashes.get(path)
            found[path] = before if before and before[0] == mark else (mark, _sha256(Path(entry.path)))
        self._hashes = found
        return {path: sha for path, (_, sha) in found.items()}


def changes(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    """What differs, by path: the new hash, "" for what is gone."""
    changed = {path: sha for path, sha in after.items() if before.get(path) != sha}
    return changed | {path: "" for path in before if path not in after}


def check(store: Store, job: str, folder: Path) -> list[str]:
    """Compare a job's folder with what its steps left there; returns the paths that were put back from the record.

    Raises LostFiles.
    """
    left = noted.known(store.engine, job)
    steps = [s for s in store.steps(job) if s.kind != "model"]  # what a model says changes no file
    left = _with_step_in_flight(left, steps, folder)
    there = Seen(folder).now()
    doubtful = {path for path, sha in left.items() if there.get(path) != sha}
    doubtful -= _may_be_half_done(steps, there, doubtful, folder)
    if not left and any(s.answered for s in steps):
        return _without_a_record(job, folder, there, _has_committed(steps))
    restored: list[str] = []
    lost: list[str] = []
    workspace = Workspace(folder)
    for path in sorted(doubtful):
        content = workspace.committed(path)
        if content is None or hashlib.sha256(content).hexdigest() != left[path]:
            lost.append(path)
            continue
        if path in there:
            _set_aside(folder, path)
        write_atomically(folder / path, content)
        restored.append(path)
    if lost:
        raise LostFiles(job, folder, lost)
    if left and not workspace.has_history():
        if _has_committed(steps):
            workspace.begin_anew()
        else:  # killed before the first commit: there is no history yet that could be lost
            workspace.create()
    return restored


def set_back(store: Store, job: str, folder: Path, began: Json) -> None:
    """Bring a job to where a segment began that begins again: its folder to that commit, or to the inputs alone.

    `began` is the control state of then, empty for the first segment. What steps left since would otherwise be taken for
    work that is done, or for evidence of it. It is kept below `trace/`; calls that were paid and effects that happened
    are remembered.
    """
    workspace, commit, step = Workspace(folder), began.get("accepted_commit"), int(began.get("number") or 0)
    if workspace.has_history():
        if commit:
            workspace.reset(commit)
        else:
            for path in sorted(Seen(folder).now()):
                if not path.startswith("documents/"):
                    _set_aside(folder, path)
            workspace.commit("Begin again")
    set_aside(folder, step)
    store.begin_again(job, step, int(began.get("events") or 0))


def _has_committed(steps: list[Step]) -> bool:
    return any(s.name == "commit" and s.answered for s in steps)


def _with_step_in_flight(left: dict[str, str], steps: list[Step], folder: Path) -> dict[str, str]:
    """`left` with what a step kept that was killed before it could be written into the database."""
    if not steps or steps[-1].answered:
        return left
    try:
        name = f"{steps[-1].number:05d}-{steps[-1].name}.json"
        kept: dict[str, str] = json.loads((folder / "trace" / name).read_text(encoding="utf-8")).get("files") or {}
    except (OSError, ValueError, AttributeError):
        return left
    return {path: sha for path, sha in (left | kept).items() if sha}


def _may_be_half_done(steps: list[Step], there: dict[str, str], doubtful: set[str], folder: Path) -> set[str]:
    """Those of the files that the step which was cut off may have written: it runs again, and writes them again."""
    if not steps or steps[-1].answered:
        return set()
    began = steps[-1].started
    written = {p for p in doubtful & there.keys() if (folder / p).stat().st_mtime >= began - 1}
    return {p for p in written if (folder / p).stat().st_size > 0 and not p.startswith("documents/")}


def _without_a_record(job: str, folder: Path, there: dict[str, str], has_committed: bool) -> list[str]:
    """As `check` for jobs of a version that kept no hashes: what the last commit has must be there."""
    workspace = Workspace(folder)
    if not folder.is_dir() or (has_committed and not workspace.has_history()):
        raise LostFiles(job, folder, [".git" if folder.is_dir() else "the whole folder"])
    gone = [p for p in workspace.tracked() if p.startswith(("documents/", "requirements/")) and p not in there]
    for path in gone:
        write_atomically(folder / path, workspace.committed(path) or b"")
    return gone


def _set_aside(folder: Path, path: str) -> None:
    target = folder / CHANGED / f"{time.time_ns()}" / path
    target.parent.mkdir(parents=True, exist_ok=True)
    (folder / path).replace(target)


def _is_made_again(name: str) -> bool:
    """Whether a file is no trace of a step: an index, or half of a file."""
    return name.endswith((".partial", ".gitignore")) or ".sqlite" in name


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
