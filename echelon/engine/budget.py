"""What a job may use, in nested scopes: job, milestone, task, phase, subagent.

There is one meter, what the job has spent; a scope is a mark on it and ceilings for what is spent since. Before a model
call its largest cost is reserved in every open scope, and afterwards what it really cost takes the place of that. So a
call that could pass a ceiling is not made: of calls nothing is ever overshot, of tokens and money nothing as far as the
size of the prompt, the longest answer and the price are known beforehand. Seconds are known only afterwards: a scope
that has used up its seconds begins no call. Nothing here reads a clock: a replay decides as the first run did.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from echelon.errors import LimitReached


class Amounts(BaseModel):
    """An amount of everything that has a ceiling. `cost` is in US dollars, `seconds` is time inside steps."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model_calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(
            model_calls=self.model_calls + other.model_calls,
            tokens=self.tokens + other.tokens,
            cost=self.cost + other.cost,
            seconds=self.seconds + other.seconds,
        )

    def __sub__(self, other: Amounts) -> Amounts:
        return Amounts(
            model_calls=self.model_calls - other.model_calls,
            tokens=self.tokens - other.tokens,
            cost=self.cost - other.cost,
            seconds=self.seconds - other.seconds,
        )

    def of(self, limit: str) -> float:
        """The amount that the ceiling `limit` bounds."""
        return float(getattr(self, limit))


ONE_CALL = Amounts(model_calls=1)
LIMITS = tuple(Amounts.model_fields)
WORDS = {"model_calls": "model calls", "tokens": "tokens", "cost": "dollars", "seconds": "seconds"}
ROUNDING = 1e-9
"""Sums of dollars are inexact by less than this."""

Ceilings = Mapping[str, float]
"""The most of each limit, by its name in `Amounts`; what is not named is not bounded."""


@dataclass(frozen=True)
class Scope:
    """A part of a job with ceilings of its own. `start` is what the job had spent when it began."""

    name: str
    ceilings: Ceilings
    start: Amounts = field(default_factory=Amounts)


@dataclass
class Budget:
    """The open scopes of a job, the widest first. `meter` tells what the job has spent, `held` what is reserved."""

    meter: Callable[[], Amounts]
    scopes: list[Scope]
    warn_at: float = 0.8
    held: Amounts = field(default_factory=Amounts)

    @contextmanager
    def scope(self, name: str, ceilings: Ceilings, start: Amounts | None = None) -> Generator[None]:
        """A narrower scope while the block runs; it began at `start`, or begins now."""
        self.scopes.append(Scope(name, dict(ceilings), self.meter() if start is None else start))
        try:
            yield
        finally:
            self.scopes.pop()

    def check(self, needed: Amounts = ONE_CALL) -> None:
        """Raises LimitReached for the widest scope that `needed` does not fit into."""
        for scope in self.scopes:
            used = self.used(scope)
            for limit, ceiling in scope.ceilings.items():
                over = used.of(limit) + needed.of(limit) > ceiling + ROUNDING
                if over or used.of(limit) >= ceiling:
                    raise LimitReached(limit, ceiling, used.of(limit), scope.name, needed.of(limit))

    @contextmanager
    def reserve(self, needed: Amounts) -> Generator[None]:
        """Hold `needed` while the block runs; what was really used is on the meter afterwards. Raises LimitReached.

        The same is right for a job of its own that works for this one: its whole budget is what is needed.
        """
        self.check(needed)
        self.held += needed
        try:
            yield
        finally:
            self.held -= needed

    def used(self, scope: Scope) -> Amounts:
        """What a scope has spent and reserved so far."""
        return self.meter() - scope.start + self.held

    def left(self) -> dict[str, float]:
        """How much of each bounded limit the narrowest scope for it leaves."""
        rest: dict[str, float] = {}
        for scope in self.scopes:
            used = self.used(scope)
            for limit, ceiling in scope.ceilings.items():
                rest[limit] = min(rest.get(limit, ceiling), max(0.0, ceiling - used.of(limit)))
        return rest

    def warnings(self) -> tuple[str, ...]:
        """One sentence for each ceiling of which the share `warn_at` is used, the narrowest scope first."""
        return tuple(
            f"Limit: {_amount(used.of(limit))} of {_amount(ceiling)} {WORDS[limit]} of the {scope.name} are used. "
            "Finish what matters and end your phase."
            for scope, used in ((s, self.used(s)) for s in reversed(self.scopes))
            for limit, ceiling in scope.ceilings.items()
            if used.of(limit) >= self.warn_at * ceiling
        )

    def warning(self) -> str | None:
        """The sentences of `warnings` as one text, None when no ceiling is near."""
        return "\n".join(self.warnings()) or None


def _amount(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}".rstrip("0").rstrip(".")
