"""Text of strangers on its way to a terminal, a table or a page.

Models, documents and file names may hold characters that act instead of being seen: escape sequences that clear a
screen or set its title, line breaks that forge a line, marks that turn the order of letters round. `visible` shows each
of them as what it is. It is the one way of text to a terminal; formats that cannot hold such characters use it as well.
"""

from __future__ import annotations

import unicodedata

ACTING = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Unicode's categories of characters that are not seen: control, format, half, private, separators of lines."""
HARMLESS = {"\u00ad": "", "\u200b": "", "\ufeff": ""}
"""Marks where a word may be broken, and of byte order: left out."""
JOINERS = {"\u200c", "\u200d"}
"""Letters of some scripts need them, and they change nothing else."""


def visible(text: object) -> str:
    """`text` on one line: what acts is shown, such as \\x1b; line breaks and tabs are blanks."""
    return "".join(_shown(c) for c in str(text))


def visible_lines(text: object) -> str:
    """As `visible`, but its line breaks stay."""
    return "\n".join(visible(line) for line in str(text).splitlines())


def _shown(character: str) -> str:
    if character.isprintable() or character in JOINERS:
        return character
    if character in "\n\r\t":
        return " "
    if character in HARMLESS:
        return HARMLESS[character]
    if unicodedata.category(character) in ACTING:
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return " " if character.isspace() else character
