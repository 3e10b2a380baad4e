"""`plan.md`: the remit and the milestones with their status, for people and for roles."""

from __future__ import annotations

from echelon.crews.stage import Stage
from echelon.files import write_atomically


def write_plan(stage: Stage, all_met: bool = False) -> str:
    """Project the remit and the milestones with their status to `plan.md`; `all_met` once the last one is reached."""
    s = stage.state
    assert s.scope is not None
    lines = ["# Plan", "", "## Remit", "", *[f"- in scope: {x}" for x in s.scope.remit.in_scope]]
    lines += [f"- out of scope: {x}" for x in s.scope.remit.out_of_scope] + [
        f"- success: {x}" for x in s.scope.remit.success
    ]
    lines += [f"- enforced by code: {x}" for x in stage.type.remit(stage.workspace)]
    lines += ["", "## Milestones", ""]
    for n, m in enumerate(s.scope.milestones):
        mark = "x" if all_met or n < s.milestone else " "
        lines += [
            f"- [{mark}] {m.outcome}" + (" ← CURRENT" if n == s.milestone and not all_met else ""),
            *[f"  - check: {c}" for c in m.checks],
        ]
    write_atomically(stage.workspace.root / "plan.md", "\n".join(lines) + "\n")
    return "plan.md"
