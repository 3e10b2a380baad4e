"""Short inputs as points that who judges answers one by one: the lines of them that code does not find in the results.

A small model that says in one word whether an answer holds finds fault with right ones, and passes what reads well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from echelon.crews.plain.attribution import about_one, misattributed
from echelon.crews.plain.beside import compared, told
from echelon.digest import are_akin, terms
from echelon.tasks.texts.repetition import pieces
from echelon.tasks.texts.wanted import Comparison, comparison_asked, says_it_stays

MOST = 8
"""Points of one verdict; where there are more, the verdict is about the whole"""
_EVERYTHING = re.compile(r"\b(?:everything|all|whole|each|every|complete|alles|alle|jede\w*|ganze\w*)\b", re.IGNORECASE)
SAID = 0.5
"""Share of the words of a line that stand in a result that says it in other words"""
LEAST_NAMED = 2
"""Words of a line with which something of it is named"""
Row = Mapping[str, str]
"""Name of an input -> its line, as beside each other; "" for a line that stands in all"""


def points(texts: Mapping[str, str], results: Iterable[str], request: str) -> tuple[str, ...]:
    """What of the inputs (name -> text) a request may ask for and the results do not say as far as code sees, in their
    order; nothing where that is more than a verdict holds. A request to compare is about one kind of lines only."""
    if not texts:
        return ()
    said, lines, asked = terms("\n".join(results)), compared(texts), comparison_asked(request)
    same: list[Row] = [{"": line} for line in lines.same]  # of a single text: its lines
    only = {Comparison.SAME: same, Comparison.DIFFERS: lines.rows}
    wanted = only[asked] if asked is not None and len(texts) > 1 else _named([*same, *lines.rows], request)
    own = about_one(texts, request)
    left = tuple(row[""] if "" in row else told(row) for row in wanted if not _says(said, row, own))
    return left if len(left) <= MOST else ()


def out_of_place(texts: Mapping[str, str], results: Mapping[str, str], request: str) -> list[str]:
    """What the results (path -> text) say of the inputs (name -> text) that the request cannot have asked for, and what
    they say of the wrong one."""
    return [f for find in (named_as_changes, misattributed, of_another) for f in find(texts, results, request)]


def of_another(texts: Mapping[str, str], results: Mapping[str, str], request: str) -> list[str]:
    """Where a request is about one of several inputs and asks for no comparison ("a checklist for April"), what of the
    results stands in another one in its place; as sentences, one a result at most. A sentence of both is for a role."""
    own = about_one(texts, request)
    if not own or comparison_asked(request) is not None:
        return []
    apart = [
        (words - mine, mine - words)
        for row in compared(texts).rows
        for name, line in row.items()
        if name != own and (words := terms(line)) - (mine := terms(row.get(own, "")))
    ]
    found = ((path, next((p for p in pieces(text) if _is_of(p, apart)), "")) for path, text in results.items())
    return [
        f"'{path}' has what does not stand in '{own}', which the request is about; leave it out: {piece.strip()[:80]}"
        for path, piece in found
        if piece
    ]


def _is_of(piece: str, apart: Iterable[tuple[set[str], set[str]]]) -> bool:
    """Whether a sentence has all that sets a line of another input apart, and nothing of the line in its place."""
    said = terms(piece)
    return any(theirs <= said and not mine & said for theirs, mine in apart)


def named_as_changes(texts: Mapping[str, str], results: Mapping[str, str], request: str) -> list[str]:
    """Where a request asks what differs, what of the results (path -> text) names things that stand in all inputs the same
    way, and does not say that they stay; as sentences, one a result at most. Things are words of such a line that no other
    line and not the request has: "Maria brings the projector" is no change in whatever words it is told."""
    if len(texts) < 2 or comparison_asked(request) is not Comparison.DIFFERS:
        return []
    lines = compared(texts)
    others = terms("\n".join([request, *(line for row in lines.rows for line in row.values())]))
    own = [words for line in lines.same if len(words := terms(line) - others) >= LEAST_NAMED]
    found = (
        (path, next((p for p in pieces(text) if not says_it_stays(p) and _names(p, own)), ""))
        for path, text in results.items()
    )
    return [
        f"'{path}' names as a change what stands in all inputs; leave it out, or say that it stays: {piece.strip()[:80]}"
        for path, piece in found
        if piece
    ]


def _names(piece: str, things: Iterable[set[str]]) -> bool:
    return any(len(words & terms(piece)) >= LEAST_NAMED for words in things)


def _named(rows: Sequence[Row], request: str) -> Sequence[Row]:
    """Where a request names what some of the lines say ("the rooms and prices"), those lines and the lines with figures,
    for what has a figure is often called by another word. All of them where it names nothing, or asks for everything."""
    asked = terms(request)
    named = [row for row in rows if any(are_akin(a, b) for line in row.values() for a in terms(line) for b in asked)]
    if not named or _EVERYTHING.search(request):
        return rows
    return [row for row in rows if row in named or any(map(str.isdigit, "".join(row.values())))]


def _says(said: set[str], row: Row, own: str) -> bool:
    """Whether all that sets the lines of a row apart is said, or that of input `own` where it is asked about; of a line for
    itself, its figures and half of its words."""
    if len(row) > 1:
        lines = {name: terms(line) for name, line in row.items()}
        others = {name: set[str]().union(*(w for n, w in lines.items() if n != name)) for name in lines}
        return all(lines[name] - others[name] <= said for name in ([own] if own in row else row))
    words = terms(next(iter(row.values())))
    figures = {w for w in words if w[0].isdigit()}
    return figures <= said and len(words & said) >= SAID * len(words)
