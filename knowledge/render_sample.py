"""Renders the sample documents and the lists of their requirements from one source.

    python knowledge/render_sample.py [FOLDER]

writes, next to this file or in FOLDER,

    records-retention-policy.pdf          .gold.json    the whole policy
    records-retention-policy-2pages.pdf   .gold.json    its first sections as a short document

The same source gives the same bytes each time. Needs reportlab and PyYAML (`pip install -e '.[dev]'`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import reportlab
import yaml
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageBreak, PageTemplate, Paragraph, Spacer, Table
from reportlab.platypus.tableofcontents import TableOfContents

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "records-retention-policy.yaml"
MODALITIES = {"must": "obligation", "must_not": "prohibition", "may": "permission", "should": "recommendation"}
LETTERS = "abcdefghij"


@dataclass(frozen=True)
class Sentence:
    """One sentence. `lead` is the lead-in of a list item; `modality` is None where nothing is required."""

    source_id: str
    printed: str
    modality: str | None
    lead: str = ""

    @property
    def key(self) -> str:
        return f"{self.source_id}|{self.printed}"

    @property
    def text(self) -> str:
        """The requirement on its own: an item of a list with its lead-in, without list punctuation."""
        if not self.lead:
            return self.printed
        return f"{self.lead.rstrip(':')} {self.printed.rstrip(';.')}."


def load_source(path: Path = SOURCE) -> dict[str, Any]:
    """The source as it stands in the file."""
    source: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return source


def sentences_of(block: dict[str, Any]) -> list[Sentence]:
    """The sentences of a clause, a paragraph or a table, in the order of the document."""
    if "rows" in block:
        return [_sentence(row["cells"][0], _without(row, "cells")) for row in block["rows"]]
    if "items" in block:
        ids = [f"{block['clause']} {letter})" for letter in LETTERS]
        return [_sentence(number, item, block["lead"]) for number, item in zip(ids, block["items"], strict=False)]
    if "paragraph" in block:
        return [_sentence("", said) for said in block["paragraph"]]
    return [_sentence(block["clause"], said) for said in block.get("sentences", [])]


def sections_of(source: dict[str, Any], short: bool) -> list[dict[str, Any]]:
    """The sections of the whole policy, or those of the short document."""
    return [s for s in source["sections"] if not short or s["number"] in source["short_sections"]]


def requirements_of(source: dict[str, Any], short: bool = False) -> list[Sentence]:
    """Every sentence that requires something, in the order of the document."""
    blocks = (block for section in sections_of(source, short) for block in section["blocks"])
    return [s for block in blocks for s in sentences_of(block) if s.modality]


def render(source: dict[str, Any], path: Path, short: bool = False) -> list[dict[str, Any]]:
    """Writes the PDF and returns its gold list: id, text, page (from 1, where the requirement starts), modality."""
    document = _Policy(path, source, short)
    document.multiBuild(list(_story(source, short)))
    return [
        {"id": s.source_id, "text": s.text, "page": document.pages[s.key], "modality": s.modality}
        for s in requirements_of(source, short)
    ]


def main(folder: Path = HERE) -> None:
    """Writes both documents and their gold lists into the folder."""
    source = load_source()
    for name, short in ((SOURCE.stem, False), (f"{SOURCE.stem}-2pages", True)):
        gold = render(source, folder / f"{name}.pdf", short)
        lines = json.dumps(gold, ensure_ascii=False, indent=1)
        (folder / f"{name}.gold.json").write_text(lines + "\n", encoding="utf-8")
        print(f"{name}.pdf: {len(gold)} requirements")


class _Policy(BaseDocTemplate):
    """The page frame with its running header and footer; notes the page on which each sentence starts."""

    def __init__(self, path: Path, source: dict[str, Any], short: bool) -> None:
        # No creation time and no random document id: the same bytes each time.
        title = source["short_title"] if short else source["title"]
        super().__init__(str(path), pagesize=A4, invariant=1, title=title, author="", lang="en")
        self.source = source
        self.short = short
        self.pages: dict[str, int] = {}
        frame = Frame(2.5 * cm, 2.3 * cm, A4[0] - 5 * cm, A4[1] - 4.8 * cm, 0, 0, 0, 0)
        self.addPageTemplates([PageTemplate("page", [frame], onPage=self._furniture)])

    def _furniture(self, canvas: Canvas, _: BaseDocTemplate) -> None:
        canvas.setNamedCB("note_page", self._note_page)
        number = canvas.getPageNumber()
        if number == 1 and not self.short:
            return
        canvas.saveState()
        canvas.setFont("Vera", 8)
        canvas.drawString(2.5 * cm, A4[1] - 1.6 * cm, self.source["header"])
        canvas.drawString(2.5 * cm, 1.4 * cm, self.source["footer"])
        canvas.drawRightString(A4[0] - 2.5 * cm, 1.4 * cm, f"Page {number}")
        canvas.line(2.5 * cm, A4[1] - 1.8 * cm, A4[0] - 2.5 * cm, A4[1] - 1.8 * cm)
        canvas.restoreState()

    def _note_page(self, canvas: Canvas, _: str, key: str) -> None:
        self.pages[key] = canvas.getPageNumber()

    def afterFlowable(self, flowable: Flowable) -> None:
        if isinstance(flowable, Paragraph) and flowable.style.name in ("Heading1", "Heading2"):
            self.notify("TOCEntry", (int(flowable.style.name[-1]) - 1, flowable.getPlainText(), self.page))


def _without(row: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in row.items() if k != key}


def _sentence(source_id: str, said: dict[str, str], lead: str = "") -> Sentence:
    ((kind, printed),) = said.items()
    if kind != "says" and kind not in MODALITIES:
        raise ValueError(f"{source_id}: unknown kind of sentence: {kind}")
    return Sentence(source_id, printed, MODALITIES.get(kind), lead)


def _register_fonts() -> None:
    fonts = Path(reportlab.__file__).parent / "fonts"
    for name, file in (("Vera", "Vera"), ("Vera-Bold", "VeraBd"), ("Vera-Italic", "VeraIt"), ("Vera-BI", "VeraBI")):
        pdfmetrics.registerFont(TTFont(name, fonts / f"{file}.ttf"))
    pdfmetrics.registerFontFamily("Vera", "Vera", "Vera-Bold", "Vera-Italic", "Vera-BI")


def _style(name: str, **changes: Any) -> ParagraphStyle:
    values: dict[str, Any] = {"fontName": "Vera", "fontSize": 10, "leading": 16, "spaceAfter": 8, "bulletFontSize": 10}
    return ParagraphStyle(name, **(values | {"bulletFontName": "Vera"} | changes))


STYLES = {
    s.name: s
    for s in (
        _style("Title", fontName="Vera-Bold", fontSize=24, leading=30, spaceAfter=14),
        _style("Subtitle", fontSize=13, leading=18, spaceAfter=40),
        _style("Heading1", fontName="Vera-Bold", fontSize=14, leading=20, spaceBefore=14, keepWithNext=1),
        _style("Heading2", fontName="Vera-Bold", fontSize=11, leading=16, spaceBefore=6, keepWithNext=1),
        _style("Contents", fontName="Vera-Bold", fontSize=14, leading=20),
        _style("Body"),
        _style("Clause", leftIndent=46, bulletIndent=0, allowWidows=0, allowOrphans=0),
        _style("LeadIn", leftIndent=46, bulletIndent=0, spaceAfter=3, keepWithNext=1),
        _style("Item", leftIndent=64, bulletIndent=46, spaceAfter=3),
        _style("Note", leftIndent=46, rightIndent=20, fontSize=9, leading=13, spaceAfter=9),
        _style("Cell", fontSize=9, leading=12, spaceAfter=0),
        _style("HeadCell", fontName="Vera-Bold", fontSize=9, leading=12, spaceAfter=0),
    )
}


def _story(source: dict[str, Any], short: bool) -> Iterator[Flowable]:
    _register_fonts()
    yield from _short_title(source) if short else _front_matter(source)
    for section in sections_of(source, short):
        yield Paragraph(escape(f"{section['number']} {section['title']}"), STYLES["Heading1"])
        for block in section["blocks"]:
            yield from _block(block)


def _short_title(source: dict[str, Any]) -> Iterator[Flowable]:
    yield Paragraph(escape(source["short_title"]), STYLES["Contents"])


def _front_matter(source: dict[str, Any]) -> Iterator[Flowable]:
    yield Spacer(0, 6 * cm)
    yield Paragraph(escape(source["title"]), STYLES["Title"])
    yield Paragraph(escape(source["subtitle"]), STYLES["Subtitle"])
    for line in source["imprint"]:
        yield Paragraph(escape(line), STYLES["Body"])
    yield PageBreak()
    yield Paragraph(escape(source["contents"]), STYLES["Contents"])
    levels = [_style("TOC1", spaceAfter=2), _style("TOC2", leftIndent=18, fontSize=9, leading=13, spaceAfter=1)]
    yield TableOfContents(levelStyles=levels, dotsMinLevel=0)
    yield PageBreak()


def _block(block: dict[str, Any]) -> Iterator[Flowable]:
    if "heading" in block:
        yield Paragraph(escape(f"{block['heading']} {block['title']}"), STYLES["Heading2"])
    elif "definition" in block:
        text = f"<b>{escape(block['term'])}</b>: {escape(block['says'])}"
        yield Paragraph(text, STYLES["Clause"], bulletText=block["definition"])
    elif "items" in block:
        yield Paragraph(escape(block["lead"]), STYLES["LeadIn"], bulletText=block["clause"])
        for letter, sentence in zip(LETTERS, sentences_of(block), strict=False):
            yield Paragraph(_markup([sentence]), STYLES["Item"], bulletText=f"{letter})")
        yield Spacer(0, 4)
    elif "rows" in block:
        yield Paragraph(escape(block["table"]), STYLES["LeadIn"])
        yield _table(block)
        yield Spacer(0, 12)
    elif "note" in block or "example" in block:
        label = block.get("label", "Note" if "note" in block else "Example")
        yield Paragraph(f"<i>{escape(label)}: {escape(block.get('note') or block['example'])}</i>", STYLES["Note"])
    elif "clause" in block:
        yield Paragraph(_markup(sentences_of(block)), STYLES["Clause"], bulletText=block["clause"])
    else:
        yield Paragraph(_markup(sentences_of(block)), STYLES["Body"])


def _table(block: dict[str, Any]) -> Table:
    rows = [[Paragraph(escape(cell), STYLES["HeadCell"]) for cell in block["header"]]]
    for row, sentence in zip(block["rows"], sentences_of(block), strict=True):
        cells = [Paragraph(escape(cell), STYLES["Cell"]) for cell in row["cells"]]
        rows.append([*cells, Paragraph(_markup([sentence]), STYLES["Cell"])])
    table = Table(rows, colWidths=[1.6 * cm, 3.3 * cm, 2.3 * cm, 8.8 * cm], repeatRows=1)
    table.setStyle([("GRID", (0, 0), (-1, -1), 0.6, colors.black), ("VALIGN", (0, 0), (-1, -1), "TOP")])
    return table


def _markup(sentences: list[Sentence]) -> str:
    """Paragraph markup that reports the page of each sentence to the document while it is drawn."""
    quote = {'"': "&quot;"}
    return " ".join(f'<onDraw name="note_page" label="{escape(s.key, quote)}"/>{escape(s.printed)}' for s in sentences)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
