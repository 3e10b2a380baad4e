"""What the map keeps of one file."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

FORMAT = 1
"""Raised when the shape below or the way of reading changes: older entries are then read again."""

Terms = dict[str, int]
"""A bag of words: term to count."""


class SymbolKind(StrEnum):
    FUNCTION = "function"
    CLASS = "class"
    TYPE = "type"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition in a file. Lines count from 1 and include both ends."""

    name: str
    """Qualified within the file: `Session.send`."""
    kind: SymbolKind
    first: int
    last: int
    signature: str = ""

    @property
    def plain(self) -> str:
        """The name without what encloses it."""
        return self.name.rpartition(".")[2]


@dataclass(slots=True)
class FileFacts:
    """One file as the map sees it."""

    terms: Terms = field(default_factory=dict)
    symbols: list[Symbol] = field(default_factory=list)
    bodies: list[Terms] = field(default_factory=list)
    """For each symbol the terms of its body; of a class its name and docstring only."""
    defines: list[str] = field(default_factory=list)
    """Plain names that the file gives a meaning to: functions, classes, variables."""
    imports: list[str] = field(default_factory=list)
    """Modules, as written; relative ones begin with dots."""
    strings: Terms = field(default_factory=dict)
    """Terms of short string literals: messages, options, keys."""
    parsed: bool = True
    """False where the file has no valid syntax and was read by patterns."""


def pack(facts: FileFacts) -> bytes:
    """Bytes for storing."""
    return zlib.compress(json.dumps(asdict(facts), separators=(",", ":")).encode(), 1)


def unpack(data: bytes) -> FileFacts:
    """The inverse of `pack`."""
    raw: dict[str, Any] = json.loads(zlib.decompress(data))
    symbols: list[dict[str, Any]] = raw.pop("symbols")
    for symbol in symbols:
        symbol["kind"] = SymbolKind(symbol["kind"])
    return FileFacts(symbols=[Symbol(**symbol) for symbol in symbols], **raw)
