"""Blocks of printed pages: titles, clauses, lists, notes, tables, and what is not text at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from echelon.domains.documents.reading import read_document
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.build import build_structure
from tests.requirements.rendering import INDENTED, gap, grid, page_break, para, render, title
from tests.support.documents import pdf_of

FILLER = (
    "The following pages describe how the archive works, which rooms it has, who looks after the boxes in them and how "
    "a reader finds what she is looking for without asking anybody who has been there for a long time already."
)


def blocks_of(path: Path) -> tuple[Block, ...]:
    return build_structure(read_document(path)).blocks


def pdf_blocks(tmp_path: Path, story: Sequence[Any], **options: Any) -> tuple[Block, ...]:
    return blocks_of(render(tmp_path / "a.pdf", story, **options))


def text_blocks(tmp_path: Path, text: str, name: str = "a.txt") -> tuple[Block, ...]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return blocks_of(tmp_path / name)


def of_kind(blocks: Sequence[Block], kind: BlockKind) -> list[str]:
    return [block.text for block in blocks if block.kind is kind]


# what is not text


def test_running_headers_footers_and_page_numbers_are_left_out(tmp_path: Path) -> None:
    bodies = [f"No {number}, {FILLER[number * 7 :]} And so on." for number in range(4)]
    story = [part for body in bodies for part in (para(body), page_break())]
    blocks = pdf_blocks(tmp_path, story, header="Records Policy, edition 3", footer=lambda page: f"Page {page} of 4")
    assert [block.text for block in blocks] == [body.strip() for body in bodies]


def test_a_clause_goes_on_over_a_page_break_behind_header_footer_and_footnote(tmp_path: Path) -> None:
    pages = [
        "Records Policy\n1.1 The archive shall keep each box that it has received in the room that the\n"
        "register names, and nobody shall\n1",
        "Records Policy\nmove it to another room without telling the register.\n1.2 The door shall be locked.\n2",
        "Records Policy\n1.3 The key shall be kept by the guard.\n3",
    ]
    blocks = blocks_of(pdf_of(tmp_path / "a.pdf", pages))
    clauses = [(block.source_id, block.text) for block in blocks if block.kind is BlockKind.CLAUSE]
    assert clauses[0] == (
        "1.1",
        "The archive shall keep each box that it has received in the room that the register names, and nobody shall "
        "move it to another room without telling the register.",
    )
    assert [name for name, _ in clauses] == ["1.1", "1.2", "1.3"]
    assert blocks[0].pages() == (1, 2)


def test_lines_that_are_built_alike_are_text_not_furniture(tmp_path: Path) -> None:
    pages = [f"{n}.1 The archive shall keep box {n} for {n * 3} days." for n in range(1, 9)]
    assert len(blocks_of(pdf_of(tmp_path / "a.pdf", pages))) == 8


def test_the_same_last_word_on_some_pages_is_text(tmp_path: Path) -> None:
    sentence = "The head of the archive shall see to it that register {n} of the house is kept up to date and"
    pages = [f"{FILLER[n : n + 70]}\n{FILLER[60 + n :]}\n{sentence.format(n=chr(97 + n) * 3)}" for n in range(10)]
    pages = [
        page + ("\ndocumented." if n % 4 == 0 else "\nthen read by somebody else.") for n, page in enumerate(pages)
    ]
    blocks = blocks_of(pdf_of(tmp_path / "a.pdf", pages))
    assert " ".join(block.text for block in blocks).count("documented.") == 3


@pytest.mark.parametrize(
    "contents",
    [
        "Contents\n1 Storage ........................ 3\n1.1 Rooms ........................ 3\n2 Access ........... 5",
        "Table of Contents\n1 Storage . . . . . . . . . . 3\n2 A long title that goes on over\nline . . . . . . . 5",
        "Inhaltsverzeichnis\n1 Lagerung 3\n1.1 Räume 3\n2 Zugang 5\n3 Fristen 7",
    ],
)
def test_a_table_of_contents_is_left_out(tmp_path: Path, contents: str) -> None:
    blocks = text_blocks(tmp_path, f"{contents}\n\n1.1 The door shall be locked at night.\n")
    assert [block.text for block in blocks] == ["The door shall be locked at night."]


# words that the page broke


def test_hyphens_at_line_ends_are_dropped_or_kept_as_the_document_writes_the_word(tmp_path: Path) -> None:
    text = (
        "The information about a well-defined box is information that the archive needs, and the in-\n"
        "formation on its label must be part of a well-\ndefined format.\n"
    )
    (block,) = text_blocks(tmp_path, text)
    assert "the information on its label" in block.text
    assert "a well-defined format" in block.text


def test_a_german_compound_loses_its_hyphen_and_a_pair_keeps_it(tmp_path: Path) -> None:
    text = (
        "Die Verfahrensdoku-\nmentation muss die Vor-\nund Nachteile sowie die IT-\n"
        "Sicherheit für das Haus beschreiben."
    )
    (block,) = text_blocks(tmp_path, text)
    assert block.text == (
        "Die Verfahrensdokumentation muss die Vor- und Nachteile sowie die IT-Sicherheit für das Haus beschreiben."
    )


def test_ligatures_become_letters_in_the_text_and_stay_in_the_quote(tmp_path: Path) -> None:
    (block,) = text_blocks(tmp_path, "The oﬃce shall ﬁle the ﬂoor plan.")
    assert block.text == "The office shall file the floor plan."
    document = read_document(tmp_path / "a.txt")
    (span,) = block.flow.spans(0, len(block.text), lambda number: document.page(number).text)
    assert document.page(1).text[span.start : span.end] == "The oﬃce shall ﬁle the ﬂoor plan."


# titles and clauses


def test_titles_make_the_path_of_what_follows(tmp_path: Path) -> None:
    story = [
        title("1 Storage", 1),
        title("1.1 Rooms"),
        para("The room shall be dry."),
        title("1.2 Shelves"),
        para("The shelf shall be strong."),
        title("2 Access", 1),
        para("The door shall be locked."),
    ]
    blocks = pdf_blocks(tmp_path, story)
    paths = [block.path for block in blocks if block.kind is BlockKind.PARAGRAPH]
    assert paths == [("1 Storage", "1.1 Rooms"), ("1 Storage", "1.2 Shelves"), ("2 Access",)]


def test_a_missed_title_does_not_keep_later_chapters_below_it(tmp_path: Path) -> None:
    story = [
        title("1 Storage", 1),
        title("1.1 Rooms"),
        para("Dry."),
        title("2.1 Doors"),
        para("The door shall be shut."),
    ]
    assert pdf_blocks(tmp_path, story)[-1].path == ("2.1 Doors",)


def test_titles_are_told_from_clauses_without_print(tmp_path: Path) -> None:
    blocks = text_blocks(
        tmp_path,
        "4 Storage of boxes\n4.1 Rooms and shelves\n4.1.1 The room shall be dry and dark at any time.\n"
        "4.1.2 Verify that the shelf carries the boxes that are stored on it.\n",
    )
    assert of_kind(blocks, BlockKind.HEADING) == ["4 Storage of boxes", "4.1 Rooms and shelves"]
    assert [block.source_id for block in blocks if block.kind is BlockKind.CLAUSE] == ["4.1.1", "4.1.2"]


def test_a_number_at_a_line_start_within_a_sentence_opens_nothing(tmp_path: Path) -> None:
    text = (
        "The remote reset of the lock shall satisfy the requirements that are specified in Section\n"
        "2.9.2 and the length of the cable between the lock and the gate shall not be more than\n"
        "1.5 metres in the rooms that were built before the fire in the year of the great flood\n"
        "12. Nobody knows why.\n"
    )
    assert len(text_blocks(tmp_path, text)) == 1


def test_a_number_on_a_line_of_its_own_belongs_to_the_text_below(tmp_path: Path) -> None:
    blocks = text_blocks(
        tmp_path,
        "REQ-1\nThe system shall record each access to the data of a patient with its time.\nREQ-2\nIt shall beep.\n",
    )
    assert [(b.source_id, b.text[:10]) for b in blocks] == [("REQ-1", "The system"), ("REQ-2", "It shall b")]


# lists


def test_items_know_what_leads_in_to_them(tmp_path: Path) -> None:
    blocks = text_blocks(
        tmp_path,
        "3.2 The system shall:\na) record each access;\nb) keep, for ten years,\n- the time, and\n- the name; and\n"
        "c) show them.\n3.3 The door shall be locked.\n",
    )
    parents = {block.text: blocks[block.parent].text for block in blocks if block.parent is not None}
    assert parents == {
        "record each access;": "The system shall:",
        "keep, for ten years,": "The system shall:",
        "the time, and": "keep, for ten years,",
        "the name; and": "keep, for ten years,",
        "show them.": "The system shall:",
    }


def test_a_letter_i_after_h_goes_on_and_a_roman_one_nests(tmp_path: Path) -> None:
    text = (
        "The box shall have:\n"
        + "\n".join(f"({c}) part {c};" for c in "abcdefghi")
        + "\n(j) the last part:\n(i) one;\n(ii) two.\n"
    )
    blocks = text_blocks(tmp_path, text)
    by_text = {block.text: block for block in blocks}
    assert by_text["part i;"].level == 0
    assert by_text["one;"].parent == by_text["the last part:"].index
    assert by_text["two."].level == 1


def test_a_dash_within_a_sentence_is_no_bullet(tmp_path: Path) -> None:
    text = (
        "The archive keeps the boxes of all departments and also those of the museum in the old town\n"
        "- if there is room for them - until the museum has a building of its own for its collection.\n"
    )
    assert len(text_blocks(tmp_path, text)) == 1


# notes, footnotes, informative parts


def test_notes_examples_captions_and_informative_sections_are_told_apart(tmp_path: Path) -> None:
    story = [
        title("1 Scope", 1),
        para("The archive shall be open."),
        para("NOTE 1 The archive shall not be cold."),
        para("Example: A reader must have a card."),
        para("Figure 1 - The rooms of the archive"),
        title("2 Terms and definitions", 1),
        para("box: container that must be closed"),
        title("Appendix A (informative)", 1),
        para("Boxes must be grey."),
        title("Appendix B (normative)", 1),
        para("Labels must be white."),
    ]
    blocks = pdf_blocks(tmp_path, story)
    assert [b.text for b in blocks if b.kind is BlockKind.PARAGRAPH and not b.informative] == [
        "The archive shall be open.",
        "Labels must be white.",
    ]
    assert of_kind(blocks, BlockKind.CAPTION) == ["Figure 1 - The rooms of the archive"]
    assert len(of_kind(blocks, BlockKind.NOTE)) == 2


def test_a_section_can_be_called_informative_by_itself_or_from_elsewhere(tmp_path: Path) -> None:
    story = [
        title("1 Introduction", 1),
        para("Section 2, Overview, gives an overview. This section is informative."),
        title("2 Overview", 1),
        para("Readers must be patient."),
        title("3 Rules", 1),
        para("Readers must be silent."),
        title("4 History", 1),
        para("This section is informative. Readers must have been quiet once."),
        para("They must have been few."),
    ]
    # A section named by its number; the words "this section" in that sentence are about it, not about section 1.
    blocks = pdf_blocks(tmp_path, story)
    binding = [b.text for b in blocks if b.kind is BlockKind.PARAGRAPH and not b.informative]
    assert "Readers must be silent." in binding
    assert "Readers must be patient." not in binding
    assert "They must have been few." not in binding


def test_a_discussion_ends_with_the_next_number(tmp_path: Path) -> None:
    story = []
    for number in range(1, 4):
        story += [
            para(f"3.1.{number} Limit access to room {number} to its users."),
            title("DISCUSSION", 5),
            para("Rooms must be chosen with care."),
        ]
    blocks = pdf_blocks(tmp_path, story)
    assert [block.source_id for block in blocks if not block.informative] == ["3.1.1", "3.1.2", "3.1.3"]


def test_footnotes_leave_the_text_above_and_below_whole(tmp_path: Path) -> None:
    from reportlab.platypus import Paragraph

    from tests.requirements.rendering import SMALL, STYLES

    story: list[Any] = [
        Paragraph(
            f"{FILLER} The head of the archive shall name a deputy<super>1</super> who takes over when the head is"
            " away, and",
            STYLES["BodyText"],
        ),
        gap(300),
        Paragraph("<super>1</super> The deputy must be named in writing.", SMALL),
        page_break(),
        para("who reports to the board in the same way as the head of the archive does."),
    ]
    blocks = pdf_blocks(tmp_path, story)
    assert of_kind(blocks, BlockKind.FOOTNOTE) == ["The deputy must be named in writing."]
    (paragraph,) = of_kind(blocks, BlockKind.PARAGRAPH)
    assert paragraph.endswith(
        "shall name a deputy who takes over when the head is away, and who reports to the board in the same way as the "
        "head of the archive does."
    )


# columns and tables


def test_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    story = [
        para(f"{1 + n // 10}.{n % 10 + 1} The reader shall return box {n} within {n + 2} days. {FILLER}")
        for n in range(30)
    ]
    blocks = pdf_blocks(tmp_path, story, columns=2, header="Rules", footer=lambda page: f"{page}")
    assert blocks[-1].page > 1
    assert [b.source_id for b in blocks] == [f"{1 + n // 10}.{n % 10 + 1}" for n in range(30)]


@pytest.mark.parametrize("ruled", [True, False])
def test_printed_tables_give_a_row_with_its_number(tmp_path: Path, ruled: bool) -> None:
    rows = [["No.", "Class", "Period", "Rule"]] + [
        [
            f"RP-{n}",
            f"Class {n}",
            f"{n} years",
            f"Records of class {n} shall be kept for {n} years after they were made.",
        ]
        for n in range(1, 40)
    ]
    blocks = pdf_blocks(tmp_path, [para(FILLER), grid(rows, [50, 90, 60, 220], ruled), para("The end of it.")])
    found = [(b.source_id, b.text) for b in blocks if b.in_table]
    assert found == [
        (f"RP-{n}", f"Records of class {n} shall be kept for {n} years after they were made.") for n in range(1, 40)
    ]
    assert [b.text for b in blocks if not b.in_table] == [FILLER, "The end of it."]


def test_rows_without_numbers_are_rows(tmp_path: Path) -> None:
    rows = [["Role", "Duty"]] + [[f"Role {n}", f"Checks the lock of room {n} each evening."] for n in range(1, 5)]
    blocks = pdf_blocks(tmp_path, [para(FILLER), grid(rows, [100, 300])])
    assert of_kind(blocks, BlockKind.ROW) == [f"Checks the lock of room {n} each evening." for n in range(1, 5)]


def test_column_marks_printed_line_by_line_are_no_text(tmp_path: Path) -> None:
    text = (
        "# Description L1 L2 L3 CWE\nNIST\n§\n2.1.1 Verify that the password has at least twelve letters\n"
        "and no blanks.\n✓ ✓ ✓ 521 5.1.1.2\n2.1.2 Verify that it can be changed. (C6)  ✓ ✓ 620\n"
        "2.1.3 Verify that logout ends the session. (C6)\n"
        "30\ndays\n12 hours\n2.1.4 Verify that the user sees the last login\n"
    )
    blocks = text_blocks(tmp_path, text)
    assert [(b.source_id, b.text) for b in blocks] == [
        ("2.1.1", "Verify that the password has at least twelve letters and no blanks."),
        ("2.1.2", "Verify that it can be changed. (C6)"),
        ("2.1.3", "Verify that logout ends the session. (C6)"),
        (None, "days 12 hours"),
        ("2.1.4", "Verify that the user sees the last login"),
    ]


# Markdown


MARKDOWN = """---
title: front matter must not be read
---
# Policy

