"""Figures of short inputs that no result has: code cannot know whether they were asked for, but a role can be told."""

from __future__ import annotations

import re
from collections.abc import Iterable

_FIGURE = re.compile(r"(?<![\w.,:])\d+(?:[.,:]\d+)*(?![\w])")
MOST = 8
"""Lines that are named at most"""
LONGEST = 160


def has_figures(inputs: Iterable[str]) -> bool:
    """Whether any of the inputs names a figure."""
    return any(_FIGURE.search(text) for text in inputs)


def unsaid(inputs: Iterable[str], results: Iterable[str]) -> list[str]:
    """The lines of the inputs with a figure (a number, a price, a time) that stands in no result, each once."""
    said = {figure for text in results for figure in _FIGURE.findall(text)}
    lines = (" ".join(line.split()).lstrip("-*•# ") for text in inputs for line in text.splitlines())
    left = (line[:LONGEST] for line in lines if any(figure not in said for figure in _FIGURE.findall(line)))
    return list(dict.fromkeys(left))[:MOST]
