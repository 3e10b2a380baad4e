"""An entry: a requirement that a document sets apart by an identifier."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

LEAST = 3
"""A form of identifiers counts from this many entries with a text."""


class Form(StrEnum):
    """Where the identifiers of entries stand."""

    TITLE = "titles"
    LINE = "lines of their own"
    CARD = "fields of cards"
    LEVEL = "clauses with a level"
    COMMAND = "titles that command"


@dataclass(slots=True)
class Entry:
    """One entry. `anchor` is the index of the block with its identifier, `body` those of its text, in order.

    `ends`: it has an end mark. `named`: its title calls it a criterion, requirement, rule or the like; `stated`: a label
    below its title does. `skip`
    are the letters of a label before its text ("Description: "). `cut` are blocks
    of its section that were left out as commentary.
    """

    label: str
    form: Form
    anchor: int
    title: str = ""
    named: bool = False
    stated: bool = False
    body: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    ends: bool = False
    skip: int = 0
