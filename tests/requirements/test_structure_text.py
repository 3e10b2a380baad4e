"""The small parts under the structure: running text with its places, marks, sentences, hyphens, cells."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.documents.types import Page
from echelon.domains.requirements.judging.sentences import split_sentences
from echelon.domains.requirements.structure.cells import (
    ends_with_reference,
    is_cells,
    is_table_header,
    text_end,
    without_reference,
)
from echelon.domains.requirements.structure.flow import Flow, Span
from echelon.domains.requirements.structure.hyphens import Hyphenation
from echelon.domains.requirements.structure.numbering import MarkKind, bare_number, depth, opening_mark
from echelon.domains.requirements.structure.outline import follows
from echelon.domains.requirements.structure.roles import (
    binds,
    informs,
    named_informative,
    opens_note,
    run_in_label,
    says_informative,
)
from echelon.domains.requirements.structure.scheme import is_withdrawn, shape_of, without_tag
from echelon.domains.requirements.structure.table_rows import Columns, TableRow, is_rule, row_label, split_row

# running text


@given(st.text(alphabet="ab c\n\u00adﬁ-", max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_every_span_lies_on_its_page_and_holds_the_letters(raw: str, a: int, b: int) -> None:
    flow = Flow()
    flow.add(3, 0, raw)
    start, end = sorted((min(a, len(flow)), min(b, len(flow))))
    letters = flow.text[start:end].replace(" ", "").replace("fi", "ﬁ").replace("-", "")
    quoted = "".join(raw[s.start : s.end] for s in flow.spans(start, end, lambda number: raw))
    stripped = "".join(quoted.split()).replace("\u00ad", "").replace("-", "")
    assert letters in stripped or stripped in letters or letters.strip("fi") in stripped


@given(st.lists(st.text(alphabet="ab \n\t\u00ad\u200bﬁ", max_size=20), max_size=4))
def test_pieces_have_single_spaces_between_words_and_each_letter_its_place(pieces: list[str]) -> None:
    flow, page = Flow(), "".join(pieces)
    for number, piece in enumerate(pieces):
        flow.add(1, len("".join(pieces[:number])), piece)
    shown = page.replace("\u00ad", "").replace("\u200b", "").replace("ﬁ", "fi")
    assert flow.text == re.sub(r"\s+", " ", shown).lstrip()
    for at, letter in enumerate(flow.text):
        if letter != " ":
            (span,) = flow.spans(at, at + 1, lambda number: page)
            assert page[span.start : span.end] in (letter, "ﬁ")


def test_pieces_with_something_between_them_are_two_spans() -> None:
    page = "The door shall\nFOOTER 7\nbe locked."
    flow = Flow()
    flow.add(1, 0, "The door shall")
    flow.add_space()
    flow.add(1, 24, "be locked.")
    assert flow.text == "The door shall be locked."
    assert flow.spans(0, len(flow), lambda number: page) == (Span(1, 0, 14), Span(1, 24, 34))


@pytest.mark.parametrize("between", ["\n", " \n  ", "-\n", "3 ", "** ", "](http://a.b/c) "])
def test_line_ends_hyphens_note_marks_and_markup_do_not_break_a_quote(between: str) -> None:
    page = f"door{between}shall"
    flow = Flow()
    flow.add(1, 0, "door")
    flow.add(1, 4 + len(between), "shall")
    assert flow.spans(0, len(flow), lambda number: page) == (Span(1, 0, len(page)),)


def test_a_flow_over_two_pages_has_a_span_on_each() -> None:
    pages = {1: "the end", 2: "of it"}
    flow = Flow()
    flow.add(1, 0, pages[1])
    flow.add_space()
    flow.add(2, 0, pages[2])
    assert flow.text == "the end of it"
    assert flow.pages() == (1, 2)
    assert flow.spans(4, 13, pages.__getitem__) == (Span(1, 4, 7), Span(2, 0, 5))


def test_the_last_character_can_be_taken_back() -> None:
    flow = Flow()
    flow.add(1, 0, "in-")
    flow.drop_last()
    flow.add(1, 4, "formation")
    assert flow.text == "information"
    assert len(flow) == 11


# numbers and marks


@pytest.mark.parametrize(
    ("text", "kind", "label"),
    [
        ("3.1.1 Limit access", MarkKind.DECIMAL, "3.1.1"),
        ("V2.1.3 Verify", MarkKind.DECIMAL, "V2.1.3"),
        ("A.5.1 Policies", MarkKind.DECIMAL, "A.5.1"),
        ("03.01.01 Account Management", MarkKind.DECIMAL, "03.01.01"),
        ("1.2. Scope", MarkKind.DECIMAL, "1.2"),
        ("MASVS-STORAGE-1 The app", MarkKind.CODE, "MASVS-STORAGE-1"),
        ("MSTG-ARCH-12 All", MarkKind.CODE, "MSTG-ARCH-12"),
        ("AC-2(1) ACCOUNT", MarkKind.CODE, "AC-2(1)"),
        ("BES.7.4.2 Beschaffung", MarkKind.CODE, "BES.7.4.2"),
        ("OPS.1.1.2.A3 Auswahl", MarkKind.CODE, "OPS.1.1.2.A3"),
        ("FR 2 - The system", MarkKind.CODE, "FR 2"),
        ("[REQ-7] The system", MarkKind.CODE, "REQ-7"),
        ("REQ_12: The system", MarkKind.CODE, "REQ_12"),
        ("§ 5 Aufbewahrung", MarkKind.SECTION, "§ 5"),
        ("Article 5 Principles", MarkKind.SECTION, "Article 5"),
        ("Appendix C: Things", MarkKind.SECTION, "Appendix C"),
        ("12. Log it", MarkKind.INTEGER, "12"),
        ("(3) log it", MarkKind.INTEGER, "3"),
        ("a) log it", MarkKind.LETTER, "a"),
        ("(b) log it", MarkKind.LETTER, "b"),
        ("aa) log it", MarkKind.LETTER, "aa"),
        ("(iv) log it", MarkKind.ROMAN, "iv"),
        ("• log it", MarkKind.BULLET, "•"),
        ("- log it", MarkKind.BULLET, "-"),
        ("o log it", MarkKind.BULLET, "o"),
    ],
)
def test_opening_marks(text: str, kind: MarkKind, label: str) -> None:
    mark = opening_mark(text)
    assert mark is not None
    assert (mark.kind, mark.label) == (kind, label)
    assert text[mark.end :].strip(" -")[:1].isalpha()


@pytest.mark.parametrize(
    "text", ["The system", "e. g. this", "J. Smith wrote", "100 users", "USA is", "1,5 m", "(see 3.1)", "a log"]
)
def test_what_is_no_mark(text: str) -> None:
    assert opening_mark(text) is None


def test_codes_in_small_letters_count_in_a_document_without_capitals() -> None:
    assert opening_mark("bes.7.4.2 beschaffung") is None
    mark = opening_mark("bes.7.4.2 beschaffung", caseless=True)
    assert mark is not None and mark.label == "bes.7.4.2"


def test_a_bare_number_stands_before_a_capital() -> None:
    assert bare_number("4 Storage") is not None
    assert bare_number("4 boxes") is None


@pytest.mark.parametrize(
    ("label", "last", "yes"),
    [
        ("a", None, True),
        ("b", "a", True),
        ("d", "b", False),
        ("1", "7", True),
        ("8", "7", True),
        ("9", "7", False),
        ("c", None, False),
    ],
)
def test_which_label_follows_which(label: str, last: str | None, yes: bool) -> None:
    assert follows(label, last) is yes


def test_shapes_and_depth_of_numbers() -> None:
    assert shape_of("3.1.12") == shape_of("10.2.3") == "#.#.#"
    assert shape_of("AC-2(1)") == "A-#(#)"
    assert depth("3.1.1") == 3


@given(st.text(max_size=40))
def test_opening_marks_never_raise_and_end_within_the_text(text: str) -> None:
    mark = opening_mark(text.strip())
    assert mark is None or 0 <= mark.end <= len(text.strip())


# sentences


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It shall log. It must not stop.", 2),
        ("It shall log (e.g. a file), i.e. write it.", 1),
        ("Nach Abs. 3 Nr. 2 ist er, z. B. im Archiv, aufzubewahren.", 1),
        ("Der Beleg ist am 3. Mai aufzubewahren. Er darf nicht fehlen.", 2),
        ("Version 2.1 shall be used. 5 users may log in.", 2),
        ("The U.S. Government shall act. Dr. Smith must sign.", 2),
        ('He said "No." Then it shall stop.', 2),
        ("It shall stop.3 The user may start it.", 2),
        ("", 0),
        ("no end mark at all", 1),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert len(split_sentences(text)) == count


def test_sentences_without_capitals() -> None:
    assert len(split_sentences("das archiv muss offen sein. es darf nicht schließen.", lower_case=True)) == 2


@given(st.text(alphabet="ab A.!? 1)", max_size=60))
def test_sentences_cover_all_letters_in_order(text: str) -> None:
    spans = split_sentences(text)
    assert "".join(text[a:b] for a, b in spans).replace(" ", "") == text.replace(" ", "")
    assert all(a < b for a, b in spans)
    assert spans == sorted(spans)


# hyphens


def hyphenation(text: str, language: str = "en") -> Hyphenation:
    return Hyphenation((Page(number=1, text=text),), language)


@pytest.mark.parametrize(
    ("document", "language", "before", "after", "how"),
    [
        ("information", "en", "the in-", "formation is", "drop"),
        ("a well-defined box", "en", "a well-", "defined one", "keep"),
        ("", "de", "die Verfahrensdoku-", "mentation", "drop"),
        ("", "de", "die IT-", "Sicherheit", "keep"),
        ("", "de", "Vor-", "und Nachteile", "space"),
        ("", "en", "state-of-the-", "art", "keep"),
        ("risk risk. low low. a-\nb a-b c-\nd c-d", "en", "risk-", "mitigating", "keep"),
        ("", "en", "pages 3-", "4", "keep"),
        ("", "en", "- ", "so", "keep"),
    ],
)
def test_broken_words(document: str, language: str, before: str, after: str, how: str) -> None:
    assert hyphenation(document, language).joins(before, after) == how


# tables


def test_column_marks() -> None:
    assert is_cells("✓ ✓ 1029", False)
    assert is_cells("5.1.1.2 / A.3", True)
    assert not is_cells("5.1.1.2", False)
    assert not is_cells("Verify ✓", True)
    assert is_table_header("# Description L1 L2 L3 CWE")
    assert not is_table_header("Description of the level")
    line = "Verify it. ✓ ✓ 12"
    assert line[: text_end(line, False)] == "Verify it."
    assert text_end("keep it for 12", False) == 14
    assert text_end("It is kept. 12", True) == 11
    assert ends_with_reference("It is kept. (C6)")
    assert without_reference("It is kept. (C6)") == "It is kept."
    assert without_reference("It is kept (C6).") == "It is kept (C6)."


def test_rows_of_markdown_tables() -> None:
    line = "| **1.1** | R-1 | It \\| is kept. | x |"
    cells = split_row(line)
    assert [line[a:b] for a, b in cells] == ["**1.1**", "R-1", "It \\| is kept.", "x"]
    row = TableRow.of(line, cells, Columns.of(["#", "ID", "Requirement", "L1"]))
    assert row is not None and row.source_id == "R-1"
    assert line[row.start : row.end] == "It \\| is kept."
    assert is_rule("|---|:--:|") and not is_rule("| a - b |")
    assert TableRow.of("| a | b |", split_row("| a | b |"), Columns.of(["x", "y"])) is None
    assert Columns.of(["#", "Requirement"]).holds_requirements
    assert not Columns.of(["#", "Description"]).holds_requirements


def test_a_number_broken_in_a_narrow_column_is_put_together() -> None:
    assert row_label(["1.1", "MSTG- ARCH-1"]) == "MSTG-ARCH-1"
    assert row_label(["some words"]) is None
    assert row_label(["7"]) == "7"


# roles


@pytest.mark.parametrize(
    "title",
    [
        "DISCUSSION",
        "Terms and definitions",
        "References",
        "Glossar",
        "Revision History",
        "Annex B (informative)",
        "Umsetzungshinweise",
        "Preface",
    ],
)
def test_titles_that_inform(title: str) -> None:
    assert informs(title)


@pytest.mark.parametrize(
    "title", ["Access control", "Records", "Annex A (normative)", "Referenced data", "Requirements"]
)
def test_titles_that_do_not(title: str) -> None:
    assert not informs(title)


def test_labels_and_statements_about_sections() -> None:
    assert binds("Control:") and binds("Anforderungen")
    assert opens_note("NOTE 1 This is") and opens_note("Beispiel: Es ist") and not opens_note("Notes are kept")
    assert run_in_label("Discussion: Organizations") == ("Discussion", 12)
    assert run_in_label("Discussion of it") is None
    assert says_informative("This section is informative.")
    assert named_informative("Appendix C, Glossary, tells words. This appendix is informative.") == "C"


def test_withdrawn_entries_and_tags() -> None:
    assert is_withdrawn("[DELETED, DUPLICATE OF 4.1.3]") and is_withdrawn("[Withdrawn: Incorporated into AC-2.]")
    assert not is_withdrawn(
        "Deleted records shall be listed, and the list of them shall be kept for ten years after that."
    )
    text = "[ADDED, SPLIT FROM 1.2.3] Verify it."
    assert text[without_tag(text) :] == "Verify it."
