"""PDFs as people have them: tables over pages, prints of a browser, two columns, turned pages, recognised text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from echelon.domains.documents.reading import read_document
from echelon.domains.requirements import extract_requirements
from tests.requirements.rendering import grid, para, render, title
from tests.support.documents import browser_pdf, recognised_pdf, turned_pdf

THINGS = [
    "anchor",
    "bell",
    "boat",
    "buoy",
    "cabin",
    "cable",
    "chain",
    "crane",
    "deck",
    "dock",
    "engine",
    "ferry",
    "flag",
    "gate",
    "horn",
    "hull",
    "keel",
    "ladder",
    "lamp",
    "mast",
    "mooring",
    "net",
    "oar",
    "pier",
    "pilot",
    "plank",
    "pump",
    "quay",
    "rail",
    "rope",
    "rudder",
    "sail",
    "ship",
    "signal",
    "tide",
    "tower",
    "tug",
    "wharf",
    "winch",
    "yard",
]
KINDS = ["old", "new", "northern", "southern", "narrow", "wide", "heavy", "light", "painted", "wooden"]


def clause(number: int, kind: int) -> str:
    """A sentence that no other one is like, so that no line of it is a running header."""
    chosen = random.Random(10 * number + kind)
    words = [f"{chosen.choice(KINDS)} {thing}" for thing in chosen.sample(THINGS, 6)]
    return f"The {words[0]} shall be kept between the {words[1]}, the {words[2]} and the " + (
        f"{words[3]}, and never below the {words[4]}." if kind % 2 else f"{words[3]}."
    )


NUMBERED = [(f"{n}.{k}", clause(n, k)) for n in range(1, 31) for k in range(1, 5)]


def found(path: Path) -> list[tuple[str | None, str]]:
    document = read_document(path)
    requirements = extract_requirements(document)
    quotes = [document.page(c.page).text[c.start : c.end] == c.quote for r in requirements for c in r.citations]
    assert all(quotes)
    return [(r.source_id, r.text) for r in requirements]


@pytest.mark.parametrize("ruled", [True, False], ids=["ruled", "open"])
def test_the_header_of_a_table_that_goes_on_over_pages_is_no_text(tmp_path: Path, ruled: bool) -> None:
    rows = [["No.", "Requirement", "Level", "Source"]]
    texts = [f"Berth {n} is kept free of ice, and its ladder reaches the water at low tide." for n in range(1, 91)]
    rows += [[f"B-{n}", text, str(n % 3 + 1), f"S-{n}"] for n, text in enumerate(texts, 1)]
    story = [title("Berths"), para("Inspectors read the rows below."), grid(rows, [40, 300, 50, 60], ruled)]
    path = render(tmp_path / "table.pdf", story, header="Berths of the harbour", footer=lambda page: f"{page}")
    assert len(read_document(path).pages) >= 3
    assert found(path) == [(f"B-{n}", text) for n, text in enumerate(texts, 1)]


def test_the_title_of_a_table_is_kept_on_its_first_page(tmp_path: Path) -> None:
    rows = [["No.", "Requirement"]] + [[f"B-{n}", f"Berth {n} is kept free of ice."] for n in range(1, 8)]
    assert len(found(render(tmp_path / "t.pdf", [title("Berths"), grid(rows, [40, 300])]))) == 7


def test_a_page_printed_from_a_browser_has_no_address_date_and_page_in_its_text(tmp_path: Path) -> None:
    path = browser_pdf(
        tmp_path / "b.pdf",
        [" ".join(clause) for clause in NUMBERED],
        title="Rules of the harbour - Intranet",
        address="https://intranet.example/rules/harbour?print=1",
    )
    assert len(read_document(path).pages) >= 4
    assert found(path) == NUMBERED


def test_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    story = [para(" ".join(clause)) for clause in NUMBERED]
    path = render(tmp_path / "c.pdf", story, header="Harbour", footer=lambda page: f"Page {page}", columns=2)
    assert found(path) == NUMBERED


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_a_turned_page_is_read_like_an_upright_one(tmp_path: Path, angle: int) -> None:
    lines = [f"{n}.1 Boat {n} shall carry a lamp that is seen from two miles." for n in range(1, 16)]
    path = turned_pdf(tmp_path / "turned.pdf", lines, angle)
    assert found(path) == [
        (f"{n}.1", f"Boat {n} shall carry a lamp that is seen from two miles.") for n in range(1, 16)
    ]


def test_text_along_the_side_of_an_upright_page_is_still_left_out(tmp_path: Path) -> None:
    path = tmp_path / "side.pdf"
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    for page in range(1, 4):
        for line in range(10):
            canvas.drawString(72, 760 - 20 * line, " ".join(NUMBERED[10 * page + line]))
        canvas.saveState()
        canvas.translate(20, 100)
        canvas.rotate(90)
        canvas.drawString(0, 0, "This publication shall be available free of charge.")
        canvas.restoreState()
        canvas.showPage()
    canvas.save()
    assert [text for _, text in found(path) if "free of charge" in text] == []
    assert found(path) == NUMBERED[10:40]


def test_recognised_text_below_a_picture_is_read(tmp_path: Path) -> None:
    path = recognised_pdf(tmp_path / "ocr.pdf", [" ".join(clause) for clause in NUMBERED[:12]])
    assert found(path) == NUMBERED[:12]
