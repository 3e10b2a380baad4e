"""What code asks the person, and what it does with what the person says. One thing at a time, and nothing twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from echelon.crews.planner import files, results, standing
from echelon.crews.planner.drafts.drafting import is_given
from echelon.crews.planner.drafts.patterns import mirror, open_rfc, settle_rfc
from echelon.crews.planner.person import changing, policy, wishes
from echelon.crews.planner.person.spending import asks_about_money
from echelon.crews.planner.solving import feasibility
from echelon.crews.planner.stages import Event, Stage
from echelon.domains.planning.contracts.plan import AdaptationLogEntry, PatternSpec
from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.scheduling.scheduler import Limits
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace

STYLE = "Do you like it concise or conversational?"
STYLES = re.compile(r"\b(concise|standard|conversational|coach)\b", re.IGNORECASE)
NO_SUBTYPE = re.compile(r"\b(no|without|drop|not)\b.*\bsubtype\b", re.IGNORECASE)
LONGEST = 1_800


def candidates(run: Run, workspace: Workspace) -> list[str]:
    """What is not known and would change the plan, the most important first."""
    project, given = files.project(workspace), run.config.planning.policy
    out: list[str] = []
    if project.deadline is None and not is_given(workspace):
        out.append("When does it have to be done, such as 'deadline 2027-05-01', or is there no deadline?")
    if not project.resources:
        out.append("Who works on it, such as 'people: Anna, Ben'?")
    if any("no start is given" in a for a in files.context(workspace).assumptions):
        out.append("When can it begin, such as 'start 2027-04-01'?")
    return out if "conversation_style" in given else [*out, STYLE]


def questions(run: Run, workspace: Workspace, has_scope: bool, wanted: Sequence[str]) -> tuple[str, ...]:
    """What has to be asked now. `wanted` are a role's own questions, which count as questions about the context."""
    kept = files.asked(workspace)
    if still := tuple(a.question for a in kept if not a.answered):
        return still
    new = _unclear(run, workspace) or _impossible(run, workspace, has_scope) or _stopped(run, workspace)
    new = new or ([] if not has_scope else asks_about_money(run, workspace, kept))
    if not new and not has_scope and not any(a.kind == "context" for a in kept):
        new = _context(run, workspace, wanted)
    if new:
        files.put_asked(workspace, [*kept, *new])
    return tuple(a.question for a in new)


def _context(run: Run, workspace: Workspace, wanted: Sequence[str]) -> list[files.Asked]:
    most = policy.most_questions(policy.of_run(run))
    found = list(dict.fromkeys([*wanted, *candidates(run, workspace)]))
    left_out = [f"Not asked, so assumed as it seemed best: {q}" for q in wanted if q not in found[:most]]
    files.assume(workspace, left_out)
    return [files.Asked(kind="context", question=q[:LONGEST]) for q in found[:most]]


def _unclear(run: Run, workspace: Workspace) -> list[files.Asked]:
    """Rules that did not understand an answer say so; a model is given it as work, and may pass it back."""
    kept = files.answers(workspace)
    is_by_rules = run.config.model_of("implementor").startswith("playbook")
    left = [s for s in kept if s.open and not s.done and (is_by_rules or s.passed)]
    if not left:
        return []
    files.put_answers(workspace, [s.model_copy(update={"done": s.done or s in left}) for s in kept])
    clauses = "; ".join(c for s in left for c in s.open)
    text = f"Not understood: {clauses}. Say each change as one of: {changing.FORMS}."
    return [files.Asked(kind="unclear", question=text)]


def _impossible(run: Run, workspace: Workspace, has_scope: bool) -> list[files.Asked]:
    project = files.project(workspace)
    found = files.get(workspace, files.FEASIBILITY)
    if found is None and ((not has_scope and is_given(workspace)) or standing.was_impossible(workspace)):
        found = feasibility(workspace, project, Limits(seconds=run.config.planning.seconds * 0.3))
    if not found or found.get("feasible"):
        return []
    why = "; ".join(found.get("conflict", [])) or "the constraints contradict each other"
    ways = " ".join(f"({n}) {way}" for n, way in enumerate(found.get("ways", []), 1)) or "Change the inputs."
    text = f"No schedule is possible, since together: {why}. Ways out: {ways} "
    text += "Reply with a number, or 'propose changes: ...'."
    return [files.Asked(kind="impossible", question=text[:LONGEST])]


