"""Short inputs as points that who judges answers one by one: the lines of them that code does not find in the results.

A small model that says in one word whether an answer holds finds fault with right ones, and passes what reads well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from echelon.crews.plain.beside import compared, told
from echelon.digest import terms
from echelon.tasks.texts.wanted import Comparison, comparison_asked

MOST = 8
"""Points of one verdict; where there are more, the verdict is about the whole"""
SAID = 0.5
"""Share of the words of a line that stand in a result that says it in other words"""


def points(texts: Mapping[str, str], results: Iterable[str], request: str) -> tuple[str, ...]:
    """What of the inputs (name -> text) a request may ask for and the results do not say as far as code sees, in their
    order; nothing where that is more than a verdict holds. A request to compare is about one kind of lines only."""
    if not texts:
        return ()
    said, lines, asked = terms("\n".join(results)), compared(texts), comparison_asked(request)
    same = [line for line in lines.same if not _says(said, {"": line})]  # of a single text: its lines
    rows = [told(row) for row in lines.rows if not _says(said, row)]
    only = {Comparison.SAME: same, Comparison.DIFFERS: rows}
    left = only[asked] if asked is not None and len(texts) > 1 else same + rows
    return tuple(left) if len(left) <= MOST else ()


def _says(said: set[str], row: Mapping[str, str]) -> bool:
    """Whether all that sets the lines of a row apart is said; of a line for itself, its figures and half of its words."""
    if len(row) > 1:
        own = [terms(line) for line in row.values()]
        return all(mine - set[str]().union(*(o for o in own if o is not mine)) <= said for mine in own)
    words = terms(next(iter(row.values())))
    figures = {w for w in words if w[0].isdigit()}
    return figures <= said and len(words & said) >= SAID * len(words)
