"""Small PDFs for the tests, drawn with reportlab: every document is made on the spot, none is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageBreak, PageTemplate, Paragraph, Spacer, Table, TableStyle

STYLES = getSampleStyleSheet()
SMALL = ParagraphStyle("small", parent=STYLES["BodyText"], fontSize=9, leading=11)
INDENTED = ParagraphStyle("indented", parent=STYLES["BodyText"], leftIndent=18)
TIGHT = ParagraphStyle("tight", parent=STYLES["BodyText"], spaceBefore=0, spaceAfter=0)


def title(text: str, level: int = 2) -> Paragraph:
    return Paragraph(escape(text), STYLES[f"Heading{level}"])


def para(text: str, style: ParagraphStyle | None = None) -> Paragraph:
    return Paragraph(escape(text), style or STYLES["BodyText"])


def page_break() -> PageBreak:
    return PageBreak()


def gap(points: float = 6) -> Spacer:
    return Spacer(1, points)


def grid(rows: Sequence[Sequence[str]], widths: Sequence[float], ruled: bool = True) -> Table:
    """A table whose cells wrap; the first row is its header and is repeated on each page."""
    cells = [[Paragraph(escape(cell), SMALL) for cell in row] for row in rows]
    style = [("VALIGN", (0, 0), (-1, -1), "TOP")]
    if ruled:
        style.append(("GRID", (0, 0), (-1, -1), 0.5, "black"))
    return Table(cells, colWidths=list(widths), repeatRows=1, style=TableStyle(style))


def render(
    path: Path,
    story: Sequence[Any],
    header: str = "",
    footer: Callable[[int], str] = lambda page: "",
    columns: int = 1,
) -> Path:
    """Write a PDF with a running header and footer on each page and one or two columns. Gives back `path`."""

    def furniture(canvas: Canvas, doc: BaseDocTemplate) -> None:
        canvas.setFont("Helvetica", 8)
        if header:
            canvas.drawString(60, A4[1] - 40, header)
        if footer(doc.page):
            canvas.drawString(60, 30, footer(doc.page))

    width = (A4[0] - 120 - 20 * (columns - 1)) / columns
    frames = [Frame(60 + i * (width + 20), 60, width, A4[1] - 120, 0, 0, 0, 0) for i in range(columns)]
    document = BaseDocTemplate(str(path), pagesize=A4, invariant=1)
    document.addPageTemplates([PageTemplate("page", frames, onPage=furniture)])
    document.build(list(story))
    return path
