"""Words of code and of prose about code: names, taken apart at underscores and capitals."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable

NAME = re.compile(r"[^\W\d]\w*")
_JOINT = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_COMMON = """
a about after all also am an and any are as at be because been before being but by can cannot could did do does doing
else even for from get had has have having here how i if in into is it its just like me my no not now of off on only or
other our out over same should so some such than that the their them then there these they this those to too under up
us use used using very was we were what when where which while who why will with would yes you your
class def false file import line none python return self true version
"""
COMMON = frozenset(_COMMON.split())
"""Words that say nothing about where something is."""


@functools.lru_cache(maxsize=1 << 17)
def terms_of(name: str) -> tuple[str, ...]:
    """The terms of one name: the whole of it and its parts, in small letters, without common words."""
    whole = name.lower()
    parts = [part.lower() for part in _JOINT.split(name) if part]
    kept = [whole] if len(whole) > 1 and whole not in COMMON else []
    return (*kept, *(part for part in parts if part != whole and len(part) > 1 and part not in COMMON))


def count_terms(names: Iterable[str]) -> dict[str, int]:
    """How often each term comes in `names`."""
    out: dict[str, int] = {}
    for name, times in Counter(names).items():
        for term in terms_of(name):
            out[term] = out.get(term, 0) + times
    return out


def terms(text: str) -> dict[str, int]:
    """How often each term comes in `text`."""
    return count_terms(NAME.findall(text))
