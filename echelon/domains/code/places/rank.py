"""Files and functions for a text, best first, with what speaks for each."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from echelon.domains.code.places.features import body_scores, features, unit
from echelon.domains.code.places.named import PathFinder
from echelon.domains.code.places.text import AboutCode
from echelon.domains.code.places.tree_index import TreeIndex, open_index

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SAYS = {
    "text": "shares its rare words",
    "title": "shares words of the title",
    "body": "has a function that shares its words",
    "bodies": "has several functions that share its words",
    "path": "its path has words of the text",
    "strings": "its messages and keys have words of the text",
    "named_file": "is named in the text",
    "frame": "is in the stack trace",
    "module": "its module is named",
    "defines": "defines a name of the text",
    "defines_code": "defines a name in the text's code",
    "imports": "is imported by likely files",
    "touched": "is changed often",
    "recent": "was changed lately",
    "votes": "commits with similar messages changed it",
    "core": "lies in the main package",
}
_TELLING = 0.15
"""A sign is told when it gives at least this share of a file's score."""


class FilePlace(BaseModel):
    """A file that a text is probably about."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str = Field(description="relative to the tree, with /; the file exists")
    score: float = Field(description="comparable within one answer only; higher is better")
    reasons: tuple[str, ...] = Field(description="what speaks for it, weightiest first")


class FunctionPlace(BaseModel):
    """A function, method or class that a text is probably about."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    name: str = Field(description="qualified within the file")
    first: int = Field(ge=1, description="line, from 1")
    last: int = Field(ge=1)
    signature: str = ""
    score: float
    reasons: tuple[str, ...] = ()


class Places(BaseModel):
    """The answer to a text: files and functions, best first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    files: tuple[FilePlace, ...] = ()
    functions: tuple[FunctionPlace, ...] = ()


def find_places(root: Path, text: str, folder: Path, *, files: int = 10, functions: int = 10) -> Places:
    """Places of the tree `root` for `text`. `folder` keeps the index between calls. Raises UserError for a bad tree."""
    return rank_places(open_index(root, folder), text, files=files, functions=functions)


def rank_places(index: TreeIndex, text: str, *, files: int = 10, functions: int = 10) -> Places:
    """Places of an index for `text`."""
    about = AboutCode(text)
    columns = features(index, about)
    total = weigh(columns, weights())
    return Places(
        files=tuple(_file(index, columns, total, number) for number in _best(total, files)),
        functions=tuple(_functions(index, about, total, functions)),
    )


@functools.cache
def weights() -> dict[str, float]:
    """The weight of each sign. Fitted on issues of other repositories than the benchmark's."""
    stored = json.loads(Path(__file__).with_name("weights.json").read_text(encoding="utf-8"))
    return {name: float(value) for name, value in stored["weights"].items()}


def weigh(columns: dict[str, NDArray[np.float64]], by: dict[str, float]) -> NDArray[np.float64]:
    """The weighted sum of the columns."""
    import numpy as np

    size = len(next(iter(columns.values())))
    return sum((columns[name] * weight for name, weight in by.items()), np.zeros(size))


def _best(scores: NDArray[np.float64], most: int) -> list[int]:
    import numpy as np

    return [int(number) for number in np.argsort(-scores, kind="stable")[:most]]


def _file(
    index: TreeIndex, columns: dict[str, NDArray[np.float64]], total: NDArray[np.float64], number: int
) -> FilePlace:
    parts = {name: float(columns[name][number]) * weight for name, weight in weights().items()}
    telling = [name for name in sorted(parts, key=lambda n: -parts[n]) if parts[name] > _TELLING * total[number]]
    strong = telling or [max(parts, key=lambda n: parts[n])]
    return FilePlace(
        path=index.paths[number],
        score=round(float(total[number]), 4),
        reasons=tuple(_SAYS[name] for name in strong),
    )


def _functions(index: TreeIndex, about: AboutCode, total: NDArray[np.float64], most: int) -> list[FunctionPlace]:
    """Symbols by their own words, by being named, and by the file they lie in."""
    import numpy as np

    if not index.symbols:
        return []
    named, framed = _named_symbols(index, about), _framed_symbols(index, about)
    title = unit(index.bodies.bm25(about.title_weights))
    own = unit(body_scores(index, about))
    name_words = _name_words(index, about)
    scores = own + 0.7 * title + 0.8 * named + 1.0 * framed + 0.6 * name_words + 1.0 * unit(total)[index.owner_array]
    out: list[FunctionPlace] = []
    for number in _best(scores, most):
        symbol = index.symbols[number]
        parts = {
            "is in the stack trace": framed[number],
            "is named in the text": named[number],
            "its name has words of the text": name_words[number],
            "its body shares the text's words": own[number],
            "its file is likely": unit(total)[index.owners[number]],
        }
        reasons = tuple(says for says, value in sorted(parts.items(), key=lambda p: -float(p[1])) if float(value) > 0.3)
        out.append(
            FunctionPlace(
                path=index.paths[index.owners[number]],
                name=symbol.name,
                first=symbol.first,
                last=symbol.last,
                signature=symbol.signature,
                score=round(float(scores[number]), 4),
                reasons=reasons or ("its file is likely",),
            )
        )
    assert isinstance(scores, np.ndarray)
    return out


def _name_words(index: TreeIndex, about: AboutCode) -> NDArray[np.float64]:
    from echelon.domains.code.map.words import terms
    from echelon.domains.code.places.postings import Postings

    return unit(
        Postings.of([terms(symbol.name.replace(".", " ")) for symbol in index.symbols]).bm25(about.weights, b=0.3)
    )


def _named_symbols(index: TreeIndex, about: AboutCode) -> NDArray[np.float64]:
    """1 for a symbol whose name the text uses as code; less when many symbols share it."""
    from collections import Counter

    import numpy as np

    likely = about.likely_names | about.code_names
    shared = Counter(symbol.plain for symbol in index.symbols if symbol.plain in likely)
    return np.array([shared[s.plain] ** -0.5 if s.plain in shared else 0.0 for s in index.symbols])


def _framed_symbols(index: TreeIndex, about: AboutCode) -> NDArray[np.float64]:
    """1 for the innermost function of the stack trace, less outwards; and for lines named behind a path."""
    import numpy as np

    out, finder = np.zeros(len(index.symbols)), PathFinder(index.paths)
    lines = [(f.path, f.line, f.function) for f in about.frames] + [(p, line, "") for p, line in about.paths if line]
    by_file: dict[int, list[int]] = {}
    for number, owner in enumerate(index.owners):
        by_file.setdefault(owner, []).append(number)
    for depth, (path, line, function) in enumerate(reversed(lines)):
        for owner, share in finder.find(path):
            around = [n for n in by_file.get(owner, []) if _holds(index, n, line, function)]
            for number in around[-1:]:
                out[number] = max(out[number], share / (1 + 0.5 * depth))
    return out


def _holds(index: TreeIndex, number: int, line: int, function: str) -> bool:
    """Whether the symbol is the frame's: by its name where one is printed (lines move), else by the line."""
    symbol = index.symbols[number]
    return symbol.plain == function if function else symbol.first <= line <= symbol.last
