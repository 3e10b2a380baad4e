"""Task lists as CSV, XLSX and Markdown."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from echelon.domains.planning.importing.rows import Cell
from echelon.errors import UserError


def read_csv(path: Path) -> list[list[Cell]]:
    """Rows of a CSV file; comma, semicolon or tab, whichever the first line has most of."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        text = path.read_text(encoding="cp1252", errors="replace")
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    try:
        return [list(row) for row in csv.reader(io.StringIO(text), delimiter=delimiter)]
    except csv.Error as error:
        raise UserError(f"{path.name}: this is no CSV file ({error}).") from error


def read_xlsx(path: Path) -> list[list[Cell]]:
    """Rows of the first sheet of a workbook."""
    import zipfile

    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, KeyError, OSError, ValueError) as error:
        raise UserError(f"{path.name}: this is no XLSX file that can be read.") from error
    try:
        return [[_cell(value) for value in row] for row in book.worksheets[0].iter_rows(values_only=True)]
    finally:
        book.close()


def _cell(value: object) -> Cell:
    from datetime import date, datetime

    return value if value is None or isinstance(value, str | int | float | date | datetime) else str(value)


_ROW = re.compile(r"^\s*\|(.+)\|\s*$")
_ITEM = re.compile(r"^(\s*)[-*+]\s+(?:\[(?P<done>[ xX])\]\s+)?(?P<text>.+?)\s*$")
_FIELD = re.compile(r"(?P<key>[A-Za-z][A-Za-z _-]*?)\s*[:=]\s*(?P<value>[^;)\]]+)")


def read_markdown(text: str) -> list[list[Cell]]:
    """Rows of the first table and of others with the same columns, or of a list whose items say more in brackets.

    Such as "- Build (id: B, duration: 3d, after: A)". Inside the brackets fields are parted by semicolons, or by commas
    before another field. No table and no such list: no rows.
    """
    table = _table(text)
    return table or _list(text)


def prose_around(text: str) -> str:
    """A Markdown text without the lines of its tables and lists."""
    return "\n".join(line for line in text.splitlines() if not _ROW.match(line) and not _ITEM.match(line))


def _table(text: str) -> list[list[Cell]]:
    """The rows of the first table, and of those after it that have the same columns."""
    tables = _tables(text)
    first = tables[0] if tables else []
    return [*first, *(row for table in tables[1:] if table[0] == first[0] for row in table[1:])]


def _tables(text: str) -> list[list[list[Cell]]]:
    rows: list[list[Cell]] = []
    out = [rows]
    for line in text.splitlines():
        match = _ROW.match(line)
        if match is None:
            rows = []
            out.append(rows)
            continue
        cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", match[1])]
        if not all(re.fullmatch(r":?-{2,}:?", c) for c in cells):
            rows.append(list(cells))
    return [table for table in out if len(table) > 1]


def _list(text: str) -> list[list[Cell]]:
    items: list[dict[str, str]] = []
    for line in text.splitlines():
        match = _ITEM.match(line)
        if match is None:
            continue
        title, _, rest = match["text"].partition("(")
        fields = {"task": title.strip(), **_fields(rest.rpartition(")")[0])}
        items.append(fields)
    if not any({"duration", "effort", "dauer", "days"} & set(i) for i in items):
        return []
    header = list(dict.fromkeys(key for item in items for key in item))
    rows: list[list[Cell]] = [list(header)]
    return rows + [[item.get(key, "") for key in header] for item in items]


def _fields(text: str) -> dict[str, str]:
    parts = re.split(r"[;,]\s*(?=[A-Za-z][A-Za-z _-]*\s*[:=])", text)
    found = (_FIELD.fullmatch(part.strip()) for part in parts)
    return {m["key"].strip().lower(): m["value"].strip() for m in found if m is not None}
