"""What a job cost, as a table for a person."""

from __future__ import annotations

from typing import Any

from echelon.faces.cli.printing import table


def cost_text(found: dict[str, Any]) -> str:
    """The sums as a table for a person."""
    total = found["total"]
    rows = [_row("total", "", total, total)]
    for name, groups in found["by"].items():
        rows += [_row(name if n == 0 else "", group, sums, total) for n, (group, sums) in enumerate(groups.items())]
    return table(rows, ["BY", "OF", "CALLS", "TOKENS", "THINKING", "COST", "SECONDS", "SHARE"])


def _row(by: str, of: str, sums: dict[str, float], total: dict[str, float]) -> tuple[str, ...]:
    """One line of the table; the share is that of the tokens."""
    share = sums["tokens"] / total["tokens"] if total["tokens"] else 0.0
    amounts = (
        f"{int(sums['calls'])}",
        f"{int(sums['tokens']):,}",
        f"{int(sums['thinking']):,}",
        f"${sums['cost']:.4f}",
        f"{sums['seconds']:.1f}",
    )
    return (by, of, *amounts, f"{share:.0%}")
