"""The tactical tier: plan one task, its gate, do it, check it."""

from __future__ import annotations

from collections.abc import Mapping

from echelon.crews.hierarchy import approvals
from echelon.crews.hierarchy.states import Event, State
from echelon.crews.job import DoneTask
from echelon.crews.jobtype import Survey, Work
from echelon.crews.stage import Stage, ended_early
from echelon.digest import digest, folded
from echelon.engine.todos import TodoList
from echelon.engine.toolbox import PhaseState
from echelon.errors import ModelFault
from echelon.files import write_atomically
from echelon.tasks.contracts import Decision, Evidence, Outcome, PlannerDecision, Report, Task, Tier, Verdict
from echelon.tasks.evidence import joined, of_files

ENDINGS = dict.fromkeys(("stuck", "too many calls", "no usable answer"), Event.STUCK) | {"rewind": Event.REWOUND}
"""Ways in which a task ends without a report: the workspace goes back to what was accepted, the plan to its planner."""


def survey(stage: Stage) -> Survey:
    """What code sees as open for the current milestone."""
    s = stage.state
    assert s.scope is not None
    milestones = len(s.scope.milestones)
    seen = stage.code(
        "survey", lambda: stage.type.survey(stage.run, stage.workspace, s.milestone, milestones).model_dump(mode="json")
    )
    return Survey.model_validate(seen)


def plan(stage: Stage) -> Event:
    """The TaskPlanner plans the one task that is done now, or claims the milestone, or aborts."""
    s, todos = stage.state, stage.run.config.todos
    assert s.scope is not None
    seen = survey(stage)
    batch = next_batch(seen.open, todos.batch, s.ruled_out)
    s.least_todos = _least(stage, seen, batch)
    s.offered = {w.todo: w.deliverable for w in batch if w.deliverable}
    open_todos = tuple(w.todo for w in batch)
    played = stage.play(
        "task_planner",
        "plan",
        PhaseState(offered=() if s.findings else open_todos),
        request=s.request,
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
        open_work=batch,
        open_count=len(seen.open),
        deliverables=list(s.offered.values()) or ["todos.yaml"],
        least=s.least_todos,
        most=todos.most,
    )
    if not isinstance(played.submitted, PlannerDecision):
        s.findings = ("The planner submitted nothing.",)
        return ended_early(played) or Event.NOTHING_SUBMITTED
    s.decision = with_deliverables(played.submitted, open_todos, s.offered)
    s.notes = s.decision.window.notes
    match s.decision.decision:
        case Decision.TASK:
            return Event.TASK
        case Decision.MILESTONE_DONE:
            s.occasion = f"the TaskPlanner says that the milestone is reached: {s.decision.reason[:200]}"
            return Event.MILESTONE_CLAIMED
        case Decision.ABORT:
            s.occasion = f"the TaskPlanner gave up: {s.decision.reason[:200]}"
            stage.escalate("TaskPlanner", Tier.ASSESSMENT, s.decision.reason)
            return Event.ABORTED


def with_deliverables(decision: PlannerDecision, offered: tuple[str, ...], files: Mapping[str, str]) -> PlannerDecision:
    """A plan of nothing but offered work promises the files that this work makes: code knows them, so it names them."""
    task = decision.task
    if task is None or not all(todo.content in offered for todo in task.todos):
        return decision
    promised = tuple(files[todo.content] for todo in task.todos if todo.content in files) or task.deliverables
    return decision.model_copy(update={"task": task.model_copy(update={"deliverables": promised})})


def next_batch(work: tuple[Work, ...], most: int, ruled_out: Mapping[str, str]) -> tuple[Work, ...]:
    """The open work that one task takes: the first `most` pieces, half as many where those failed together before.

    Where even the first piece alone is ruled out it is offered all the same: the gate refuses it.
    """
    size = min(most, len(work))
    while size > 1 and todos_fingerprint([w.todo for w in work[:size]]) in ruled_out:
        size //= 2
    return work[:size]


def _least(stage: Stage, seen: Survey, batch: tuple[Work, ...]) -> int:
    """Fewer todos than the rule are right when less work is offered, or when a failed task is mended."""
    if stage.state.findings:
        return 1
    least = stage.run.config.todos.least
    return min(least, len(batch)) if seen.surveyed else least


