"""What choices cost, counted as the model counts it."""

from __future__ import annotations

from collections.abc import Sequence

from echelon.domains.planning.solver.problem import Choice, Problem

PRICED = ("makespan", "cost")
"""Aims whose objective is a price."""


def price(problem: Problem, choices: Sequence[Choice], aim: str) -> int:
    """The objective of a complete schedule."""
    end = max((c.end for c in choices), default=0)
    late = sum(
        a.due.price * max(0, c.end - a.due.index)
        for a, c in zip(problem.activities, choices, strict=True)
        if a.due is not None
    )
    if aim == "makespan":
        return late + end * (problem.day_price if has_dues(problem) else 1)
    modes = sum(a.modes[c.mode].cost for a, c in zip(problem.activities, choices, strict=True) if len(a.modes) > 1)
    return late + modes + problem.day_price * end


def latest_end(problem: Problem, choices: Sequence[Choice], aim: str) -> int | None:
    """Nothing that is better than these choices ends later; None where the price does not say."""
    unit = problem.day_price if aim == "cost" or has_dues(problem) else 1
    if aim not in PRICED or unit <= 0:
        return None
    least = sum(min(m.cost for m in a.modes) for a in problem.activities if len(a.modes) > 1) if aim == "cost" else 0
    return (price(problem, choices, aim) - least) // unit


def has_dues(problem: Problem) -> bool:
    """Whether there are soft deadlines."""
    return any(a.due is not None for a in problem.activities)
