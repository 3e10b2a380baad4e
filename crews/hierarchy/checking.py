"""QA: the checks in code, then the verdict."""

from __future__ import annotations

from echelon.crews import dropping, experiences, findings
from echelon.crews.hierarchy import evidence
from echelon.crews.hierarchy.plan_file import write_workspace
from echelon.crews.hierarchy.planning import promised
from echelon.crews.hierarchy.states import Event
from echelon.crews.job import DoneTask
from echelon.crews.jobtype import Material
from echelon.crews.patterns import Lesson, form_of, why_of
from echelon.crews.stage import Played, Stage, event_of
from echelon.engine.ends import Submitted
from echelon.engine.todos import ADVICE, TodoList
from echelon.engine.toolbox import PhaseState
from echelon.store.records.events import TaskAccepted, TaskFailed
from echelon.tasks.contracts import Evidence, EvidenceKind, EvidenceState, Finding, Report, Task, Tier, Verdict
from echelon.tasks.evidence import joined, of_files
from echelon.tasks.results import wrong_with

MOST = 10
"""Findings of code that one verdict names."""


def qa(stage: Stage) -> Event:
    """Code checks first; what it finds no model can overrule. Then QA looks, and judges."""
    s = stage.state
    assert s.decision is not None and s.decision.task is not None and s.report is not None
    task, report = s.decision.task, s.report
    changed, found = _found(stage, task, report)
    if found:
        return _rejected(stage, Verdict(passed=False, findings=tuple(found), confidence=1.0))
    if "qa" in stage.run.config.without:
        return _accepted(stage, Verdict(passed=True, confidence=1.0), task)
    verdicts: list[Verdict] = []
    for number in range(stage.run.config.qa.second_look + 1):
        played = _judged(stage, task, report, changed, number)
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


def _found(stage: Stage, task: Task, report: Report) -> tuple[list[str], list[Finding]]:
    """The results that a task made or changed, and what code finds wrong with them and with what it promised.

    Work that code surveys changes files that code alone writes: none of them is its own.
    """
    promised = [p.strip().removeprefix("./") for p in task.deliverables]
    is_surveyed = _is_of_survey(stage, task)
    said = [task.title, *(c.says for c in task.checks)]

    def look() -> tuple[list[str], list[Finding]]:
        type_, workspace = stage.type, stage.workspace
        changed = [] if is_surveyed and not type_.writes else evidence.unaccepted(stage)
        mine = [] if is_surveyed else changed
        given, results = type_.given(workspace), set(type_.deliverables(workspace))
        out = type_.check_task(stage.run, workspace, task, report)
        out += [_unplanned(p) for p in changed if type_.writes and p in results and p not in (*promised, *type_.writes)]
        others = [p for p in mine if p in results and not (out and p in promised)]
        return mine, [*out, *wrong_with(workspace, others, given, stage.state.request, said)][:MOST]

    return stage.code("check_task", tuple[list[str], list[Finding]], look)


def _is_of_survey(stage: Stage, task: Task) -> bool:
    """Whether a task is nothing but work that is offered, in a job whose work code surveys: elsewhere a finding or advice is
    offered, too, and what is written for it is a role's."""
    return stage.state.open_work is not None and all(todo.work for todo in task.todos)


def _unplanned(path: str) -> Finding:
    """A result beside those that code writes, and that no task promises: nobody has judged whether it may be there."""
    says = (
        f"code writes the results, and this task does not promise '{path}'; delete it, or plan a task that delivers it"
    )
    return Finding(says=says[:400], about=path, code="unplanned")


