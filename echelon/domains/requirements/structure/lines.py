"""Lines of pages, and which of them are furniture: running headers and footers, page numbers, tables of contents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from echelon.domains.documents.types import LineLayout, Page

EDGE_LINES = 4
LONGEST = 4_000
"""A longer line is read as several: what looks for patterns in a line may need time with the square of its length."""
_LONGEST_FURNITURE = 300
FORM_FEED = "\f"
_LINE = re.compile(r"[^\n]+")
_TAIL = 200  # what may be a leader with its page number
_LONGEST_PAGE_NUMBER = 40
_NUMBER = re.compile(r"\d{1,6}")
_ROMAN = re.compile(r"\b[ivxlc]{1,7}\b")
_SPACE = re.compile(r"\s+")
_PAGE_NUMBER = re.compile(
    r"[-–—|\s]*(?:(?:page|seite|s\.|p\.)\s*)?(?:[A-Z]-)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:/|of|von)\s*\d{1,4})?[-–—|\s]*",
    re.I,
)
_LETTERED = re.compile(r"[A-Z]-\d{1,4}")
_PAGE_OF = re.compile(r"(?:page|seite)?\s*(\d{1,4})\s*(?:/|of|von)\s*(\d{1,4})", re.I)
_LEADER = re.compile(r"(?:\.{4,}|(?:\. ){3,}\.?|…{2,}|_{6,})\s*(?:[A-Z]{1,3}-)?(?:\d{1,4}|[ivxlc]{1,7})?\s*$", re.I)
_ENTRY = re.compile(r"\S.*\s(?:\d{1,4}|[ivxlc]{1,7})\s*$")
_TOC_HEADING = re.compile(
    r"(?:table\s+of\s+contents|contents|list\s+of\s+(?:figures|tables|appendices)|inhalt|inhaltsverzeichnis|abbildungsverzeichnis|tabellenverzeichnis)\s*",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page without its outer white space: `page_text[start:end] == text`; `indent` is what stood before
    it, `sheet` the number of the printed page: its page, or one that form feeds part in a text file; `apart`: an empty
    line stands before it."""

    page: int
    start: int
    end: int
    text: str
    layout: LineLayout | None = None
    indent: int = 0
    sheet: int = 0
    apart: bool = False


def page_lines(page: Page) -> list[Line]:
    """The lines of a page that have more than white space, in order."""
    lines: list[Line] = []
    printed = {layout.start: layout for layout in page.layout}
    sheet, last = page.number, 0
    for match in _LINE.finditer(page.text):
        sheet += page.text.count(FORM_FEED, match.start(), match.end()) if FORM_FEED in match.group() else 0
        for begin, end in _short_pieces(page.text, match.start(), match.end()):
            raw = page.text[begin:end]
            text = raw.strip()
            if text:
                start = begin + len(raw) - len(raw.lstrip())
                apart = page.text.count("\n", last, start) > 1
                last = start + len(text)
                lines.append(Line(page.number, start, last, text, printed.get(start), start - begin, sheet, apart))
    return lines


def _short_pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """`text[start:end]` in pieces of at most `LONGEST` characters, cut at white space where there is some."""
    while end - start > LONGEST:
        space = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = space if space >= 0 else start + LONGEST
        yield start, cut
        start = cut
    yield start, end


def content_lines(pages: tuple[Page, ...]) -> Iterator[Line]:
    """Lines of all pages in order without running headers and footers, page numbers and tables of contents."""
    per_page = [sheet for page in pages for sheet in _sheets(page_lines(page))]
    repeated = _repeated(per_page, least=2 if len(per_page) > len(pages) else 3)
    in_toc = False
    misses = 0
    for lines in per_page:
        count = len(lines)
        for index, line in enumerate(lines):
            if _is_furniture(line, index, count, repeated) and not _opens_row(lines, index):
                continue
            if _TOC_HEADING.fullmatch(line.text):
                in_toc, misses = True, 0
                continue
            leader = _LEADER.search(line.text[-_TAIL:]) is not None
            if leader:
                in_toc, misses = True, 0
                continue
            if in_toc:
                if len(line.text) < 160 and _ENTRY.match(line.text):
                    misses = 0
                    continue
                misses += 1
                # One line without page number is an entry that runs over two lines.
                upcoming = lines[index + 1 : index + 3]
                if misses == 1 and any(
                    _LEADER.search(n.text[-_TAIL:]) or _ENTRY.match(n.text[-_TAIL:]) for n in upcoming
                ):
                    continue
                in_toc = False
            yield line


