"""How often a QA is wrong, from its verdicts on work of which it is known whether it is right."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from echelon.experiments.statistics.rates import Rate, wilson_clustered
from echelon.settings import Section


class Verdict(Section):
    """A verdict on prepared work. `fault` is empty for right work; `passed` is None where there was no verdict."""

    arm: str
    task: str
    document: str
    fault: str = ""
    form: str = ""
    passed: bool | None = None
    by: Literal["role", "code"] = "role"
    """Who said it: what the checks in code send back, no role is asked about"""
    planted: str = ""
    """What was done to the work"""
    job: str = ""
    state: str = ""
    """How the copy ended, where it went on to its end"""
    success: bool | None = None
    """Whether what it delivered then passes the checks of the task"""
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    all_tokens: int = 0
    """Of all that the copy did, where it went on after the verdict"""
    all_cost: float = 0.0
    says: str = ""
    """The first finding, or why there is no verdict"""

    @property
    def consequence(self) -> str:
        """What the job delivered in the end, '' where the copy stopped at the verdict or it is not known."""
        if not self.state or self.success is None:
            return ""
        if self.state != "completed":
            return "not delivered"
        return "delivered right" if self.success else "delivered wrong"


@dataclass(frozen=True)
class Confusion:
    """The verdicts of one arm. Rates are Wilson's with each document counted once, of what a role was asked about."""

    arm: str
    caught: int
    missed: int
    passed: int
    refused: int
    false_accept: Rate
    false_reject: Rate
    by_fault: dict[str, tuple[int, int]]
    """Faults that passed, of how many, by their kind"""
    tokens: float | None
    """Mean tokens a verdict"""
    cost: float | None
    none: int
    """Prepared work that got no verdict"""
    by_code: int = 0
    """Planted faults that the checks in code found before any role was asked"""
    refused_by_code: int = 0
    """Right work that the checks in code sent back"""
    of_faulty: dict[str, int] = field(default_factory=dict)
    """What jobs with a planted fault delivered in the end, where they went on to it"""
    of_right: dict[str, int] = field(default_factory=dict)

    @property
    def catch(self) -> Rate:
        """The share of the faults that QA was shown and refused: what `false_accept` leaves."""
        r = self.false_accept
        low, high = (None if b is None else 1 - b for b in (r.high, r.low))
        return Rate(r.n - r.successes, r.n, low, high, r.effective, r.level)


def confusion(arm: str, verdicts: Sequence[Verdict], alpha: float = 0.05) -> Confusion:
    """What the verdicts of an arm say. Work without a verdict, and what code sent back, is counted apart, in no rate."""
    known = [v for v in verdicts if v.arm == arm and v.passed is not None]
    own = [v for v in known if v.by == "role"]
    faulty, right = [v for v in own if v.fault], [v for v in own if not v.fault]
    kinds = dict.fromkeys(v.fault for v in faulty)
    return Confusion(
        arm=arm,
        caught=sum(not v.passed for v in faulty),
        missed=sum(bool(v.passed) for v in faulty),
        passed=sum(bool(v.passed) for v in right),
        refused=sum(not v.passed for v in right),
        false_accept=wilson_clustered([(v.document, bool(v.passed)) for v in faulty], alpha=alpha),
        false_reject=wilson_clustered([(v.document, not v.passed) for v in right], alpha=alpha),
        by_fault={k: _missed([v for v in faulty if v.fault == k]) for k in kinds},
        tokens=math.fsum(v.tokens for v in own) / len(own) if own else None,
        cost=math.fsum(v.cost for v in own) / len(own) if own else None,
        none=sum(v.arm == arm and v.passed is None for v in verdicts),
        by_code=sum(v.by == "code" and bool(v.fault) for v in known),
        refused_by_code=sum(v.by == "code" and not v.fault for v in known),
        of_faulty=_consequences([v for v in known if v.fault]),
        of_right=_consequences([v for v in known if not v.fault]),
    )


def _missed(verdicts: Sequence[Verdict]) -> tuple[int, int]:
    return sum(bool(v.passed) for v in verdicts), len(verdicts)


def _consequences(verdicts: Sequence[Verdict]) -> dict[str, int]:
    return dict(sorted(Counter(v.consequence for v in verdicts if v.consequence).items()))
