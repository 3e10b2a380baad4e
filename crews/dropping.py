"""Work that code offers and the planner leaves out, with its reason: said everywhere, and never lost in silence.

What is left out is offered no more, yet it stays open: a milestone is met without it only where the Assessor agrees by
its id. Where it does not, the work is offered again.
"""

from __future__ import annotations

from collections.abc import Iterable

from echelon.crews.jobtype import Survey
from echelon.crews.stage import Stage
from echelon.engine.todos import Dropped, Work
from echelon.store.records.events import WorkDropped, WorkRestored


def here(stage: Stage) -> tuple[Dropped, ...]:
    """What is left out of the current milestone."""
    return tuple(d for d in stage.state.dropped if d.milestone == stage.state.milestone)


def offered(stage: Stage, works: Iterable[Work]) -> tuple[Work, ...]:
    """The open work that is not left out."""
    gone = {d.id for d in here(stage)}
    return tuple(w for w in works if w.id not in gone)


def keep(stage: Stage, dropped: Iterable[Dropped]) -> None:
    """Keep what the planner left out in a phase."""
    s = stage.state
    for work in dropped:
        kept = work.model_copy(update={"round": s.round, "milestone": s.milestone})
        s.dropped = (*s.dropped, kept)
        stage.run.emit(WorkDropped(id=work.id, says=work.says, reason=work.reason))


def unagreed(stage: Stage) -> tuple[Dropped, ...]:
    """What is left out of the current milestone and nobody has agreed to."""
    return tuple(d for d in here(stage) if not d.agreed)


def agree(stage: Stage, ids: Iterable[str], reason: str) -> None:
    """The Assessor agrees that the milestone does without these."""
    s, ids = stage.state, set(ids)
    s.dropped = tuple(
        d.model_copy(update={"agreed": reason[:400]}) if d.milestone == s.milestone and d.id in ids else d
        for d in s.dropped
    )


def left(stage: Stage, seen: Survey) -> tuple[Work, ...]:
    """Open work without what the milestone may do without."""
    agreed = {d.id for d in here(stage) if d.agreed}
    return tuple(w for w in seen.open if w.id not in agreed)


def restored(stage: Stage) -> str:
    """Offer again what was left out without the Assessor's agreement; a sentence for the planner, '' where there is none."""
    s = stage.state
    open_ = unagreed(stage)
    if not open_:
        return ""
    s.dropped = tuple(d for d in s.dropped if d not in open_)
    for work in open_:
        stage.run.emit(WorkRestored(id=work.id, says=work.says))
    first = open_[0]
    more = f", and {len(open_) - 1} more" if len(open_) > 1 else ""
    return (
        f"'{first.says[:160]}' ({first.id}{more}) was left out because: {first.reason[:120]}; "
        "the Assessor did not agree to that, so it is offered again."
    )


def lines(dropped: Iterable[Dropped]) -> list[str]:
    """What was left out, one sentence each, for people."""
    return [
        f"{d.says} ({d.id}) - {d.reason}; {'agreed: ' + d.agreed if d.agreed else 'nobody has agreed yet'}"
        for d in dropped
    ]
