"""DOCX in: paragraphs, lists and tables in their order, as plain Markdown."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING

from echelon.domains.documents.types import ReadError

if TYPE_CHECKING:
    from docx.table import Table
    from docx.text.paragraph import Paragraph

_HEADING = re.compile(r"(?:heading|überschrift|titre)\s*(\d)", re.I)
_LIST = re.compile(r"list|aufzählung|liste", re.I)


def read_docx(name: str, data: bytes) -> tuple[str, str | None]:
    """Text and title of a DOCX: `#` headings by style, `- ` list paragraphs, tables as `| a | b |` rows, in order.

    Raises ReadError when the file is broken or encrypted.
    """
    from docx import Document as open_docx
    from docx.table import Table

    try:
        document = open_docx(BytesIO(data))
        lines: list[str] = []
        for content in document.iter_inner_content():
            lines.extend(_table(content) if isinstance(content, Table) else _paragraph(content))
        title = document.core_properties.title or None
    # python-docx meets arbitrary XML and archives: key, value, parser and archive errors all mean a broken file.
    except Exception as error:
        raise ReadError(name, "the DOCX is broken and cannot be read; open it, save it again and retry") from error
    return "\n".join(lines) + "\n", title


def _paragraph(paragraph: Paragraph) -> list[str]:
    text = " ".join(paragraph.text.split())
    if not text:
        return [""]
    style = paragraph.style.name if paragraph.style is not None and paragraph.style.name else ""
    heading = _HEADING.match(style)
    if heading:
        return [f"{'#' * int(heading.group(1))} {text}", ""]
    if style == "Title":
        return [f"# {text}", ""]
    if _LIST.search(style) or (paragraph._p.pPr is not None and paragraph._p.pPr.numPr is not None):
        return [f"- {text}"]
    return [text, ""]


def _table(table: Table) -> list[str]:
    lines = [""]
    for index, row in enumerate(table.rows):
        cells: list[str] = []
        seen: list[object] = []
        for cell in row.cells:
            # A merged cell is listed once per column that it covers.
            if any(cell._tc is other for other in seen):
                continue
            seen.append(cell._tc)
            cells.append(" ".join(cell.text.split()).replace("|", "/"))
        lines.append(f"| {' | '.join(cells)} |")
        if index == 0:
            lines.append(f"|{'---|' * len(cells)}")
    return [*lines, ""]
