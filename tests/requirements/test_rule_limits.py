"""What the rules must not catch: for each rule the sentence or document that looks like its case and is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from echelon.domains.documents.reading import read_document
from echelon.domains.documents.tables import are_titles
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.judging.judge import capitals_bind, judge_prose
from echelon.domains.requirements.structure.roles import closes_recitals, informs, opens_recitals
from echelon.domains.requirements.structure.scheme import is_gone


def found(tmp_path: Path, text: str, name: str = "x.md") -> list[tuple[str | None, str]]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return [(r.source_id, r.text) for r in extract_requirements(read_document(tmp_path / name))]


@pytest.mark.parametrize(
    ("sentence", "language", "binds"),
    [
        ("As a reader, I want to borrow a book, so that I can read it.", "en", True),
        ("Als Leserin möchte ich Bücher leihen, damit ich lesen kann.", "de", True),
        ("As a result, I was able to read the book at once.", "en", False),
        ("Der Betreiber stellt sicher, dass alle Türen verschlossen sind.", "de", True),
        ("Die Verpflichteten sorgen dafür, dass alle Akten gelesen werden.", "de", True),
        ("Dies stellt sicher, dass alle Türen verschlossen sind.", "de", False),
        ("Die Regelung gewährleistet, dass alle Türen verschlossen sind.", "de", False),
        ("This standard specifies what chairs shall withstand in use.", "en", False),
        ("Dieses Dokument beschreibt, was Stühle leisten müssen.", "de", False),
        ("This section shall apply to chairs with wheels.", "en", True),
        ("A chair may have wheels below its legs.", "en", True),
        ("A chair may have been moved by the wind.", "en", False),
        ("Der Behörde ist auf Verlangen Zutritt zum Schlag einzuräumen.", "de", True),
        ("Fehlende Angaben sind innerhalb von zwei Wochen nachzureichen.", "de", True),
    ],
)
def test_what_a_sentence_binds(sentence: str, language: str, binds: bool) -> None:
    assert (judge_prose(sentence, language) is not None) is binds


def test_capitals_bind_where_they_are_declared() -> None:
    texts = ["A sender MUST feed it.", "It SHOULD be corn.", "It MAY rest.", "It must not be blamed."]
    declared = 'The key words "MUST", "SHOULD" and "MAY" are to be interpreted as in RFC 2119.'
    assert capitals_bind([declared, *texts])
    assert not capitals_bind(texts)
    assert not capitals_bind(["RFC 2119 is old.", *texts])


@pytest.mark.parametrize(
    ("title", "numbered", "expected"),
    [
        ("CM.WATER.1.1 Instructions", False, True),
        ("How to lock a door", False, True),
        ("How to lock a door, which must be done daily.", False, False),
        ("Installation", False, True),
        ("Installation", True, False),
        ("Enhancement Supplemental Guidance", False, True),
        ("Guidance systems", False, False),
    ],
)
def test_titles_that_inform(title: str, numbered: bool, expected: bool) -> None:
    assert informs(title, numbered) is expected


@pytest.mark.parametrize(
    ("title", "gone"),
    [
        ("GAR.2.A2 ENTFALLEN (B)", True),
        ("REQ-7 Deleted", True),
        ("REQ-7 Deleted requirements", False),
        ("Deleted Requirements", True),
    ],
)
def test_titles_of_what_was_deleted(title: str, gone: bool) -> None:
    assert is_gone(title) is gone


def test_recitals_open_and_close() -> None:
    assert opens_recitals("Whereas:") and opens_recitals("in Erwägung nachstehender Gründe:")
    assert not opens_recitals("Whereas the port shall be open, the gate shall be closed.")
    assert closes_recitals("HAVE ADOPTED THIS REGULATION:") and closes_recitals("HABEN FOLGENDE VERORDNUNG ERLASSEN:")


def test_titles_of_columns_may_be_short_for_a_word() -> None:
    assert are_titles(["Nr.", "Anforderung", "Muss/Kann"])
    assert not are_titles(["Open", "The gate is closed at night.", "x"])


def test_names_below_a_subject_are_no_functions(tmp_path: Path) -> None:
    assert found(tmp_path, "# Menu\n\nThe contents:\n\n- Tickets and maps\n- A bag of coins\n- Gates\n") == []
    assert len(found(tmp_path, "# Menu\n\nThe machine:\n\n- Sells tickets to all.\n- Gives change in coins.\n")) == 2


def test_a_bibliography_with_codes_is_no_list_of_functions(tmp_path: Path) -> None:
    books = "\n\n".join(f"[B-{n}] Writer, A.: A book about the sea, volume {n}." for n in range(1, 8))
    assert found(tmp_path, f"# Books\n\n{books}\n") == []


def test_requirements_in_levels_are_all_entries(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"### REQ-{n}\n\nThe port shall keep gate {n}.\n\n### REQ-{n}.1\n\nGate {n} shall have a lock."
        for n in range(1, 5)
    )
    assert len(found(tmp_path, text)) == 8


def test_a_numbered_section_of_a_specification_is_no_law(tmp_path: Path) -> None:
    text = "# Section 4 Gates\n\nThe port shall:\n\n1. close the gates at night;\n2. open them at dawn.\n"
    assert [label for label, _ in found(tmp_path, text)] == ["Section 4 1)", "Section 4 2)"]


def test_a_requirement_table_does_not_silence_a_specification_of_prose(tmp_path: Path) -> None:
    prose = " ".join(f"The port shall keep gate {n} closed." for n in range(1, 9))
    rows = "\n".join(f"| G{n} | Gate {n} is painted in green. |" for n in range(1, 7))
    assert len(found(tmp_path, f"# Port\n\n{prose}\n\n| No. | Requirement |\n|---|---|\n{rows}\n")) == 14


def test_a_wrapped_line_does_not_leave_its_list(tmp_path: Path) -> None:
    text = (
        "1.  Gates\n\n   The port MUST:\n\n   1.  close the gates at night and\n       every other day, and\n\n"
        "   2.  open them.\n\n2.  Boats\n\n   Boats MUST be kept.\n"
    )
    assert [text for _, text in found(tmp_path, text, "x.txt")] == [
        "The port MUST close the gates at night and every other day",
        "The port MUST open them.",
        "Boats MUST be kept.",
    ]
