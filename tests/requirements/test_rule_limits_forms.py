"""What the rules about forms (cards in tables, marks, identifiers of unusual make, typed texts) must not catch."""

from __future__ import annotations

from pathlib import Path

import pytest

from echelon.domains.documents.reading import read_document
from echelon.domains.documents.tables import are_titles
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.judging.judge import judge_prose
from echelon.domains.requirements.structure.entries import END_MARK, title_label
from echelon.domains.requirements.structure.numbering import opening_mark
from echelon.domains.requirements.structure.roles import closes_act, informs
from echelon.domains.requirements.structure.table_rows import opens_with_ids


def found(tmp_path: Path, text: str, name: str = "x.md") -> list[tuple[str | None, str]]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return [(r.source_id, r.text) for r in extract_requirements(read_document(tmp_path / name))]


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("Game.Plan.Board: The system shall show boards.", "Game.Plan.Board"),
        ("Game.Plan holds the boards.", None),
        ("[R-5.1.2-001] The service shall answer.", "R-5.1.2-001"),
        ("[RFC2119] Bradner, S.", None),
        ("⌦ TIP7-A_2001 Range", "TIP7-A_2001"),
        ("→ see the next page", None),
        ("⌦ Range of the light", None),
    ],
)
def test_what_opens_a_clause(line: str, label: str | None) -> None:
    mark = opening_mark(line)
    assert (mark.label if mark else None) == label


@pytest.mark.parametrize(
    ("title", "label"),
    [("⌦ TIP7-A_2001 Range", "TIP7-A_2001"), ("Ringing", None), ("The road to the port", None)],
)
def test_titles_with_a_sign(title: str, label: str | None) -> None:
    assert title_label(title) == label


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Assumptions and Dependencies", True),
        ("Assumed speed of the wind", False),
        ("Changes from RFC 7777", True),
        ("Changes to the gate", False),
        ("Präambel", True),
    ],
)
def test_titles_that_inform(title: str, expected: bool) -> None:
    assert informs(title) is expected


@pytest.mark.parametrize(
    ("sentence", "language", "binds"),
    [
        ("Der Betreiber hat dafür zu sorgen, dass der Hof frei bleibt.", "de", True),
        ("Der Betreiber hat darauf zu achten, dass nichts fehlt.", "de", True),
        ("Der Hof ist dafür zu klein.", "de", False),
        ("Die Vorschläge SOLLTEN bei hohem Bedarf in Betracht gezogen werden.", "de", False),
        ("Einbände aus Leder SOLLTEN in Betracht gezogen werden.", "de", True),
        (
            'Steps are to be read with the meaning of the key word ("must", "should") that leads in to them.',
            "en",
            False,
        ),
        ('The label shall show the word "must" in red.', "en", True),
    ],
)
def test_what_a_sentence_binds(sentence: str, language: str, binds: bool) -> None:
    assert (judge_prose(sentence, language) is not None) is binds


def test_the_formula_that_closes_an_act() -> None:
    assert closes_act("This Regulation shall be binding in its entirety and directly applicable.")
    assert not closes_act("This Regulation shall be binding on owners of swings.")


def test_a_mark_in_the_first_cell_is_no_title() -> None:
    assert not are_titles(["(i)", "its height"]) and are_titles(["Item", "Its height"])


def test_end_marks_are_signs_alone() -> None:
    assert END_MARK.search("Das Licht MUSS leuchten. ⌫") and END_MARK.search("Das Licht MUSS leuchten. [<=]")
    assert not END_MARK.search("Das Licht MUSS leuchten. [a]") and not END_MARK.search("Das Licht ist grün→")


def test_texts_that_open_with_references_have_no_numbers() -> None:
    assert opens_with_ids(["PW.1.1: Keep the rules.", "PW.1.2: Tell the rules.", "PW.2.1: Create roles."])
    assert not opens_with_ids(["PW.1.1: Keep the rules.", "PW.1.1: Tell the rules.", "PW.1.1: Create roles."])
    assert not opens_with_ids(["Keep the rules.", "Tell the rules.", "Create roles."])


