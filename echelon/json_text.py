"""JSON that a stranger wrote, read without a surprise.

`json.loads` raises RecursionError for what is nested deeply (at a depth that depends on who calls it), fails on whole
numbers of some thousand digits, and lets pass what no file and no other reader takes: NaN, infinite numbers, half
characters. `read_json` refuses with one ValueError and a sentence; half characters become question marks.
`is_object`, `is_list` and `is_sequence` look at what came out, one level at a time.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any, NoReturn, TypeGuard

DEEPEST = 64
"""Levels of lists and objects in each other."""
MOST_DIGITS = 100
"""Digits of a whole number."""
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)


def read_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError with the middle of a sentence: 'the arguments are ...'."""
    if _depth(text) > DEEPEST:
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    try:
        value = json.loads(text, parse_int=_whole, parse_float=_finite, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON ({error.msg} at character {error.pos})") from error
    return writable(value)


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether this is a JSON object (or what YAML or a driver gives for one); what is in it is still to be looked at."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether this is a JSON list; what is in it is still to be looked at."""
    return isinstance(value, list)


def is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether this is a list or a tuple."""
    return isinstance(value, list | tuple)


def writable(value: Any) -> Any:
    """JSON data with half characters (lone surrogates), which no file can hold, as question marks."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if is_list(value):
        return [writable(v) for v in value]
    return {writable(k): writable(v) for k, v in value.items()} if is_object(value) else value


def _depth(text: str) -> int:
    """The deepest level; counted without recursion, and brackets in strings do not count."""
    depth = deepest = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        first = match[0][0]
        if first in "[{":
            depth += 1
            deepest = max(deepest, depth)
            if deepest > DEEPEST:
                break
        elif first in "]}":
            depth -= 1
    return deepest


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"not usable: a whole number in them has more than {MOST_DIGITS} digits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("not usable: a number in them is too large")
    return number


def _constant(name: str) -> NoReturn:
    raise ValueError(f"not valid JSON ({name} is no number)")
