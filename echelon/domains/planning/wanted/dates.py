"""Days that a text names: 2026-06-30, 30.06.2026, 30 June, June 30th, 30. Juni 2026, end of May, 9 to 20 March."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date

_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january januar jan", "february februar feb", "march märz mar", "april apr", "may mai", "june juni jun",
         "july juli jul", "august aug", "september sept sep", "october oktober oct okt", "november nov",
         "december dezember dec dez"), 1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = re.compile(
    rf"\b(?P<y1>\d{{4}})-(?P<m1>\d\d)-(?P<d1>\d\d)\b|\b(?P<d2>\d{{1,2}})\.\s?(?P<m2>\d{{1,2}})\.(?P<y2>\d{{4}})\b"
    rf"|\b(?:(?P<from>\d{{1,2}})(?:st|nd|rd|th|\.)?\s*(?:-|–|to|bis|until|and|und)\s*)?(?P<d3>\d{{1,2}})(?:st|nd|rd|th|\.)?"
    rf"\s+(?:of\s+)?(?P<m3>{_MONTH})\b(?:,?\s+(?P<y3>\d{{4}})\b)?"
    rf"|\b(?P<m4>{_MONTH})\s+(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*(?:hours?|days?|weeks?))(?:,?\s+(?P<y4>\d{{4}})\b)?"
    rf"|\b(?:(?P<end>end of|ende)\s+)?(?P<m5>{_MONTH})\b(?:\s+(?P<y5>\d{{4}})\b)?",
    re.IGNORECASE,
)
_MONTH_IS_MEANT = re.compile(
    r"\b(?:in|by|before|until|till|from|since|not before|during|of|im|bis|ab|seit|vor|anfang|mitte)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_TO = re.compile(r"\s*(?:to|until|till|through|-|–|bis(?: zum)?)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Named:
    """Days that a text names, first and last included, and where: `begin` and `end` in characters."""

    first: date
    last: date
    begin: int
    end: int
    is_month: bool = False


def days_in(text: str, today: date) -> list[Named]:
    """The days that a text names, in order. Without a year the next such day from `today` on is meant."""
    found: list[Named] = []
    for match in _DAY.finditer(text):
        named = _named(match, text, today)
        if named is None:
            continue
        before = found[-1] if found else None
        if before is not None and _TO.fullmatch(text[before.end : named.begin]) and before.first <= named.last:
            found[-1] = Named(before.first, named.last, before.begin, named.end)
        else:
            found.append(named)
    return found


def _named(match: re.Match[str], text: str, today: date) -> Named | None:
    of = match.groupdict()
    if of["m5"] is not None:
        return _month(match, text, today)
    number = next(n for n in "1234" if of[f"d{n}"] is not None)
    said = of[f"m{number}"] or ""
    month = _MONTHS.get(said.lower()) or int(said)
    year = int(of[f"y{number}"]) if of.get(f"y{number}") else None
    last = _next(month, int(of[f"d{number}"] or 0), year, today)
    first = _next(month, int(of["from"]), last.year, today) if last and of["from"] else last
    return Named(first, last, match.start(), match.end()) if first is not None and last is not None else None


def _month(match: re.Match[str], text: str, today: date) -> Named | None:
    """A whole month, where a month is meant: 'may' is a word, too."""
    is_meant = (
        match["end"] or match["y5"] or (_MONTH_IS_MEANT.search(text[: match.start()]) and match["m5"][0].isupper())
    )
    if not is_meant:
        return None
    month, year = _MONTHS[match["m5"].lower()], int(match["y5"]) if match["y5"] else None
    first = _next(month, 1, year, date(today.year, today.month, 1))
    if first is None:
        return None
    last = date(first.year, month, calendar.monthrange(first.year, month)[1])
    return Named(last if match["end"] else first, last, match.start(), match.end(), is_month=True)


def _next(month: int, day: int, year: int | None, today: date) -> date | None:
    try:
        if year is not None:
            return date(year, month, day)
        here = date(today.year, month, day)
        return here if here >= today else date(today.year + 1, month, day)
    except ValueError:
        return None
