"""Identifiers in brackets that stand after what they name ("Each bed shall have a lamp. [NT-SLP-1]")."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from echelon.domains.requirements.structure.blocks import Block

LEAST = 3
_TRAILING = re.compile(r"[.!]\s*[\[(](?P<id>(?=\S*\d)[A-Z][A-Z0-9]*(?:[-_.][A-Za-z0-9]+){1,5})[\])]\.?\s*$")


def trailing_label(text: str) -> str | None:
    """The identifier that ends a text, or None."""
    match = _TRAILING.search(text)
    return match["id"] if match else None


def make_of(label: str) -> str:
    """What identifiers of one kind have in common: the letters that they begin with."""
    return re.split(r"[^A-Za-z]", label)[0]


def trailing_makes(blocks: Iterable[Block]) -> frozenset[str]:
    """The kinds of identifiers that stand after requirements: each time another one, three times or more. What several
    texts end with refers to something else."""
    found = Counter(label for block in blocks if (label := trailing_label(block.text)) is not None)
    once = Counter(make_of(label) for label, count in found.items() if count == 1)
    again = {make_of(label) for label, count in found.items() if count > 1}
    return frozenset(make for make, count in once.items() if count >= LEAST and make not in again)
