"""Amounts without a unit in a sentence: times of day ("18:00", "6 pm", "20 Uhr") and counts ("three reviewers")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from echelon.domains.likeness.words import STOPWORDS, without_ending
from echelon.domains.requirements.conflicts.quantities import NUMBER_WORDS, Quantity, bound_before

TIME_OF_DAY = "time of day"
COUNT = "count of "
_CLOCK = re.compile(
    r"(?<![\w:.,])(?:(?P<hour>[01]?\d|2[0-4])(?P<minute>[:.][0-5]\d)?\s*(?P<unit>[ap]\.?m\b\.?|uhr\b|o'clock\b|hrs?\b)"
    r"|(?P<bare>[01]?\d|2[0-4]):(?P<bare_minute>[0-5]\d)(?![\d:])|(?P<word>noon|midnight|mitternacht)\b)",
    re.I,
)
_WORD_TIMES = {"noon": 720, "midnight": 1440, "mitternacht": 1440}
_EARLIEST = re.compile(
    r"(?:after|from|not\s+before|no\s+earlier\s+than|since|ab|nach|frühestens(?:\s+um)?|von)\W+$", re.I
)
_LATEST = re.compile(
    r"(?:before|by|until|till|to|no\s+later\s+than|not\s+later\s+than|bis|vor|spätestens(?:\s+(?:um|bis))?)\W+$", re.I
)
# English "one" counts; German "ein" is mostly an article.
_COUNT_WORDS = {word: value for word, value in NUMBER_WORDS.items() if not word.startswith("ein")}
_COUNT = re.compile(
    r"(?<![\w.,:/-])(?P<number>\d{1,4}|"
    + "|".join(sorted(_COUNT_WORDS, key=len)[::-1])
    + r")\s+(?P<noun>[^\W\d_]{3,})",
    re.I,
)
# A number after one of these, or after a name, is a label ("section 4", "Level 2"), after "the" it tells what is known.
_LABELLED = re.compile(
    r"(?:\b(?i:sections?|levels?|versions?|class|types?|parts?|chapters?|annex|figures?|tables?|steps?|phases?|stages?|tiers?|categor(?:y|ies)"
    r"|no\.?|numbers?|rules?|articles?|clauses?|paragraphs?|lots?|rooms?|gates?|zones?|lines?|items?|points?|pages?|release|grade|group"
    r"|abschnitt|kapitel|stufe|klasse|typ|teil|schritt|phase|nr\.?|absatz|satz|artikel|ziffer|punkt|seite|anlage|raum|zone|following|folgenden?|the|these|those|der|die|den|diese)"
    r"|\b(?!(?:All|At|Each|Every|Over|Only|Least|Than|Up|To|Mindestens|Höchstens|Maximal|Alle|Je|Jeweils)\b)[A-ZÄÖÜ][\w-]*)\s+$"
)
_YEARS = range(1900, 2101)


def times_of_day(text: str) -> Iterator[Quantity]:
    """The times of day in a text, in minutes from midnight; "before" and "by" are upper bounds, "after" and "from" lower."""
    for match in _CLOCK.finditer(text):
        before = text[max(0, match.start() - 30) : match.start()]
        bound = "most" if _LATEST.search(before) else "least" if _EARLIEST.search(before) else ""
        yield Quantity(TIME_OF_DAY, _minutes(match), bound, match.group(), match.start(), match.end())


def counts(text: str, taken: list[Quantity]) -> Iterator[Quantity]:
    """The numbers before a noun that are no amount with a unit (`taken`), no label and no year; the dimension is the noun.

    Their place is that of the number alone, so that the noun stays a word of the sentence.
    """
    for match in _COUNT.finditer(text):
        number, noun = match["number"].lower(), match["noun"]
        value = float(_COUNT_WORDS[number]) if number in _COUNT_WORDS else float(number)
        overlaps = any(other.start < match.end("number") and match.start() < other.end for other in taken)
        if overlaps or noun.lower() in STOPWORDS or (len(number) == 4 and int(value) in _YEARS):
            continue
        if _LABELLED.search(text[max(0, match.start() - 40) : match.start()]):
            continue
        bound = bound_before(text, match.start())
        yield Quantity(
            f"{COUNT}{without_ending(noun.lower())}", value, bound, match.group(), match.start(), match.end("number")
        )


def _minutes(match: re.Match[str]) -> float:
    if match["word"]:
        return float(_WORD_TIMES[match["word"].lower()])
    hour = int(match["hour"] or match["bare"])
    minute = int((match["minute"] or "").strip(":.") or match["bare_minute"] or 0)
    half = (match["unit"] or "").lower().replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    return float(60 * hour + minute)
