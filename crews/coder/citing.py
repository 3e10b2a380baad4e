"""The places that an answer about code names: looked up before the answer passes on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from echelon.domains.code.evidence.citations import REACH, LineCitation, citation_fault

_PLACE = re.compile(
    r"^`?(?P<place>[^\s`:\"]+:\d+(?:[-–]\d+)?)`?(?:\s*[:,-]?\s*[\"'`“„(](?P<words>.+?)[\"'`”“)]?)?\s*$", re.DOTALL
)
_NAMES = re.compile(
    r"`([^`\n]{2,80})`|\b([A-Za-z_]\w*(?:_\w+|[a-z][A-Z]\w*)\w*)\b|\b([A-Za-z_]\w{2,})(?=\()|\b([A-Z]{3,}[A-Z_]*)\b"
)
_IN_PROSE = re.compile(r"[\w./-]+\.\w+:\d+(?:[-–]\d+)?")
SHOWN = 100


def looked_up(root: Path, answer: str, places: Sequence[str]) -> tuple[list[str], list[str]]:
    """Places ("src/app.py:12", with the words of the line or without), apart: those that hold, and those that do not.

    With words, they have to stand there. Without, a name that the answer speaks of has to: a line that exists and has
    nothing to do with it shows nothing. What holds is given back with what stands there.
    """
    names = named(answer)
    there: list[str] = []
    gone: list[str] = []
    in_prose = [p for p in _IN_PROSE.findall(answer) if not any(p in place for place in places)]
    for place in dict.fromkeys((*places, *in_prose)):
        shown = _shown(root, place.strip().removeprefix("repository/"), names)
        (gone if shown is None else there).append(place if shown is None else shown)
    return there, gone


def named(answer: str) -> list[str]:
    """Names of code that an answer uses: in backticks, with an underscore or a capital inside, or before a bracket."""
    found = [str(match[match.lastindex or 0]) for match in _NAMES.finditer(answer)]
    return list(dict.fromkeys(part for name in found for part in _parts(name)))


def _parts(name: str) -> Iterable[str]:
    """The name itself, and of `Class.method(...)` the last part."""
    plain = name.partition("(")[0].strip()
    return [p for p in {plain, plain.rpartition(".")[2]} if len(p) > 2 and "/" not in p and ":" not in p]


def _shown(root: Path, place: str, names: Sequence[str]) -> str | None:
    """The place with what stands there, None when it does not hold."""
    match = _PLACE.match(place)
    if match is None:
        return None
    where, words = match["place"].replace("–", "-"), (match["words"] or "").strip()
    if citation_fault(root, LineCitation(place=where, words=words)) is not None:
        return None
    path, _, numbers = where.rpartition(":")
    first, _, last = numbers.partition("-")
    lines = (root / path).read_bytes().decode("utf-8", "replace").splitlines()
    around = "\n".join(lines[max(0, int(first) - 1 - REACH) : int(last or first) + REACH])
    if not words and not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", around) for name in names):
        return None
    return f"{where}: {lines[int(first) - 1].strip()[:SHOWN]}"
