"""The transition table drawn as SVG: acting states in one column, ways back on the left, ways forward on the right.

An end is drawn beside each arrow that leads to it, so that no line crosses the picture for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from textwrap import wrap

from echelon.crews.hierarchy.states import ANYWHERE, APPROVALS, ENDS, State
from echelon.faces.diagram.edges import Edge, edges, who

WIDTH, NODE_LEFT, NODE_WIDTH = 1210, 500, 230
NODE_RIGHT = NODE_LEFT + NODE_WIDTH
PORT, GAP, TOP = 24, 52, 70
"""Height of one arrow's port, distance of two states, height of the title."""
LABEL = {"left": 340, "right": 262}
"""Space for the label of an arrow between a state and the lanes or the ends."""
PILL_LEFT, PILL_WIDTH = NODE_RIGHT + LABEL["right"], 118
LANE = 16
NOTE = 140
"""Characters of one line of the notes below."""

STYLE = """
text{font:13px system-ui,'Segoe UI',Helvetica,Arial,sans-serif;fill:#1f2933}
.title{font-size:18px;font-weight:600}.name{font-weight:600;text-anchor:middle}.who{font-size:12px;fill:#52606d;text-anchor:middle}
.node{fill:#eef2ff;stroke:#4c63b6;stroke-width:1.3}.gate{fill:#fff7e6;stroke:#b7791f}.person{fill:#e6fffa;stroke:#2c7a7b}
.end{fill:#fdeeee;stroke:#b83232}.good{fill:#e9f9ee;stroke:#2f855a}.pill{font-size:12px;text-anchor:middle}
path{fill:none;stroke:#52606d;stroke-width:1.2}.back{stroke:#8a5a9c}.says{font-size:12px}.left{text-anchor:end}
""".strip()


@dataclass
class Box:
    """A state in the column, with the arrows that leave it on either side."""

    state: State
    left: list[Edge] = field(default_factory=list)
    right: list[Edge] = field(default_factory=list)
    down: list[Edge] = field(default_factory=list)
    top: int = 0

    @property
    def height(self) -> int:
        return PORT * (1 + max(2, len(self.left), len(self.right)))

    def port(self, number: int) -> int:
        """Height of a port: 0 is where arrows arrive, the others are where they leave."""
        return self.top + PORT // 2 + PORT * number


