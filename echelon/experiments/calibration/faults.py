"""Known faults for texts, and other forms of the same text that are as right as the first.

Each takes a text and draws a place in it; it answers what it did, or nothing where the text has no such place. The same
draw plants the same fault.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from echelon.files import write_atomically

PROSE = (".md", ".markdown", ".txt", ".rst", ".adoc")
"""Files that people read; what only programs read has a shape that code checks"""
SHIFTED = {
    "shall": "should", "must": "may", "should": "shall", "may": "must", "may not": "may",
    "must not": "may", "shall not": "may", "should not": "may", "required": "recommended",
    "muss": "kann", "müssen": "können", "soll": "kann", "sollen": "können", "kann": "muss", "können": "müssen",
    "darf nicht": "darf", "dürfen nicht": "dürfen",
}  # fmt: skip
"""How binding a word is, and a word that binds otherwise"""
_MODAL = re.compile(
    rf"(?<!nobody )(?<!no one )\b(?:{'|'.join(sorted(SHIFTED, key=len, reverse=True))})\b", re.IGNORECASE
)
_COUNT = re.compile(r"(?<![\w.,#§-])(?!(?:19|20)\d\d\b)\d{1,6}(?![\w,-]|\.\d|[.)] )")
"""A number that counts something: no date, no number of a heading or of a list item"""
_WHERE = re.compile(
    r"(?i)(\b(?:page|pages|p\.|seite|s\.|section|abschnitt|clause|article|artikel|paragraph|line|zeile)|§) ?(\d+)"
)
_SENTENCE = re.compile(r"[^\n.!?]{20,}[.!?](?= |$)", re.MULTILINE)
HOLE = "To be written."


@dataclass(frozen=True)
class Changed:
    """A text with a fault in it, and what was done to it in one sentence."""

    text: str
    says: str


Planter = Callable[[str, Sequence[str], random.Random], Changed | None]
"""From a text, the texts of the inputs, and a draw"""


def wrong_modality(text: str, _given: Sequence[str], draw: random.Random) -> Changed | None:
    """An obligation becomes a recommendation, a permission an obligation, and so on."""
    found = _drawn(list(_MODAL.finditer(text)), draw)
    if found is None:
        return None
    other = SHIFTED[found.group().lower()]
    other = other.capitalize() if found.group()[0].isupper() else other
    return Changed(_put(text, found, other), f"'{found.group()}' became '{other}'")


def wrong_count(text: str, _given: Sequence[str], draw: random.Random) -> Changed | None:
    """A number becomes another one."""
    found = _drawn(list(_COUNT.finditer(text)), draw)
    if found is None:
        return None
    other = str(int(found.group()) + draw.choice((1, 2, 10)))
    return Changed(_put(text, found, other), f"{found.group()} became {other}")


def wrong_citation(text: str, _given: Sequence[str], draw: random.Random) -> Changed | None:
    """A page or section that is cited becomes another one."""
    found = _drawn(list(_WHERE.finditer(text)), draw)
    if found is None:
        return None
    other = f"{found[1]} {int(found[2]) + draw.choice((1, 2, 5))}"
    return Changed(_put(text, found, other), f"'{found.group()}' became '{other}'")


def dropped_clause(text: str, _given: Sequence[str], draw: random.Random) -> Changed | None:
    """A sentence is gone; one of several, so that something is left."""
    sentences = list(_SENTENCE.finditer(text))
    found = _drawn(sentences, draw) if len(sentences) > 1 else None
    return None if found is None else Changed(_put(text, found, ""), f"gone: {_short(found.group())}")


def skipped_todo(text: str, _given: Sequence[str], draw: random.Random) -> Changed | None:
    """A whole block is gone: a paragraph, or a line of a list; one of several, and no heading."""
    lines = text.splitlines(keepends=True)
    places = [
        n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith(("#", "|", "==", "--"))
    ]
    if len(places) < 2:
        return None
    place = draw.choice(places)
    return Changed("".join([*lines[:place], *lines[place + 1 :]]), f"gone: {_short(lines[place])}")


def placeholder(text: str, _given: Sequence[str], draw: random.Random) -> Changed | None:
    """A line says that it is still to be written."""
    lines = text.splitlines(keepends=True)
    places = [
        n for n, line in enumerate(lines) if len(line.strip()) > len(HOLE) and not line.lstrip().startswith(("#", "|"))
    ]
    if not places:
        return None
    place = draw.choice(places)
    mark = re.match(r"\s*(?:[-*+]|\d+[.)])?\s*", lines[place])
    begin = mark.group() if mark else ""
    return Changed(
        "".join([*lines[:place], f"{begin}{HOLE}\n", *lines[place + 1 :]]), f"to be written: {_short(lines[place])}"
    )


def copied_input(_text: str, given: Sequence[str], draw: random.Random) -> Changed | None:
    """The text of an input stands in place of the work."""
    texts = [t for t in given if t.strip()]
    return Changed(draw.choice(texts), "the text of an input stands there") if texts else None


def other_spacing(text: str, _given: Sequence[str], _draw: random.Random) -> Changed | None:
    """The same words with other white space: two blank lines where there was one, spaces at the end of lines."""
    spaced = "".join(f"{line.rstrip()}  \n" if line.strip() else "\n\n" for line in text.splitlines())
    return Changed(spaced, "other white space") if text.strip() else None


def other_bullets(text: str, _given: Sequence[str], _draw: random.Random) -> Changed | None:
    """The same list with other marks."""
    turned = re.sub(r"(?m)^(\s*)([-*+])(?= )", lambda m: f"{m[1]}{'*' if m[2] == '-' else '-'}", text)
    return Changed(turned, "other marks of lists") if turned != text else None


FAULTS: dict[str, Planter] = {
    f.__name__: f
    for f in (wrong_modality, dropped_clause, wrong_citation, wrong_count, skipped_todo, placeholder, copied_input)
}
FORMS: dict[str, Planter] = {f.__name__: f for f in (other_spacing, other_bullets)}


def plant(root: Path, paths: Sequence[str], given: Sequence[str], kind: str, draw: random.Random) -> str:
    """Put a fault, or another form, into one of some texts below `root`; says what was done, '' where none fits.

    `given` are the texts of the inputs.
    """
    planter = {**FAULTS, **FORMS}[kind]
    prose = sorted({p for p in paths if PurePosixPath(p.lower()).suffix in PROSE and (root / p).is_file()})
    for path in draw.sample(prose, len(prose)):
        changed = planter((root / path).read_text(encoding="utf-8"), given, draw)
        if changed is not None:
            write_atomically(root / path, changed.text)
            return f"{path}: {changed.says}"
    return ""


def _drawn(found: Sequence[re.Match[str]], draw: random.Random) -> re.Match[str] | None:
    return draw.choice(found) if found else None


def _put(text: str, found: re.Match[str], other: str) -> str:
    return text[: found.start()] + other + text[found.end() :]


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 80 else words[:79] + "…"
