"""Signs that a file is what a text is about: one column a sign, one row a file, each between 0 and 1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from echelon.domains.code.places.history import RECENT
from echelon.domains.code.places.imports import modules_of
from echelon.domains.code.places.named import PathFinder
from echelon.domains.code.places.text import AboutCode
from echelon.domains.code.places.tree_index import TreeIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

LONGEST_QUERY = 400
"""Terms of a text that function bodies are searched for."""
SPREAD = 0.3
"""Share of a file's likelihood that flows along its imports."""
_FIRST_LOOK = {
    "text": 1.0,
    "body": 1.0,
    "bodies": 0.5,
    "title": 0.5,
    "named_file": 1.0,
    "frame": 1.5,
    "module": 0.5,
    "defines": 0.5,
    "defines_code": 1.0,
    "path": 0.3,
    "strings": 0.3,
}
"""What the import graph is personalised by, before any weights are known."""


def features(index: TreeIndex, about: AboutCode) -> dict[str, Column]:
    """The columns by name: `text`, `body`, ... as in `weights.json`, each of `len(index.paths)` values."""
    columns = {**_words(index, about), **_names(index, about)}
    columns["imports"] = _along_imports(index, columns)
    return {**columns, **_history(index, about), "core": _core(index)}


def body_scores(index: TreeIndex, about: AboutCode) -> Column:
    """BM25 of each symbol's body with the weightiest terms of the text."""
    weightiest = sorted(about.weights.items(), key=lambda pair: -pair[1])[:LONGEST_QUERY]
    return index.bodies.bm25(dict(weightiest))


def unit(values: Column) -> Column:
    """Scaled so that the highest is 1; zeros stay zeros."""
    highest = values.max() if len(values) else 0.0
    return values / highest if highest > 0 else values


def _words(index: TreeIndex, about: AboutCode) -> dict[str, Column]:
    best, best_three = _by_owner(index, body_scores(index, about))
    return {
        "text": unit(index.files.bm25(about.weights)),
        "title": unit(index.files.bm25(about.title_weights)),
        "body": unit(best),
        "bodies": unit(best_three),
        "path": unit(index.path_words.bm25(about.weights, b=0)),
        "strings": unit(index.strings.bm25(about.weights)),
    }


def _by_owner(index: TreeIndex, scores: Column) -> tuple[Column, Column]:
    """For each file the best score of its symbols, and the sum of its three best."""
    import numpy as np

    best, best_three = np.zeros(len(index.paths)), np.zeros(len(index.paths))
    owners = index.owner_array
    taken = np.zeros(len(index.paths), dtype=np.int64)
    if len(scores):
        np.maximum.at(best, owners, scores)
        for at in np.argsort(-scores, kind="stable"):
            if scores[at] <= 0:
                break
            if taken[owners[at]] < 3:
                taken[owners[at]] += 1
                best_three[owners[at]] += scores[at]
    return best, best_three


def _names(index: TreeIndex, about: AboutCode) -> dict[str, Column]:
    import numpy as np

    finder, named, frame = PathFinder(index.paths), np.zeros(len(index.paths)), np.zeros(len(index.paths))
    for path, _ in about.paths:
        for number, share in finder.find(path):
            named[number] += share
    found = [hits for hits in (finder.find(each.path) for each in about.frames) if hits]
    for depth, hits in enumerate(reversed(found)):
        for number, share in hits:
            frame[number] = max(frame[number], share / (1 + 0.5 * depth))
    return {
        "named_file": np.minimum(named, 2) / 2,
        "frame": frame,
        "module": _modules(index, about),
        "defines": unit(_defines(index, about.likely_names)),
        "defines_code": unit(_defines(index, about.code_names)),
    }


def _modules(index: TreeIndex, about: AboutCode) -> Column:
    """Files whose module is the longest known beginning of a dotted name in the text."""
    import numpy as np

    modules, out, seen = modules_of(index.paths), np.zeros(len(index.paths)), set[str]()
    for name in about.dotted:
        parts = name.split(".")
        beginnings = (".".join(parts[:size]) for size in range(len(parts), 1, -1))
        known = next((each for each in beginnings if 0 < len(modules.get(each, ())) <= 2), None)
        if known and known not in seen:
            seen.add(known)
            for number in modules[known]:
                out[number] += 1 / len(modules[known])
    return np.minimum(out, 2) / 2


def _defines(index: TreeIndex, names: frozenset[str]) -> Column:
    """Files that define a name of the text; a name that many files define counts less."""
    import numpy as np

    out = np.zeros(len(index.paths))
    for name in sorted(names):
        holders = index.defines.get(name, [])
        for number in holders:
            out[number] += math.log(1 + len(index.paths) / len(holders)) / len(holders) ** 0.5
    return out


def _along_imports(index: TreeIndex, columns: dict[str, Column]) -> Column:
    """Personalised PageRank over the imports, restarted at what the other columns find likely."""
    import numpy as np

    base = sum((columns[name] * weight for name, weight in _FIRST_LOOK.items()), np.zeros(len(index.paths)))
    if not len(base):
        return base
    start = np.exp(3 * base / max(float(base.max()), 1e-9))
    start /= start.sum()
    return unit(pagerank(len(index.paths), index.edges, start, spread=SPREAD))


def pagerank(size: int, edges: list[tuple[int, int]], start: Column, *, spread: float, steps: int = 15) -> Column:
    """Shares of `size` nodes after `steps` steps; a node without edges gives its share back to `start`."""
    import numpy as np

    if not edges:
        return start
    sources, targets = np.array(edges, dtype=np.int64).T
    degree = np.bincount(sources, minlength=size)
    loose, rank = degree == 0, start.copy()
    for _ in range(steps):
        flow = np.bincount(targets, weights=rank[sources] / degree[sources], minlength=size)
        rank = (1 - spread) * start + spread * (flow + rank[loose].sum() * start)
    return rank


def _history(index: TreeIndex, about: AboutCode) -> dict[str, Column]:
    import numpy as np

    numbers = {path: number for number, path in enumerate(index.paths)}
    return {
        "touched": unit(np.log1p(index.history.touched(numbers))),
        "recent": unit(np.log1p(index.history.touched(numbers, latest=RECENT))),
        "votes": unit(index.history.votes(numbers, about.weights)),
    }


def _core(index: TreeIndex) -> Column:
    """1 for files in the folder that holds most of the code (below `src`, if there is one)."""
    from collections import Counter

    import numpy as np

    tops = ["/".join(path.split("/")[: 2 if path.startswith("src/") else 1]) for path in index.paths]
    most = Counter(tops).most_common(1)
    return np.array([float(top == most[0][0]) for top in tops])
