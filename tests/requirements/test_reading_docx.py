"""DOCX: Word's numbers, lists, notes, boxes, revisions and tables as a reader sees them; bombs are refused."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from echelon.domains.documents.docx.reader import read_docx
from echelon.domains.documents.elements import text_of
from echelon.domains.documents.reading import read_document
from echelon.domains.documents.tables import MAX_COLUMNS, Grid
from echelon.domains.documents.types import ReadError
from echelon.domains.requirements import extract_requirements

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
NUMBERING = """
<w:abstractNum w:abstractNumId="1">
 <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1"/></w:lvl>
 <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
 <w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%3)"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="2">
 <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xf0b7;"/></w:lvl>
</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
"""
STYLES = """
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/>
 <w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Sub"><w:name w:val="Own title"/><w:basedOn w:val="H1"/></w:style>
<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>
"""
FOOTNOTES = (
    '<w:footnote w:id="2"><w:p><w:r><w:t>The log shall be reviewed every 30 days.</w:t></w:r></w:p></w:footnote>'
)


def p(text: str, list_: tuple[int, int] | None = None, style: str = "", inside: str = "") -> str:
    """A paragraph of a body."""
    number = f'<w:numPr><w:ilvl w:val="{list_[1]}"/><w:numId w:val="{list_[0]}"/></w:numPr>' if list_ else ""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{number}</w:pPr><w:r><w:t>{text}</w:t></w:r>{inside}</w:p>"


def docx(body: str) -> bytes:
    """A DOCX of this body with the numbering, styles and notes above."""
    parts = {
        "document": f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>',
        "numbering": f'<w:numbering xmlns:w="{W}">{NUMBERING}</w:numbering>',
        "styles": f'<w:styles xmlns:w="{W}">{STYLES}</w:styles>',
        "footnotes": f'<w:footnotes xmlns:w="{W}">{FOOTNOTES}</w:footnotes>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(f"word/{name}.xml", part)
    return out.getvalue()


def shown(body: str) -> list[str]:
    """Each element as a word for its kind, its label and its words."""
    text, _, elements = read_docx("a.docx", docx(body))
    return [f"{e.kind.value} {e.label}: " + " | ".join(text_of(text, cell) for cell in e.cells) for e in elements]


def requirements(tmp_path: Path, body: str) -> list[tuple[str | None, str]]:
    (tmp_path / "a.docx").write_bytes(docx(body))
    document = read_document(tmp_path / "a.docx")
    found = extract_requirements(document)
    for citation in (c for r in found for c in r.citations):
        assert document.page(None).text[citation.start : citation.end] == citation.quote
    return [(r.source_id, r.text) for r in found]


def test_words_numbers_are_counted_over_levels_and_overrides() -> None:
    body = (
        p("Scope", style="H1") + p("one", (1, 1)) + p("two", (1, 1)) + p("deep", (1, 2)) + p("deeper", (1, 2))
        + p("Rules", style="H1") + p("anew", (1, 1)) + p("letter", (1, 2)) + p("Jump", (3, 0)) + p("dot", (2, 0))
    )  # fmt: skip
    assert shown(body) == [
        "heading : 1 Scope", "paragraph : 1.1 one", "paragraph : 1.2 two", "item a): deep", "item b): deeper",
        "heading : 2 Rules", "paragraph : 2.1 anew", "item a): letter", "item 7: Jump", "item -: dot",
    ]  # fmt: skip


def test_a_clause_numbered_by_word_has_its_number(tmp_path: Path) -> None:
    body = p("Backups", style="H1") + p("The supplier must test each backup.", (1, 1))
    assert requirements(tmp_path, body) == [("1.1", "The supplier must test each backup.")]


def test_a_style_that_is_based_on_itself_or_a_heading() -> None:
    assert shown(p("Title", style="Sub") + p("Text", style="Loop")) == ["heading : 1 Title", "paragraph : Text"]


def test_a_paragraph_after_a_list_ends_the_list(tmp_path: Path) -> None:
    body = (
        p("The system shall:") + p("store invoices;", (2, 0)) + p("print reports.", (2, 0))
        + p("The operator must") + p("check the log daily.", (2, 0))
    )  # fmt: skip
    assert [text for _, text in requirements(tmp_path, body)] == [
        "The system shall store invoices",
        "The system shall print reports.",
        "The operator must check the log daily.",
    ]


def test_notes_boxes_and_revisions(tmp_path: Path) -> None:
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    box = f"<w:r><w:drawing><w:txbxContent>{p('In the box.')}</w:txbxContent></w:drawing></w:r>"
    revised = "<w:del><w:r><w:delText>never</w:delText></w:r></w:del><w:ins><w:r><w:t> always</w:t></w:r></w:ins>"
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r>"
    body = p("Keep logs", inside=note) + p("Beside it", inside=box) + p("It is", inside=revised + hidden) + p("End.")
    assert shown(body) == [
        "paragraph : Keep logs", "paragraph : Beside it", "paragraph : In the box.", "paragraph : It is always",
        "paragraph : End.", "footnote : The log shall be reviewed every 30 days.",
    ]  # fmt: skip
    assert (None, "The log shall be reviewed every 30 days.") in requirements(tmp_path, body)


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"


def test_cells_stay_with_their_row_and_below_their_column() -> None:
    rows = [
        cell("Id") + cell("Text") + cell("Target"),
        cell("SL-1") + cell("It must run.") + cell("99 %"),
        cell("SL-2", '<w:gridSpan w:val="2"/>') + cell("98 %"),
    ]
    body = f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"
    assert shown(body) == ["titles : Id | Text | Target", "row : SL-1 | It must run. | 99 %", "row : SL-2 |  | 98 %"]


def test_a_table_of_one_column_is_a_box() -> None:
    assert shown(f"<w:tbl><w:tr>{cell('It must run.')}</w:tr></w:tbl>") == ["paragraph : It must run."]


def test_a_cell_that_claims_a_hundred_million_columns_costs_nothing() -> None:
    wide = cell("a", '<w:gridSpan w:val="100000000"/>')
    _, _, elements = read_docx("a.docx", docx(f"<w:tbl><w:tr>{wide}{cell('b')}</w:tr></w:tbl>"))
    assert len(elements[0].cells) == MAX_COLUMNS + 1
    assert len(Grid().row([("a", "9" * 400, "9" * 400)])) <= MAX_COLUMNS


def test_a_zip_bomb_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        for _ in range(120):
            part.write(b" " * 2**20)
    with pytest.raises(ReadError, match="unpacks to more than"):
        read_docx("a.docx", out.getvalue())


@pytest.mark.parametrize(
    "part", [b"", b"<w:document", b"<a/>", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", b"\xff\xfe"]
)
def test_broken_parts_are_one_sentence(part: bytes) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", part)
    with pytest.raises(ReadError, match="broken"):
        read_docx("a.docx", out.getvalue())
