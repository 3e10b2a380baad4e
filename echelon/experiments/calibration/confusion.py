"""How often a QA is wrong, from its verdicts on work of which it is known whether it is right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from echelon.experiments.statistics.rates import Rate, wilson_clustered
from echelon.settings import Section


class Verdict(Section):
    """A verdict of QA on prepared work. `fault` is empty for right work; `passed` is None where there was no verdict."""

    arm: str
    task: str
    document: str
    fault: str = ""
    form: str = ""
    passed: bool | None = None
    tokens: int = 0
    cost: float = 0.0
    says: str = ""


@dataclass(frozen=True)
class Confusion:
    """The verdicts of one arm. Rates are Wilson's with each document counted once."""

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


def confusion(arm: str, verdicts: Sequence[Verdict], alpha: float = 0.05) -> Confusion:
    """What the verdicts of an arm say. Work without a verdict is counted in `none` and in no rate."""
    own = [v for v in verdicts if v.arm == arm and v.passed is not None]
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
    )


def _missed(verdicts: Sequence[Verdict]) -> tuple[int, int]:
    return sum(bool(v.passed) for v in verdicts), len(verdicts)
