"""A ranked outline of a tree within a budget of tokens: the files that matter for a text, with their signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echelon.domains.code.places.features import features
from echelon.domains.code.places.rank import weigh, weights
from echelon.domains.code.places.text import AboutCode
from echelon.domains.code.places.tree_index import TreeIndex
from echelon.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_OF_ONE = 12
"""Symbols of one file that are shown."""


def outline(index: TreeIndex, text: str, *, tokens: int = 1_000) -> str:
    """Paths with signatures and line numbers, likely files first; empty for a tree without source files.

    The likelihood is the ranking of places, which spreads along imports (PageRank personalised by the text).
    """
    import numpy as np

    if not index.paths:
        return ""
    total = weigh(features(index, AboutCode(text)), weights())
    by_file: dict[int, list[int]] = {}
    for number, owner in enumerate(index.owners):
        by_file.setdefault(owner, []).append(number)
    out: list[str] = []
    left = tokens
    for number in np.argsort(-total, kind="stable"):
        for line in _lines(index, int(number), by_file.get(int(number), [])):
            left -= count_tokens(line) + 1
            if left < 0:
                return "\n".join(out)
            out.append(line)
    return "\n".join(out)


def _lines(index: TreeIndex, file: int, symbols: list[int]) -> Iterator[str]:
    yield f"{index.paths[file]}:"
    for number in symbols[:MOST_OF_ONE]:
        symbol = index.symbols[number]
        depth = symbol.name.count(".")
        yield f"  {'  ' * depth}{symbol.first}: {symbol.signature or symbol.name}"
    if len(symbols) > MOST_OF_ONE:
        yield f"  [{len(symbols) - MOST_OF_ONE} more]"
