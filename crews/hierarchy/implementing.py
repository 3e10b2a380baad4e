"""IMPLEMENT: the task is worked through, todo by todo."""

from __future__ import annotations

from typing import assert_never

from echelon.crews import experiences
from echelon.crews.hierarchy.planning import task_fingerprint
from echelon.crews.hierarchy.states import Event
from echelon.crews.jobtype import Material, are_shown_whole
from echelon.crews.patterns import Lesson, Why, form_of
from echelon.crews.stage import Played, Stage, event_of
from echelon.engine.ends import Asked, Failed, InDoubt, Limit, Rewound, Stuck, Submitted, Unusable
from echelon.engine.todos import TodoList
from echelon.engine.toolbox import PhaseState
from echelon.tasks.contracts import Outcome, Report, Task

WRITING = ("write_file", "append_file", "read_file")
"""What a guided role does with inputs that it is shown whole; it reads what it wrote."""


def implement(stage: Stage) -> Event:
    """The Implementor works through the todos."""
    s = stage.state
    assert s.decision is not None and s.decision.task is not None
    task = s.decision.task
    works = [todo.work for todo in task.todos if todo.work]
    given = stage.code("brief", Material, lambda: stage.type.brief(stage.run, stage.workspace, works))
    is_whole = are_shown_whole(s.documents)
    played = stage.play(
        "implementor",
        "implement",
        Report,
        PhaseState(
            todos=s.todos,
            needs_work=True,
            together=given.ids,
            in_one_call=given.in_one_call,
            deliverables=tuple(task.deliverables) if is_whole else (),
        ),
        is_shown=bool(given.text) and len(works) == len(task.todos),
        does=given.tools or (WRITING if is_whole else None),
        block={**_block(s.todos, task), **given.block},
        material=given.text,
        request=s.request,
        documents=s.documents,
        milestone=s.current_milestone,
        task=task,
        findings=s.findings,
        has_calls=any(item.call for item in s.todos.items),
    )
    s.todos = played.todos
    if isinstance(played.end, Submitted):
        s.report = played.end.value
        if s.report.outcome is Outcome.DONE:
            return Event.REPORTED
        return _given_back(stage, task, Event.STUCK, s.report.issue or "the task is only partly done")
    return _ended(stage, task, played, played.end)


def _block(todos: TodoList, task: Task) -> dict[str, object]:
    """The same as data: the call that does each todo, by its number, where code knows it."""
    calls = {str(i.id): i.call.model_dump(mode="json") for i in todos.items if i.call is not None}
    return {"calls": calls, "deliverables": list(task.deliverables)}


def _ended(stage: Stage, task: Task, played: Played[Report], end: Failed) -> Event:
    """A task without a report: a ceiling interrupts it, everything else takes it back."""
    match end:
        case Limit() | InDoubt() | Asked():
            stage.state.report = unfinished(stage, task, played.todos, end.issue)
            return event_of(end, Event.NOTHING_SUBMITTED)
        case Stuck():
            event = Event.STUCK
        case Rewound():
            event = Event.REWOUND
        case Unusable():
            event = Event.NOTHING_SUBMITTED
        case _:
            assert_never(end)
    stage.code("rewind", str, lambda: _taken_back(stage, end.issue))
    return _given_back(stage, task, event, end.issue)


def unfinished(stage: Stage, task: Task, todos: TodoList, issue: str) -> Report:
    """The report of a task that a ceiling, or an effect in doubt, interrupted: code writes it from what it sees."""
    there = stage.code(
        "unfinished", list[str], lambda: [p for p in task.deliverables if stage.workspace.sha256(p) is not None]
    )
    return Report(
        outcome=Outcome.PARTIAL,
        summary=f"{todos.done} of {len(todos.items)} todos of '{task.title}' are done.",
        deliverables=tuple(there),
        issue=issue,
        confidence=1.0,
    )


def _given_back(stage: Stage, task: Task, event: Event, why: str) -> Event:
    """A task that did not get to QA: it goes back to the planner, and it is ruled out as it was planned."""
    s = stage.state
    s.findings = (f"'{task.title}': {why}"[:400],)
    s.occasion = f"the task '{task.title}' failed: {why[:200]}"
    partly = s.report is not None and s.report.outcome is Outcome.PARTIAL and event is Event.STUCK and not s.trouble
    failed = {
        Event.REWOUND: Why.GIVEN_BACK, Event.NOTHING_SUBMITTED: Why.SILENT,
        Event.STUCK: Why.PARTLY if partly else Why.CIRCLES,
    }  # fmt: skip
    experiences.learn(stage, Lesson(failed=form_of(task), why=failed.get(event, Why.SILENT)))
    fingerprint = task_fingerprint(task)
    may_try_again = event in (Event.STUCK, Event.REWOUND) and len(task.todos) == 1
    if may_try_again and fingerprint not in s.stuck_once:  # it cannot be planned smaller; the next try knows the issue
        s.stuck_once = (*s.stuck_once, fingerprint)
    else:
        s.ruled_out[fingerprint] = f"'{task.title}': {why}"[:400]
    return event


def _taken_back(stage: Stage, issue: str) -> str:
    """Archive the todo list and set the workspace back to what was accepted; returns the path of the archive."""
    s = stage.state
    archived = f"archive/round-{s.round:03d}-failed.md"
    stage.workspace.write(archived, f"# {s.todos.title}\n\nFailed: {issue}\n\n{s.todos.display() or ''}\n")
    if s.accepted_commit:
        stage.workspace.reset(s.accepted_commit)
    return archived
