"""The arrows of the transition table, and who acts in each of its states."""

from __future__ import annotations

from dataclasses import dataclass

from echelon.crews.hierarchy.crew import CREW
from echelon.crews.hierarchy.states import TABLE, Row, State

_ENDS = {
    State.NEEDS_INPUT: "end, until a person answers",
    State.ESCALATED: "end, until a person answers",
    State.LIMIT: "end, until more is granted",
}


@dataclass(frozen=True)
class Edge:
    """All ways from one state to another that have the same reason to be drawn: events, or one ceiling."""

    source: State
    target: State
    says: str


def who(state: State) -> str:
    """Who acts in a state, in a few words."""
    return CREW.performer(state).who if state in CREW.performers else _ENDS.get(state, "end")


def edges() -> tuple[Edge, ...]:
    """The arrows of the diagram in the order of the table: one for the events of each pair of states, one a ceiling."""
    usual: dict[tuple[State, State], list[str]] = {}
    beyond: dict[tuple[State, State, str], None] = {}
    for row in TABLE:
        usual.setdefault((row.state, row.to), []).append(row.event.value)
        if row.beyond is not None:
            beyond[(row.state, row.beyond, ceiling_of(row))] = None
    return (
        *(Edge(source, target, "; ".join(events)) for (source, target), events in usual.items()),
        *(Edge(source, target, says) for source, target, says in beyond),
    )


def ceiling_of(row: Row) -> str:
    assert row.counts is not None
    return f"{'at' if row.at else 'beyond'} {row.counts.value}"
