"""Requirements as an Excel workbook."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from echelon.domains.documents.types import Document
from echelon.domains.requirements.exports.cells import COLUMNS, looks_like_formula, row_of, xml_safe
from echelon.domains.requirements.types import Requirement
from echelon.files import write_atomically
from echelon.workbooks import without_times

if TYPE_CHECKING:
    from openpyxl.styles import Alignment
    from openpyxl.worksheet.worksheet import Worksheet

MAX_CELL = 32_767
WIDTHS = {"text": 70, "quote": 50, "section": 35, "document": 28, "findings": 35, "attributes": 35, "split_from": 40}
NUMBERS = frozenset({"confidence", "pages"})
"""Columns whose cells are numbers where they hold one; identifiers such as "3.10" stay text."""
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,6})?")
DOCUMENT_COLUMNS = ["file", "title", "pages", "language", "sha256", "warnings"]
_TIME = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*")


def write_xlsx(requirements: Sequence[Requirement], documents: Sequence[Document], path: Path) -> None:
    """A sheet of requirements with a filter, and a sheet of documents. Raises OSError.

    No cell is a formula, whatever its text. Text beyond 32,767 characters, which is all that a cell holds, is cut;
    control characters become U+FFFD."""
    from openpyxl import Workbook

    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = "Requirements"
    _fill(sheet, list(COLUMNS), (list(row_of(requirement).values()) for requirement in requirements))
    _fill(workbook.create_sheet("Documents"), DOCUMENT_COLUMNS, map(_document_row, documents))
    buffer = io.BytesIO()
    workbook.save(buffer)
    write_atomically(
        path, without_times(buffer.getvalue(), lambda core: _TIME.sub(rb"\g<1>1980-01-01T00:00:00Z", core))
    )


def _document_row(document: Document) -> list[str]:
    pages, warnings = str(len(document.pages)) if document.has_pages else "", "\n".join(document.warnings)
    return [document.file, document.title or "", pages, document.language, document.sha256, warnings]


def _fill(sheet: Worksheet, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    bold, wrapped = Font(bold=True), Alignment(wrap_text=True, vertical="top")
    for number, name in enumerate(header, start=1):
        sheet.cell(1, number, name).font = bold
        sheet.column_dimensions[get_column_letter(number)].width = WIDTHS.get(name, 14)
    last = 1
    for last, row in enumerate(rows, start=2):
        for number, text in enumerate(row, start=1):
            _put(sheet, last, number, text, wrapped)
    sheet.freeze_panes = "A2"
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(header))}{last}"


def _put(sheet: Worksheet, row: int, column: int, text: str, alignment: Alignment) -> None:
    if not text:
        return
    if sheet.cell(1, column).value in NUMBERS and _NUMBER.fullmatch(text):
        cell = sheet.cell(row, column, float(text) if "." in text else int(text))
        cell.number_format = "0.00" if "." in text else "0"
        cell.alignment = alignment
        return
    cell = sheet.cell(row, column, xml_safe(text)[:MAX_CELL])
    # openpyxl takes "=…" for a formula and "#N/A" for an error. As strings they are shown as they are, and the quote
    # prefix keeps a spreadsheet from computing them when somebody edits the cell.
    cell.data_type = "s"
    cell.alignment = alignment
    if looks_like_formula(text):
        cell.quotePrefix = True
