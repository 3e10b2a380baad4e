"""The marks of plain texts: bullets, numbers, rows of tables, headings."""

from __future__ import annotations

import re
from collections.abc import Iterable

PROSE = (".md", ".markdown", ".txt", ".text", ".rst", ".adoc", "")
"""How the names of files end that hold prose."""
PAGES = (".html", ".htm")
"""How those of pages end."""
SENTENCE = re.compile(r"(?<=[.!?])\s+")
"""Where a sentence of prose ends and another begins."""
HEADING = re.compile(r"^(?P<level>#{1,6})\s+(?P<title>.*?)\s*#*$")
MARK = re.compile(r"^\s*(?:[-*+•>]|\d+[.)]|\[[ xX]\])\s+")
ROW = re.compile(r"^\s*\|.*\|\s*$")
RULE = re.compile(r"^\s*\|?[\s:|-]+\|[\s:|-]*$")


def bare(line: str) -> str:
    """A line without the mark of a list or quotation."""
    return MARK.sub("", line).strip()


def is_heading(line: str) -> bool:
    """Whether a line is a heading of Markdown."""
    return HEADING.match(line) is not None


def is_fence(line: str) -> bool:
    """Whether a line begins or ends a block of code."""
    return line.lstrip().startswith(("```", "~~~"))


def without_marks(lines: Iterable[str]) -> list[str]:
    """Lines without the marks of lists and quotations, and without empty ones."""
    return [said for line in lines if (said := bare(line))]


def cells_of(row: str) -> list[str]:
    """The cells of a row of a Markdown table."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]
