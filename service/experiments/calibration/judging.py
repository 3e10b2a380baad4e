"""Planting into the copy of a job, and reading the verdict out of what happened in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from echelon.crews.job import JobState
from echelon.crews.job_types import job_type
from echelon.crews.jobtype import Planting
from echelon.engine.workspace import Workspace
from echelon.experiments.calibration.confusion import Verdict
from echelon.experiments.definition.load import Task
from echelon.experiments.scoring.finished import laid_out
from echelon.experiments.scoring.rubric import Judge
from echelon.experiments.scoring.score import Grade, grade
from echelon.service.experiments.calibration.units import Reference, Unit
from echelon.service.experiments.forks import steps_shared
from echelon.settings import JobConfig
from echelon.store.records.events import PhaseBegan, TaskAccepted, TaskFailed
from echelon.store.records.jobs import JobRow
from echelon.store.records.steps import Step
from echelon.store.store import Store


class NoPlace(Exception):
    """The work has no place for a fault of this kind."""


def plant(store: Store, unit: Unit, origin: str, folder: Path, seed: int) -> str:
    """Put the unit's fault or form into the copy of a job in `folder`; says what was done. Raises NoPlace.

    The same seed, task, kind and number plant the same, whatever the arm: their QAs see the same work.
    """
    row = store.job(origin)
    config = JobConfig.model_validate(row.config.config)
    decision = JobState.model_validate(row.end.snapshot).decision
    assert decision is not None and decision.task is not None
    given = Planting(
        kind=unit.kind,
        seed=f"{seed}:{unit.task}:{unit.kind}:{unit.number}",
        task=decision.task,
        job=origin,
        config=config,
    )
    says = job_type(config.job).plant(given, Workspace(folder))
    if not says:
        raise NoPlace
    return says


def reference(store: Store, task: Task, job: str, judge: Judge, shared: int = 0) -> Reference:
    """Whether work was right, from the copy that went on from there alone: nothing was sent back, and the checks pass.

    What it took is counted without the `shared` steps that were counted elsewhere.
    """
    row = store.job(job)
    spent = used([s for s in store.steps(job) if s.number > shared])
    if not isinstance(first_word(store, row)[0], TaskAccepted):
        return Reference(task=task.name, right=False, says="code itself sends the work back there", **spent)
    graded = _graded(row, task, judge)
    if row.state == "completed" and graded.success:
        return Reference(task=task.name, right=True, **spent)
    wrong = next((c.says for c in graded.checks if not c.passed and c.says), "")
    says = f"the work is not right as it stands there ({row.state}{f': {wrong}' if wrong else ''})"
    return Reference(task=task.name, right=False, says=says, **spent)


def verdict(store: Store, unit: Unit, task: Task, job: str, judge: Judge | None) -> Verdict:
    """The verdict that the events of a copy tell; work that QA itself judged otherwise goes back as well.

    With a `judge`, the copy went on to its end, and what it delivered is graded.
    """
    row = store.job(job)
    told, asked = first_word(store, row)
    objections = _objections(store, row)
    passed = None if told is None else isinstance(told, TaskAccepted) and not objections
    own = [s for s in store.steps(job) if s.number > steps_shared(row)]
    mine = _of_qa(own) if asked else []
    found = (
        told.findings[:1] if isinstance(told, TaskFailed) else tuple(f"judged otherwise: {o}" for o in objections[:1])
    )
    says = next(iter(found), "") if told is not None else row.end.reason or f"the copy is {row.state}"
    return unit.verdict(task.cluster).model_copy(update={
        "job": job, "passed": passed, "by": "code" if told is not None and not asked else "role", "says": says,
        **used(mine), "seconds": sum(s.milliseconds for s in mine) / 1000,
        **{f"all_{unit}": n for unit, n in used(own).items()}, "state": "" if judge is None else row.state,
        "success": None if judge is None else bool(_graded(row, task, judge).success),
    })  # fmt: skip


def used(steps: list[Step]) -> dict[str, Any]:
    """Tokens and US dollars of some steps."""
    return {"tokens": sum(s.tokens for s in steps), "cost": sum(s.cost for s in steps)}


def first_word(store: Store, row: JobRow) -> tuple[TaskAccepted | TaskFailed | None, bool]:
    """What came first of a copy's own: its task was accepted, or it failed; and whether QA had been asked before it."""
    assert row.config.fork is not None
    asked, before = False, len(store.events(row.config.fork.job))
    for kept in store.events(row.id)[before:]:
        if isinstance(kept.event, TaskAccepted | TaskFailed):
            return kept.event, asked
        asked = asked or (isinstance(kept.event, PhaseBegan) and kept.event.role == "QA")
    return None, asked


def _objections(store: Store, row: JobRow) -> list[str]:
    assert row.config.fork is not None
    type_, origin = job_type(row.type), store.job(row.config.fork.job)
    before = set(type_.objections(Workspace(origin.folder)))
    return [o for o in type_.objections(Workspace(row.folder)) if o not in before]


def _of_qa(own: list[Step]) -> list[Step]:
    """The steps of QA that led to the first word: those of its first round in the copy."""
    found = [s for s in own if s.role == "QA"]
    return [s for s in found if s.round == found[0].round]


def _graded(row: JobRow, task: Task, judge: Judge) -> Grade:
    if row.state == "failed":
        return Grade(())
    with laid_out(row.folder, task.folder, task.inputs, row.state) as finished:
        return grade(task.checks, finished, judge)
