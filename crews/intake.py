"""INTAKE: make the workspace, bring the inputs in, write the instructions. Code only."""

from __future__ import annotations

from echelon.crews import experiences
from echelon.crews.hierarchy.vocabulary import Event
from echelon.crews.jobtype import Intake
from echelon.crews.stage import Stage
from echelon.files import write_atomically
from echelon.store.records.events import InputsRead, ReadDocument


def intake(stage: Stage) -> Event:
    """Read every input; one that cannot be read ends the job, unless the configuration says to go on without it."""
    s = stage.state
    taken = stage.code("intake", Intake, lambda: _taken(stage, stage.inputs))
    s.documents = list(taken.documents)
    skipped = taken.problems
    may_skip = stage.run.config.inputs.skip_unreadable and bool(s.documents)
    read = tuple(ReadDocument.model_validate(d.model_dump()) for d in s.documents)
    stage.run.emit(InputsRead(documents=read, problems=skipped))
    if skipped and not may_skip:
        s.reason = " ".join(skipped)
        return Event.BAD_INPUT
    s.warnings = skipped + tuple(f"{d.file}: {w}" for d in s.documents for w in d.warnings)
    s.accepted_commit = s.began_commit = s.milestone_commit = stage.commit("Take the inputs in")
    experiences.recall(stage)
    return Event.READY


def _taken(stage: Stage, inputs: list[str]) -> Intake:
    stage.workspace.create()
    write_atomically(stage.workspace.root / "instructions.md", f"# Instructions\n\n{stage.state.request}\n")
    return stage.type.take_in(stage.run, stage.workspace, inputs)
