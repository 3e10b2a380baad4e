"""Which requirements a selection takes, and why it leaves the others out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from echelon.domains.requirements.selection.types import Order, Selection
from echelon.domains.requirements.types import Modality, Requirement

_NUMBER = re.compile(r"^[\W_]*((?:[A-Za-z]{0,3}[.\-]?)?\d+(?:\.\d+)*[a-z]?)\b")
_HEAD = re.compile(
    r"^\W*(?:section|chapter|clause|article|part|annex|abschnitt|kapitel|artikel|teil|anhang|§+)\s*", re.IGNORECASE
)
_WORD = re.compile(r"\w+")


def chosen(requirements: Iterable[Requirement], selection: Selection) -> list[Requirement]:
    """The requirements that are asked for, in the order that is asked for."""
    found = ordered([r for r in requirements if why_left_out(r, selection) is None], selection.form.order)
    return found[: selection.at_most]


def why_left_out(r: Requirement, s: Selection) -> str | None:
    """The first reason why a requirement is not asked for, None where it is."""
    first = r.citations[0]
    if s.documents and first.document not in s.documents:
        return f"it stands in {first.document}"
    if s.pages and not any(p.first <= (c.page or 0) <= p.last for p in s.pages for c in r.citations):
        return f"it stands on {first.where}" if first.page else "its document has no pages"
    if s.sections and not any(in_section(r, section) for section in s.sections):
        return f"it stands in section {r.section or r.source_id or 'none'}"
    if (s.modalities and r.modality not in s.modalities) or r.modality in s.without:
        return f"it is a{'n' if r.modality.value[0] in 'aeiou' else ''} {r.modality.value}"
    return _by_content(r, s)


def _by_content(r: Requirement, s: Selection) -> str | None:
    if s.categories and not {c.casefold() for c in s.categories} & {c.casefold() for c in r.categories}:
        return "it is not relevant for " + " or ".join(s.categories)
    if s.parties and not any(_names(party, r.subject or "") for party in s.parties):
        return f"it is about {r.subject or 'nobody in particular'}"
    if s.words and not any(_names(word, r.text) for word in s.words):
        return "it does not name " + " or ".join(s.words)
    if s.with_deadline and not r.deadline:
        return "it names no time"
    return None


def in_section(r: Requirement, wanted: str) -> bool:
    """Whether a requirement stands in a section, named by its number ("4", "A.2") or by words of its title."""
    wanted = wanted.strip().rstrip(".")
    if _is_number(wanted):
        numbers = [_number_of(title) for title in (r.section or "").split(" > ")] + [(r.source_id or "").strip("()")]
        return any(_is_at_or_below(number, wanted) for number in numbers)
    return any(_names(wanted, title) for title in (r.section or "").split(" > "))


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z]{0,3}[.\-]?\d+(?:\.\d+)*[a-z]?", text) is not None


def _number_of(title: str) -> str:
    found = _NUMBER.match(_HEAD.sub("", title.strip()))
    return found[1] if found else ""


def _is_at_or_below(number: str, wanted: str) -> bool:
    number, wanted = number.casefold(), wanted.casefold()
    return number == wanted or (number.startswith(wanted) and number[len(wanted)] in ".-()")


def _names(wanted: str, text: str) -> bool:
    """Whether all words of `wanted` stand in `text`, endings of up to three letters aside."""
    there = [w.casefold() for w in _WORD.findall(text)]
    return all(any(_alike(w.casefold(), t) for t in there) for w in _WORD.findall(wanted))


def _alike(a: str, b: str) -> bool:
    short, long = sorted((a, b), key=len)
    if len(short) < 4:
        return a == b
    stem = short[:-2] if len(short) > 6 and short[-1] in "sne" else short[:-1] if short[-1] in "sney" else short
    return long.startswith(stem) and len(long) - len(stem) <= 4


def ordered(requirements: Sequence[Requirement], order: Order | None) -> list[Requirement]:
    """The requirements sorted; equals stay as they are in the documents."""
    match order:
        case None:
            return list(requirements)
        case "document":
            return sorted(requirements, key=lambda r: r.citations[0].document)
        case "page":
            return sorted(requirements, key=lambda r: (r.citations[0].page or 0, r.citations[0].start))
        case "section":
            return sorted(requirements, key=lambda r: _natural(r.section or ""))
        case "number":
            return sorted(requirements, key=lambda r: _natural(r.source_id or ""))
        case "modality":
            return sorted(requirements, key=lambda r: list(Modality).index(r.modality))


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Sorts "2" before "10"."""
    return [(0, int(p), "") if p.isdecimal() else (1, 0, p.casefold()) for p in re.split(r"(\d+)", text) if p]
