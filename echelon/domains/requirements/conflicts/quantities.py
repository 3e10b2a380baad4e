"""Amounts with units in a sentence ("72 hours", "zehn Jahre", "5 %"), in one unit of each dimension."""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "twelve": 12, "fourteen": 14, "fifteen": 15, "twenty": 20, "thirty": 30,
    "ein": 1, "eine": 1, "einem": 1, "einer": 1, "einen": 1, "eines": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5,
    "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwölf": 12, "vierzehn": 14, "zwanzig": 20,
    "dreißig": 30,
}  # fmt: skip
# Dimension, size in its unit, and how the unit is written. Working days are days of another kind.
_UNITS: tuple[tuple[str, float, str], ...] = (
    ("time", 1, r"s|secs?|seconds?|sekunden?"),
    ("time", 60, r"min|minutes?|minuten?"),
    ("time", 3600, r"h|hrs?|hours?|stunden?"),
    ("working days", 1, r"(?:working|business)\s+days?|werktage?n?|arbeitstage?n?"),
    ("time", 86400, r"(?:calendar\s+)?days?|tage?n?|kalendertage?n?"),
    ("time", 604800, r"weeks?|wochen?"),
    ("months", 1, r"months?|monate?n?"),
    ("months", 12, r"years?|jahre?n?"),
    ("share", 1, r"%|percent|per\s+cent|prozent"),
    ("bytes", 1e6, r"mb|mbytes?|megabytes?"),
    ("bytes", 1e9, r"gb|gbytes?|gigabytes?"),
    ("bits", 1, r"bits?"),
    ("characters", 1, r"characters?|zeichen"),
    ("length", 0.001, r"mm|millimet(?:er|re)s?"),
    ("length", 0.01, r"cm|centimet(?:er|re)s?|zentimeter"),
    ("length", 1, r"m|met(?:er|re)s?|metern?"),
    ("degrees", 1, r"°\s?c|degrees(?:\s+celsius)?|grad(?:\s+celsius)?"),
    ("persons", 1, r"persons?|people|personen"),
    ("attempts", 1, r"(?:failed\s+)?(?:attempts?|tries)|(?:fehl)?versuche?n?"),
    ("money", 1, r"€|eur|euros?"),
)
_NUMBER = (
    r"(?<![\w.,])(?P<number>\d{1,3}(?:[., ]\d{3})+|\d+(?:[.,]\d+)?|"
    + "|".join(sorted(NUMBER_WORDS, key=len)[::-1])
    + r")"
)
_QUANTITY = re.compile(
    rf"{_NUMBER}(?:\s*|-)(?:(?:full|whole|consecutive|volle[nrs]?|ganze[nrs]?)\s+)?(?:"
    + "|".join(f"(?P<u{at}>{pattern})" for at, (_, _, pattern) in enumerate(_UNITS))
    + r")(?![\w°%])",
    re.I,
)
_LEAST = re.compile(
    r"(?:at\s+least|no\s+(?:less|fewer)\s+than|not\s+less\s+than|minimum(?:\s+of)?|more\s+than|longer\s+than|mindestens|wenigstens|mehr\s+als|länger\s+als)\W+$",
    re.I,
)
_MOST = re.compile(
    r"(?:at\s+most|no\s+(?:more|longer|later)\s+than|not\s+(?:more|longer|later)\s+than|maximum(?:\s+of)?|within|up\s+to|less\s+than|höchstens|maximal|binnen|innerhalb(?:\s+von)?|spätestens(?:\s+nach)?|nicht\s+(?:mehr|länger)\s+als|weniger\s+als|bis\s+zu)\W+(?:the\s+(?:first|next)\s+)?$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount. `value` is in the unit of its dimension (seconds, months, bytes ...); `bound` is `least`, `most`, or
    empty; `words` as written, at `start` to `end` of the text."""

    dimension: str
    value: float
    bound: str
    words: str
    start: int
    end: int


def quantities(text: str) -> list[Quantity]:
    """The amounts in a text, in order."""
    return [found for match in _QUANTITY.finditer(text) if (found := _read(match, text)) is not None]


def excludes(left: Quantity, right: Quantity) -> bool:
    """Whether two amounts of one dimension cannot both be what is asked for: they differ, are not a lower and an upper
    bound that leave room between them, and the one is no bound that the other keeps to ("two", "at least one")."""
    if left.dimension != right.dimension or left.value == right.value:
        return False
    for exact, limit in ((left, right), (right, left)):
        if not exact.bound and limit.bound:
            return exact.value < limit.value if limit.bound == "least" else exact.value > limit.value
    if {left.bound, right.bound} == {"least", "most"}:
        least, most = (left, right) if left.bound == "least" else (right, left)
        return least.value > most.value
    return True


def _read(match: re.Match[str], text: str) -> Quantity | None:
    unit = next(at for at in range(len(_UNITS)) if match[f"u{at}"] is not None)
    dimension, size, _ = _UNITS[unit]
    bound = bound_before(text, match.start())
    value = _value(match["number"])
    return Quantity(dimension, round(value * size, 6), bound, match.group(), match.start(), match.end())


def bound_before(text: str, at: int) -> str:
    """`least` or `most` where the words before offset `at` make the number there a bound, else empty."""
    before = text[max(0, at - 40) : at]
    return "most" if _MOST.search(before) else "least" if _LEAST.search(before) else ""


def _value(number: str) -> float:
    if number.lower() in NUMBER_WORDS:
        return float(NUMBER_WORDS[number.lower()])
    if re.fullmatch(r"\d{1,3}(?:[., ]\d{3})+", number):
        return float(re.sub(r"\D", "", number))
    return float(number.replace(",", "."))
