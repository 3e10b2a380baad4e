"""Stable names for values."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def digest(value: Any) -> str:
    """SHA-256 over the canonical JSON of a value, as 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False, default=str).encode()).hexdigest()


def folded(text: str) -> str:
    """`text` in small letters with single spaces: what differs in these only has the same fingerprint."""
    return " ".join(text.lower().split())
