"""Markdown and reStructuredText: the text as it stands in the file, its marks told from its words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echelon.domains.documents.elements import ElementKind, text_of
from echelon.domains.documents.markdown.reader import markdown_elements
from echelon.domains.documents.reading import read_document
from echelon.domains.documents.rest import is_rest, rest_elements
from echelon.domains.requirements import extract_requirements


def texts(markdown: str) -> list[str]:
    return [
        " | ".join(text_of(markdown, cell) for cell in element.cells)
        for element in markdown_elements(markdown)
        if element.kind is not ElementKind.CODE
    ]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Set snake_case_name and 2 * 3 * 4.", "Set snake_case_name and 2 * 3 * 4."),
        ("Send <get-config> and <br> go.", "Send <get-config> and go."),
        ("Use `a_b` and `<edit>` and ``x`y``.", "Use a_b and <edit> and x`y."),
        ("**Bold** and *soft* and ***both***.", "Bold and soft and both."),
        ('See [the *rule*](http://x.y/a_(b) "t)") now.', "See the rule now."),
        ("See [rule][r] and [r].\n\n[r]: http://x.y", "See rule and r."),
        ("A picture ![of a thing](a.png) here.", "A picture here."),
        ("Gone ~~must not~~ here.", "Gone here."),
        ("Fish &amp; chips &lt;x&gt; \\*here\\*.", "Fish & chips <x> *here*."),
        ("Log it[^1] now.", "Log it now."),
        ("Times<sup>1</sup> change.", "Times change."),
        ("One\ntwo  \nthree", "One two three"),
        ("> Quoted\n> twice", "Quoted twice"),
        ("A <!-- secret --> B", "A B"),
        ("# Title {#anchor}", "Title"),
        ("Title\n=====", "Title"),
        ("| A | B |\n|---|---|\n| x `y` | p \\| q |", "A | B"),
    ],
)
def test_marks_go_and_words_stay(written: str, read: str) -> None:
    assert texts(written)[0] == read


def test_cells_keep_escaped_bars() -> None:
    assert texts("| A | B |\n|---|---|\n| x `y` | p \\| q |")[1] == "x y | p | q"


def test_task_lists_lose_their_boxes_and_lists_keep_their_numbers() -> None:
    elements = markdown_elements("- [ ] Restore it.\n- [x] Ensure it.\n\n3. three\n4. four\n   - deep\n")
    assert [(e.label, e.level) for e in elements] == [("-", 1), ("-", 1), ("3.", 1), ("4.", 1), ("-", 2)]
    assert texts("- [ ] Restore it.\n- [x] Ensure it.") == ["Restore it.", "Ensure it."]


def test_footnotes_stay_where_they_stand() -> None:
    text = "Log it.[^1]\n\n[^1]: The log must be kept.\n\nNext."
    kinds = [e.kind for e in markdown_elements(text)]
    assert kinds == [ElementKind.PARAGRAPH, ElementKind.FOOTNOTE, ElementKind.PARAGRAPH]


def test_blocks_of_html_are_read_as_html() -> None:
    text = '<div id="A_1"><div class="id">A_1<span>SHALL</span></div>\n\nIt SHALL run &amp; stop.\n\n</div>\n'
    assert texts(text) == ["A_1 SHALL", "It SHALL run & stop."]
    assert markdown_elements(text)[0].anchor == "A_1"
    assert texts("<table><tr><th>a</th></tr><tr><td>b <b>c</b></td><td>d</td></tr></table>") == ["a", "b c | d"]
    assert texts("<style>p {}</style>\n<p hidden>x</p>\n<p>y</p>\n") == ["y"]


def test_alerts_are_notes() -> None:
    elements = markdown_elements("> [!NOTE]\n> The box must close.\n")
    assert [e.kind for e in elements] == [ElementKind.NOTE]


def test_quotes_are_verbatim_in_the_file(tmp_path: Path) -> None:
    text = "# R\n\nThe *agent* must send `<get-config>` and\nset snake_case &amp; go on.\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    document = read_document(tmp_path / "a.md")
    (found,) = extract_requirements(document)
    assert found.text == "The agent must send <get-config> and set snake_case & go on."
    assert document.page(None).text == text
    for c in found.citations:
        assert text[c.start : c.end] == c.quote
    assert len(found.citations) == 1


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="ab *_`[]()<>!#-|:\\&;^~1.\n>", max_size=200))
def test_pieces_lie_in_the_text_and_come_in_order(text: str) -> None:
    for element in markdown_elements(text):
        at = 0
        for cell in element.cells:
            for piece in cell:
                assert at <= piece.start <= piece.end <= len(text)
                at = piece.start


REST = """.. comment that must not be read

Storage
-------

.. req::
    :id: R-305645
    :keyword: MUST

    The VNF **MUST** keep :term:`logs <log>` and ``a_b``
    for ten days.

.. note::

   The guard must sleep.

.. code-block:: bash

   must not be read

1. The guard must wake.

   It stands here.
"""


def test_rest_is_told_by_its_directives_and_read_by_its_indents(tmp_path: Path) -> None:
    assert is_rest(REST) and not is_rest("A plain text:: with colons.\n")
    elements = rest_elements(REST)
    shown = [(e.kind, " | ".join(text_of(REST, c) for c in e.cells)) for e in elements]
    assert shown == [
        (ElementKind.HEADING, "Storage"),
        (ElementKind.ROW, "id | R-305645"),
        (ElementKind.ROW, "keyword | MUST"),
        (ElementKind.PARAGRAPH, "The VNF MUST keep logs and a_b for ten days."),
        (ElementKind.NOTE, "The guard must sleep."),
        (ElementKind.ITEM, "The guard must wake."),
        (ElementKind.PARAGRAPH, "It stands here."),
    ]
    (tmp_path / "a.txt").write_text(REST, encoding="utf-8")
    assert read_document(tmp_path / "a.txt").media_type == "text/x-rst"


@settings(deadline=None, max_examples=150)
@given(st.text(alphabet="ab .:*`_|=-\n[]<>", max_size=200))
def test_rest_reads_anything(text: str) -> None:
    for element in rest_elements(text):
        assert all(0 <= p.start <= p.end <= len(text) for cell in element.cells for p in cell)
