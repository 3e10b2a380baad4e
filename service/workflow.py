"""One segment of a job: the code that DBOS runs, from a snapshot to a snapshot."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from echelon import own
from echelon.crews.hierarchy.loop import work
from echelon.crews.hierarchy.states import ENDS, State
from echelon.crews.job import JobState
from echelon.crews.job_types import job_type
from echelon.crews.playbooks.model import playbooks_are_registered
from echelon.crews.stage import Stage
from echelon.engine.integrity import check
from echelon.engine.run import Run
from echelon.files import remove_halves
from echelon.settings import Environment, JobConfig
from echelon.store import folders
from echelon.store.records.jobs import Given, Result
from echelon.store.store import Store

PARKED = "parked"
"""A job that stopped where its settings say, with a snapshot from which copies of it go on"""


def run_segment(
    store: Store, environment: Environment, job: str, segment: int, given: dict[str, Any]
) -> dict[str, Any]:
    """Run until the job ends or needs a person; returns the state that it is in then.

    What the segment begins with is in the job's row; `given` has it for segments that a version before began.
    """
    playbooks_are_registered()
    row = store.job(job)
    config = JobConfig.model_validate(row.config.config)
    if config.own:
        own.load(Path(config.own))
    begins = Given.model_validate(given) if given else row.config.given
    state = JobState.model_validate(begins.snapshot) if begins else JobState(request=row.request)
    run = Run(
        job=job, folder=row.folder, config=config, store=store, environment=environment, number=state.number,
        events=state.events, spent=state.spent, marks=state.marks,
    )  # fmt: skip
    inputs = list(row.config.inputs)
    if run.shared is not None:
        run.shared.pull()
        inputs = run.shared.inputs(inputs)
    remove_halves(run.folder, leaving=(".git", "trace"))  # the record in `trace/` is also written from outside
    check(store, job, run.folder)
    store.set_job(job, state="running")
    folders.keep(store.job(job), make=True)
    stage = Stage(run, state, job_type(config.job))
    try:
        work(stage, inputs, begins.said if begins else None)
    except BaseException as error:
        run.trace.end("stopped", error)
        raise
    run.trace.end(state.position.state.value)
    state.number, state.events, state.spent, state.marks = run.number, run.events, run.spent, run.marks
    finish(store, stage)
    if run.shared is not None and run.folder.is_dir():
        run.shared.push()
    return {"state": state.position.state.value}


def finish(store: Store, stage: Stage) -> None:
    """Write down how the segment ended. Runs again on a replay, with the same values."""
    state, job = stage.state, stage.run.job
    has_begun = bool(state.accepted_commit)

    def look() -> tuple[dict[str, Any], list[str]]:
        if not has_begun:
            return {}, []
        return stage.type.figures(stage.run, stage.workspace), list(stage.type.deliverables(stage.workspace))

    figures, outputs = stage.code("results", tuple[dict[str, Any], list[str]], look)
    state.number = stage.run.number
    result = Result(
        reason=state.reason, outputs=tuple(outputs), figures=figures, spent=state.spent.model_dump(),
        escalations=tuple(e.model_dump(mode="json") for e in state.escalations), warnings=state.warnings,
        rounds=state.round, done=tuple(t.model_dump() for t in state.done), questions=state.questions,
        complete=None if state.complete is None else state.complete.model_dump(mode="json"),
        unfinished=_unfinished(state), snapshot=state.model_dump(mode="json"),
    )  # fmt: skip
    ended = state.position.state in ENDS
    store.set_job(job, state=state.position.state.value if ended else PARKED, result=result)
    if state.position.state is State.REJECTED:
        shutil.rmtree(stage.run.folder, ignore_errors=True)


def _unfinished(state: JobState) -> dict[str, Any] | None:
    """The report of the task that the end of the segment interrupted, None where none was under way."""
    if state.position.came_from is not State.IMPLEMENT or state.report is None:
        return None
    return state.report.model_dump(mode="json")
