"""HTML: what a reader sees comes out, in order and whole; what nobody sees stays out."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echelon.domains.documents.elements import ElementKind, text_of
from echelon.domains.documents.html.lists import shown
from echelon.domains.documents.html.reader import read_html
from echelon.domains.documents.reading import read_document
from echelon.domains.requirements import extract_requirements


def texts(html: str) -> list[str]:
    """The words of each element."""
    page = read_html(html)
    return [" | ".join(text_of(page.text, cell) for cell in element.cells) for element in page.elements]


def requirements(tmp_path: Path, html: str) -> list[str]:
    (tmp_path / "a.html").write_text(html, encoding="utf-8")
    document = read_document(tmp_path / "a.html")
    found = extract_requirements(document)
    for r in found:
        for c in r.citations:
            assert document.page(c.page).text[c.start : c.end] == c.quote
    return [r.text for r in found]


def test_underscores_and_angle_brackets_of_a_text_survive(tmp_path: Path) -> None:
    html = "<p>The agent must send &lt;get-config&gt; and set snake_case_name and *all* of _x_.</p>"
    assert requirements(tmp_path, html) == [
        "The agent must send <get-config> and set snake_case_name and *all* of _x_."
    ]


@pytest.mark.parametrize(
    "hidden",
    [
        '<p style="display:none">X must go.</p>',
        '<div style="color:red; visibility : hidden">X must go.</div>',
        "<p hidden>X must go.</p>",
        '<p class="secret">X must go.</p>',
        '<p class="a sr-only">X must go.</p>',
        "<template><p>X must go.</p></template>",
        "<p><del>X must go.</del></p>",
        "<select><option>X must go.</option></select>",
        "<!-- X must go. -->",
    ],
)
def test_what_is_not_seen_is_not_read(hidden: str) -> None:
    head = "<head><style>.secret { display: none } @media print { .shown { display: none } }</style></head>"
    page = f'<html>{head}<body><p>A.</p>{hidden}<p class="shown">B.</p></body></html>'
    assert texts(page) == ["A.", "B."]


def test_marks_of_footnotes_are_no_words() -> None:
    assert texts('<p>Log five attempts<sup><a href="#f1">1</a></sup>.</p>') == ["Log five attempts."]
    assert texts("<p>Log all attempts.<sup>1</sup> Then stop.</p>") == ["Log all attempts. Then stop."]
    assert texts('<h2>Scope<a class="headerlink" href="#s">¶</a></h2>') == ["Scope"]


def test_powers_and_units_keep_their_numbers() -> None:
    assert texts("<p>A room of 20 m<sup>2</sup> and 10<sup>6</sup> keys.</p>") == ["A room of 20 m2 and 106 keys."]


def test_lists_keep_the_marks_that_a_browser_shows() -> None:
    page = read_html('<ol type="a" start="3"><li>c<li>d<ol><li>one<li value="7">seven</ol></ol><ul><li>dot</ul>')
    assert [(e.label, e.level) for e in page.elements] == [("c.", 1), ("d.", 1), ("1.", 2), ("7.", 2), ("-", 1)]


def test_a_paragraph_after_a_list_ends_it(tmp_path: Path) -> None:
    html = "<p>The system shall:</p><ul><li>print reports.</li></ul><p>In an emergency, the guard must call.</p>"
    assert requirements(tmp_path, html) == ["The system shall print reports.", "In an emergency, the guard must call."]


def test_cells_stand_below_their_columns() -> None:
    html = """<table><tr><th>Id<th>Text<th>Level</tr><tr><td rowspan=2>A<td>one<td>1</tr><tr><td>two<td>2</tr>
    <tr><td colspan=2>wide<td>3</tr></table>"""
    assert texts(html) == ["Id | Text | Level", "A | one | 1", " | two | 2", "wide |  | 3"]


def test_a_table_that_only_lays_out_is_no_table() -> None:
    html = "<table><tr><th>Requirement: R-1</th></tr><tr><td><p>The VNF <b>MUST</b> run.</p></td></tr></table>"
    page = read_html(html)
    assert [(e.kind, e.bold) for e in page.elements] == [(ElementKind.PARAGRAPH, True), (ElementKind.PARAGRAPH, False)]


def test_bytes_that_once_broke_the_reader(tmp_path: Path) -> None:
    assert requirements(tmp_path, "<![1]<p>The box must close.") == ["The box must close."]
    unclosed = "<!DOCTYPE html><html><head><title>T</title><p>The box must close.</p>"
    assert requirements(tmp_path, unclosed) == ["The box must close."]


def test_a_page_that_is_all_preformatted_is_read_by_its_lines(tmp_path: Path) -> None:
    body = "\n".join(f"{n}.  Rules\n\n   The client MUST send frame {n}.\n" for n in range(1, 9))
    found = requirements(tmp_path, f"<html><body><pre>{body}</pre></body></html>")
    assert found == [f"The client MUST send frame {n}." for n in range(1, 9)]


def test_what_is_nested_too_deep_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>The box must close.</p>" + "<div>" * 5000 + "lost", encoding="utf-8")
    document = read_document(tmp_path / "a.html")
    assert any("nested" in warning for warning in document.warnings)


@given(st.integers(min_value=1, max_value=5000))
def test_letters_and_roman_numbers_tell_items_apart(number: int) -> None:
    assert shown(number, "1") == str(number)
    assert shown(number, "a") != shown(number + 1, "a")
    assert shown(number, "i") != shown(number + 1, "i")


@settings(deadline=None, max_examples=150)
@given(st.text(alphabet="<>/!-=\"' abptdrliouhn1&;[]\x00\n", max_size=300))
def test_no_bytes_break_the_reader_and_pieces_lie_in_the_text(html: str) -> None:
    page = read_html(html)
    for element in page.elements:
        for cell in element.cells:
            for piece in cell:
                assert 0 <= piece.start <= piece.end <= len(page.text)


def test_time_is_linear_in_comments_that_never_end() -> None:
    begin = time.process_time()
    read_html("<!--" * 160_000)
    assert time.process_time() - begin < 30, "640 KB took more than two minutes"
