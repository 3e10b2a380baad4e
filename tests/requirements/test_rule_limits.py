"""What the rules must not catch: for each rule the sentence or document that looks like its case and is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from echelon.domains.documents.reading import read_document
from echelon.domains.documents.tables import are_titles
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.judging.judge import capitals_bind, judge_clause, judge_prose
from echelon.domains.requirements.structure.roles import closes_recitals, informs, opens_recitals
from echelon.domains.requirements.structure.scheme import is_gone
from echelon.domains.requirements.types import Modality


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
        ("The Customer agrees to keep dogs away from the lawn.", "en", True),
        ("The team agreed to keep dogs away from the lawn.", "en", False),
        ("The following requirements shall be met by each port.", "en", False),
        ("Die folgenden Anforderungen müssen vorrangig erfüllt werden.", "de", False),
        ("The following gates shall be closed at night.", "en", True),
        ("Apply sanctions against ports that fail to close.", "en", True),
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


@pytest.mark.parametrize(
    ("text", "stated", "modality"),
    [
        ("Users can export a timetable as PDF.", True, Modality.OBLIGATION),
        ("Users may export a timetable as PDF.", True, Modality.PERMISSION),
        ("Users are permitted to export what they can see.", True, Modality.PERMISSION),
        ("Users can export a timetable as PDF.", False, Modality.PERMISSION),
    ],
)
def test_an_entry_that_says_can_demands_the_ability(text: str, stated: bool, modality: Modality) -> None:
    judged = judge_clause(text, "en", stated)
    assert judged is not None and judged.modality is modality


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


def cards(count: int) -> str:
    return "\n\n".join(
        f"**Number:** B-{n}\n**Text:** The boat carries lamp {n}.\n**Reason:** It must be seen." for n in range(count)
    )


def test_fields_are_cards_from_three_of_them(tmp_path: Path) -> None:
    assert [label for label, _ in found(tmp_path, f"# Boats\n\n{cards(5)}\n")] == [f"B-{n}" for n in range(5)]
    letterhead = "Number: 7\nDate: 1 May\nPlace: Kiel\n\nBoats must be lit at night."
    assert found(tmp_path, letterhead) == [(None, "Boats must be lit at night.")]


def test_titles_that_command_need_the_same_labels_below(tmp_path: Path) -> None:
    def manual(below: str) -> str:
        return "# Pump\n\n" + "\n\n".join(f"## 1.{n} Install the pump number {n}\n\n{below}" for n in range(1, 6))

    explained = "**Reason:**\n\nWater.\n\n**Audit:**\n\nLook."
    assert [label for label, _ in found(tmp_path, manual(explained))] == [f"1.{n}" for n in range(1, 6)]
    assert found(tmp_path, manual("Lift it and put it down.")) == []


def test_levels_make_clauses_entries_when_most_have_one(tmp_path: Path) -> None:
    def clauses(level: str, rest: str = "") -> str:
        return "\n\n".join(f"{n}.1 Lamp: the lamp {n} is lit. {level if n < 3 else rest}" for n in range(1, 9))

    assert len(found(tmp_path, clauses("(Level A)", "(Level B)"))) == 8
    assert found(tmp_path, clauses("(level 2)")) == []


def test_a_column_that_repeats_its_identifiers_numbers_nothing(tmp_path: Path) -> None:
    def table(labels: list[str]) -> str:
        rows = "\n".join(f"| {label} | The gate {n} shall be closed. |" for n, label in enumerate(labels))
        return f"| Mark | Words |\n|---|---|\n{rows}\n"

    assert [label for label, _ in found(tmp_path, table(["G.A_1", "G.A_2", "G.B_3"]))] == ["G.A_1", "G.A_2", "G.B_3"]
    assert len(found(tmp_path, table(["G.A_1", "G.A_2", "G.B_3"]))) == 3


def test_what_sentences_end_with_again_and_again_is_a_source(tmp_path: Path) -> None:
    def text(labels: list[str]) -> str:
        return "\n".join(f"- Gate {n} shall be closed. [{label}]" for n, label in enumerate(labels))

    assert [label for label, _ in found(tmp_path, text(["P-1", "P-2", "P-3"]))] == ["P-1", "P-2", "P-3"]
    assert [label for label, _ in found(tmp_path, text(["ACT-5", "ACT-5", "ACT-5"]))] == [None, None, None]


def test_only_lists_below_a_title_that_demands_are_demands(tmp_path: Path) -> None:
    lists = "## {}\n\n- Boote malen und zählen\n- Netze flicken\n"
    assert len(found(tmp_path, lists.format("2.1 Musskriterien"))) == 2
    assert found(tmp_path, lists.format("2.3 Abgrenzungskriterien")) == []


def test_the_plain_present_binds_in_laws_alone(tmp_path: Path) -> None:
    sentences = "Der Halter meldet jede Taube der Behörde. Die Frist beginnt mit dem Tag des Funds."
    law = "\n\n".join(f"## § {n} Pflichten {n}\n\n({n}) {sentences}" for n in range(1, 4))
    assert {text for _, text in found(tmp_path, law)} == {"Der Halter meldet jede Taube der Behörde."}
    assert found(tmp_path, f"# Tauben\n\n{sentences}") == []


def test_an_assumption_among_requirements_is_none(tmp_path: Path) -> None:
    text = "".join(f"### REQ-{n} Gate\n\nGate {n} shall be closed.\n\n" for n in range(1, 5))
    assert len(found(tmp_path, f"{text}### ASM-1 Wind\n\nThe wind is assumed to blow.\n")) == 4
    assert len(found(tmp_path, f"{text}### SEC-1 Lock\n\nEach gate shall have a lock.\n")) == 5


def test_identifiers_that_end_alike_are_of_one_kind(tmp_path: Path) -> None:
    lines = "".join(f"**A_{n} - Gate {n}**\n\nGate {n} SHALL be closed.\n\n" for n in range(1, 5))
    more = f"{lines}**GS-A_7 - Lock**\n\nEach gate SHALL have a lock.\n\n"
    table = "**Tab_Doc_003 - Gates**\n\nThe gates SHALL be listed here.\n"
    assert [label for label, _ in found(tmp_path, more + table)] == ["A_1", "A_2", "A_3", "A_4", "GS-A_7"]


def test_what_somebody_has_is_no_duty(tmp_path: Path) -> None:
    law = "".join(f"### § {n} Boot\n\n({n}) Der Halter hat\n\n1.  {{}},\n\n2.  {{}}.\n\n" for n in range(1, 4))
    assert len(found(tmp_path, law.format(*["das Boot zu prüfen", "das Segel zu trocknen"] * 3))) == 6
    assert found(tmp_path, law.format(*["ein Boot", "zwei Segel"] * 3)) == []
