"""The loop: ask the table what is next, let the one who acts there act, and tell the table what came of it."""

from __future__ import annotations

from echelon.crews import experiences
from echelon.crews.crew import Crew
from echelon.crews.hierarchy import approvals, strategic
from echelon.crews.hierarchy import crew as hierarchy
from echelon.crews.hierarchy.states import ENDS, WORKING, Counter, Event, State, decide
from echelon.crews.single import crew as single
from echelon.crews.stage import Stage
from echelon.errors import UnknownName
from echelon.store.records.events import Moved
from echelon.store.records.jobs import Said
from echelon.tasks.contracts import Tier


def work(stage: Stage, inputs: list[str], said: Said | None) -> None:
    """Run a job until it ends or needs a person. `said` is what a person said since the last segment."""
    crew = crew_named(stage.run.config.crew)
    stage.inputs = inputs
    hear(crew, stage, said)
    state = stage.state
    while state.position.state not in ENDS:
        if parks(stage):
            return
        acted = state.position.state
        move(crew, stage, crew.performer(acted).act(stage))
        if stage.run.config.park == f"after {acted.value}" and state.position.state not in ENDS:
            return
    wrap_up(stage)


def parks(stage: Stage) -> bool:
    """Whether the job stops here, before the state acts, so that others can go on from its snapshot."""
    name, _, time = stage.run.config.park.partition(":")
    if stage.state.position.state.value != name:
        return False
    stage.state.visits += 1
    return stage.state.visits == int(time or 1)


CREWS = {crew.name: crew for crew in (hierarchy.CREW, single.CREW)}


def crew_named(name: str) -> Crew:
    """A crew by its name. Raises UnknownName."""
    if name not in CREWS:
        raise UnknownName("crew", name, list(CREWS))
    return CREWS[name]


def move(crew: Crew, stage: Stage, event: Event) -> None:
    """Take one row of the table."""
    state = stage.state
    before = state.position
    state.position = decide(before, event, stage.run.config.ceilings, crew.table)
    if state.position.state is State.IMPLEMENT and before.came_from is not State.IMPLEMENT:
        state.round += 1
    after = state.position.state.value
    stage.run.emit(Moved(before=before.state.value, event=event.value, after=after, round=state.round))


def hear(crew: Crew, stage: Stage, said: Said | None) -> None:
    """Leave a resumable end with what a person said: an answer, an approval, more budget."""
    state = stage.state
    if said is None:
        return
    event = Event(said.event)
    if text := said.text:
        state.answers = (*state.answers, str(text)[:2000])
        if state.asking is not None:
            state.exchanges = (*state.exchanges, state.asking.model_copy(update={"answer": str(text)[:2000]}))
            if stage.code("answered", str, lambda: stage.type.answered(stage.run, stage.workspace, str(text))):
                state.accepted_commit = stage.commit("Keep what a person said")
        asked = state.questions if state.position.came_from in WORKING else ()
        if state.asking is None:
            state.findings = (*asked, f"A person says: {str(text)[:380]}")
    state.questions, state.asking, state.reason = (), None, ""
    if stage.type.talks:
        stage.code("heard", str, lambda: stage.type.heard(stage.run, stage.workspace, event.value, str(text or "")))
        state.accepted_commit = stage.commit("Keep what a person said")
    approvals.heard(stage, event)
    if event is Event.ANSWERED:
        allow_again(stage)
    move(crew, stage, event)
    if stage.type.talks:  # its rounds are counted from what a person said last
        counts = {c: n for c, n in state.position.counts.items() if c is not Counter.ROUNDS}
        state.position = state.position.model_copy(update={"counts": counts})


def allow_again(stage: Stage) -> None:
    """What failed may be tried again: who answers knows which scopes failed, and of a job handed up, which tasks too."""
    state = stage.state
    handed_up = state.position.state is State.ESCALATED
    state.ruled_out = {
        f: why for f, why in state.ruled_out.items() if not handed_up and not f.startswith(strategic.SCOPE)
    }
    state.stuck_once = () if handed_up else state.stuck_once
    if handed_up:  # who answers has heard of the findings: a verdict may settle them as things are
        state.open_findings = tuple(f.model_copy(update={"state": {}}) for f in state.open_findings)


def wrap_up(stage: Stage) -> None:
    """Say why the job ended, and keep what there is of the results."""
    state = stage.state
    if state.position.state not in (State.REJECTED, State.NEEDS_INPUT):
        experiences.keep(stage)
    match state.position.state:
        case State.COMPLETED | State.REJECTED | State.CANCELLED:
            return
        case State.NEEDS_INPUT:
            state.reason = "; ".join(state.questions)
        case State.ESCALATED:
            state.reason = handed_up(stage)
        case State.LIMIT:
            state.reason = limit_reason(stage)
        case State.FAILED:
            state.reason = state.reason or "an error stopped the job"
        case _:
            raise AssertionError(f"{state.position.state} is no end")
    if state.accepted_commit:
        stage.code("finish", list[str], lambda: finished(stage))
        stage.commit(f"Keep the partial result ({state.position.state.value})")


def handed_up(stage: Stage) -> str:
    """What was handed up to the person; where a ceiling of the table did it, whoever gave up last is named."""
    last = stage.state.escalations[-1] if stage.state.escalations else None
    if last is not None and last.to is Tier.PERSON:
        return last.cause
    why = stage.state.trouble or "; ".join(stage.state.findings) or (last.cause if last else "")
    return stage.escalate("code", Tier.PERSON, why or "the roles could not agree on a way on").cause


def finished(stage: Stage) -> list[str]:
    """Bring the results up to date with what there is; returns their paths."""
    stage.type.finish(stage.run, stage.workspace)
    return stage.type.deliverables(stage.workspace)


def limit_reason(stage: Stage) -> str:
    """Which ceiling was reached, in words that name the setting to raise."""
    limit = stage.run.limit
    if limit is not None:
        return f"{limit.setting} {limit.sentence}"
    return f"ceilings.rounds is {stage.run.config.ceilings.rounds}"
