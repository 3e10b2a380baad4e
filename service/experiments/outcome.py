"""From a job that has ended to the result of its trial: what it used, how it went, and what the checks say."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from echelon.domains.requirements import document_files
from echelon.domains.requirements.types import Status
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from echelon.experiments.definition.load import Task
from echelon.experiments.failures import Signs, failures
from echelon.experiments.scoring.finished import laid_out
from echelon.experiments.scoring.rubric import Judge
from echelon.experiments.scoring.score import Grade, grade
from echelon.experiments.trials import Ceilings, Spending, Trial, TrialResult
from echelon.service.cost import Use, lines_of
from echelon.service.experiments.forks import steps_shared
from echelon.store.records.events import (
    CallRefused,
    Event,
    LimitMet,
    PhaseBegan,
    PhaseEnded,
    TaskAccepted,
    TaskFailed,
    ToolCalled,
    WentRound,
)
from echelon.store.records.jobs import Result
from echelon.store.records.steps import Step
from echelon.store.store import Store

LOOKING = ("read_file", "read_part", "search_files", "list_files", "check_citations", "check_graph", "run_command")
"""Tools by which QA can see the work that it judges"""
STARTED = ("submitted", "running")


def crashed(trial: Trial, job: str, why: str) -> TrialResult:
    """The result of a trial that did not come to an end of its own: no success, and said so."""
    return TrialResult(
        trial=trial.id, task=trial.task, cluster=trial.cluster, arm=trial.arm, repeat=trial.repeat, seed=trial.seed,
        job=job, state="crashed", reason=why, success=False, score=0.0,
    )  # fmt: skip


def outcome(store: Store, trial: Trial, task: Task, job: str, judge: Judge | None) -> TrialResult:
    """The result of a trial whose job has ended: its ledger, and the checks on a copy of its workspace."""
    row = store.job(job)
    kept = row.end
    state = "crashed" if row.state == "failed" else row.state
    if state == "crashed":
        graded = Grade(())
    else:
        with laid_out(row.folder, task.folder, task.inputs, state) as finished:
            graded = grade(task.checks, finished, judge)
    success = False if state == "crashed" else graded.success
    steps, lost = store.steps(job), lost_requirements(row.folder)
    told = [row.event for row in store.events(job)]
    shared = steps_shared(row)
    return TrialResult(
        trial=trial.id, task=trial.task, cluster=trial.cluster, arm=trial.arm, repeat=trial.repeat, seed=trial.seed,
        job=job, state=state, reason=kept.reason, success=success, outage=row.state == "failed" and kept.outage,
        score=0.0 if state == "crashed" else graded.score, checks=graded.checks, grading_cost=graded.cost,
        used=spending([s for s in steps if s.number > shared]),
        prefix=spending([s for s in steps if s.number <= shared]),
        ceilings=ceilings_of(row.config.config), rounds=kept.rounds,
        escalations=dict(Counter(_tier(e) for e in kept.escalations)), rework_share=rework(steps, told),
        failures=tuple(f.value for f in failures(signs(state, success, told, lost))),
        failed_tier="" if success else failed_tier(state, success, kept),
    )  # fmt: skip


def spending(steps: Sequence[Step]) -> Spending:
    """What the steps of a ledger used."""
    return Spending(
        tokens=sum(s.tokens for s in steps),
        cost=sum(s.cost for s in steps),
        seconds=sum(s.milliseconds for s in steps) / 1000,
        model_calls=sum(s.kind == "model" for s in steps),
        tool_calls=sum(s.kind == "tool" for s in steps),
    )


def ceilings_of(config: dict[str, Any]) -> Ceilings:
    """The ceilings of a job, without those that are unlimited."""
    names = Ceilings.model_fields
    return Ceilings.model_validate({n: v for n, v in config["budget"].items() if n in names and v != "unlimited"})


def rework(steps: list[Step], told: Sequence[Event]) -> float:
    """The share of a job's tokens that mended what was not accepted, or were lost."""
    rows = lines_of(steps, told)
    total = sum(r.tokens for r in rows)
    again = sum(r.tokens for r in rows if r.use in (Use.REWORK, Use.WASTE))
    return min(1.0, again / total) if total else 0.0


def failed_tier(state: str, success: bool | None, kept: Result) -> str:
    """The tier at which a trial without success came to its end: who said that it was done, or who handed it up last."""
    if success is None:
        return ""
    if state == "completed":
        return "checking"
    raised = kept.escalations
    return _tier(raised[-1]) if raised else "code" if state in ("crashed", "limit") else "strategic"


def _tier(escalation: dict[str, Any]) -> str:
    """The tier that handed a failure up, by who raised it."""
    raised = str(escalation.get("raised_by", "")).lower()
    if "assessor" in raised:
        return "assessment"
    return "strategic" if "scope" in raised else "tactical"


def signs(state: str, success: bool | None, told: Sequence[Event], lost: int = 0) -> Signs:
    """What the events of a job show of failure kinds."""
    return Signs(
        state=state, success=success, lost=lost,
        refused_calls=sum(isinstance(e, CallRefused) and "no tool" in e.why for e in told),
        early_ends=sum(isinstance(e, ToolCalled) and not e.ok and ends_phase(e.tool) for e in told),
        loops=sum(isinstance(e, WentRound) and e.stop for e in told),
        phase_limits=sum(isinstance(e, LimitMet) and e.scope not in ("job", "milestone") for e in told),
        findings_again=_again([e for e in told if isinstance(e, TaskFailed) and not e.passed]),
        passed_verdicts=sum(isinstance(e, TaskAccepted) for e in told), unlooked_verdicts=_unlooked(told),
    )  # fmt: skip


def ends_phase(tool: str) -> bool:
    """Whether a tool ends the phase of a role."""
    return tool.startswith("submit_") or tool == "job_complete"


def lost_requirements(folder: Path) -> int:
    """Accepted requirements of the parts of a creator's documents that its delivered catalogue does not have."""
    delivered = folder / "output" / "requirements.json"
    workspace = Workspace(folder)
    if not delivered.is_file() or not (folder / "requirements").is_dir():
        return 0
    try:
        known = {r["text"] for r in json.loads(delivered.read_text(encoding="utf-8"))["requirements"]}
        found = {r.text for _, _, r in document_files.all_found(workspace) if r.status is Status.ACCEPTED}
    except (OSError, ValueError, KeyError, TypeError, ModelFault):  # another shape: then code cannot tell
        return 0
    return len(found - known)


def _again(verdicts: Sequence[TaskFailed]) -> int:
    """Findings that a later verdict on the same task repeats."""
    seen: Counter[tuple[str, str]] = Counter()
    for verdict in verdicts:
        seen.update({(verdict.title, finding) for finding in verdict.findings})
    return sum(n - 1 for n in seen.values())


def _unlooked(told: Sequence[Event]) -> int:
    """Phases of QA in which no tool that looks at anything was called."""
    found, looked, inside = 0, False, False
    for event in told:
        match event:
            case PhaseBegan(role="QA"):
                looked, inside = False, True
            case ToolCalled() if inside:
                looked = looked or (event.tool in LOOKING and event.ok)
            case PhaseEnded() if inside:
                found, inside = found + (not looked), False
            case _:
                pass
    return found
