"""Stable names for values."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

LEAST_IN_COMMON = 4
"""Letters that two forms of a word have in common at least"""


def digest(value: Any) -> str:
    """SHA-256 over the canonical JSON of a value, as 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False, default=str).encode()).hexdigest()


def folded(text: str) -> str:
    """`text` in small letters with single spaces: what differs in these only has the same fingerprint."""
    return " ".join(text.lower().split())


def terms(text: str) -> set[str]:
    """What a text names: its words of at least four letters, in small letters, and its figures ("10:00", "12.50")."""
    return set(re.findall(r"[^\W\d_]{4,}|\d+(?:[.,:]\d+)*", folded(text)))


def are_akin(one: str, other: str) -> bool:
    """Whether two words are the same in another form: shop and shopping, cupboard and cupboards, Küchenboden and Boden."""
    short, long = sorted((one, other), key=len)
    if len(short) >= LEAST_IN_COMMON and short in long:
        return True
    same = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return same >= min(LEAST_IN_COMMON, len(short)) and same >= 0.6 * len(short) and same >= 0.5 * len(long)
