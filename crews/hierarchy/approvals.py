"""What a person must approve: when a job asks, what it asks, and what an approval changes."""

from __future__ import annotations

from echelon.crews.hierarchy.plan_file import write_plan
from echelon.crews.hierarchy.states import APPROVALS, Event, State
from echelon.crews.stage import Stage
from echelon.store.records.events import MilestoneReached
from echelon.tasks.contracts import EvidenceKind
from echelon.tasks.evidence import KEPT

POLICIES: dict[str, tuple[State, ...]] = {
    "none": (),
    "scope": (State.APPROVE,),
    "single_final": (State.APPROVE_RESULT,),
    "milestones": (State.APPROVE_MILESTONE, State.APPROVE_RESULT),
    "every_step": APPROVALS,
}
"""Where each policy has a person approve."""


def needed(stage: Stage, at: State) -> bool:
    """Whether the job's policy asks a person here, or what is there must be approved whatever the policy."""
    return at in POLICIES[stage.run.config.approvals] or bool(stage.type.talks and own_question(stage, at))


def own_question(stage: Stage, at: State) -> str:
    """What the type of job asks in this state, '' where nothing of its own."""
    return stage.code("must_approve", str, lambda: stage.type.must_approve(stage.run, stage.workspace, at.value))


def questions(stage: Stage, has_scope: bool, wanted: tuple[str, ...] = ()) -> tuple[str, ...]:
    """What a person is asked before the job goes on: what roles want to ask, or what code makes of that."""
    if not stage.type.talks:
        return wanted
    return stage.code(
        "questions", tuple[str, ...], lambda: stage.type.questions(stage.run, stage.workspace, has_scope, wanted)
    )


def ask(stage: Stage) -> Event:
    """A person has to look: the job waits, and the next segment starts with what the person said."""
    stage.state.questions = (question(stage),)
    return Event.AWAITED


def question(stage: Stage) -> str:
    """What the person is asked, with the file to look at."""
    s = stage.state
    if stage.type.talks and (own := own_question(stage, s.position.state)):
        return own
    match s.position.state:
        case State.APPROVE:
            return "Do you approve the scope in plan.md?"
        case State.APPROVE_TASK:
            return f"Do you approve the task '{s.todos.title[:200]}' in todos.yaml?"
        case State.APPROVE_MILESTONE:
            return f"Do you agree that milestone {s.milestone + 1} is reached: {s.current_milestone.outcome}"
        case State.APPROVE_RESULT:
            return "Do you approve the results in output/?"
        case _:
            raise AssertionError(f"{s.position.state} asks for no approval")


def heard(stage: Stage, event: Event) -> None:
    """What an approval changes before the table moves on."""
    asked = stage.state.position.came_from
    if asked in (State.APPROVE_MILESTONE, State.APPROVE_RESULT) and event is Event.APPROVED:
        advance(stage)


def advance(stage: Stage) -> None:
    """The current milestone is reached: on to the next one, if there is one."""
    s = stage.state
    assert s.scope is not None
    outcome = s.current_milestone.outcome
    stage.run.emit(MilestoneReached(number=s.milestone + 1, of=len(s.scope.milestones), outcome=outcome))
    s.results[str(s.milestone + 1)] = tuple(e.ref for e in s.evidence if e.kind is EvidenceKind.FILE)[-KEPT:]
    s.findings, s.notes, s.advice = (), (), ""
    s.milestone_commit = s.accepted_commit
    was_last = is_last(stage)
    s.evidence = s.evidence if was_last else ()  # a delivery may fail, and lead to a scope that rests on the same work
    s.milestone += 0 if was_last else 1
    s.learnt = stage.code("write_plan", str, lambda: write_plan(stage, all_met=was_last))


def is_last(stage: Stage) -> bool:
    """Whether the current milestone is the last one."""
    s = stage.state
    assert s.scope is not None
    return s.milestone == len(s.scope.milestones) - 1