def _judged(stage: Stage, task: Task, report: Report, changed: list[str], number: int) -> Played[Verdict]:
    """One verdict, from an empty conversation: what was asked for is shown, not what to answer.

    It has to look at what the task promised, what it changed whatever it promised, and what open findings are about.
    """
    s = stage.state
    assert s.scope is not None
    untouched = findings.untouched(stage)
    open_findings = [f for f in s.open_findings if f.id not in untouched]
    vague = [f.id for f in open_findings if not f.names_object]
    seed = f"{s.round} {number}"
    works = [todo.work for todo in task.todos if todo.work]
    is_surveyed = _is_of_survey(stage, task)

    def look() -> tuple[Material, list[str]]:
        given = stage.type.blind(stage.run, stage.workspace, works, seed)
        paths = [p for p in (*task.deliverables, *changed) if p not in given.covers]
        return given, evidence.readable(stage, paths, is_surveyed)

    given, readable = stage.code("show_work", tuple[Material, list[str]], look)
    about = [p for p in changed if any(p in f"{f.about} {f.says}" for f in s.open_findings)]
    sample, size = evidence.drawn(readable, seed, about)
    return stage.play(
        "qa",
        "qa",
        Verdict,
        PhaseState(
            must_open=tuple(sample),
            at_hand=evidence.at_hand(stage),
            objects=() if given.ids else tuple(given.changed or dict.fromkeys([*sample, *task.deliverables])),
            sources=given.sources,
            points=given.points,
            changed=given.changed,
            is_surveyed=is_surveyed,
            unsettled=tuple(f.id for f in open_findings),
            blind=given.ids,
            spare=given.spare,
            hidden=given.hidden,
        ),
        is_shown=True,
        does=given.tools or None,
        block={
            "deliverables": list(task.deliverables),
            "open_findings": [f.id for f in open_findings],
            "known_findings": list(untouched),
            "vague": vague,
            "look_at": sample,
            **given.block,
        },
        material=given.text,
        shown=given.shown,
        request=s.request,
        remit=s.scope.remit,
        milestone=s.current_milestone,
        task=task,
        report=report,
        open_findings=open_findings,
        dropped=dropping.here(stage),
        untouched=[f for f in s.open_findings if f.id in untouched],
        sample=sample,
        sample_of=size,
    )


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
    findings.settle(stage, findings.gone(stage, verdict), "QA")
    findings.open_all(stage, verdict.findings)
    s.occasion = f"QA failed the task '{title}'"
    experiences.learn(stage, Lesson(failed=form_of(s.decision.task), why=why_of(verdict.findings[0])))
    stage.run.emit(TaskFailed(title=title, findings=s.findings))
    stage.escalate("QA", Tier.TACTICAL, s.findings[0], (title,), verdict.evidence)
    if all(item.work for item in s.todos.items) and s.todos.items:  # code offers it again, so nothing is lost
        stage.code("take_back", bool, lambda: _taken_back(stage))
    return Event.QA_FAILED


def _taken_back(stage: Stage) -> bool:
    stage.workspace.reset(stage.state.accepted_commit)
    return True


def _accepted(stage: Stage, verdict: Verdict, task: Task) -> Event:
    s = stage.state
    findings.settle(stage, verdict.settled, "QA")
    findings.reopen(stage)
    s.verdict, s.findings = verdict, ()
    experiences.worked(stage, form_of(task))
    did_open_work_alone = all(todo.work not in ("", ADVICE) for todo in task.todos)
    if promised(stage) or not did_open_work_alone:  # what is written as a whole follows advice, too
        s.advice = ""
    s.evidence = _put_away(stage, task, verdict)
    s.accepted_commit = stage.commit(f"Round {s.round}: {task.title}")
    s.done.append(DoneTask(title=task.title, round=s.round, milestone=s.milestone, commit=s.accepted_commit))
    s.occasion = f"{len(s.done)} tasks are done"
    s.todos = TodoList()
    stage.run.emit(TaskAccepted(title=task.title, commit=s.accepted_commit))
    return Event.QA_PASSED


def _put_away(stage: Stage, task: Task, verdict: Verdict) -> tuple[Evidence, ...]:
    """Archive the todo list of a task just accepted; returns the evidence of the milestone with what this task's roles
    cited, and its files as they are.

    Files of earlier tasks count as they are now, too: the verdict had to look at what changed. One that is gone counts
    no more.
    """
    s = stage.state
    assert s.report is not None
    earlier = [e.ref for e in s.evidence if e.kind is EvidenceKind.FILE and e.state is EvidenceState.VERIFIED]

    def put_away() -> tuple[list[Evidence], str]:
        files = of_files(stage.workspace, [*earlier, *task.deliverables])
        path = f"archive/round-{s.round:03d}.md"
        stage.workspace.write(path, f"# {s.todos.title}\n\n{s.todos.display() or ''}\n")
        return files, write_workspace(stage, task.title)

    files, s.learnt = stage.code("archive", tuple[list[Evidence], str], put_away)
    gone = {e.ref for e in files if e.ref in earlier and e.state is not EvidenceState.VERIFIED}
    kept = [e for e in s.evidence if e.ref not in gone]
    return joined(kept, [*s.report.evidence, *verdict.evidence, *(e for e in files if e.ref not in gone)])
