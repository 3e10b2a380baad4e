"""Findings of QA: open until a verdict settles them, and settled only where what they are about has changed since."""

from __future__ import annotations

from collections.abc import Iterable

from echelon.crews.stage import Stage
from echelon.digest import folded
from echelon.store.records.events import FindingReopened, FindingSettled
from echelon.tasks.contracts import Finding, OpenFinding, Verdict

MOST = 20
"""Objects of one finding that are watched."""


def open_all(stage: Stage, found: Iterable[Finding]) -> None:
    """Keep what a role found. What code finds, code finds again, so it is not kept."""
    s = stage.state
    known = {folded(text) for f in s.open_findings for text in (f.says, f.id)}
    new = [f for f in found if not f.code and known.isdisjoint((folded(f.says), folded(f.about)))]
    if not new:
        return
    states = stage.code("states", list[dict[str, str]], lambda: [_state(stage, f) for f in new])
    for finding, state in zip(new, states, strict=True):
        s.found += 1
        kept = OpenFinding(
            id=f"F{s.found}", says=finding.says, about=finding.about, round=s.round, milestone=s.milestone, state=state
        )
        s.open_findings = (*s.open_findings, kept)


def gone(stage: Stage, verdict: Verdict) -> list[str]:
    """Ids that a verdict settles, but for findings that it makes again: those stay as they are."""
    again = {folded(text) for f in verdict.findings for text in (f.says, f.about)}
    kept = {f.id for f in stage.state.open_findings if not again.isdisjoint((folded(f.says), folded(f.id)))}
    return [id_ for id_ in verdict.settled if id_ not in kept]


def untouched(stage: Stage) -> tuple[str, ...]:
    """Ids of open findings about what is still as it was when they were found: no verdict can settle them now."""
    return _as_they_were(stage, stage.state.open_findings) if stage.state.open_findings else ()


def settle(stage: Stage, ids: Iterable[str], by: str) -> None:
    """Close findings, and remember what they were about."""
    s, ids = stage.state, set(ids)
    closed = tuple(f for f in s.open_findings if f.id in ids)
    s.open_findings = tuple(f for f in s.open_findings if f.id not in ids)
    s.settled = (*s.settled, *(closed if by == "QA" else ()))
    for finding in closed:
        stage.run.emit(FindingSettled(id=finding.id, says=finding.says, by=by))


def reopen(stage: Stage) -> None:
    """Open settled findings again where what they were about is again what it was."""
    s = stage.state
    if not s.settled:
        return
    again = _as_they_were(stage, s.settled)
    s.open_findings = (*s.open_findings, *(f for f in s.settled if f.id in again))
    s.settled = tuple(f for f in s.settled if f.id not in again)
    for finding in again:
        stage.run.emit(FindingReopened(id=finding))


def _as_they_were(stage: Stage, findings: tuple[OpenFinding, ...]) -> tuple[str, ...]:
    def look() -> tuple[str, ...]:
        return tuple(f.id for f in findings if _is_as_it_was(stage, f))

    return stage.code("untouched", tuple[str, ...], look)


def left(stage: Stage) -> list[str]:
    """What is open, or open again, in sentences. Called inside a step."""
    s = stage.state
    again = [f for f in s.settled if _is_as_it_was(stage, f)]
    return [f"Finding {f.id} is open: {said(f)}" for f in (*s.open_findings, *again)]


def still_open(stage: Stage) -> str:
    """The first finding that no verdict has settled, as a sentence; '' where there is none."""
    return next((f"Finding {f.id} is open: {said(f)}" for f in stage.state.open_findings), "")


def said(finding: OpenFinding) -> str:
    """What a finding says, with its object."""
    return f"{finding.says} ({finding.about})" if finding.about and finding.about not in finding.says else finding.says


def _state(stage: Stage, finding: Finding) -> dict[str, str]:
    type_, workspace = stage.type, stage.workspace
    objects = type_.objects_of(workspace, f"{finding.about} {finding.says}")
    return {about: type_.state_of(workspace, about) for about in objects[:MOST]}


def _is_as_it_was(stage: Stage, finding: OpenFinding) -> bool:
    """Whether all that a finding is about is as it was when it was found. A new file beside it changes nothing of it."""
    state = finding.state
    return bool(state) and all(stage.type.state_of(stage.workspace, about) == was for about, was in state.items())