def _stopped(run: Run, workspace: Workspace) -> list[files.Asked]:
    """A stage that was drafted too often, or a solver that ran out of time."""
    stage, entries = standing.stage(workspace, run.config.planning.retries), standing.moves(workspace)
    last = entries[-1] if entries else None
    if stage is Stage.ABORTED and last is not None:
        seconds = f"echelon resume JOB --set planning.seconds={run.config.planning.seconds * 5:g}"
        text = f"{' '.join(last.says)} Reply 'go on' to try again ({seconds} gives it more time), or "
        return [files.Asked(kind="time", question=f"{text}'propose changes: ...'.")]
    if stage is not Stage.NEEDS_CLARIFICATION or last is None:
        return []
    drafts = run.config.planning.retries + 1
    text = f"{drafts} drafts broke a rule at {last.stage.value}: {'; '.join(last.says[:2])} "
    text += "Say how it is meant, or reply 'go on'."
    return [files.Asked(kind="repairs", question=text[:LONGEST])]


def heard(run: Run, workspace: Workspace, event: str, text: str) -> str:
    """Take in what a person said: an approval, a way out by its number, changes in plain clauses, or an answer."""
    kept = files.asked(workspace)
    pending = {a.kind for a in kept if not a.answered}
    files.put_asked(workspace, [a.model_copy(update={"answered": True}) for a in kept])
    standing.note(workspace, standing.Move(
        step=run.number, stage=standing.stage(workspace), event=Event.ANSWERED, tool="heard", confidence=1.0,
        says=(text[:300],),
    ))  # fmt: skip
    if event == "approved":
        settle_rfc(run, workspace)
        files.settle(workspace)
        if not results.wrong(workspace, run):  # earlier ones approve a step, not the plan
            files.put(workspace, files.APPROVAL, "approved")
        return "approved"
    return _answered(run, workspace, event, text, pending) if text.strip() else ""


def _answered(run: Run, workspace: Workspace, event: str, text: str, pending: set[str]) -> str:
    said = files.Said(text=text, event=event)
    found: dict[str, Any] = files.get(workspace, files.FEASIBILITY) or {}
    way = changing.chosen_way(text, found.get("ways", [])) if "impossible" in pending else None
    if way is not None:
        before = "; ".join(found.get("conflict", ["-"])) or "-"
        files.put_change(
            workspace, AdaptationLogEntry(what="way out", why=text, before=before, after=found["ways"][way])
        )
        take_over(workspace, Project.model_validate(found["projects"][way]))
        return _kept(workspace, said.model_copy(update={"done": True}))
    text = _aside(run, workspace, text, pending)
    made = wishes.followed(workspace, changing.changed(files.project(workspace), text))
    for entry in made.entries:
        files.put_change(workspace, entry)
    take_over(workspace, made.project)
    if made.open and "context" in pending:
        files.assume(workspace, [f"You said: {c}" for c in made.open])
        made = changing.Changed(made.project, made.entries)
    return _kept(workspace, said.model_copy(update={"open": made.open, "done": not made.open}))


def _aside(run: Run, workspace: Workspace, text: str, pending: set[str]) -> str:
    """What an answer says beside the plan is followed here: the style that somebody likes, a subtype that nobody wants."""
    if (
        "context" in pending
        and "conversation_style" not in run.config.planning.policy
        and (style := STYLES.search(text))
    ):
        if not run.config.isolated:
            policy.store(run.environment.home, {"conversation_style": style[1].lower()})
        text = STYLES.sub("", text, count=1)
    if open_rfc(run, workspace) is not None and NO_SUBTYPE.search(text):
        pattern = files.shape(workspace, files.PATTERN, PatternSpec)
        assert pattern is not None
        plain = pattern.model_copy(update={"subtype": None, "rfc": None})
        files.put_change(workspace, AdaptationLogEntry(
            what="no new subtype", why=text[:300], before=str(pattern.subtype), after=pattern.pattern_type
        ))  # fmt: skip
        mirror(workspace, plain)
        text = "\n".join(c for c in changing.clauses(text) if not NO_SUBTYPE.search(c))
    return wishes.begun_anew(workspace, text)


def _kept(workspace: Workspace, said: files.Said) -> str:
    files.put_answers(workspace, [*files.answers(workspace), said])
    return "followed" if said.done else "kept"


def take_over(workspace: Workspace, project: Project) -> None:
    """Go on with a changed project; the schedule that was there says where everything lay before."""
    if project == files.project(workspace):
        return
    files.settle(workspace)
    if (found := files.schedule(workspace)) is not None:
        files.put_previous(workspace, found)
    files.put_again(workspace, project, files.PATTERN)
