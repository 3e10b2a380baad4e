"""Marks of table columns beside a requirement: check marks, levels, reference numbers, and the header above them."""

from __future__ import annotations

import re

_GLYPH = "✓✔☑☒✗✘●○◯◉⚫■□☐"
_CELL = re.compile(rf"[{_GLYPH}]|[xXoO]|[-–—]|\d+(?:\.\d+)*|[A-Z]\.\d+(?:\.\d+)*|[/,]|L[1-4]|R|[YN]|n/a|N/A|CWE-\d+")
_HAS_GLYPH = re.compile(rf"[{_GLYPH}]")
_COLUMN_NAMES = """# id no nr nr. no. ref ref. description requirement requirements statement control controls level
    levels l1 l2 l3 l4 r cwe nist § mark category mstg-id masvs-id verification title name priority type status source
    rationale since anforderung anforderungen beschreibung kennung stufe priorität maßnahme text detailed resilience"""
_HEADER_WORDS = frozenset(_COLUMN_NAMES.split())
_TRAILING_REFERENCE = re.compile(r"(?<=[.!?\"”)])\s*\((?:[A-Z]{1,3}-?\d{1,3})(?:\s*,\s*[A-Z]{1,3}-?\d{1,3})*\)\s*$")


def is_table_header(text: str) -> bool:
    """Whether a line is the header of a requirement table: an identifier or text column and only column names."""
    words = text.lower().split()
    if not 2 <= len(words) <= 12 or not all(word in _HEADER_WORDS for word in words):
        return False
    return bool(
        {"#", "id", "nr", "nr.", "no", "no.", "mark", "mstg-id", "kennung", "ref"} & set(words[:2])
        and {
            "description",
            "requirement",
            "statement",
            "control",
            "anforderung",
            "beschreibung",
            "verification",
            "text",
            "title",
        }
        & set(words)
    )


def goes_on_header(text: str) -> bool:
    """Whether a line has only column names: the second line of a header."""
    words = text.lower().split()
    return len(words) <= 3 and all(word in _HEADER_WORDS for word in words)


def ends_with_reference(text: str) -> bool:
    """Whether a line of a row ends with a bracketed cross-reference after its last sentence; the text ends there."""
    return _TRAILING_REFERENCE.search(text) is not None


def is_cells(text: str, in_table: bool) -> bool:
    """Whether a line has only column marks. Numbers alone count only inside a table."""
    words = text.split()
    if not words or not all(_CELL.fullmatch(word) for word in words):
        return False
    return _HAS_GLYPH.search(text) is not None or (in_table and text[0] != "-")


def text_end(text: str, in_table: bool) -> int:
    """Where the text of a row ends and its trailing column marks begin; `len(text)` when there are none."""
    words = list(re.finditer(r"\S+", text))
    cut = len(words)
    while cut > 1 and _CELL.fullmatch(words[cut - 1].group()):
        cut -= 1
    if cut == len(words):
        return len(text)
    tail = text[words[cut].start() :]
    end = words[cut - 1].end()
    if _HAS_GLYPH.search(tail) or (in_table and text[end - 1] in '.!?)"”]'):
        return end
    return len(text)


def without_reference(text: str) -> str:
    """Drop a bracketed cross-reference after the last sentence: `... in use. (C6)` becomes `... in use.`"""
    return _TRAILING_REFERENCE.sub("", text)
