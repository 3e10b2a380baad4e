"""Where a name is used: call sites, imports, tests. By words, so it holds for every language."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from echelon.domains.code.map.walking import read_source
from echelon.domains.code.places.tree_index import TreeIndex


class Reference(BaseModel):
    """A line that uses a name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    line: int = Field(ge=1)
    text: str
    is_definition: bool = False
    is_test: bool = False


def references(index: TreeIndex, name: str, *, most: int = 40) -> list[Reference]:
    """Lines with the plain name, definitions first, then other code, then tests; at most `most`."""
    plain = name.rpartition(".")[2]
    word = re.compile(rf"\b{re.escape(plain)}\b")
    defined = {
        (index.paths[owner], symbol.first, symbol.last)
        for symbol, owner in zip(index.symbols, index.owners, strict=True)
        if symbol.plain == plain
    }
    found: list[Reference] = []
    holders = [index.paths[number] for number in index.files.holders(plain.lower())]
    for path in [*holders, *index.tests]:
        found += _in_file(index.root, path, word, defined, path in index.tests)
        if len(found) >= 4 * most:
            break
    return sorted(found, key=lambda r: (not r.is_definition, r.is_test))[:most]


def _in_file(
    root: Path, path: str, word: re.Pattern[str], defined: set[tuple[str, int, int]], is_test: bool
) -> list[Reference]:
    try:
        lines = read_source(root / path).splitlines()
    except OSError:
        return []
    return [
        Reference(
            path=path,
            line=number,
            text=text.strip()[:200],
            is_definition=_defines(path, number, text, defined),
            is_test=is_test,
        )
        for number, text in enumerate(lines, 1)
        if word.search(text)
    ]


def _defines(path: str, number: int, text: str, defined: set[tuple[str, int, int]]) -> bool:
    """Whether the line is where the name is defined: within three lines of the symbol's first (decorators)."""
    is_head = re.match(
        r"\s*(async\s+def|def|class|func|fn|function|type|struct|interface|export|public|private)\b", text
    )
    return bool(is_head) and any(
        path == where and first <= number <= min(last, first + 3) for where, first, last in defined
    )