def gate_plan(stage: Stage) -> Event:
    """Rules decide whether a task may be worked on."""
    s = stage.state
    assert s.decision is not None and s.decision.task is not None
    task = s.decision.task
    problems: list[str] = stage.code("check_plan", lambda: {"problems": plan_problems(stage, task)})["problems"]
    stage.run.emit("gate", gate="plan", title=task.title, problems=problems)
    if problems:
        s.findings = (*[f for f in s.findings if not f.startswith("Plan: ")], *(f"Plan: {p}" for p in problems))
        return Event.REPAIRABLE
    s.findings = tuple(f for f in s.findings if not f.startswith("Plan: "))
    s.advice = ""
    place = f"milestone {s.milestone + 1}, round {s.round + 1}"
    s.todos = TodoList.of(task.title, [t.content for t in task.todos], place)
    stage.code("write_todos", lambda: _written_todos(stage))
    return Event.PASSED_NEEDS_APPROVAL if approvals.needed(stage, State.APPROVE_TASK) else Event.PASSED


def plan_problems(stage: Stage, task: Task) -> list[str]:
    """What is wrong with a plan by rule, one sentence each with what to do."""
    s, limits = stage.state, stage.run.config.todos
    problems = []
    if not s.least_todos <= len(task.todos) <= limits.most:
        problems.append(f"The task has {len(task.todos)} todos; write {s.least_todos} to {limits.most}.")
    for path in task.deliverables:
        try:
            stage.workspace.path(path)
        except ModelFault as fault:
            problems.append(str(fault))
    planned = {t.content for t in task.todos}
    problems += [
        f"Todo '{todo[:80]}' makes '{path}'; name it as a deliverable."
        for todo, path in s.offered.items()
        if todo in planned and path not in task.deliverables
    ]
    if task_fingerprint(task) in s.ruled_out:
        problems.append("This very task failed before; plan it differently, or call submit_abort.")
    return problems


def task_fingerprint(task: Task) -> str:
    """The name of a task as planned: the same todos again are the same task, whatever it is called."""
    return todos_fingerprint([t.content for t in task.todos])


def todos_fingerprint(contents: list[str]) -> str:
    """Case and white space make no difference; numbers do, for part 1 is not part 2."""
    return digest(["task", [folded(c) for c in contents]])[:16]


def _written_todos(stage: Stage) -> dict[str, str]:
    write_atomically(stage.workspace.root / "todos.yaml", stage.state.todos.to_yaml())
    return {"path": "todos.yaml"}


def implement(stage: Stage) -> Event:
    """The Implementor works through the todos."""
    s = stage.state
    assert s.decision is not None and s.decision.task is not None
    calls = {t.content: call for t in s.todos.items if (call := stage.type.call_for(t.content)) is not None}
    played = stage.play(
        "implementor",
        "implement",
        PhaseState(todos=s.todos, calls=calls),
        milestone=s.current_milestone,
        task=s.decision.task,
        findings=s.findings,
        calls=calls,
    )
    s.todos = played.todos
    if isinstance(played.submitted, Report):
        s.report = played.submitted
        if s.report.outcome is Outcome.DONE:
            return Event.REPORTED
        return _failed(stage, Event.STUCK, s.report.issue or "the task is only partly done")
    if (early := ended_early(played)) is not None:
        s.report = unfinished(stage, s.decision.task, played)
        return early
    why = played.issue or played.ended or "no report"
    stage.code("rewind", lambda: _rewound(stage, why))
    return _failed(stage, ENDINGS.get(played.ended or "", Event.NOTHING_SUBMITTED), why)


def unfinished(stage: Stage, task: Task, played: PhaseState) -> Report:
    """The report of a task that a ceiling, or an effect in doubt, interrupted: code writes it from what it sees."""
    there = stage.code(
        "unfinished", lambda: {"files": [p for p in task.deliverables if stage.workspace.sha256(p) is not None]}
    )
    done, todos = played.todos.done, played.todos.items
    return Report(
        outcome=Outcome.PARTIAL,
        summary=f"{done} of {len(todos)} todos of '{task.title}' are done.",
        deliverables=tuple(there["files"]),
        issue=played.issue,
        confidence=1.0,
    )


