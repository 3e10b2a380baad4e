"""The stages of a plan as a diagram: the same table, Mermaid and drawing as for a job's life."""

from __future__ import annotations

from html import escape

from echelon.crews.planner.stages import ENDS, RETRIES, TABLE, Event, Stage

ROW, TOP, LEFT, WIDTH = 92, 60, 40, 1180
STYLE = """
text{font:13px system-ui,'Segoe UI',Helvetica,Arial,sans-serif;fill:#1f2933}.title{font-size:18px;font-weight:600}
.name{font-weight:600;text-anchor:middle}.node{fill:#eef2ff;stroke:#4c63b6;stroke-width:1.3}.gate{fill:#fff7e6;stroke:#b7791f}
.end{fill:#fdeeee;stroke:#b83232}.good{fill:#e9f9ee;stroke:#2f855a}path{fill:none;stroke:#52606d;stroke-width:1.2}
""".strip()
FORWARD = frozenset({Event.SUFFICIENT_CONTEXT, Event.SUCCESS, Event.VALID, Event.APPROVED})


def who(stage: Stage) -> str:
    """Who acts at a stage."""
    if stage in ENDS:
        return "end" if stage is Stage.COMPLETE else "end, until a person answers"
    if stage.value.startswith("validate"):
        return "code: what no role overrules"
    return "a person, if the policy asks" if stage is Stage.SEEK_APPROVAL else "the roles, with tools"


def mermaid() -> str:
    """The table as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", "    [*] --> collect_context"]
    lines += [f"    {here.value} --> {to.value}: {event.value}" for (here, event), to in TABLE.items()]
    return "\n".join([*lines, "    complete --> [*]"])


def markdown() -> str:
    """The content of `docs/plan-stages.md`."""
    rows = [f"| `{s.value}` | {who(s)} | {e.value} | `{to.value}` |" for (s, e), to in TABLE.items()]
    return "\n".join([
        "# The stages of a plan", "",
        "What a plan needs next is decided by this table (`crews/planner/stages.py`). Where a plan stands is worked out",
        "from what is there, so a role cannot leave a validation out. This page is written by",
        "`python -m echelon.faces.diagram.diagram docs/states.md`; a test holds that it is up to date.", "",
        "![The stages as a drawing](plan-stages.svg)", "",
        "| stage | who acts | event | next |", "|---|---|---|---|", *rows, "",
        f"A draft that breaks a rule is drafted again at most {RETRIES} times (`planning.retries`), then a person is asked.",
        "", "```mermaid", mermaid(), "```", "",
    ])  # fmt: skip


def svg() -> str:
    """The drawing: the stages in a column, the way forward between them, every other way as words beside its stage."""
    working = [s for s in Stage if s not in ENDS]
    parts = ['<text class="title" x="24" y="34">The stages of a plan</text>']
    for number, stage in enumerate([*working, Stage.COMPLETE]):
        parts += _box(stage, TOP + ROW * number, is_last=stage is Stage.COMPLETE)
    below = TOP + ROW * (len(working) + 1)
    sentences = [f"{s.value}, {e.value} → {to.value}" for (s, e), to in TABLE.items() if s in ENDS]
    parts += [f'<text x="{LEFT}" y="{below + 20 * n}">{escape(line)}</text>' for n, line in enumerate(sentences)]
    height = below + 20 * len(sentences) + 20
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    ground = f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>'
    return "\n".join(
        [head, "<title>The stages of a plan</title>", f"<style>{STYLE}</style>", ground, *parts, "</svg>", ""]
    )


def _box(stage: Stage, top: int, is_last: bool) -> list[str]:
    kind = "good" if is_last else "gate" if stage.value.startswith("validate") else "plain"
    middle = LEFT + 120
    out = [
        f'<rect class="node {kind}" x="{LEFT}" y="{top}" width="240" height="46" rx="8"/>',
        f'<text class="name" x="{middle}" y="{top + 20}">{stage.name}</text>',
        f'<text x="{middle}" y="{top + 37}" text-anchor="middle">{escape(who(stage))}</text>',
    ]
    ways = [(e, to) for (here, e), to in TABLE.items() if here is stage]
    for event, _ in (w for w in ways if w[0] in FORWARD and not is_last):
        out.append(
            f'<path d="M{middle} {top + 46}V{top + ROW}"/><text x="{middle + 8}" y="{top + 72}">{event.value}</text>'
        )
    others = [f"{e.value} → {to.name}" for e, to in ways if e not in FORWARD]
    out += [f'<text x="{LEFT + 270}" y="{top + 16 + 17 * n}">{escape(line)}</text>' for n, line in enumerate(others)]
    return out
