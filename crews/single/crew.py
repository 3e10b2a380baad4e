"""One agent as a crew: all tools, no plan of others, no judge but code. The arm that the hierarchy is compared with."""

from __future__ import annotations

from echelon.crews.crew import Crew, Performer
from echelon.crews.hierarchy.states import Counter, Event, Row, State
from echelon.crews.intake import intake
from echelon.crews.single.working import deliver, work

S, E, C = State, Event, Counter

TABLE: tuple[Row, ...] = (
    Row(S.INTAKE, E.READY, S.IMPLEMENT),
    Row(S.INTAKE, E.BAD_INPUT, S.REJECTED),
    Row(S.IMPLEMENT, E.REPORTED, S.DELIVER),
    Row(S.IMPLEMENT, E.REWOUND, S.IMPLEMENT, C.TASK_FAILURES, S.ESCALATED),
    Row(S.IMPLEMENT, E.STUCK, S.IMPLEMENT, C.TASK_FAILURES, S.ESCALATED),
    Row(S.IMPLEMENT, E.NOTHING_SUBMITTED, S.IMPLEMENT, C.TASK_FAILURES, S.ESCALATED),
    Row(S.DELIVER, E.DELIVERED, S.COMPLETED),
    Row(S.DELIVER, E.NOT_DELIVERABLE, S.IMPLEMENT, C.DELIVERY_REPAIRS, S.ESCALATED),
    Row(S.NEEDS_INPUT, E.ANSWERED, S.IMPLEMENT),
    Row(S.ESCALATED, E.ANSWERED, S.IMPLEMENT, gives_back=True),
)

CREW = Crew(
    name="single",
    table=TABLE,
    performers={
        State.INTAKE: Performer(intake, code="read the inputs"),
        State.IMPLEMENT: Performer(work, role="agent"),
        State.DELIVER: Performer(deliver, code="the checks of the hierarchy"),
    },
    begins=State.IMPLEMENT,
)
