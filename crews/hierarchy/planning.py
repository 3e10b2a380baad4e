"""PLAN and its gate: the one task that is done now."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import assert_never

from echelon.crews import dropping, experiences
from echelon.crews.hierarchy import approvals
from echelon.crews.hierarchy.states import Event, State
from echelon.crews.jobtype import Survey, are_shown_whole
from echelon.crews.patterns import Lesson, Why
from echelon.crews.stage import Stage, event_of
from echelon.digest import digest, folded
from echelon.engine.ends import Submitted
from echelon.engine.todos import ADVICE, Planned, TodoList, Work
from echelon.engine.toolbox import PhaseState
from echelon.errors import ModelFault
from echelon.files import write_atomically
from echelon.store.records.events import CodeWorked, Gated
from echelon.tasks.checks import cannot_be_carried_out
from echelon.tasks.contracts import Decision, PlannerDecision, Task, Tier
from echelon.tasks.deliverables import named_in

SHOWN_DOCUMENTS = 20
"""Inputs that a prompt names one by one."""
OF_THE_GATE = "Plan: "
"""How the findings of the gate begin."""
ANSWER = "output/answer.md"
"""What a guided job on short inputs delivers where the request names no file."""
NOTHING = "The planner submitted nothing: "
"""How the finding begins that a phase of the planner ended without a plan."""
NOT_MADE = {"documents": "an input"} | dict.fromkeys(
    ("trace", "instructions.md", "plan.md", "todos.yaml"), "a file that is always there"
)
"""Top-level names that no task makes: as a deliverable each would be there whatever is done."""


def left_open(stage: Stage, milestones: int) -> Survey:
    """What code sees as open for the current of so many milestones.

    What it can do by itself it does first, before anybody is asked; not over what a failed attempt has left.
    """
    type_, run, workspace = stage.type, stage.run, stage.workspace

    def surveyed() -> Survey:
        return type_.survey(run, workspace, stage.state.milestone, milestones)

    def look() -> tuple[list[str], Survey]:
        chores = [] if stage.state.findings else list(type_.chores(run, workspace))
        return chores, Survey() if chores else surveyed()

    chores, seen = stage.code("survey", tuple[list[str], Survey], look)
    if not chores:
        return seen
    for chore in chores:
        said = stage.code("chore", str, functools.partial(type_.do, run, workspace, chore))
        run.emit(CodeWorked(chore=chore, said=said))
    stage.state.accepted_commit = stage.commit("Work of code: " + ", ".join(chores))
    return stage.code("survey_again", Survey, surveyed)


def plan(stage: Stage) -> Event:
    """The TaskPlanner plans the one task that is done now, or claims the milestone, or aborts."""
    s, todos = stage.state, stage.run.config.todos
    assert s.scope is not None
    if asked := approvals.questions(stage, has_scope=True):
        s.questions = asked
        return Event.QUESTIONS
    seen = left_open(stage, len(s.scope.milestones))
    open_ = dropping.offered(stage, seen.open)
    batch = next_batch(open_, seen.batch or todos.batch, s.ruled_out)
    own = asked_for(stage)
    s.least_todos = _least(stage, seen)
    s.open_work = len(seen.open) if seen.surveyed else None
    told = [f for f in s.findings if not f.startswith(NOTHING)]  # that a phase led nowhere leaves no work behind
    written = promised(stage)
    may_be_through = seen.surveyed or (bool(written) and _has_news(stage))
    is_through = may_be_through and not (own or open_ or told or s.open_findings or s.advice)
    played = stage.play(
        "task_planner",
        "plan",
        PlannerDecision,
        PhaseState(
            offered=(*own, *open_),
            kept_ids=tuple(f.id for f in s.open_findings),
            is_through=is_through,
            deliverables=written,
        ),
        is_shown=bool(batch) or is_through,
        does=() if is_through or seen.surveyed else None,  # code says what is open: it would only look again
        block=_block(seen, batch, bool(s.findings), [f.id for f in s.open_findings if f.names_object], s.advice),
        request=s.request,
        remit=s.scope.remit,
        documents=s.documents[:SHOWN_DOCUMENTS],
        document_count=len(s.documents),
        report=s.report,
        open_findings=s.open_findings,
        milestone=s.current_milestone,
        milestone_number=s.milestone + 1,
        milestones=len(s.scope.milestones),
        done_count=len(s.done),
        done=s.recent,
        notes=s.notes,
        findings=s.findings,
        ruled_out=list(dict.fromkeys(s.ruled_out.values()))[-5:],
        experiences=s.experiences,
        advice=s.advice,
        surveyed=seen.surveyed,
        facts=seen.facts,
        open_work=(*own, *batch),
        open_count=len(own) + len(open_),
        dropped=dropping.here(stage),
        least=s.least_todos,
        most=todos.most,
    )
    dropping.keep(stage, played.dropped)
    if any(d.id == ADVICE for d in played.dropped):
        s.advice = ""
    if not isinstance(played.end, Submitted):
        s.findings = (f"{NOTHING}{played.end.issue}"[:400],)
        return event_of(played.end, Event.NOTHING_SUBMITTED)
    s.decision = with_deliverables(played.end.value)
    s.notes = s.decision.window.notes
    return _decided(stage, s.decision)


def promised(stage: Stage) -> tuple[str, ...]:
    """What a small model is led to plan where its prompts show short inputs whole: the files that the request names, or
    one. It would plan to read what it sees, and then more and more files."""
    s = stage.state
    if not (stage.run.config.is_guided and are_shown_whole(s.documents)):
        return ()
    return tuple(named_in([s.request])) or (ANSWER,)


def _has_news(stage: Stage) -> bool:
    """Whether a task of the milestone was accepted since the Assessor said what is missing: then it is asked again."""
    s = stage.state
    return len(s.done) > s.assessed and any(d.milestone == s.milestone for d in s.done)


def asked_for(stage: Stage) -> tuple[Work, ...]:
    """What other roles want done, as work of its own: findings that are open, and the Assessor's advice. Where all is
    written again for a finding, it is not written once more for advice: a small model added that to what was right."""
    s = stage.state
    path = next(iter(promised(stage)), "")
    again = f"write all that was asked for into {path} again, right; "  # a small model wrote the finding down
    follow = f"{again}the Assessor says" if path else "follow the Assessor's advice"
    if path and s.open_findings:  # one todo for all of them, or what is right would be written again for each
        said = {s.open_findings[0].id: f"{again}QA found: {'; '.join(f.says for f in s.open_findings)}"}
    else:
        said = {f.id: f"settle finding {f.id}: {f.says}" for f in s.open_findings}
    if s.advice and not (path and said):
        said[ADVICE] = f"{follow}: {s.advice}"
    mended = _read_by_people(stage)
    return tuple(Work(id=id_, says=says[:400], deliverable=mended) for id_, says in said.items())


def _read_by_people(stage: Stage) -> str | None:
    """In a guided job the result for reading, where code writes the results: what is to be mended is in it. A small planner
    that had to name a deliverable named its own list of todos."""
    if not stage.run.config.is_guided:
        return None
    return next((path for path in stage.type.writes if path.endswith(".md")), None)


def _block(
    seen: Survey, batch: tuple[Work, ...], has_failed: bool, findings: list[str], advice: str
) -> dict[str, object]:
    """The same as data, for whoever reads by rules."""
    title = batch[0].says if batch else ""
    return {
        "open": [w.id for w in batch],
        "title": f"{title}, and {len(batch) - 1} more" if len(batch) > 1 else title,
        "deliverables": list(dict.fromkeys(w.deliverable for w in batch if w.deliverable)),
        "surveyed": seen.surveyed,
        "advice": advice,
        "failed": has_failed,
        "open_findings": findings,
    }


def _decided(stage: Stage, decision: PlannerDecision) -> Event:
    s = stage.state
    match decision.decision:
        case Decision.TASK:
            return Event.TASK
        case Decision.MILESTONE_DONE:
            s.occasion = f"the TaskPlanner says that the milestone is reached: {decision.reason[:200]}"
            return Event.MILESTONE_CLAIMED
        case Decision.ABORT:
            s.occasion = f"the TaskPlanner gave up: {decision.reason[:200]}"
            experiences.learn(stage, Lesson(failed="a milestone", why=Why.ABORTED))
            stage.escalate("TaskPlanner", Tier.ASSESSMENT, decision.reason, evidence=decision.evidence)
            return Event.ABORTED
        case _:
            assert_never(decision.decision)


def with_deliverables(decision: PlannerDecision) -> PlannerDecision:
    """A plan of nothing but open work promises the files that this work makes: code knows them, so it names them."""
    task = decision.task
    if task is None or not all(todo.work for todo in task.todos):
        return decision
    promised = tuple(dict.fromkeys(t.deliverable for t in task.todos if t.deliverable)) or task.deliverables
    return decision.model_copy(update={"task": task.model_copy(update={"deliverables": promised})})


def next_batch(work: tuple[Work, ...], most: int, ruled_out: Mapping[str, str]) -> tuple[Work, ...]:
    """The open work that one task takes: the first `most` pieces, half as many where those failed together before.

    Where even the first piece alone is ruled out it is offered all the same: the gate refuses it.
    """
    size = min(most, len(work))
    while size > 1 and todos_fingerprint([w.says for w in work[:size]]) in ruled_out:
        size //= 2
    return work[:size]


def _least(stage: Stage, seen: Survey) -> int:
    """Fewer todos than the rule are right when code offers the work, or when a failed task is mended; and a small model
    that needs more of them invents some."""
    least = stage.run.config.todos.least
    if any(not f.startswith(OF_THE_GATE) for f in stage.state.findings):
        return 1
    return 1 if seen.surveyed or stage.run.config.is_guided else least


def gate_plan(stage: Stage) -> Event:
    """Rules decide whether a task may be worked on."""
    s = stage.state
    assert s.decision is not None and s.decision.task is not None
    task = s.decision.task
    problems = stage.code("check_plan", list[str], lambda: plan_problems(stage, task))
    stage.run.emit(Gated(gate="plan", title=task.title, problems=tuple(problems), open=s.open_work))
    others = tuple(f for f in s.findings if not f.startswith(OF_THE_GATE))
    if problems:
        s.findings = (*others, *(f"{OF_THE_GATE}{p}" for p in problems))
        return Event.REPAIRABLE
    s.findings = others
    place = f"milestone {s.milestone + 1}, round {s.round + 1}"
    planned = [Planned(content=t.content, work=t.work, call=t.call, deliverable=t.deliverable) for t in task.todos]
    s.todos = TodoList.of(task.title, planned, place)
    stage.code("write_todos", str, lambda: write_todos(stage))
    return Event.PASSED_NEEDS_APPROVAL if approvals.needed(stage, State.APPROVE_TASK) else Event.PASSED


def plan_problems(stage: Stage, task: Task) -> list[str]:
    """What is wrong with a plan by rule, one sentence each with what to do."""
    s, limits = stage.state, stage.run.config.todos
    problems: list[str] = []
    if not s.least_todos <= len(task.todos) <= limits.most:
        problems.append(f"The task has {len(task.todos)} todos; write {s.least_todos} to {limits.most}.")
    for path in task.deliverables:
        if not_made := NOT_MADE.get(path.strip().removeprefix("./").partition("/")[0]):
            problems.append(f"'{path}' is {not_made}, so it cannot be a deliverable; name a file in output/.")
        try:
            stage.workspace.path(path)
        except ModelFault as fault:
            problems.append(str(fault))
    problems += [
        f"Todo '{todo.content[:80]}' makes '{todo.deliverable}'; name it as a deliverable."
        for todo in task.todos
        if todo.deliverable and todo.deliverable not in task.deliverables
    ]
    checks = (cannot_be_carried_out(c, stage.workspace, stage.type.can_run, stage.type.has_graph) for c in task.checks)
    problems += [p for p in checks if p]
    if task_fingerprint(task) in s.ruled_out:
        problems.append("This very task failed before; plan it differently, or call submit_abort.")
    return problems


def task_fingerprint(task: Task) -> str:
    """The name of a task as planned: the same todos again are the same task, whatever it is called."""
    return todos_fingerprint([t.content for t in task.todos])


def todos_fingerprint(contents: list[str]) -> str:
    """Case and white space make no difference; numbers do, for part 1 is not part 2."""
    return digest(["task", [folded(c) for c in contents]])[:16]


def write_todos(stage: Stage) -> str:
    """Write `todos.yaml`; returns its path."""
    write_atomically(stage.workspace.root / "todos.yaml", stage.state.todos.to_yaml())
    return "todos.yaml"
