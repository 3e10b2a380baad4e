"""Reading a plain request by rule: what it selects, and which of its words were not understood.

A request that is understood only in part is not guessed at: `Reading.left` names the words, and whoever reads asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from echelon.domains.requirements.selection import words as w
from echelon.domains.requirements.selection.types import Column, PageRange, Selection

LONGEST = 4_000
"""Characters of a request that are read; a longer one is a text to be judged, not a selection."""


@dataclass(frozen=True)
class Reading:
    """What a request selects, and the words that no rule took."""

    selection: Selection
    left: tuple[str, ...] = ()

    @property
    def is_understood(self) -> bool:
        return not self.left


@dataclass
class _Open:
    """A request while it is read: what is understood is taken out of the text."""

    text: str
    found: dict[str, Any] = field(default_factory=dict)
    form: dict[str, Any] = field(default_factory=dict)

    def take(self, pattern: str, use: Callable[[re.Match[str]], bool | None]) -> None:
        """Hand each match to `use`, and take it out of the text unless `use` says False."""

        def replaced(match: re.Match[str]) -> str:
            return match[0] if use(match) is False else " , "

        self.text = re.sub(pattern, replaced, self.text, flags=re.IGNORECASE)

    def add(self, name: str, *values: Any) -> None:
        self.found[name] = tuple(dict.fromkeys((*self.found.get(name, ()), *values)))


def read_request(text: str, documents: Iterable[str] = (), language: str = "en") -> Reading:
    """What `text` asks for of documents with these names. Words that no rule takes are `left`, never ignored.

    `language` is that of the result where the request names none.
    """
    if len(text) > LONGEST:
        return Reading(Selection(), ("a text of more than 4,000 characters",))
    request = _Open(f" {' '.join(text.split())} ", form={"language": language if language in ("en", "de") else "en"})
    for rule in (
        _documents(tuple(documents)),
        _form,
        _at_most,
        _pages,
        _sections,
        _deadline,
        _categories,
        _modalities,
        _subjects,
    ):
        rule(request)
    left = [word for word in re.findall(r"[^\W_][\w'’-]*", request.text) if word.casefold() not in w.NEUTRAL]
    selection = Selection.model_validate({**request.found, "form": request.form})
    return Reading(selection, tuple(dict.fromkeys(left)))


def _documents(names: tuple[str, ...]) -> Callable[[_Open], None]:
    def rule(request: _Open) -> None:
        for name in sorted(names, key=len, reverse=True):
            for called in dict.fromkeys((name, PurePath(name).stem)):
                if len(called) >= 3:
                    request.take(
                        rf"(?<![\w-])[\"'“„]?{re.escape(called)}[\"'”“]?(?![\w-])",
                        lambda _, name=name: request.add("documents", name),  # type: ignore[misc]
                    )

    return rule


def _form(request: _Open) -> None:
    def columns(match: re.Match[str]) -> bool | None:
        names = [
            n for n in re.split(r"\s*,\s*(?:and |und )?|\s+(?:and|und)\s+|\s*&\s*", match["names"].strip(" .")) if n
        ]
        known: list[Column] = [w.COLUMNS[n.casefold()] for n in names if n.casefold() in w.COLUMNS]
        if len(known) != len(names):
            return False
        request.form |= {"table": True, "columns": tuple(dict.fromkeys(known))}
        return None

    def order(match: re.Match[str]) -> bool | None:
        if match["by"].casefold() not in w.ORDERS:
            return False
        request.form["order"] = w.ORDERS[match["by"].casefold()]
        return None

    names = "|".join(sorted(map(re.escape, w.COLUMNS), key=len, reverse=True))
    one = rf"(?:the |die |den )?(?:{names})"
    request.take(
        rf"\b(?:with|mit|in)\s+(?:the |den |der )?(?:columns?|spalten?)\s*:?\s*"
        rf"(?P<names>{one}(?:(?:\s*,\s*(?:and |und )?|\s+(?:and|und)\s+){one})*)\b",
        columns,
    )
    request.take(
        r"\b(?:sorted|ordered|grouped|sortiert|geordnet|gruppiert)\s+(?:by|nach)\s+(?:the |der |dem )?(?P<by>\w+)",
        order,
    )
    request.take(
        r"\b(?:as|in|als)\s+(?:an? |one |the |eine[rm]? )?(?:table|tabular form|tabelle)(?: form)?\b|\btabell?ari\w+\b"
        r"|\b(?:a|one|eine) (?:table|tabelle)\b",
        lambda _: request.form.update(table=True),
    )
    request.take(  # these are written in any case
        r"\b(?:as|in|als|im)\s+(?:an? |eine )?(?:csv|json|excel|xlsx|reqif|html|markdown)"
        r"(?:[- ]?(?:files?|format|datei|tabelle|table))?\b",
        lambda _: None,
    )
    request.take(
        r"\b(?:in|auf) (?:german|deutsche?r?)(?: language| sprache)?\b", lambda _: request.form.update(language="de")
    )
    request.take(
        r"\b(?:in|auf) (?:english|englische?r?)(?: language| sprache)?\b", lambda _: request.form.update(language="en")
    )


def _at_most(request: _Open) -> None:
    """How many are wanted: only where the number stands before what is counted, or at the end."""

    def count(match: re.Match[str]) -> bool | None:
        said = match["count"].casefold()
        number = int(said) if said.isdecimal() else w.NUMBERS.get(said, 0)
        if not number:
            return False
        request.found["at_most"] = number
        return None

    request.take(
        r"\b(?:at most|no more than|not more than|up to|a maximum of|maximal|höchstens|nicht mehr als|bis zu|maximum)\s+"
        r"(?P<count>\w+)(?=\s+(?:requirements?|rules?|clauses?|items?|entries|obligations?|duties|prohibitions?|permissions?"
        r"|recommendations?|anforderungen|regeln|pflichten|verbote|empfehlungen|einträge)\b|\s*[.,;]|\s*$)",
        count,
    )


def _pages(request: _Open) -> None:
    def ranges(match: re.Match[str]) -> None:
        numbers = re.split(r"\s*(?:,|\band\b|\bund\b|\bor\b|\boder\b|&)\s*", match["pages"], flags=re.IGNORECASE)
        for part in filter(None, numbers):
            ends = [int(n) for n in re.findall(r"\d+", part)]
            request.add("pages", PageRange(first=max(1, min(ends)), last=max(1, *ends)))

    def first(match: re.Match[str]) -> bool | None:
        said = match["count"].casefold()
        last = int(said) if said.isdecimal() else w.NUMBERS.get(said, 0)
        if not last:
            return False
        request.found["pages"] = (PageRange(first=1, last=last),)
        return None

    span = r"\d+(?:\s*(?:to|through|bis|–|—|-)\s*\d+)?"
    request.take(
        rf"\b(?:pages?|pp?\.|seiten?|s\.)\s*(?P<pages>{span}(?:\s*(?:,|and|und|or|oder|&)\s*{span})*)",
        ranges,
    )
    request.take(r"\b(?:the |den |die )?(?:first|ersten)\s+(?P<count>\w+)\s+(?:pages|seiten)\b", first)
    request.take(
        r"\b(?:the |der )?(?:first|erste[nr]?)\s+(?:page|seite)\b",
        lambda _: request.found.update(pages=(PageRange(first=1, last=1),)),
    )


def _sections(request: _Open) -> None:
    def numbered(match: re.Match[str]) -> None:
        parts = re.split(r"\s*(?:,|\band\b|\bund\b|\bor\b|\boder\b|&)\s*", match["sections"], flags=re.IGNORECASE)
        for part in filter(None, parts):
            ends = re.split(r"\s*(?:\bto\b|\bthrough\b|\bbis\b|–|—|(?<=\d)-(?=\d))\s*", part, flags=re.IGNORECASE)
            if len(ends) == 2 and all(e.isdecimal() for e in ends):
                request.add("sections", *(str(n) for n in range(int(ends[0]), int(ends[1]) + 1)))
            else:
                request.add("sections", *ends)

    number = r"(?:[A-Za-z][.\-]?)?\d+(?:\.\d+)*[a-z]?(?![\w%])"
    span = rf"{number}(?:\s*(?:to|through|bis|–|—|-)\s*{number})?"
    heads = (
        r"(?:sections?|chapters?|clauses?|articles?|parts?|abschnitte?n?s?|kapiteln?s?|artikeln?s?|teile?n?s?|ziffern?"
        r"|§§?|paragra(?:ph|f)s?(?:en)?)"
    )
    joined = r"\s*(?:,|and|und|or|oder|&)\s*(?:sections?|chapters?|abschnitt|kapitel|§)?\s*"
    request.take(rf"(?<!\w){heads}\s*(?P<sections>{span}(?:{joined}{span})*)", numbered)
    request.take(
        rf"(?<!\w){heads}\s*[\"“„'‘](?P<title>[^\"”“'’]+)[\"”“'’]",
        lambda m: request.add("sections", m["title"].strip()),
    )


def _deadline(request: _Open) -> None:
    request.take(
        r"\b(?:with|that (?:name|have|set)|mit|die)\s+(?:an? |eine[rmn]? )?(?:deadlines?|time limits?|frist(?:en)?)"
        r"(?: nennen| setzen| haben)?\b",
        lambda _: request.found.update(with_deadline=True),
    )


def _categories(request: _Open) -> None:
    names = "|".join(w.CATEGORIES)
    request.take(
        rf"\b(?:relevant (?:for|to|für)|relevante?n? für|for|under|für|nach)\s+(?:the |die |der )?(?P<name>{names})\b"
        rf"|\b(?P<bare>{names})-?(?:relevant\w*)?\b",
        lambda m: request.add("categories", w.CATEGORIES[(m["name"] or m["bare"]).casefold()]),
    )


def _modalities(request: _Open) -> None:
    for modality, names in w.MODALITIES:
        joined = rf"\b{w.WITHOUT}\s+(?:the |any |die |den |der )?(?:{names})\b"
        request.take(joined, lambda _, m=modality: request.add("without", m))  # type: ignore[misc]
        request.take(rf"\b(?:{names})\b", lambda _, m=modality: request.add("modalities", m))  # type: ignore[misc]


_PHRASE = r"[\w'’-]+(?: [\w'’-]+){0,3}?"
_STOP = (
    r"(?=\s*(?:,|\.|;|:|$|\b(?:in|from|on|as|with|and|of|aus|auf|als|mit|und|betreffen|binden|nennen|erwähnen|sorted|ordered"
    r"|sortiert|geordnet)\b))"
)
"""Where a name of somebody or something ends."""


def _subjects(request: _Open) -> None:
    """Who must do it, and what it must name: only where the request says so with a verb or in quotes."""
    article = r"(?:the |an? |den |die |der |das |dem )?"
    request.take(
        rf"\b(?:that|which|die) (?:binds?|appl(?:y|ies) to|concerns?|address(?:es)?|(?:is|are) addressed to"
        rf"|(?:is|are) for|an) {article}"
        rf"(?P<party>{_PHRASE})(?: gerichtet sind)?{_STOP}",
        lambda m: request.add("parties", m["party"]),
    )
    request.take(
        rf"\b(?:die|welche) {article}(?P<party>{_PHRASE}) (?:betreffen|binden|verpflichten)\b",
        lambda m: request.add("parties", m["party"]),
    )
    quoted = r"[\"“„'‘](?P<quoted>[^\"”“'’]{2,60})[\"”“'’]"
    verb = (
        r"(?:that|which) (?:mention|name|contain|include|speak)s?(?: of)?|mentioning|naming|about|concerning|regarding"
        r"|zum thema|zu|über"
    )
    request.take(
        rf"\b(?:{verb}) (?:the words? |das wort |die wörter )?{quoted}", lambda m: request.add("words", m["quoted"])
    )
    request.take(
        rf"\b(?:(?:that|which) (?:mention|name)s?|mentioning|about|regarding|zum thema|über) {article}"
        rf"(?P<word>{_PHRASE}){_STOP}",
        lambda m: request.add("words", m["word"]),
    )
    request.take(
        rf"\b(?:die|welche) {article}(?P<word>{_PHRASE}) (?:erwähnen|nennen)\b",
        lambda m: request.add("words", m["word"]),
    )