def test_a_table_of_data_with_names_in_it_is_no_card(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>Gate {n}</td><td>G{n}</td><td>Harbour {n}</td><td>H{n}</td></tr>" for n in range(1, 5))
    text = f"<p>The port shall keep its gates closed.</p><table>{rows}</table>"
    assert found(tmp_path, text, "x.html") == [(None, "The port shall keep its gates closed.")]


def test_a_table_of_codes_below_another_title_is_no_list_of_requirements(tmp_path: Path) -> None:
    rows = "\n".join(f"| P-{n} | Painted gate {n} in green for the queen. |" for n in range(1, 7))
    assert found(tmp_path, f"# Change log\n\n| Key | Statement |\n|---|---|\n{rows}\n") == []
    assert len(found(tmp_path, f"# Requirements\n\n| Key | Statement |\n|---|---|\n{rows}\n")) == 6


def test_entries_with_end_marks_stay_whole(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"A_{n} - Gate {n}\n\nThe port SHALL keep gate {n}. It SHALL paint gate {n}. [<=]" for n in range(1, 6)
    )
    assert len(found(tmp_path, text)) == 5
    assert len(found(tmp_path, text.replace(" [<=]", ""))) == 10


def test_a_typed_table_of_requirements_is_no_drawing(tmp_path: Path) -> None:
    rows = "\n".join(f"   REQ-{n}      The port shall keep gate {n} closed" for n in range(1, 5))
    grammar = "   gate      = 1*DIGIT SP colour\n   colour    = red / green   ; colours MUST be small\n"
    prose = "   The port keeps gates that are\n   closed at night and open by day.\n"
    text = f"1.  Gates\n\n{prose}\n{rows}\n\n{grammar}\n{prose}\n   Guards MUST count the\n   gates each night.\n"
    texts = [text for _, text in found(tmp_path, text, "x.txt")]
    assert len(texts) == 5 and not any("colours" in text for text in texts)


def test_a_label_with_its_text_covers_no_other_paragraph(tmp_path: Path) -> None:
    alone = "# 1 Gates\n\nRationale:\n\nGates must not fall.\n\nThe port shall count gates.\n"
    assert [text for _, text in found(tmp_path, alone)] == ["The port shall count gates."]
    with_text = "# 1 Gates\n\nRationale: Gates are old.\n\nThe port shall count gates.\n"
    assert [text for _, text in found(tmp_path, with_text)] == ["The port shall count gates."]


def test_names_of_chapters_and_versions_are_no_identifiers_of_entries(tmp_path: Path) -> None:
    text = "\n\n".join(f"## Chapter {n} {{#chapter{n}}}\n\nv1.{n}\n\nGate {n} shall be closed." for n in range(1, 5))
    assert {label for label, _ in found(tmp_path, text)}.isdisjoint({f"chapter{n}" for n in range(1, 5)})


def test_lines_with_bars_are_no_table(tmp_path: Path) -> None:
    text = (
        "Gates\n=====\n\n.. note::\n\n   Old.\n\n.. _gates:\n\n| The port shall keep gates closed.\n| It opens them.\n"
    )
    assert [t for _, t in found(tmp_path, text, "x.rst")] == ["The port shall keep gates closed."]


def test_items_below_a_lead_in_keep_the_number_of_their_section(tmp_path: Path) -> None:
    lettered = "# 5.2 Gates\n\na. The port shall count gates.\n\nb. Ropes shall not be used twice.\n"
    assert [label for label, _ in found(tmp_path, lettered)] == ["5.2 a)", "5.2 b)"]
    led = "# 5.2 Gates\n\nThe port shall:\n\na. count gates;\n\nb. close gates.\n"
    assert [label for label, _ in found(tmp_path, led)] == ["5.2", "5.2"]


def test_an_empty_line_after_each_line_parts_nothing(tmp_path: Path) -> None:
    lines = [
        f"The port shall keep gate {n} closed\n\nat night and open it again in the\n\nmorning." for n in range(1, 6)
    ]
    found_texts = [text for _, text in found(tmp_path, "\n\n".join(lines), "x.txt")]
    assert found_texts == [
        f"The port shall keep gate {n} closed at night and open it again in the morning." for n in range(1, 6)
    ]


def test_an_item_that_is_a_sentence_does_not_go_on_with_its_lead_in(tmp_path: Path) -> None:
    text = "# Port\n\nThe port shall:\n\n- keep gates;\n- The guard must count:\n  - gates;\n  - boats.\n"
    assert "The guard must count: gates" in [text for _, text in found(tmp_path, text)]


def test_a_code_before_a_clause_stays_its_number(tmp_path: Path) -> None:
    text = "\n\n".join(f"REQ-{n}: The port shall keep gate {n}. [SRC-{n}]" for n in range(1, 5))
    assert [label for label, _ in found(tmp_path, text)] == ["REQ-1", "REQ-2", "REQ-3", "REQ-4"]
