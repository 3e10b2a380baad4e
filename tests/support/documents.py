"""Makers of test documents: good ones, and one of each kind that a reader must name instead of skipping it.

Each function writes the file and returns its path. A PDF that is not encrypted has the same bytes each time.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LINES_PER_PAGE = 48
LEFT, TOP, LEADING = 72, 770, 15


DOUBTFUL_POLICY = """# 1 Scope

1.1 The unit shall keep an inventory of its records.

1.2 Users must not share keys.

Old keys will only be seen by the archive of the unit.

# 4 Deletion

4.1 The unit shall delete drafts within 30 days.

4.2 The unit must not delete evidence.

4.3 The unit may keep copies.
"""
"""A policy whose requirements are sure but for one sentence, which only speaks of what will be."""


def pdf_of(path: Path, pages: Sequence[str], font_size: int = 10) -> Path:
    """One page per text, its lines as they are, in a font with umlauts. An empty text is a blank page.

    Raises ValueError when a text has more lines than a page."""
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    _register_font()
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    for text in pages:
        lines = text.splitlines()
        if len(lines) > LINES_PER_PAGE:
            raise ValueError(f"a page has {LINES_PER_PAGE} lines, not {len(lines)}")
        canvas.setFont("Vera", font_size)
        for number, line in enumerate(lines):
            canvas.drawString(LEFT, TOP - number * LEADING, line)
        canvas.showPage()
    canvas.save()
    return path


def long_pdf(path: Path, pages: int) -> Path:
    """Many pages of one numbered clause each: clause N on page N."""
    return pdf_of(path, [f"{n}.1 The archive shall keep box {n} for {n} days." for n in range(1, pages + 1)])


def encrypted_pdf(path: Path, pages: Sequence[str], password: str = "secret", owner_only: bool = False) -> Path:
    """Needs the password to be opened; with `owner_only` it opens without one, and only rights are restricted."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf_of(path, pages).read_bytes())))
    writer.encrypt("" if owner_only else password, owner_password=password, algorithm="AES-256")
    writer.write(path)
    return path


def truncated_pdf(path: Path, pages: Sequence[str], keep: float = 0.4) -> Path:
    """The first part of a PDF: no cross-reference table, no trailer, perhaps a cut-off page. `keep` is a share."""
    whole = pdf_of(path, pages).read_bytes()
    path.write_bytes(whole[: int(len(whole) * keep)])
    return path


