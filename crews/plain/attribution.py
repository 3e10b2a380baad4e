"""Which of several short inputs does a statement speak of, and does it stand there? Where inputs have a line each for the
same thing ("Monday in room 4", "Tuesday in room 7"), what sets the lines apart has a place: the day, the room."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from echelon.crews.plain.beside import compared
from echelon.digest import folded, terms
from echelon.tasks.texts.marks import HEADING, ROW, RULE, bare, cells_of
from echelon.tasks.texts.repetition import pieces
from echelon.tasks.texts.wanted import Comparison, comparison_asked

_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:[.,:]\d+)*")
_SETS_AGAINST = re.compile(
    r"→|[-=]>|\b(?:instead|rather|not|no longer|was|were|used to|before|previous\w*|former\w*|earlier|old|new|unlike|from"
    r"|than|versus|vs|compared|replac\w+|first|second|latter|(?:an)?statt|anstelle|nicht|keine?\w*|bisher\w*|vorher\w*|zuvor"
    r"|früher\w*|alte\w*|neue?\w*|waren?|von|gegenüber|als|erste\w*|zweite\w*)\b",
    re.IGNORECASE,
)
"""Words with which a statement about one input may speak of another, or says in other words of which it speaks"""
_CLAUSE = re.compile(
    r"[,;|/()→]|[-=]>|\s[-–—]\s|\b(?:instead of|rather than|versus|vs|and|but|while|whereas|to|from|(?:an)?statt|anstelle"
    r"|und|aber|während|nach|von|zu|auf)\b",
    re.IGNORECASE,
)
"""Where a sentence goes on to something else"""
LEAST_NAME = 4
"""Letters or digits of what names an input: "april", "2027", and no number of a version"""
Place = tuple[int, int]
"""Line of what is compared, and the place in it"""


@dataclass(frozen=True)
class Own:
    """What one input alone has: words that name it, and for each place what stands there."""

    names: frozenset[str]
    words: Mapping[Place, str]
    """A name, in small letters"""
    figures: Mapping[Place, str]
    pairs: Mapping[Place, frozenset[tuple[str, str]]]
    """A figure with the word before it, and with the word behind"""


def about_one(texts: Mapping[str, str], request: str) -> str:
    """The one input that a request is about ("what changes in April": plan-april.md), so that its lines are enough; '' where
    it names none, or several."""
    asked = terms(request)
    named = [name for name, words in _names(texts).items() if words & asked]
    return named[0] if len(named) == 1 and len(texts) > 1 else ""


def misattributed(texts: Mapping[str, str], results: Mapping[str, str], request: str) -> list[str]:
    """What the results (path -> text) say of an input (name -> text) and stands in another, mix, or do not say of which
    it stands where a request asks what differs; as sentences, one a result at most. Where a statement sets inputs against
    each other it is read clause by clause, and what a table holds by rows that name an input."""
    if len(texts) < 2:
        return []
    own, one = _owned(texts), about_one(texts, request)
    must_name = comparison_asked(request) is Comparison.DIFFERS and all(o.names for o in own.values())
    found = ((path, next(_faults(text, own, one, must_name), "")) for path, text in results.items())
    return [f"'{path}' {says}" for path, says in found if says]


def _faults(text: str, own: Mapping[str, Own], one: str, must_name: bool) -> Iterator[str]:
    label = one
    lines = text.splitlines()
    for line, after in itertools.zip_longest(lines, lines[1:], fillvalue=""):
        if heading := HEADING.match(line):
            label = _only(_named(heading["title"], own)) or one
        elif ROW.match(line):
            if not RULE.match(line) and not RULE.match(after):
                yield from _wrong_in(line, own, _only(_named(line, own)), is_row=True)
        else:
            for piece in pieces(line)[1:] or pieces(line):
                named = _named(piece, own)
                label = _only(named) or ("" if named else label)
                yield from _wrong_in(bare(piece), own, label if len(named) < 2 else "", is_row=False)
                held = _only(name for name, o in own.items() if _places(piece, o))
                is_alone = held and not any(_has_of(piece, o) for name, o in own.items() if name != held)
                if is_alone and must_name and not named and not label and not _SETS_AGAINST.search(piece):
                    yield f"does not say of this that it stands in '{held}'; name that: {piece.strip()[:80]}"


def _wrong_in(said: str, own: Mapping[str, Own], label: str, is_row: bool) -> Iterator[str]:
    held = {name: places for name, o in own.items() if (places := _places(said, o, is_row))}
    if label and held and not _has_of(said, own[label]) and not _SETS_AGAINST.search(said):
        yield f"says of '{label}' what stands in '{next(iter(held))}': {said.strip()[:80]}"
    clauses = ([said] if label else []) if is_row else _CLAUSE.split(said)
    for clause in clauses:
        in_clause = {name: places for name, o in own.items() if (places := _places(clause, o, is_row))}
        for (one, its), (other, others) in itertools.combinations(in_clause.items(), 2):
            if not its & others and {row for row, _ in its} & {row for row, _ in others}:
                yield f"mixes what stands in '{one}' with what stands in '{other}': {clause.strip()[:80]}"


def _owned(texts: Mapping[str, str]) -> dict[str, Own]:
    tokens = {name: _tokens(text) for name, text in texts.items()}
    rows = [row for row in compared(texts).rows if len(row) > 1]
    apart = {(name, (n, place)): around for n, row in enumerate(rows) for name, place, around in _apart(row)}
    out: dict[str, Own] = {}
    for name, names in _names(texts).items():
        others = [t for n, t in tokens.items() if n != name]
        elsewhere = {word for t in others for word in t}, {pair for t in others for pair in itertools.pairwise(t)}
        mine = {place: around for (whose, place), around in apart.items() if whose == name}
        figures = {place: word for place, (_, word, _) in mine.items() if word[0].isdigit()}
        words = {p: word for p, (_, word, _) in mine.items() if p not in figures and word not in elsewhere[0]}
        pairs = {p: frozenset(itertools.pairwise(mine[p])) - elsewhere[1] for p in figures}
        out[name] = Own(frozenset(names), words, figures, pairs)
    return out


def _apart(row: Mapping[str, str]) -> Iterator[tuple[str, int, tuple[str, str, str]]]:
    """(input, place, word between its neighbours) of figures and names that stand in a line where the first has others."""
    (first, line), *others = row.items()
    mine = _TOKEN.findall(line)
    for name, other in others:
        its = _TOKEN.findall(other)
        matcher = difflib.SequenceMatcher(None, [t.lower() for t in mine], [t.lower() for t in its], autojunk=False)
        for tag, a, b, c, d in matcher.get_opcodes():
            for i, j in zip(range(a, b), range(c, d), strict=False) if tag == "replace" and b - a == d - c else ():
                if _tells(mine, i) and _tells(its, j):
                    yield first, i, _around(mine, i)
                    yield name, i, _around(its, j)


def _tells(tokens: list[str], n: int) -> bool:
    """Whether a word is a figure or, within a line, a name."""
    return tokens[n][0].isdigit() or (n > 0 and tokens[n][0].isupper())


def _around(tokens: list[str], n: int) -> tuple[str, str, str]:
    before, word, after = ["", *(t.lower() for t in tokens), ""][n : n + 3]
    return before, word, after


def _places(said: str, own: Own, is_row: bool = False) -> set[Place]:
    """Places of which a text has what an input has there: a name, a figure beside a neighbour, or alone in a cell."""
    tokens = _tokens(said)
    pairs, alone = set(itertools.pairwise(tokens)), set(map(folded, cells_of(said))) if is_row else set[str]()
    figures = {place for place, figure in own.figures.items() if own.pairs[place] & pairs or figure in alone}
    return figures | {place for place, word in own.words.items() if word in tokens}


def _has_of(said: str, own: Own) -> bool:
    """Whether a text has anything that may be what an input has alone: a figure beside whatever."""
    return bool({*own.words.values(), *own.figures.values()} & set(_tokens(said)))


def _names(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """The words that name one input alone: of its file's name or, where files have none of their own, of its title."""
    stems = {name: {w for w in terms(PurePosixPath(name).stem) if len(w) >= LEAST_NAME} for name in texts}
    titles = {name: terms(_title(text)) for name, text in texts.items()}
    return next((own for own in map(_alone, (stems, titles)) if all(own.values())), _alone(stems))


def _alone(words: Mapping[str, set[str]]) -> dict[str, set[str]]:
    return {name: own - set[str]().union(*(w for n, w in words.items() if n != name)) for name, own in words.items()}


def _title(text: str) -> str:
    first = next((line for line in text.splitlines() if line.strip()), "")
    return heading["title"] if (heading := HEADING.match(first)) else ""


def _named(said: str, own: Mapping[str, Own]) -> list[str]:
    words = terms(said)
    return [name for name, o in own.items() if words & o.names]


def _only(names: Iterable[str]) -> str:
    found = list(names)
    return found[0] if len(found) == 1 else ""


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(folded(text))
