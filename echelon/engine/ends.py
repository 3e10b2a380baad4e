"""How a phase ends: each way is a value of its own, and whoever asks for one matches all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Submitted(Generic[T]):
    """The role handed its contract over."""

    value: T
    issue = ""


@dataclass(frozen=True)
class Limit:
    """A ceiling of the job or of the milestone was reached: the job stops, and can go on with more."""

    issue: str


@dataclass(frozen=True)
class Stuck:
    """The role went round in circles, or used up the calls of its phase."""

    issue: str


@dataclass(frozen=True)
class Rewound:
    """The role hands its task back: it cannot be done as planned."""

    issue: str


@dataclass(frozen=True)
class InDoubt:
    """Nobody knows whether an effect took place; `issue` is the question to a person."""

    issue: str


@dataclass(frozen=True)
class Asked:
    """The role asks a person; `issue` is its question. Its phase begins again with the answer."""

    issue: str


@dataclass(frozen=True)
class Unusable:
    """The model gave answers that nothing can be done with."""

    issue: str


Failed = Limit | Stuck | Rewound | InDoubt | Asked | Unusable
End = Submitted[T] | Failed

NAMES: dict[type[Any], str] = {
    Submitted: "submitted", Limit: "limit", Stuck: "stuck", Rewound: "rewind", InDoubt: "in doubt",
    Asked: "asks", Unusable: "unusable",
}  # fmt: skip


def name_of(end: End[Any]) -> str:
    """The word for an end in events and in traces."""
    return NAMES[type(end)]
