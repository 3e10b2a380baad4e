"""Control catalogues: a lead-in and its items, enhancements in bold, guidance, withdrawn controls, mappings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.styles import ParagraphStyle

from echelon.domains.documents.reading import read_document
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.structure.scheme import is_withdrawn
from tests.requirements.rendering import STYLES, page_break, para, render, title

BOLD = ParagraphStyle("bold", parent=STYLES["BodyText"], fontName="Helvetica-Bold", leftIndent=18)
PORTS = ("CRANES", "GATES", "LIGHTS", "BOATS", "FIRE")


def catalogue(with_example: bool = True) -> list[Any]:
    story: list[Any] = [title("CHAPTER ONE", 1), para("Ports should read all of this before they choose a control.")]
    if with_example:
        story += [title("HC-2 GATES"), para("Control: An example that a port may look at."), para("Guidance: None.")]
    story += [title("APPENDIX F", 1)]
    for number, name in enumerate(PORTS, 1):
        story += [
            title(f"HC-{number} {name}"),
            para(f"Control: The port, for its {name.lower()}:"),
            para("a. Writes a plan that says:"),
            para("- who acts; and"),
            para("- what is kept."),
            para("b. Reviews the plan."),
            para("Supplemental Guidance: Plans must be short, or they should be left unread."),
            title("Control Enhancements:", 3),
            para("(1) [Withdrawn: Incorporated into HC-9]."),
            para(
                f"(2) The port keeps a list of all its {name.lower()} that were out of use for longer than [Setting:"
                " a period that the port has chosen for them] and says why they were.",
                BOLD,
            ),
            para("Enhancement Supplemental Guidance: A list must be seen. Lists should be old."),
            para("(3) The port system:", BOLD),
            para("(a) Counts; and", BOLD),
            para("(b) Reports what it counted.", BOLD),
            para("References: What a port must read."),
        ]
    story += [page_break(), title("APPENDIX H", 1)]
    for number, name in enumerate(PORTS, 1):
        story += [title(f"HC-{number} {name}"), para("Inland Supplemental Guidance: Inland ports must do the same.")]
    return story


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str | None, str]]:
    path = render(tmp_path_factory.mktemp("controls") / "c.pdf", catalogue())
    return [(r.source_id, r.text) for r in extract_requirements(read_document(path))]


def test_a_lead_in_stands_with_each_of_its_items_and_bullets_stay_with_theirs(
    found: list[tuple[str | None, str]],
) -> None:
    assert found[0] == ("HC-1 a)", "The port, for its cranes: Writes a plan that says: who acts; and what is kept.")
    assert found[1] == ("HC-1 b)", "The port, for its cranes: Reviews the plan.")


def test_an_enhancement_set_in_bold_is_an_item_and_no_title(found: list[tuple[str | None, str]]) -> None:
    (text,) = [text for label, text in found if label == "HC-4(2)"]
    assert text.startswith("The port keeps a list of all its boats") and text.endswith("and says why they were.")
    assert [(label, text) for label, text in found if label and label.startswith("HC-5(3)")] == [
        ("HC-5(3) a)", "The port system: Counts"),
        ("HC-5(3) b)", "The port system: Reports what it counted."),
    ]


def test_guidance_examples_withdrawn_controls_and_appendices_are_left_out(found: list[tuple[str | None, str]]) -> None:
    assert len(found) == 5 * len(PORTS)
    text = " ".join(text for _, text in found)
    for word in ("Guidance", "Withdrawn", "Inland", "example", "must be", "should"):
        assert word not in text


def test_bold_titles_stay_titles(tmp_path: Path) -> None:
    bold = ParagraphStyle("b", parent=STYLES["BodyText"], fontName="Helvetica-Bold")
    story = [
        para("1 What the Operator of a Crane Owes to the Port and to Those who Work Below It, Day and Night", bold),
        para("The operator shall look down."),
        para("2 Lights", bold),
        para("The operator shall keep the lights on."),
        para(
            "3.1 The operator shall keep a diary of all that was lifted, of its weight and of those who asked for it, for"
            " as long as the crane stands in the port.",
            bold,
        ),
    ]
    found = extract_requirements(read_document(render(tmp_path / "b.pdf", story)))
    assert [r.source_id for r in found] == ["1", "2", "3.1"]


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("[Withdrawn: Incorporated into AC-6].", True),
        ("[Withdrawn: Moved to 3.2]", True),
        ("Withdrawn keys shall be destroyed.", False),
        ("[Setting: days] after that the port shall close.", False),
    ],
)
def test_what_says_that_it_was_withdrawn(text: str, gone: bool) -> None:
    assert is_withdrawn(text) is gone
