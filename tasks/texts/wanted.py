"""What a request says of its result in plain words: language, number, length, format, quotations. Is a result so?

Only what is said in plain words is held, and only where no reading of the result could be right: all else is for a role.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import PurePosixPath

from echelon.domains.documents.language import detect_language
from echelon.tasks.texts.absence import claims_none
from echelon.tasks.texts.disguise import plain
from echelon.tasks.texts.marks import PAGES, PROSE, ROW, RULE, is_heading
from echelon.tasks.texts.repetition import pieces, same_words
from echelon.tasks.texts.shapes import items_of

LEAST_WORDS = 20
"""Words of a text from which its language is told."""
SLACK = 1.1
"""Words may be counted differently; a text is too long only beyond this."""
LEAST_QUOTED = 4
"""Words of a quotation from which it is looked up."""
_CODES = {"german": "de", "deutsch": "de", "deutsche": "de", "english": "en", "englisch": "en", "englische": "en"}
_NAMES = {"de": "German", "en": "English"}
_LANGUAGE = re.compile(
    r"(?P<before>\b\w+\s+)?\b(?P<how>in|into|auf|ins)\s+(?:the )?(?P<language>german|deutsche?|english|englische?)\b"
    r"(?=\s*(?:$|[.,;:!?\n)]|(?:and|or|as|into|to|with|each|in|for|by|und|als|mit|nach)\b))",
    re.IGNORECASE,
)
_IS_SO = re.compile(
    r"^(?:is|are|was|were|be|written|given|stated|provided|available|comes?|ist|sind|not|nicht)\s", re.IGNORECASE
)
_NUMBERS = {
    word: n
    for words in (
        "two three four five six seven eight nine ten eleven twelve",
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    )
    for n, word in enumerate(words.split(), 2)
}
_ASKED = re.compile(
    r"(?:^|[.!?;:,\n]\s*|\b(?:and|then|please|und|bitte)\s+)(?:list|name|enumerate|give|find|propose|suggest|collect|nenne|liste"
    r"|finde|sammle)\s+(?:(?:me|us|mir|uns|all|the|exactly|at least|alle|die|genau|mindestens)\s+){0,3}"
    rf"(?P<number>\d{{1,3}}|{'|'.join(_NUMBERS)})\s+(?P<what>[^\W\d_]+)",
    re.IGNORECASE,
)
_NOT_COUNTED = re.compile(
    r"^(?:words?|characters?|letters?|lines?|pages?|sentences?|paragraphs?|minutes?|hours?|days?|weeks?|months?|years?|percent"
    r"|columns?|files?|documents?|tables?|lists?|reports?|versions?|parts?|sections?|times|levels?|stars?|wörter|worte?|zeichen"
    r"|zeilen?|seiten?|sätze|spalten?|dateien?|tabellen?|listen?|tage?|jahre?|prozent)$",
    re.IGNORECASE,
)
_FEWER = re.compile(
    r"\b(?:only|just|no (?:more|other|further)|fewer|nur|lediglich|weniger|keine (?:weiteren|anderen))\b", re.IGNORECASE
)
_LIMIT = re.compile(
    r"\b(?:at most|no more than|not more than|up to|a maximum of|maximum|max\.?|höchstens|maximal|nicht mehr als)\s+"
    r"(?P<number>\d{1,5})\s+(?P<unit>words?|lines?|characters?|wörtern?|worte?n?|zeilen?|zeichen)\b",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"(?:^|[.!?;:,\n]\s*|\b(?:and|then|please)\s+)(?:list|write|make|give|show|put|produce|return|deliver|compile|collect|create"
    r"|present|summari[sz]e|extract)\b(?P<between>[^.!?;\n]{0,160}?)"
    r"\bas an? (?:(?:markdown|plain|simple|single|short) )?table\b"
    r"|\b(?:liste|schreibe?|erstelle|mache?|gib|zeige?)\b(?P<dazwischen>[^.!?;\n]{0,160}?)\bals tabelle\b",
    re.IGNORECASE,
)
_TABLE = re.compile(
    r"(?:^|[.!?;:,\n]\s*|\b(?:and|then|please|und|bitte)\s+)"
    r"(?:(?:make|create|write|produce|give|prepare|compile|build|draw(?: up)?|put together)\s+(?:me\s+|us\s+)?an?\s+"
    r"(?:(?:markdown|plain|simple|single|short|small|clear|comparison|summary)\s+){0,2}table"
    r"|(?:erstelle?|mache?|schreibe?|gib)\s+(?:mir\s+|uns\s+)?eine\s+(?:(?:kurze|einfache|kleine)\s+)?tabelle)"
    r"(?=\s*(?:$|[.,;:!?\n(]|(?:of(?! contents)|with|that|which|from|listing|showing|comparing|mit|aus|von|der)\b))",
    re.IGNORECASE,
)
_GIVEN_SO = re.compile(r"\b(?:not|nicht|\w+ed|given|kept|is|are|was|were|that|which)\s*$", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“„»](?P<said>[^\"“”„»«]{12,})[\"”“«]")
_QUOTING = re.compile(
    r"\b(?:quote|cite)\b[^.!?]{0,120}\b(?:word for word|verbatim|exactly|literally)\b"
    r"|\bzitiere?n?\b[^.!?]{0,120}\b(?:wörtlich|wortgetreu)\b|\bverbatim quot\w+|\bwörtliche\w* zitat\w*",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"\bwhat (?:(?:is|are|stays?|remains?) (?:the )?(?:same|identical|unchanged|common)|[^.!?\n]{1,40}\bhave in common)\b"
    r"|\b(?:commonalities|similarities)\b"
    r"|\bwas (?:[^.!?\n]{1,40} )?(?:gleich|gemeinsam) (?:ist|sind|bleibt|haben)\b|\bgemeinsamkeiten\b",
    re.IGNORECASE,
)
_DIFFERENT = re.compile(
    r"\b(?:differ\w*|distinct\w*|chang\w+|only|not|unterschied\w*|unterscheide\w*|änder\w*|nur|nicht|anders)\b",
    re.IGNORECASE,
)
_DIFFERS = re.compile(
    r"\bwhat (?:differs|is different|changes|changed|(?:has|will|would) changed?)\b|\bdifferences\b|\bunterschiede\b"
    r"|\bwas sich (?:[^.!?\n]{1,40} )?(?:unterscheidet|ändert|geändert hat)\b",
    re.IGNORECASE,
)
_ALIKE = re.compile(
    r"\b(?:same|unchanged|alike|common|identical|both|stays?|remains?|still|no change\w*|not change|equal\w*|gleich\w*"
    r"|gemeinsam\w*|unverändert|bleib\w*|weiterhin|beide\w*)\b",
    re.IGNORECASE,
)
SHORT = 400
"""Words of all inputs up to which nobody quotes what stands around a difference"""
LEAST_SAME = 3
"""Words of a line from which it says something of its own."""
_LEFT_OUT = re.compile(r"\[[^\]]*\]|\(?(?:…|\.{3})\)?")
ROWS = "write its rows as lines such as | a | b |"
"""How a text has a table"""
_TABLES = (".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".docx", ".pdf", ".odt", ".tex", ".xml")
"""Formats of results that may hold a table which code does not see."""
_FORMATS = (PROSE, PAGES, (".yaml", ".yml"))
"""Formats that stand for each other."""


def unlike(request: str, texts: Mapping[str, str], there: Iterable[str], inputs: Iterable[str]) -> str:
    """What of the form that a request asks for all results together do not have, in a sentence; '' where code sees nothing.

    `texts` are the results that are texts, by path; `there` the paths of all results.
    """
    seen = {path: plain(text) for path, text in texts.items()}
    return (
        _in_another_language(request, seen)
        or _too_few(request, seen, there)
        or _too_long(request, seen, there)
        or _without_table(request, seen, there)
        or _misquoted(request, seen, inputs)
        or _miscompared(request, seen, inputs)
    )


def in_another_format(named: Iterable[str], there: Iterable[str]) -> str:
    """A file that a request names, of which there is only one with another ending; '' where each has its own."""
    paths = [PurePosixPath(p.lower()) for p in there]
    for name in named:
        path = PurePosixPath(name.lower())
        same = [p.suffix for p in paths if p.stem == path.stem]
        if same and not any(_is_same_format(suffix, path.suffix) for suffix in same):
            return name
    return ""


def _is_same_format(one: str, other: str) -> bool:
    return one == other or any(one in group and other in group for group in _FORMATS)


def table_asked(request: str) -> bool:
    """Whether a request asks for its result as a table."""
    asked = (m["between"] or m["dazwischen"] or "" for m in _FORM.finditer(request))
    return any(not _GIVEN_SO.search(between) for between in asked) or _TABLE.search(request) is not None


def language_asked(request: str) -> str:
    """The language that a result is asked for in, by its code; '' where a request says none, or more than one."""
    found = [m for m in _LANGUAGE.finditer(request) if not _IS_SO.match(m["before"] or "")]
    into = [m for m in found if m["how"].lower() in ("into", "ins")]
    asked = {_CODES[m["language"].lower()] for m in into or found}
    return asked.pop() if len(asked) == 1 else ""


def _in_another_language(request: str, texts: Mapping[str, str]) -> str:
    asked = language_asked(request)
    own = {path: _own_words(text) for path, text in texts.items() if PurePosixPath(path.lower()).suffix in PROSE}
    told = {path: detect_language(words) for path, words in own.items() if len(words.split()) >= LEAST_WORDS}
    if not asked or not told or any(code not in _NAMES or code == asked for code in told.values()):
        return ""
    path, code = next(iter(told.items()))
    return f"'{path}' is in {_NAMES[code]}, and {_NAMES[asked]} was asked for"


def _own_words(text: str) -> str:
    """A text without what it quotes."""
    return _QUOTED.sub(" ", "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">")))


def _too_few(request: str, texts: Mapping[str, str], there: Iterable[str]) -> str:
    for match in _ASKED.finditer(request):
        if _NOT_COUNTED.match(match["what"]) or set(there) - set(texts) or any(map(_says_fewer, texts, texts.values())):
            continue
        said = match["number"].lower()
        number = _NUMBERS.get(said) or int(said)
        count = sum(_most(path, text) for path, text in texts.items())
        if count < number:
            return f"the results have {count} items at most, and {number} {match['what']} were asked for"
    return ""


def _says_fewer(path: str, text: str) -> bool:
    """Whether a result says itself that there are not as many: whether that is so, a role has to judge."""
    return claims_none(path, text) or _FEWER.search(text) is not None


def _most(path: str, text: str) -> int:
    """The most items that a text has in any way of counting: items, lines, sentences, pieces between commas."""
    lines = [line for line in text.splitlines() if line.strip() and not is_heading(line) and not RULE.match(line)]
    said = "\n".join(lines)
    pieces = [
        p for p in re.split(r"[,;\n|•]|(?<=[.!?])\s|\b(?:and|or|und|oder)\b", said) if any(c.isalnum() for c in p)
    ]
    try:
        return max(len(items_of(path, text)), len(pieces))
    except ValueError:
        return len(pieces)


def _too_long(request: str, texts: Mapping[str, str], there: Iterable[str]) -> str:
    found = list(_LIMIT.finditer(request))
    if len(found) != 1 or len(texts) != 1 or set(there) - set(texts) or "each" in request.lower():
        return ""
    number, unit = int(found[0]["number"]), found[0]["unit"].lower()
    ((path, text),) = texts.items()
    lines = [line for line in text.splitlines() if line.strip() and not is_heading(line)]
    words = sum(any(c.isalnum() for c in word) for line in lines for word in line.split())
    count = {"l": len(lines), "c": len("\n".join(lines))}.get(unit[0], words)
    if unit.startswith("z"):
        count = len(lines) if unit.startswith("zeile") else len("\n".join(lines))
    return f"'{path}' has {count} {unit} where at most {number} were asked for" if count > SLACK * number else ""


def _without_table(request: str, texts: Mapping[str, str], there: Iterable[str]) -> str:
    if (
        not table_asked(request)
        or any(PurePosixPath(p.lower()).suffix in _TABLES for p in there)
        or any(map(_has_table, texts.values()))
    ):
        return ""
    return f"'{next(iter(texts))}' has no table, which was asked for; {ROWS}" if texts else ""


def _has_table(text: str) -> bool:
    lines = text.splitlines()
    rows = sum(ROW.match(line) is not None or line.count("|") > 1 or line.count("\t") > 0 for line in lines)
    return rows > 1 or "<table" in text.lower() or "|===" in text or sum(line.count("  ") > 1 for line in lines) > 1


def _misquoted(request: str, texts: Mapping[str, str], inputs: Iterable[str]) -> str:
    if not _QUOTING.search(request) or language_asked(request):
        return ""
    given = [_letters(text) for text in inputs]
    for path, text in texts.items():
        for quote in quotations(text):
            pieces = [p for p in map(_letters, _LEFT_OUT.split(quote)) if p]
            if len(quote.split()) >= LEAST_QUOTED and not all(any(p in g for g in given) for p in pieces):
                return f"'{path}' quotes what stands in no input: {quote[:80]}"
    return ""


class Comparison(Enum):
    """What a request wants to know of several inputs."""

    SAME = "what is the same"
    DIFFERS = "what differs"


def comparison_asked(request: str) -> Comparison | None:
    """Which of the two a request asks for in plain words; None where it asks for neither, or for both."""
    asked = [c for c, words in ((Comparison.SAME, _SAME), (Comparison.DIFFERS, _DIFFERS)) if words.search(request)]
    return asked[0] if len(asked) == 1 else None


def says_it_stays(text: str) -> bool:
    """Whether a text says of something that it is the same, or stays as it was."""
    return _ALIKE.search(text) is not None


def _miscompared(request: str, texts: Mapping[str, str], inputs: Iterable[str]) -> str:
    """A line or sentence of one input alone that is said to be the same in all, or a line of all that is said to differ. A
    result that speaks of both is for a role, and so is what long inputs may be quoted for."""
    inputs = list(inputs)
    given = [set(map(same_words, pieces(text))) for text in inputs]
    is_short = sum(len(text.split()) for text in inputs) <= SHORT
    asked = comparison_asked(request)
    if len(given) < 2 or not asked:
        return ""
    of_same = asked is Comparison.SAME
    if not of_same and not is_short:
        return ""
    for path, text in texts.items():
        if _DIFFERENT.search(text) if of_same else says_it_stays(text):
            continue
        lines = [line for line in text.splitlines() if not is_heading(line)]
        units = pieces("\n".join(lines)) if of_same else lines  # a note may say in a line what goes with a change
        for unit in units:
            found = sum(same_words(unit) in stated for stated in given)
            if not found or len(unit.split()) <= LEAST_SAME:
                continue
            if of_same and found < len(given):
                return f"'{path}' says of what stands in one input only that it is the same: {unit.strip()[:80]}"
            if not of_same and found == len(given):
                return f"'{path}' says of what stands in all inputs that it differs; leave it out: {unit.strip()[:80]}"
    return ""


def quotations(text: str) -> list[str]:
    """What a text puts between quotation marks, and the lines of its block quotations."""
    blocks = [line.strip().lstrip("> ").strip('"“”„»«') for line in text.splitlines() if line.lstrip().startswith(">")]
    rest = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))
    return [q for q in [*blocks, *(m["said"] for m in _QUOTED.finditer(rest))] if q]


def _letters(text: str) -> str:
    """The letters and digits of a text, in small letters: its line breaks and marks make no difference."""
    return "".join(c for c in plain(text).casefold() if c.isalnum())
