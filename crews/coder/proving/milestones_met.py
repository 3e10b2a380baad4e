"""Each milestone needs something new: a test that proved none before it, or new words where the request is for words."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from echelon.crews.coder import tree
from echelon.crews.coder.proving import proof
from echelon.crews.coder.proving.asked import asks_for_words
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically
from echelon.tasks.results import request_of

FILE = "code/milestones.json"


class Met(BaseModel):
    """What stood at the end of a milestone."""

    model_config = ConfigDict(extra="forbid")

    tree: str
    proven: tuple[str, ...] = ()


class Milestones(BaseModel):
    """By number, from 0."""

    model_config = ConfigDict(extra="forbid")

    version: int = 1
    met: dict[int, Met] = Field(default_factory=dict)


def nothing_new(run: Run, workspace: Workspace, milestone: int) -> str:
    """Why a milestone is not proven although the change as a whole is; '' when it is, which is then kept."""
    kept, now = _kept(workspace), tree.fingerprint(tree.manifest(workspace))
    proven = proof.proven_by(proof.run_before(run, workspace), proof.run_after(run, workspace))
    before = kept.met.get(milestone - 1)
    if before is not None and before.tree == now:
        return "nothing was changed since the milestone before was reached"
    if before is not None and not set(proven) - set(before.proven) and not asks_for_words(request_of(workspace)):
        return "no test proves more than at the end of the milestone before; add one for this outcome"
    kept.met[milestone] = Met(tree=now, proven=proven)
    write_atomically(workspace.root / FILE, kept.model_dump_json())
    return ""


def _kept(workspace: Workspace) -> Milestones:
    file = workspace.root / FILE
    return Milestones.model_validate_json(file.read_bytes()) if file.is_file() else Milestones()
