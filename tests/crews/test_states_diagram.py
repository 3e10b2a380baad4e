"""The diagram shows the whole table, and the documentation shows the diagram of today."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from echelon.crews.hierarchy.states import ANYWHERE, ENDS, TABLE, State
from echelon.faces.diagram import diagram, drawing

REPOSITORY = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def texts() -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(drawing.svg()).iter(f"{SVG}text")]


def test_the_documentation_is_up_to_date() -> None:
    """If this fails: python -m crews.diagram docs/states.md"""
    assert (REPOSITORY / "docs" / "states.md").read_text(encoding="utf-8") == diagram.markdown()
    assert (REPOSITORY / "docs" / "states.svg").read_text(encoding="utf-8") == drawing.svg()


def test_the_command_writes_the_same_again(tmp_path: Path) -> None:
    target = tmp_path / "states.md"
    subprocess.run(
        [sys.executable, "-m", "echelon.faces.diagram.diagram", str(target)], cwd=REPOSITORY, check=True, timeout=60
    )
    assert target.read_text(encoding="utf-8") == diagram.markdown()
    assert target.with_suffix(".svg").read_text(encoding="utf-8") == drawing.svg()


def test_every_row_stands_in_the_table_of_the_documentation() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .+ \| (.+) \| `(\w+)` \| (.*) ?\|$", diagram.markdown(), re.MULTILINE)
    assert [row[:3] for row in rows] == [(r.state.value, r.event.value, r.to.value) for r in TABLE]
    for row, written in zip(TABLE, rows, strict=True):
        elsewhere = row.beyond
        assert (elsewhere is not None and f"`{elsewhere.value}`" in written[3]) or not written[3].strip()


def test_mermaid_has_one_arrow_for_each_pair_of_states_and_each_ceiling() -> None:
    arrows = re.findall(r"^    (\w+) --> (\w+): (.+)$", diagram.mermaid(), re.MULTILINE)
    for row in TABLE:
        assert any(
            (source, target) == (row.state.value, row.to.value) and row.event.value in says
            for source, target, says in arrows
        ), row
        if row.beyond and row.counts:
            assert any(
                (source, target) == (row.state.value, row.beyond.value) and row.counts.value in says
                for source, target, says in arrows
            ), row
    assert len(arrows) == len(set(arrows)) == len(diagram.edges())
    assert not any(mark in says for _, _, says in arrows for mark in ";:#"), "marks that end a label"


def test_the_drawing_says_every_state_and_every_arrow() -> None:
    words = texts()
    everything = " ".join(words)
    for state in State:
        assert state.name in everything
    for edge in diagram.edges():
        assert edge.says in everything, edge
    for event, to in ANYWHERE:
        assert f"{event.value} → {to.name}" in everything
    assert len(words) == len([w for w in words if w.strip()])


def test_no_text_is_wider_than_its_place() -> None:
    """At 6.5 units a character of 12 or 13 px, which is wider than usual fonts draw such words."""
    root = ElementTree.fromstring(drawing.svg())
    for node in root.iter(f"{SVG}text"):
        width = 6.5 * len("".join(node.itertext()))
        kind, x = node.get("class", ""), float(node.get("x", "0"))
        if kind in ("says left", "says right"):
            assert width <= drawing.LABEL[kind.removeprefix("says ")], node.text
        elif kind in ("name", "who"):
            assert width <= drawing.NODE_WIDTH, node.text
        else:
            assert x + width <= drawing.WIDTH, node.text


def test_lanes_of_one_side_do_not_lie_on_each_other() -> None:
    boxes = drawing._boxes()
    for side in ("left", "right"):
        by_lane: dict[int, list[tuple[int, int]]] = {}
        for lane, (_, start, end) in drawing._assigned(boxes, side):
            low, high = sorted((start, end))
            assert all(high < a or b < low for a, b in by_lane.get(lane, [])), (side, lane)
            by_lane.setdefault(lane, []).append((low, high))


def test_the_drawing_needs_nothing_from_elsewhere() -> None:
    drawn = drawing.svg()
    assert re.findall(r"https?://[^\"' ]+", drawn) == ["http://www.w3.org/2000/svg"]
    assert "<script" not in drawn and "@import" not in drawn


@pytest.mark.parametrize("name", ["plot.svg", "plot.html", "in/a/folder/plot.html"])
def test_a_plot_is_written_where_it_is_asked_for(tmp_path: Path, name: str) -> None:
    written = diagram.write_plot(tmp_path / name)
    assert written == tmp_path / name
    text = written.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>" if name.endswith("html") else "<svg ")
    assert "GATE_PLAN" in text


def test_every_state_says_who_acts() -> None:
    assert all(diagram.who(state) for state in State)
    assert all(diagram.who(state).startswith("end") for state in ENDS)
