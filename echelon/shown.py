"""Text of strangers on its way to a terminal, a table or a page.

Models, documents and file names may hold characters that act instead of being seen: escape sequences that clear a
screen or set its title, line breaks that forge a line, marks that turn the order of letters round. `visible` shows each
of them as what it is. It is the one way of text to a terminal; formats that cannot hold such characters use it as well.
"""

from __future__ import annotations

import sys
import unicodedata
from typing import TextIO

ACTING = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Unicode's categories of characters that are not seen: control, format, half, private, separators of lines."""
HARMLESS = set("\u00ad\u200b\u200c\u200d\ufeff")
"""Marks where a word may be broken, of byte order, and the joiners that the letters of some scripts need."""


def visible(text: object) -> str:
    """`text` on one line: what acts is shown, such as \\x1b; line breaks and tabs are blanks."""
    said = str(text)
    return said if said.isascii() and said.isprintable() else "".join(map(_shown, said))


def visible_lines(text: object) -> str:
    """As `visible`, but its line breaks stay. A text in JSON stays the same value in JSON."""
    return "\n".join(visible(line) for line in str(text).split("\n"))


def show(text: object, stream: TextIO | None = None) -> None:
    """Print text or JSON with everything visible; its own line breaks stay, so fields come through `visible` before."""
    print(visible_lines(text), file=stream or sys.stdout, flush=True)


def _shown(character: str) -> str:
    if character in "\n\r\t":
        return " "
    if unicodedata.category(character) not in ACTING or character in HARMLESS:
        return character
    if character < " ":
        return f"\\x{ord(character):02x}"
    return "".join(f"\\u{unit:04x}" for unit in _units(character))


def _units(character: str) -> list[int]:
    """UTF-16 code units, as JSON writes them."""
    raw = character.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(raw[i : i + 2], "big") for i in range(0, len(raw), 2)]