def _sheets(lines: list[Line]) -> Iterator[list[Line]]:
    """The lines of each printed page."""
    yield from (list(group) for _, group in groupby(lines, key=lambda line: line.sheet))
    if not lines:
        yield []


def _opens_row(lines: list[Line], index: int) -> bool:
    """Whether what looks like a page number ("B-7") stands before a text on the same base line: the first cell of a
    row."""
    line, after = lines[index], lines[index + 1] if index + 1 < len(lines) else None
    if line.layout is None or after is None or after.layout is None or not line.text[0].isalpha():
        return False
    beside = abs(line.layout.y - after.layout.y) < 2 and line.layout.upright and after.layout.x > line.layout.x
    return beside and _LETTERED.fullmatch(line.text) is not None and len(after.text.split()) >= 3


def _is_furniture(line: Line, index: int, count: int, repeated: frozenset[str]) -> bool:
    if line.layout is not None and not line.layout.upright:
        return True
    if EDGE_LINES <= index < count - EDGE_LINES:
        return False
    if any(shape in repeated for shape in _shapes(line)):
        return True
    if len(line.text) > _LONGEST_PAGE_NUMBER:
        return False
    counted = _PAGE_OF.fullmatch(line.text)
    if counted is not None and int(counted[1]) == line.sheet <= int(counted[2]):
        return True
    outer = index < 2 or index >= count - 2
    if not outer or _PAGE_NUMBER.fullmatch(line.text) is None or not line.text.strip("-–—| "):
        return False
    return count > 3 or (count > 1 and line.text.strip("-–—| ") == str(line.page))


def _shapes(line: Line) -> list[str]:
    """How a line looks apart from its page number.

    Any one number of it may be the page number, or all of them: then it counts as its distance from the number of the
    page, which is the same on all pages; the other numbers must agree. Roman page numbers are all alike.
    """
    if len(line.text) > _LONGEST_FURNITURE:
        return []
    text = _SPACE.sub(" ", _ROMAN.sub("#", line.text.lower()))
    numbers = list(_NUMBER.finditer(text))
    shapes = [text]
    for chosen in numbers:
        shapes.append(f"{text[: chosen.start()]}<{int(chosen[0]) - line.sheet}>{text[chosen.end() :]}")
    if len(numbers) > 1:
        shapes.append(_NUMBER.sub(lambda match: f"<{int(match[0]) - line.sheet}>", text))
    return shapes


def _repeated(per_page: list[list[Line]], least: int = 3) -> frozenset[str]:
    """Shapes of lines that stand at the edge of several pages.

    Three pages (four of sixty or more) are enough for a title, and two when it is printed at the same place of both;
    the end of a sentence that happens to be carried over again and again ("documented."), or a label above text
    ("Enhancements:"), must stand on three pages in five.
    """
    edges: dict[str, dict[int, Line]] = {}
    for lines in per_page:
        for line in lines[:EDGE_LINES] + lines[max(EDGE_LINES, len(lines) - EDGE_LINES) :]:
            for shape in _shapes(line):
                edges.setdefault(shape, {})[line.sheet] = line
    needed = least if len(per_page) < 60 else 4
    many = max(needed, 0.6 * len(per_page))
    return frozenset(
        shape
        for shape, lines in edges.items()
        if _is_repeated(list(lines.values()), needed, many)
        and (any(c.isalpha() for c in shape) or _is_stamp(shape, list(lines.values()), many))
    )


def _is_stamp(shape: str, lines: list[Line], many: float) -> bool:
    """Whether lines without letters are a date or time of printing: the same at one place of most pages."""
    places = {(line.layout.x, line.layout.y) for line in lines if line.layout is not None}
    return len(shape) >= 6 and len(places) == 1 and len(lines) >= many and shape == lines[0].text


def _is_repeated(lines: list[Line], needed: int, many: float) -> bool:
    if any(line.text[0].islower() or line.text.endswith((".", ";", ",", ":")) for line in lines):
        return len(lines) >= many
    places = {(line.layout.x, line.layout.y) for line in lines if line.layout is not None}
    at_one_place = len(lines) >= 2 and len(places) == 1 and len(lines[0].text) < 80
    return len(lines) >= needed or at_one_place
