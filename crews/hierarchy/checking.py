"""QA: the checks in code, then the verdict."""

from __future__ import annotations

from echelon.crews.hierarchy.evidence import readable
from echelon.crews.hierarchy.states import Event
from echelon.crews.job import DoneTask
from echelon.crews.stage import Played, Stage, event_of
from echelon.digest import digest, folded
from echelon.engine.ends import Submitted
from echelon.engine.todos import TodoList
from echelon.engine.toolbox import PhaseState
from echelon.store.records.events import FindingSettled, TaskAccepted, TaskFailed
from echelon.tasks.contracts import Evidence, Finding, OpenFinding, Report, Task, Tier, Verdict
from echelon.tasks.evidence import joined, of_files

SAMPLE = 5
"""Deliverables of one task that a verdict has to look at; of more, a seeded sample."""
MOST = 10
"""Findings of code that one verdict names."""


def qa(stage: Stage) -> Event:
    """Code checks first; what it finds no model can overrule. Then QA looks, and judges."""
    s = stage.state
    assert s.decision is not None and s.decision.task is not None and s.report is not None
    task, report = s.decision.task, s.report
    found = stage.code(
        "check_task", list[Finding], lambda: stage.type.check_task(stage.run, stage.workspace, task, report)[:MOST]
    )
    if found:
        return _rejected(stage, Verdict(passed=False, findings=tuple(found), confidence=1.0))
    if "qa" in stage.run.config.without:
        return _accepted(stage, Verdict(passed=True, confidence=1.0), task)
    verdicts: list[Verdict] = []
    for number in range(stage.run.config.qa.second_look + 1):
        played = _judged(stage, task, report, number)
        if not isinstance(played.end, Submitted):
            s.findings = (f"QA gave no verdict: {played.end.issue}"[:400],)
            s.occasion = "QA gave no verdict"
            return event_of(played.end, Event.NOTHING_SUBMITTED)
        verdicts.append(played.end.value)
        if not verdicts[-1].passed:
            break
    if len(verdicts) > 1 and not verdicts[-1].passed:
        return _disagreed(stage, verdicts[-1])
    return _accepted(stage, verdicts[-1], task) if verdicts[-1].passed else _rejected(stage, verdicts[-1])


def _judged(stage: Stage, task: Task, report: Report, number: int) -> Played[Verdict]:
    """One verdict, from an empty conversation: what was asked for is shown, not what to answer."""
    s = stage.state
    assert s.scope is not None
    sample, size = drawn(readable(list(task.deliverables)), f"{s.round} {number}")
    open_findings = [f for f in s.open_findings if f.milestone == s.milestone]
    vague = [f.id for f in open_findings if not f.names_object]
    return stage.play(
        "qa",
        "qa",
        Verdict,
        PhaseState(must_open=tuple(sample), unsettled=tuple(f.id for f in open_findings)),
        block={
            "deliverables": list(task.deliverables),
            "open_findings": [f.id for f in open_findings],
            "vague": vague,
            "look_at": sample,
        },
        request=s.request,
        remit=s.scope.remit,
        milestone=s.current_milestone,
        task=task,
        report=report,
        open_findings=open_findings,
        sample=sample,
        sample_of=size,
    )


def drawn(paths: list[str], seed: str) -> tuple[list[str], int]:
    """The deliverables that a verdict has to look at: all of a few, a seeded sample of many; and of how many."""
    if len(paths) <= SAMPLE:
        return paths, len(paths)
    return sorted(sorted(paths, key=lambda p: digest([seed, p]))[:SAMPLE]), len(paths)


def _disagreed(stage: Stage, verdict: Verdict) -> Event:
    """Two looks at the same work came to different verdicts: that is for the tier above."""
    event = _rejected(stage, verdict)
    stage.escalate("QA", Tier.ASSESSMENT, f"two verdicts disagree: {verdict.findings[0]}", evidence=verdict.evidence)
    stage.state.occasion = "two verdicts of QA disagree"
    return event


def _rejected(stage: Stage, verdict: Verdict) -> Event:
    s = stage.state
    assert s.decision is not None and s.decision.task is not None
    title = s.decision.task.title
    s.verdict, s.findings = verdict, tuple(str(f) for f in verdict.findings)
    _settle(stage, verdict)
    known = {folded(f.says) for f in s.open_findings}
    for finding in verdict.findings:
        if not finding.code and folded(finding.says) not in known:  # what code finds, code finds again
            s.found += 1
            kept = OpenFinding(
                id=f"F{s.found}", says=finding.says, about=finding.about, round=s.round, milestone=s.milestone
            )
            s.open_findings = (*s.open_findings, kept)
    s.occasion = f"QA failed the task '{title}'"
    stage.run.emit(TaskFailed(title=title, findings=s.findings))
    stage.escalate("QA", Tier.TACTICAL, s.findings[0], (title,), verdict.evidence)
    if all(item.work for item in s.todos.items) and s.todos.items:  # code offers it again, so nothing is lost
        stage.code("take_back", bool, lambda: _taken_back(stage))
    return Event.QA_FAILED


def _settle(stage: Stage, verdict: Verdict) -> None:
    s = stage.state
    settled = [f for f in s.open_findings if f.id in verdict.settled]
    s.open_findings = tuple(f for f in s.open_findings if f.id not in verdict.settled)
    for finding in settled:
        stage.run.emit(FindingSettled(id=finding.id, says=finding.says))


def _taken_back(stage: Stage) -> bool:
    stage.workspace.reset(stage.state.accepted_commit)
    return True


def _accepted(stage: Stage, verdict: Verdict, task: Task) -> Event:
    s = stage.state
    _settle(stage, verdict)
    s.verdict, s.findings = verdict, ()
    s.evidence = proven(stage, task, verdict)
    stage.code("archive_todos", str, lambda: _archived(stage))
    s.accepted_commit = stage.commit(f"Round {s.round}: {task.title}")
    s.done.append(DoneTask(title=task.title, round=s.round, milestone=s.milestone, commit=s.accepted_commit))
    s.occasion = f"{len(s.done)} tasks are done"
    s.todos = TodoList()
    stage.run.emit(TaskAccepted(title=task.title, commit=s.accepted_commit))
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
