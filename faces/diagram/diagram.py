"""The transition table as a diagram: Mermaid and a table of rows for the documentation, SVG or HTML for everybody.

`python -m echelon.faces.diagram.diagram docs/states.md` writes the documentation: the file, and a drawing beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from echelon.crews.hierarchy.states import ANYWHERE, ENDS, RESUMABLE, TABLE, Event, State
from echelon.faces.diagram import plan_stages
from echelon.faces.diagram.drawing import svg
from echelon.faces.diagram.edges import ceiling_of, edges, who
from echelon.files import write_atomically
from echelon.settings import Ceilings


def mermaid() -> str:
    """The table as a Mermaid state diagram. A semicolon would end a label there."""
    lines = ["stateDiagram-v2", "    [*] --> intake"]
    lines += [f"    {e.source.value} --> {e.target.value}: {e.says.replace(';', ',')}" for e in edges()]
    lines += [f"    {state.value} --> [*]" for state in State if state in ENDS - RESUMABLE]
    return "\n".join(lines)


def markdown() -> str:
    """The content of `docs/states.md`."""
    defaults = Ceilings()  # type: ignore[call-arg]
    rows: list[str] = []
    for row in TABLE:
        ceiling = ""
        if row.counts is not None and row.beyond is not None:
            ceiling = f"{ceiling_of(row)} ({getattr(defaults, row.counts.value)}): {_state(row.beyond)}"
        rows.append(f"| {_state(row.state)} | {who(row.state)} | {row.event.value} | {_state(row.to)} | {ceiling} |")
    everywhere = "; ".join(f"{event.value}: {_state(to)}" for event, to in ANYWHERE)
    return "\n".join(
        [
            "# A job's life",
            "",
            "What happens next is decided by this table (`crews/hierarchy/states.py`), never by a model. This page",
            "is written by `python -m echelon.faces.diagram.diagram docs/states.md`; a test holds that it is up to date.",
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
    """Write `markdown()` to `path` and the drawing beside it, and the same of the stages of a plan."""
    write_atomically(path, markdown())
    write_plot(path.with_suffix(".svg"))
    write_atomically(path.with_name("plan-stages.md"), plan_stages.markdown())
    write_atomically(path.with_name("plan-stages.svg"), plan_stages.svg())


def write_plot(path: Path) -> Path:
    """Draw the table to `path`, as SVG or, when its name ends in .html, as a page. Needs no network. Raises OSError."""
    drawn = svg()
    if path.suffix == ".html":
        head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A job\'s life</title>'
        drawn = f'{head}<body style="margin:0;background:#fff">{drawn}{plan_stages.svg()}</body></html>\n'
    write_atomically(path, drawn)
    return path


if __name__ == "__main__":
    write_docs(Path(sys.argv[1]))