def svg() -> str:
    """The drawing, as a self-contained SVG document."""
    boxes = _boxes()
    bottom = max(box.top + box.height for box in boxes.values())
    parts = [
        '<text class="title" x="24" y="36">A job\'s life: what the transition table decides</text>',
        *_lanes(boxes, "left"), *_lanes(boxes, "right"), *_ends(boxes), *_downs(boxes),
        *(_box(box) for box in boxes.values()), *_notes(bottom + 44),
    ]  # fmt: skip
    height = bottom + 44 + 22 * len(_sentences()) + 20
    marker = (
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L10 5L0 10z" style="fill:#52606d;stroke:none"/></marker></defs>'
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    title = "<title>The transition table of a job</title>"
    ground = f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>'
    return "\n".join([f'{head} role="img">', title, f"<style>{STYLE}</style>", marker, ground, *parts, "</svg>", ""])


def _boxes() -> dict[State, Box]:
    boxes = {state: Box(state) for state in State if state not in ENDS}
    order = list(boxes)
    for edge in edges():
        if edge.source in ENDS:
            continue
        box = boxes[edge.source]
        if edge.target in ENDS:
            box.right.append(edge)
        elif order.index(edge.target) <= order.index(edge.source):
            box.left.append(edge)
        elif order.index(edge.target) == order.index(edge.source) + 1:
            box.down.append(edge)
        else:
            box.right.append(edge)
    top = TOP
    for box in boxes.values():
        box.top, top = top, top + box.height + GAP
    return boxes


def _box(box: Box) -> str:
    middle, height = NODE_LEFT + NODE_WIDTH // 2, box.top + box.height // 2
    kind = "gate" if box.state.value.startswith("gate") else "person" if box.state in APPROVALS else "plain"
    return (
        f'<rect class="node {kind}" x="{NODE_LEFT}" y="{box.top}" width="{NODE_WIDTH}" height="{box.height}" rx="8"/>'
        f'<text class="name" x="{middle}" y="{height - 3}">{box.state.name}</text>'
        f'<text class="who" x="{middle}" y="{height + 14}">{escape(who(box.state))}</text>'
    )


def _ends(boxes: dict[State, Box]) -> list[str]:
    out: list[str] = []
    for box in boxes.values():
        for number, edge in enumerate(box.right, 1):
            if edge.target not in ENDS:
                continue
            y = box.port(number)
            good = "good" if edge.target is State.COMPLETED else ""
            out.append(
                f'<path d="M{NODE_RIGHT} {y}H{PILL_LEFT}" marker-end="url(#tip)"/>{_says(edge, y, "right")}'
                f'<rect class="end {good}" x="{PILL_LEFT}" y="{y - 10}" width="{PILL_WIDTH}" height="20" rx="10"/>'
                f'<text class="pill" x="{PILL_LEFT + PILL_WIDTH // 2}" y="{y + 4}">{edge.target.name}</text>'
            )
    return out


def _downs(boxes: dict[State, Box]) -> list[str]:
    out: list[str] = []
    for box in boxes.values():
        if not box.down:
            continue
        x, y = NODE_LEFT + NODE_WIDTH // 2, box.top + box.height
        says = escape("; ".join(edge.says for edge in box.down))
        out.append(
            f'<path d="M{x} {y}V{y + GAP}" marker-end="url(#tip)"/>'
            f'<text class="says down" x="{x + 10}" y="{y + GAP // 2 + 4}">{says}</text>'
        )
    return out


def _lanes(boxes: dict[State, Box], side: str) -> list[str]:
    """Arrows to other boxes of the column: out of the box, along a lane of their own, into the target."""
    sign = -1 if side == "left" else 1
    edge_of_box = NODE_LEFT if side == "left" else NODE_RIGHT
    first = edge_of_box + sign * (LABEL[side] + (0 if side == "left" else PILL_WIDTH) + LANE)
    out: list[str] = []
    for lane, (edge, start, end) in _assigned(boxes, side):
        x = first + sign * LANE * lane
        kind = ' class="back"' if side == "left" else ""
        d = f"M{edge_of_box} {start}H{x}V{end}H{edge_of_box}"
        out.append(f'<path{kind} d="{d}" marker-end="url(#tip)"/>{_says(edge, start, side)}')
    return out


def _assigned(boxes: dict[State, Box], side: str) -> list[tuple[int, tuple[Edge, int, int]]]:
    """Each arrow with its lane, from 0 next to the boxes; two arrows share a lane when they do not meet in it."""
    arrows: list[tuple[Edge, int, int]] = []
    for box in boxes.values():
        for number, edge in enumerate(box.left if side == "left" else box.right, 1):
            if edge.target not in ENDS:
                arrows.append((edge, box.port(number), boxes[edge.target].port(0)))
    arrows.sort(key=lambda arrow: abs(arrow[1] - arrow[2]))
    lanes: list[list[tuple[int, int]]] = []
    out: list[tuple[int, tuple[Edge, int, int]]] = []
    for arrow in arrows:
        low, high = sorted(arrow[1:])
        free = next((n for n, taken in enumerate(lanes) if all(high < a or b < low for a, b in taken)), len(lanes))
        if free == len(lanes):
            lanes.append([])
        lanes[free].append((low, high))
        out.append((free, arrow))
    return out


def _says(edge: Edge, y: int, side: str) -> str:
    x = NODE_LEFT - 8 if side == "left" else NODE_RIGHT + 8
    return f'<text class="says {side}" x="{x}" y="{y - 4}">{escape(edge.says)}</text>'


def _sentences() -> list[str]:
    by_end: dict[State, list[str]] = {}
    for edge in edges():
        if edge.source in ENDS:
            by_end.setdefault(edge.source, []).append(f"{edge.says} → {edge.target.name}")
    interrupted = "; ".join(f"{event.value} → {to.name}" for event, to in ANYWHERE)
    sentences = [
        f"In every state above: {interrupted}.",
        "LIMIT, more granted → the state that was interrupted.",
        *(f"{end.name}: {'; '.join(ways)}." for end, ways in by_end.items()),
    ]
    return [line for sentence in sentences for line in wrap(sentence, NOTE)]


def _notes(top: int) -> list[str]:
    return [f'<text x="24" y="{top + 22 * n}">{escape(text)}</text>' for n, text in enumerate(_sentences())]