def scanned_pdf(path: Path, pages: Sequence[str], text_pages: Sequence[int] = ()) -> Path:
    """Pages that are images of the texts, without a text layer, but for the pages (from 1) in `text_pages`."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    _register_font()
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    for number, text in enumerate(pages, start=1):
        if number in text_pages:
            canvas.setFont("Vera", 10)
            for position, line in enumerate(text.splitlines()):
                canvas.drawString(LEFT, TOP - position * LEADING, line)
        else:
            canvas.drawImage(ImageReader(_image_of(text)), 0, 0, *A4)
        canvas.showPage()
    canvas.save()
    return path


def table_pdf(path: Path, before: str, table: Sequence[Sequence[str]], after: str = "") -> Path:
    """One page with a ruled table between two lines. The first row is the header."""
    from reportlab.lib import colors
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

    _register_font()
    style = ParagraphStyle("cell", fontName="Vera", fontSize=9, leading=12)
    rows = [[Paragraph(cell, style) for cell in row] for row in table]
    grid = Table(rows, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)], repeatRows=1)
    story = [Paragraph(before, style), grid, Paragraph(after, style)]
    SimpleDocTemplate(str(path), invariant=1).build(story)
    return path


def empty_file(path: Path) -> Path:
    """Nothing at all."""
    path.write_bytes(b"")
    return path


def garbage_file(path: Path) -> Path:
    """Bytes that are no document, whatever the suffix says."""
    path.write_bytes(bytes(range(256)) * 8)
    return path


def docx_of(path: Path, blocks: Sequence[str | Sequence[Sequence[str]]]) -> Path:
    """Paragraphs and tables in order. `# Title` is a heading, `- item` a bullet, rows of cells a table."""
    import docx

    document = docx.Document()
    for block in blocks:
        if isinstance(block, str):
            _add_paragraph(document, block)
        else:
            _add_table(document, block)
    document.save(str(path))
    return path


def _add_paragraph(document: Any, text: str) -> None:
    marks, _, rest = text.partition(" ")
    if marks and set(marks) == {"#"}:
        document.add_heading(rest, level=len(marks))
    elif marks == "-":
        document.add_paragraph(rest, style="List Bullet")
    else:
        document.add_paragraph(text)


def _add_table(document: Any, rows: Sequence[Sequence[str]]) -> None:
    table = document.add_table(rows=len(rows), cols=len(rows[0]))
    for line, row in zip(table.rows, rows, strict=True):
        for cell, text in zip(line.cells, row, strict=True):
            cell.text = text


def _register_font() -> None:
    import reportlab
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    pdfmetrics.registerFont(TTFont("Vera", Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"))


def _image_of(text: str) -> Any:
    """A4 at 72 dots per inch, as a scanner would see it."""
    from PIL import Image, ImageDraw

    image = Image.new("L", (595, 842), color=255)
    ImageDraw.Draw(image).multiline_text((LEFT, 60), text, fill=0, spacing=5)
    return image


def browser_pdf(path: Path, paragraphs: Sequence[str], title: str, address: str) -> Path:
    """What a browser prints: date and title above each page, address and "page/pages" below."""
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    _register_font()
    lines = [line for text in paragraphs for line in [*_wrapped(text, 84), ""]]
    pages = [lines[at : at + LINES_PER_PAGE] for at in range(0, len(lines), LINES_PER_PAGE)]
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    for number, page in enumerate(pages, 1):
        canvas.setFont("Vera", 7)
        canvas.drawString(24, 820, "22.11.31, 14:05")
        canvas.drawCentredString(300, 820, title)
        canvas.drawString(24, 18, address)
        canvas.drawRightString(570, 18, f"{number}/{len(pages)}")
        canvas.setFont("Vera", 10)
        for line, text in enumerate(page):
            canvas.drawString(LEFT, TOP - line * LEADING, text)
        canvas.showPage()
    canvas.save()
    return path


def turned_pdf(path: Path, lines: Sequence[str], angle: int) -> Path:
    """A page whose content is drawn turned by `angle` degrees and that says so, as landscape pages do; and an upright
    one after it."""
    from pypdf import PdfReader, PdfWriter
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    _register_font()
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    places = {90: (60, 60), 180: (540, 60), 270: (530, 780)}
    canvas.translate(*places[angle])
    canvas.rotate(angle)
    canvas.setFont("Vera", 10)
    for number, line in enumerate(lines):
        depth = {90: -1, 180: 1, 270: -1}[angle] * number * 2 * LEADING
        canvas.drawString(0, depth if angle == 180 else -number * 2 * LEADING, line)
    canvas.showPage()
    canvas.setFont("Vera", 10)
    canvas.drawString(LEFT, TOP, "This page is upright and says nothing.")
    canvas.showPage()
    canvas.save()
    writer = PdfWriter(clone_from=PdfReader(buffer))
    writer.pages[0].rotate(angle)
    writer.write(path)
    return path


def recognised_pdf(path: Path, paragraphs: Sequence[str]) -> Path:
    """Pictures of text with a layer of recognised words below: invisible, each word placed by itself, sizes uneven."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfbase.pdfmetrics import stringWidth
    from reportlab.pdfgen.canvas import Canvas

    _register_font()
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    lines = [line for text in paragraphs for line in [*_wrapped(text, 80), ""]]
    for first in range(0, len(lines), LINES_PER_PAGE):
        page = lines[first : first + LINES_PER_PAGE]
        canvas.drawImage(ImageReader(_image_of("\n".join(page))), 0, 0, *A4)
        for number, line in enumerate(page):
            x = float(LEFT)
            for at, word in enumerate(line.split()):
                size = 10 + 0.3 * ((at + number) % 3)
                text = canvas.beginText(x, TOP - number * LEADING + 0.4 * (at % 2))
                text.setFont("Vera", size)
                text.setTextRenderMode(3)
                text.textOut(word)
                canvas.drawText(text)
                x += stringWidth(word + " ", "Vera", size)
        canvas.showPage()
    canvas.save()
    return path


def _wrapped(text: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width)
