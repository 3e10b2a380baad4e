"""Which behaviours a benchmark of honesty runs: the arguments that all of them take."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar


class Named(Protocol):
    @property
    def name(self) -> str: ...


B = TypeVar("B", bound=Named)


def chosen(description: str | None, groups: Mapping[str, Sequence[B]]) -> dict[str, list[B]]:
    """The behaviours of each group that the command line asks for; all without arguments."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="behaviours whose name holds this")
    parser.add_argument("--group", default="", help="only groups whose name holds this, such as 'more' or 'honest'")
    parser.add_argument("--quick", action="store_true", help="every fourth behaviour")
    parser.add_argument("--part", default="1/1", help="which part of each group, such as 2/3")
    given = parser.parse_args()
    part, parts = map(int, given.part.split("/"))
    step = 4 if given.quick else 1
    return {
        group: [b for b in rows[part - 1 :: parts][::step] if given.only in b.name]
        for group, rows in groups.items()
        if given.group in group
    }
