"""Inputs like those that tests give a function: varied, and with what all of theirs have in common kept."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from echelon.json_text import is_list, is_object

Value = Any
"""What JSON can say."""


def varied(calls: Sequence[Sequence[Value]], *, most: int = 60, seed: int = 1) -> list[list[Value]]:
    """Up to `most` argument lists made from the `calls` of one function, each another one, none of the calls themselves.

    A position keeps its sign, its order and its distinctness where it has them in every call.
    """
    pick = random.Random(seed)
    known = {json.dumps(list(call)) for call in calls}
    columns = list(zip(*calls, strict=False))
    out: list[list[Value]] = []
    for _ in range(most * 6):
        if not calls or len(out) >= most:
            break
        base = pick.choice(calls)
        changed = pick.randrange(len(base)) if base else 0
        made = [_variant(v, columns[n], pick) if n == changed or pick.random() < 0.2 else v for n, v in enumerate(base)]
        said = json.dumps(made)
        if said not in known:
            known.add(said)
            out.append(made)
    return out


def _variant(value: Value, like: Sequence[Value], pick: random.Random) -> Value:
    """Another value of the same kind; `like` are all values at that position."""
    if isinstance(value, bool) or value is None:
        return pick.choice([v for v in like if v is not None] or [value])
    if isinstance(value, int):
        return _number(value, [v for v in like if isinstance(v, int)], pick)
    if isinstance(value, float):
        return round(value * pick.choice([0.5, 1.5, 2.0]) + pick.choice([0, 0.25]), 6)
    if isinstance(value, str):
        return _text(value, [v for v in like if isinstance(v, str)], pick)
    if is_list(value):
        return _items(value, [v for v in like if is_list(v)], pick)
    if is_object(value) and value:
        key = pick.choice(sorted(value))
        return {**value, key: _variant(value[key], list(value.values()), pick)}
    return value


def _number(value: int, like: Sequence[int], pick: random.Random) -> int:
    made = pick.choice(
        [value + 1, value - 1, value * 2, value // 2, pick.choice(like), pick.randint(min(like), max(like))]
    )
    return made if made >= min(0, *like) and (made > 0 or min(like) <= 0) else value + 1


def _text(value: str, like: Sequence[str], pick: random.Random) -> str:
    letters = sorted({c for text in like for c in text}) or ["a"]
    at = pick.randrange(len(value) + 1)
    return pick.choice([
        value[:at] + pick.choice(letters) + value[at:], value[:at] + value[at + 1 :], value[::-1], value[at:] + value[:at],
        "".join(pick.choice(letters) for _ in range(pick.randint(1, len(value) + 2))),
    ])  # fmt: skip


def _items(value: list[Value], like: Sequence[list[Value]], pick: random.Random) -> list[Value]:
    inner = [item for one in like for item in one] or [0]
    at = pick.randrange(len(value) + 1)
    made = [*value]
    match pick.randrange(4):
        case 0:
            made.insert(at, pick.choice(inner))
        case 1 if len(made) > 1:
            made.pop(min(at, len(made) - 1))
        case 2 if made:
            n = min(at, len(made) - 1)
            made[n] = _variant(made[n], inner, pick)
        case _:
            made = [pick.choice(inner) for _ in range(pick.randint(1, len(value) + 2))]
    return _as_like(made, like)


def _as_like(made: list[Value], like: Sequence[list[Value]]) -> list[Value]:
    """Sorted, or without repetitions, where every list of that position is."""
    if all(_is_distinct(one) for one in like):
        made = [v for n, v in enumerate(made) if v not in made[:n]]
    numbers = all(isinstance(v, int | float) for one in (*like, made) for v in one)
    texts = all(isinstance(v, str) for one in (*like, made) for v in one)
    is_sorted = (numbers or texts) and any(len(one) > 1 for one in like) and all(one == sorted(one) for one in like)
    return sorted(made) if is_sorted else made


def _is_distinct(one: list[Value]) -> bool:
    said = [json.dumps(v) for v in one]
    return len(set(said)) == len(said)
