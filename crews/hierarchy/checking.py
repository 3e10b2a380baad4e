"""QA: the checks in code, then the verdict."""

from __future__ import annotations

from echelon.crews.hierarchy.states import Event
from echelon.crews.job import DoneTask
from echelon.crews.stage import Stage, event_of
from echelon.engine.ends import Submitted
from echelon.engine.todos import TodoList
from echelon.tasks.contracts import Evidence, Finding, Task, Tier, Verdict
from echelon.tasks.evidence import joined, of_files

MOST = 10
"""Findings of code that one verdict names."""


def qa(stage: Stage) -> Event:
    """Code checks first; what it finds no model can overrule. Then QA looks."""
    s = stage.state
    assert s.decision is not None and s.decision.task is not None and s.report is not None
    task, report = s.decision.task, s.report
    found = stage.code(
        "check_task", list[Finding], lambda: stage.type.check_task(stage.run, stage.workspace, task, report)[:MOST]
    )
    if found:
        return _rejected(stage, Verdict(passed=False, findings=tuple(str(f) for f in found), confidence=1.0))
    if "qa" in stage.run.config.without:
        return _accepted(stage, Verdict(passed=True, confidence=1.0), task)
    played = stage.play(
        "qa",
        "qa",
        Verdict,
        block={"deliverables": list(task.deliverables)},
        task=task,
        report=report,
        facts=["the deliverables are there and the checks in code found nothing wrong"],
    )
    if not isinstance(played.end, Submitted):
        s.findings = (f"QA gave no verdict: {played.end.issue}"[:400],)
        s.occasion = "QA gave no verdict"
        return event_of(played.end, Event.NOTHING_SUBMITTED)
    verdict = played.end.value
    return _accepted(stage, verdict, task) if verdict.passed else _rejected(stage, verdict)


def _rejected(stage: Stage, verdict: Verdict) -> Event:
    s = stage.state
    assert s.decision is not None and s.decision.task is not None
    s.verdict, s.findings = verdict, verdict.findings
    s.occasion = f"QA failed the task '{s.decision.task.title}'"
    stage.run.emit("verdict", passed=False, title=s.decision.task.title, findings=list(verdict.findings))
    stage.escalate("QA", Tier.TACTICAL, verdict.findings[0], (s.decision.task.title,), verdict.evidence)
    return Event.QA_FAILED


def _accepted(stage: Stage, verdict: Verdict, task: Task) -> Event:
    s = stage.state
    s.verdict, s.findings = verdict, ()
    s.evidence = proven(stage, task, verdict)
    stage.code("archive_todos", str, lambda: _archived(stage))
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
    files = stage.code("evidence", list[Evidence], lambda: of_files(stage.workspace, task.deliverables))
    return joined(s.evidence, [*s.report.evidence, *verdict.evidence, *files])


def _archived(stage: Stage) -> str:
    s = stage.state
    path = f"archive/round-{s.round:03d}.md"
    stage.workspace.write(path, f"# {s.todos.title}\n\n{s.todos.display() or ''}\n")
    return path
