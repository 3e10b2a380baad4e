"""The numbers that Word makes: which label a paragraph has by numbering.xml and its style."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from echelon.domains.documents.docx.names import attribute, child, children
from echelon.domains.documents.html.lists import shown

if TYPE_CHECKING:
    from echelon.domains.documents.docx.names import XmlElement

_LEVELS = 9
_FORMATS = {"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}
_PLACE = re.compile(r"%([1-9])")


@dataclass
class _Level:
    format: str = "decimal"
    text: str = ""
    start: int = 1
    restart: int | None = None  # the level whose items begin this one anew; 0: never


@dataclass
class _Definition:
    """An abstract numbering with its counters, which all lists made from it share."""

    levels: dict[int, _Level] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)


class Numbers:
    """Counts the numbered paragraphs of a document in their order."""

    def __init__(self, numbering: XmlElement | None) -> None:
        self._definitions: dict[str, _Definition] = {}
        self._lists: dict[str, str] = {}
        self._overrides: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()
        if numbering is not None:
            self._learn(numbering)

    def _learn(self, numbering: XmlElement) -> None:
        for abstract in children(numbering, "abstractNum"):
            levels = dict(map(_level, children(abstract, "lvl")))
            self._definitions[attribute(abstract, "abstractNumId")] = _Definition(levels)
        for number in children(numbering, "num"):
            own = attribute(number, "numId")
            self._lists[own] = attribute(child(number, "abstractNumId"), "val")
            for override in children(number, "lvlOverride"):
                at = _int(attribute(override, "ilvl"))
                start = child(override, "startOverride")
                if start is not None:
                    self._overrides.setdefault(own, {})[at] = _int(attribute(start, "val"))
                replaced = child(override, "lvl")
                definition = self._definitions.get(self._lists[own])
                if replaced is not None and definition is not None:
                    definition.levels[at] = _level(replaced)[1]

    def next(self, list_id: str, level: int) -> str | None:
        """The label of the next paragraph at `level` (from 0) of a list: `2.4`, `a)`, `-` for a bullet.

        None when it has none: the list is not defined, or its text is empty.
        """
        definition = self._definitions.get(self._lists.get(list_id, ""))
        level = min(max(level, 0), _LEVELS - 1)
        if definition is None or list_id == "0":
            return None
        this = definition.levels.get(level, _Level())
        override = self._overrides.get(list_id, {}).get(level)
        if override is not None and (list_id, level) not in self._begun:
            definition.counts[level] = override - 1
        self._begun.add((list_id, level))
        definition.counts[level] = definition.counts.get(level, this.start - 1) + 1
        for deeper in [d for d in definition.counts if d > level]:
            restart = definition.levels.get(deeper, _Level()).restart
            if restart is None or restart > level:
                del definition.counts[deeper]
        if this.format == "bullet":
            return "-"
        label = _PLACE.sub(lambda place: self._count(definition, int(place[1]) - 1, this.format), this.text).strip()
        return label or None

    @staticmethod
    def _count(definition: _Definition, level: int, format_: str) -> str:
        of = definition.levels.get(level, _Level())
        number = definition.counts.get(level, of.start)
        if format_ == "decimalZero" or of.format == "decimalZero":
            return f"{number:02d}"
        return shown(number, _FORMATS.get(of.format, "1"))


def _level(element: XmlElement) -> tuple[int, _Level]:
    format_ = attribute(child(element, "numFmt"), "val") or "decimal"
    text = attribute(child(element, "lvlText"), "val")
    start = child(element, "start")
    restart = child(element, "lvlRestart")
    return _int(attribute(element, "ilvl")), _Level(
        format_ if format_ != "none" else "decimal",
        text if format_ != "none" else re.sub(_PLACE, "", text),
        _int(attribute(start, "val")) if start is not None else 1,
        _int(attribute(restart, "val")) if restart is not None else None,
    )


def list_of(properties: XmlElement | None) -> tuple[str, int] | None:
    """(list, level) that paragraph properties name, or None."""
    numbered = child(properties, "numPr")
    if numbered is None:
        return None
    list_id = attribute(child(numbered, "numId"), "val")
    return (list_id, _int(attribute(child(numbered, "ilvl"), "val"))) if list_id else None


def _int(text: str) -> int:
    try:
        return max(-99_999, min(99_999, int(text[:12])))
    except ValueError:
        return 0