def _failed(stage: Stage, event: Event, why: str) -> Event:
    """A task that did not get to QA: it goes back to the planner, and it is ruled out as it was planned."""
    s = stage.state
    assert s.decision is not None and s.decision.task is not None
    s.findings = (f"'{s.decision.task.title}': {why}"[:400],)
    s.occasion = f"the task '{s.decision.task.title}' failed: {why[:200]}"
    fingerprint = task_fingerprint(s.decision.task)
    may_try_again = event in (Event.STUCK, Event.REWOUND) and len(s.decision.task.todos) == 1
    if may_try_again and fingerprint not in s.stuck_once:  # it cannot be planned smaller; the next try knows the issue
        s.stuck_once = (*s.stuck_once, fingerprint)
    else:
        s.ruled_out[fingerprint] = f"'{s.decision.task.title}': {why}"[:400]
    return event


def _rewound(stage: Stage, issue: str) -> dict[str, str]:
    s = stage.state
    archived = f"archive/round-{s.round:03d}-failed.md"
    stage.workspace.write(archived, f"# {s.todos.title}\n\nFailed: {issue}\n\n{s.todos.display() or ''}\n")
    if s.accepted_commit:
        stage.workspace.reset(s.accepted_commit)
    return {"archived": archived}


def qa(stage: Stage) -> Event:
    """Code checks first; what it finds no model can overrule. Then QA looks."""
    s = stage.state
    assert s.decision is not None and s.decision.task is not None and s.report is not None
    task, report = s.decision.task, s.report
    checked = stage.code(
        "check_task", lambda: {"findings": stage.type.check_task(stage.run, stage.workspace, task, report)[:10]}
    )
    if checked["findings"]:
        return _rejected(
            stage, Verdict(passed=False, findings=tuple(f[:400] for f in checked["findings"]), confidence=1.0)
        )
    facts = ["the deliverables are there and the checks in code found nothing wrong"]
    played = stage.play("qa", "qa", task=task, report=report, facts=facts)
    if not isinstance(played.submitted, Verdict):
        s.findings = ("QA gave no verdict.",)
        s.occasion = "QA gave no verdict"
        return ended_early(played) or Event.NOTHING_SUBMITTED
    if not played.submitted.passed:
        return _rejected(stage, played.submitted)
    return _accepted(stage, played.submitted, task)


def _rejected(stage: Stage, verdict: Verdict) -> Event:
    s = stage.state
    assert s.decision is not None and s.decision.task is not None
    s.verdict, s.findings = verdict, verdict.findings
    s.occasion = f"QA failed the task '{s.decision.task.title}'"
    stage.run.emit("verdict", passed=False, title=s.decision.task.title, findings=list(verdict.findings))
    stage.escalate("QA", Tier.TACTICAL, verdict.findings[0], (s.decision.task.title,))
    return Event.QA_FAILED


def _accepted(stage: Stage, verdict: Verdict, task: Task) -> Event:
    s = stage.state
    s.verdict, s.findings = verdict, ()
    s.evidence = proven(stage, task, verdict)
    stage.code("archive_todos", lambda: _archived(stage))
    s.accepted_commit = stage.commit(f"Round {s.round}: {task.title}")
    s.done.append(DoneTask(title=task.title, round=s.round, milestone=s.milestone, commit=s.accepted_commit))
    s.occasion = f"{len(s.done)} tasks are done"
    s.todos = TodoList()
    stage.run.emit("accepted", title=task.title, commit=s.accepted_commit)
    return Event.QA_PASSED


def proven(stage: Stage, task: Task, verdict: Verdict) -> tuple[Evidence, ...]:
    """The evidence of the milestone with that of a task just accepted: what its roles cited, and its files as they are."""
    s = stage.state
    assert s.report is not None
    seen = stage.code(
        "evidence", lambda: {"files": [e.model_dump(mode="json") for e in of_files(stage.workspace, task.deliverables)]}
    )
    files = [Evidence.model_validate(e) for e in seen["files"]]
    return joined(s.evidence, [*s.report.evidence, *verdict.evidence, *files])


def _archived(stage: Stage) -> dict[str, str]:
    s = stage.state
    path = f"archive/round-{s.round:03d}.md"
    stage.workspace.write(path, f"# {s.todos.title}\n\n{s.todos.display() or ''}\n")
    return {"path": path}
