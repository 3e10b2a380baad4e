"""The makers of test documents make what their names say."""

from __future__ import annotations

import io
from pathlib import Path

import docx
import pypdf
import pytest
from docx.table import Table
from docx.text.paragraph import Paragraph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf.errors import FileNotDecryptedError, PdfReadError

from tests.support.documents import (
    docx_of,
    empty_file,
    encrypted_pdf,
    garbage_file,
    long_pdf,
    pdf_of,
    scanned_pdf,
    table_pdf,
    truncated_pdf,
)

PAGES = ["1.1 Die Leitung hat die Prüfung sicherzustellen.\n1.2 Second line.", "2.1 The archive shall be open."]


def texts(path: Path) -> list[str]:
    # From memory: pypdf closes files late, which is a warning, and so an error.
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(path.read_bytes())).pages]


def test_pdf_has_the_lines_of_its_pages(tmp_path: Path) -> None:
    found = texts(pdf_of(tmp_path / "a.pdf", [*PAGES, ""]))
    assert [text.splitlines() for text in found] == [page.splitlines() for page in [*PAGES, ""]]


words = st.text(st.characters(codec="latin-1", categories=["L", "N"]), min_size=1, max_size=12)
lines = st.lists(words, min_size=1, max_size=6).map(" ".join)
page_texts = st.lists(lines, min_size=1, max_size=10).map("\n".join)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(page_texts, min_size=1, max_size=3))
def test_any_text_comes_back(tmp_path: Path, pages: list[str]) -> None:
    found = texts(pdf_of(tmp_path / "a.pdf", pages))
    assert [text.split() for text in found] == [page.split() for page in pages]


def test_a_page_that_is_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a page has 48 lines, not 49"):
        pdf_of(tmp_path / "a.pdf", ["x\n" * 49])


def test_the_same_arguments_give_the_same_bytes(tmp_path: Path) -> None:
    for make in (pdf_of, truncated_pdf, scanned_pdf):
        first, second = (make(tmp_path / f"{name}.pdf", PAGES).read_bytes() for name in "ab")
        assert first == second


def test_long_pdf_has_one_clause_a_page(tmp_path: Path) -> None:
    found = texts(long_pdf(tmp_path / "a.pdf", 30))
    assert len(found) == 30
    assert found[16].startswith("17.1 The archive shall keep box 17")


def test_encrypted_pdf_needs_its_password(tmp_path: Path) -> None:
    data = encrypted_pdf(tmp_path / "a.pdf", PAGES).read_bytes()
    closed = pypdf.PdfReader(io.BytesIO(data))
    assert closed.is_encrypted
    with pytest.raises(FileNotDecryptedError):
        closed.pages[0].extract_text()
    opened = pypdf.PdfReader(io.BytesIO(data), password="secret")
    assert "The archive shall be open" in opened.pages[1].extract_text()


def test_pdf_with_an_owner_password_opens_without_one(tmp_path: Path) -> None:
    path = encrypted_pdf(tmp_path / "a.pdf", PAGES, owner_only=True)
    assert pypdf.PdfReader(io.BytesIO(path.read_bytes())).is_encrypted
    assert "Second line" in texts(path)[0]


def test_truncated_pdf_is_broken(tmp_path: Path) -> None:
    path = truncated_pdf(tmp_path / "a.pdf", PAGES)
    assert path.read_bytes().startswith(b"%PDF-")
    assert b"%%EOF" not in path.read_bytes()[-64:]
    with pytest.raises(PdfReadError):
        _ = pypdf.PdfReader(io.BytesIO(path.read_bytes()), strict=True).pages[0]


def test_scanned_pdf_has_images_and_no_text(tmp_path: Path) -> None:
    path = scanned_pdf(tmp_path / "a.pdf", PAGES)
    assert texts(path) == ["", ""]
    reader = pypdf.PdfReader(io.BytesIO(path.read_bytes()))
    assert [len(page.images) for page in reader.pages] == [1, 1]


def test_scanned_pdf_may_have_some_pages_with_text(tmp_path: Path) -> None:
    assert [bool(text) for text in texts(scanned_pdf(tmp_path / "a.pdf", PAGES, text_pages=[2]))] == [False, True]


def test_table_pdf_is_a_ruled_table(tmp_path: Path) -> None:
    import pdfplumber

    rows = [["No.", "Rule"], ["T-1", "The archive shall keep boxes."], ["T-2", "Boxes must be dry."]]
    with pdfplumber.open(table_pdf(tmp_path / "a.pdf", "Before the table.", rows, "After it.")) as pdf:
        page = pdf.pages[0]
        assert page.extract_table() == rows
        text = page.extract_text()
    assert text.index("Before") < text.index("T-1") < text.index("After")


def test_empty_and_garbage_files(tmp_path: Path) -> None:
    assert empty_file(tmp_path / "a.pdf").stat().st_size == 0
    path = garbage_file(tmp_path / "b.pdf")
    with pytest.raises(PdfReadError):
        pypdf.PdfReader(io.BytesIO(path.read_bytes()), strict=True)


def test_docx_keeps_paragraphs_and_tables_in_order(tmp_path: Path) -> None:
    rows = [["No.", "Rule"], ["T-1", "Keep it."]]
    blocks: list[str | list[list[str]]] = ["# Prüfung", "1.1 The archive is open.", "- a bullet", rows, "End."]
    document = docx.Document(str(docx_of(tmp_path / "a.docx", blocks)))
    found = list(document.iter_inner_content())
    assert [type(item) for item in found] == [Paragraph, Paragraph, Paragraph, Table, Paragraph]
    styles = [item.style.name for item in found if isinstance(item, Paragraph) and item.style]
    assert styles == ["Heading 1", "Normal", "List Bullet", "Normal"]
    (table,) = document.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == rows
