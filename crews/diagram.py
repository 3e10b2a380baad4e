"""The transition table as a diagram: Mermaid and a table of rows for the documentation, SVG or HTML for everybody.

`python -m crews.diagram docs/states.md` brings the documentation up to date: the file and a drawing beside it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from crews.states import ANYWHERE, ENDS, RESUMABLE, TABLE, Event, Row, State
from echelon.engine.files import write_atomically
from echelon.engine.settings import Ceilings

_WHO = {
    State.INTAKE: "code: read the inputs",
    State.SCOPE: "ScopeAgent",
    State.GATE_SCOPE: "code: rules and confidence",
    State.APPROVE: "a person, if the policy asks",
    State.APPROVE_TASK: "a person, if the policy asks",
    State.APPROVE_MILESTONE: "a person, if the policy asks",
    State.APPROVE_RESULT: "a person, if the policy asks",
    State.PLAN: "TaskPlanner",
    State.GATE_PLAN: "code: rules for a task",
    State.IMPLEMENT: "Implementor",
    State.QA: "checks in code, then QA",
    State.ASSESS: "Assessor",
    State.DELIVER: "code, then ScopeAgent",
    State.COMPLETED: "end",
    State.NEEDS_INPUT: "end, until a person answers",
    State.ESCALATED: "end, until a person answers",
    State.LIMIT: "end, until more is granted",
    State.CANCELLED: "end",
    State.REJECTED: "end",
    State.FAILED: "end",
}


@dataclass(frozen=True)
class Edge:
    """All ways from one state to another that have the same reason to be drawn: events, or one ceiling."""

    source: State
    target: State
    says: str


def who(state: State) -> str:
    """Who acts in a state, in a few words."""
    return _WHO[state]


def edges() -> tuple[Edge, ...]:
    """The arrows of the diagram in the order of the table: one for the events of each pair of states, one a ceiling."""
    usual: dict[tuple[State, State], list[str]] = {}
    beyond: dict[tuple[State, State, str], None] = {}
    for row in TABLE:
        usual.setdefault((row.state, row.to), []).append(row.event.value)
        if row.beyond is not None:
            beyond[(row.state, row.beyond, _ceiling(row))] = None
    return (
        *(Edge(source, target, "; ".join(events)) for (source, target), events in usual.items()),
        *(Edge(source, target, says) for source, target, says in beyond),
    )


def _ceiling(row: Row) -> str:
    assert row.counts is not None
    return f"{'at' if row.at else 'beyond'} {row.counts.value}"


def mermaid() -> str:
    """The table as a Mermaid state diagram. A semicolon would end a label there."""
    lines = ["stateDiagram-v2", "    [*] --> intake"]
    lines += [f"    {e.source.value} --> {e.target.value}: {e.says.replace(';', ',')}" for e in edges()]
    lines += [f"    {state.value} --> [*]" for state in State if state in ENDS - RESUMABLE]
    return "\n".join(lines)


def markdown() -> str:
    """The content of `docs/states.md`."""
    defaults = Ceilings()  # type: ignore[call-arg]
    rows = []
    for row in TABLE:
        ceiling = ""
        if row.counts is not None and row.beyond is not None:
            ceiling = f"{_ceiling(row)} ({getattr(defaults, row.counts.value)}): {_state(row.beyond)}"
        rows.append(f"| {_state(row.state)} | {who(row.state)} | {row.event.value} | {_state(row.to)} | {ceiling} |")
    everywhere = "; ".join(f"{event.value}: {_state(to)}" for event, to in ANYWHERE)
    return "\n".join(
        [
            "# A job's life",
            "",
            "What happens next is decided by this table (`crews/states.py`), never by a model. This page is written by",
            "`python -m crews.diagram docs/states.md`; a test holds that it is up to date.",
            "",
            "![The transition table as a drawing](states.svg)",
            "",
            "| state | who acts | event | next | at a ceiling (default), or else |",
            "|---|---|---|---|---|",
            *rows,
            "",
            f"In every state in which somebody acts: {everywhere}.",
            "",
            f"After `{Event.MORE_GRANTED.value}` a job in {_state(State.LIMIT)} goes on where it stopped. A row `beyond` a",
            "ceiling of 2 leads elsewhere the third time; so does one `at` a ceiling of 3.",
            "A job that asks about an effect in doubt goes on with the answer where it stopped, once there is a scope.",
            "What a person says to a job that waits for an approval is taken by the row of the state that asked for it.",
            "",
            "```mermaid",
            mermaid(),
            "```",
            "",
        ]
    )


def _state(state: State) -> str:
    return f"`{state.value}`"


def write_docs(path: Path) -> None:
    """Write `markdown()` to `path` and the drawing beside it."""
    write_atomically(path, markdown())
    write_plot(path.with_suffix(".svg"))


def write_plot(path: Path) -> Path:
    """Draw the table to `path`, as SVG or, when its name ends in .html, as a page. Needs no network. Raises OSError."""
    from crews.drawing import svg

    drawn = svg()
    if path.suffix == ".html":
        head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A job\'s life</title>'
        drawn = f'{head}<body style="margin:0;background:#fff">{drawn}</body></html>\n'
    write_atomically(path, drawn)
    return path


if __name__ == "__main__":
    write_docs(Path(sys.argv[1]))