Some **bold** words and a [link](http://example.org/x) that readers must know.

## 2 Access

The system shall:

- **log** each access;
  - with its time
- alert the guard.

```
The code shall not be read.
```

> 2.1 The guard shall answer.

| # | ID | Description | L1 |
|---|----|-------------|----|
| **1.1** | R-1 | The `app` stores keys safely. | x |
| **1.2** | R-2 | It signs \\| seals releases. | x |

Access rights
-------------

They must be reviewed.

NOTE: They must not be copied.
"""


def test_markdown_is_read_by_its_marks(tmp_path: Path) -> None:
    blocks = text_blocks(tmp_path, MARKDOWN, "a.md")
    assert of_kind(blocks, BlockKind.HEADING) == ["Policy", "2 Access", "Access rights"]
    assert of_kind(blocks, BlockKind.PARAGRAPH)[0] == "Some bold words and a link that readers must know."
    items = [(b.text, blocks[b.parent].text, b.level) for b in blocks if b.parent is not None]
    assert items == [
        ("log each access;", "The system shall:", 0),
        ("with its time", "log each access;", 1),
        ("alert the guard.", "The system shall:", 0),
    ]
    clauses = [(b.source_id, b.text) for b in blocks if b.kind is BlockKind.CLAUSE]
    assert clauses == [
        ("2.1", "The guard shall answer."),
        ("R-1", "The app stores keys safely."),
        ("R-2", "It signs | seals releases."),
    ]
    assert blocks[-1].kind is BlockKind.NOTE
    assert blocks[-2].path == ("Policy", "Access rights")
    assert not any("code shall" in b.text or "front matter" in b.text for b in blocks)


def test_the_structure_of_a_document_is_computed_once(tmp_path: Path) -> None:
    path = pdf_of(tmp_path / "a.pdf", ["1.1 The door shall be locked."])
    assert build_structure(read_document(path)) is build_structure(read_document(path))


def test_indented_items_of_a_printed_list_are_items(tmp_path: Path) -> None:
    story = [
        para("4.2 Top management shall show leadership by:"),
        para(f"a) taking account of the register. {FILLER}", INDENTED),
        para("b) reading it.", INDENTED),
        para("Another paragraph follows."),
    ]
    blocks = pdf_blocks(tmp_path, story)
    assert [b.kind for b in blocks] == [BlockKind.CLAUSE, BlockKind.ITEM, BlockKind.ITEM, BlockKind.PARAGRAPH]
