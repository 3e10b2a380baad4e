"""What is measured of a trial: names, units, bounds, and which direction is the better one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A figure of a trial. `bounds` are None for amounts."""

    name: str
    says: str
    bounds: tuple[float, float] | None = None
    more_is_better: bool = False
    unit: str = ""

    def shown(self, value: float) -> str:
        """The value as people read it: a share in percent, dollars with a sign, an amount in full."""
        if self.bounds is not None:
            return f"{value * 100:.1f} %"
        if self.unit == "dollars":
            return f"{'-' if value < 0 else ''}${abs(value):.4f}"
        return f"{value:,.0f} {self.unit}" if abs(value) >= 100 else f"{value:,.2f} {self.unit}".rstrip()

    def shown_difference(self, value: float) -> str:
        """A difference with its sign; of shares in percentage points."""
        sign = "+" if value > 0 else ""
        return f"{sign}{value * 100:.1f} points" if self.bounds is not None else f"{sign}{self.shown(value)}"


SHARE = (0.0, 1.0)

METRICS = {
    m.name: m
    for m in (
        Metric("success", "share of the trials that pass every check", SHARE, more_is_better=True),
        Metric("score", "mean score of the checks", SHARE, more_is_better=True),
        Metric("false_completion", "share of the trials that say COMPLETED and are wrong", SHARE),
        Metric("tokens", "prompt and completion tokens", unit="tokens"),
        Metric("cost", "US dollars", unit="dollars"),
        Metric("seconds", "time inside steps", unit="s"),
        Metric("model_calls", "calls of a model", unit="calls"),
        Metric("rounds", "rounds", unit="rounds"),
        Metric("escalations", "failures handed up a tier", unit="escalations"),
        Metric("rework_share", "share of the tokens that mended or were lost", SHARE),
    )
}
