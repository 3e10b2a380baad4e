"""Figures of short inputs that no result has: code cannot know whether they were asked for, but a role can be told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from echelon.crews.plain.beside import MARKS, compared

_FIGURE = re.compile(r"(?<![\w.,:])\d+(?:[.,:]\d+)*(?![\w])")
MOST = 8
"""Lines that are named at most"""
LONGEST = 160


def all_said(inputs: Mapping[str, str], results: Iterable[str]) -> bool:
    """Whether the inputs (name -> text) name figures, and every one of them stands in a result."""
    figures = _figures("\n".join(inputs.values()))
    return bool(figures) and figures <= _figures("\n".join(results))


def unsaid(inputs: Mapping[str, str], results: Iterable[str]) -> list[str]:
    """The lines of the inputs (name -> text) with a figure (a number, a price, a time) that stands in no result, each once.
    Where inputs have a line each for the same thing, a figure that they share ("at 10:00") is not what is looked for."""
    said, shared = _figures("\n".join(results)), _shared(inputs)
    lines = (" ".join(line.split()).lstrip(MARKS) for text in inputs.values() for line in text.splitlines())
    left = (line[:LONGEST] for line in lines if _figures(line) - shared.get(line.rstrip(MARKS), set()) - said)
    return list(dict.fromkeys(left))[:MOST]


def _shared(inputs: Mapping[str, str]) -> dict[str, set[str]]:
    """Line -> the figures that the lines beside it have as well; of those lines that are told apart by others."""
    out: dict[str, set[str]] = {}
    for row in compared(inputs).rows if inputs else ():
        figures = [_figures(line) for line in row.values()]
        common = set[str].intersection(*figures)
        if len(row) > 1 and all(own > common for own in figures):
            out |= dict.fromkeys(row.values(), common)
    return out


def _figures(text: str) -> set[str]:
    return set(_FIGURE.findall(text))
