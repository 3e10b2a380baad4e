"""`plan.md`: the remit and the milestones with their status, for people and for roles."""

from __future__ import annotations

from echelon.crews import dropping
from echelon.crews.guidance import latest
from echelon.crews.stage import Stage
from echelon.files import write_atomically

NOTES = "notes/notes.md"
WORKSPACE = "workspace.md"
"""What was done and learnt so far, written at transitions."""
LATEST = 10
"""Results and notes that `workspace.md` names."""


def write_workspace(stage: Stage, just_accepted: str = "") -> str:
    """Project what was done and learnt so far to `workspace.md`: for whoever works on the job next.

    `just_accepted` is the title of a task whose commit is still to come. Returns what prompts show of it.
    """
    s, workspace = stage.state, stage.workspace
    results = stage.type.deliverables(workspace)
    notes = workspace.read(NOTES).strip().splitlines()[-LATEST:] if workspace.sha256(NOTES) else []
    just = [just_accepted] if just_accepted else []
    lines = ["# Workspace", "", f"Accepted tasks: {len(s.done) + len(just)}", *[f"- {t}" for t in (*s.recent, *just)]]
    lines += [
        "",
        f"Results: {len(results)}",
        *[f"- {p} ({workspace.path(p).stat().st_size:,} bytes)" for p in results[:LATEST]],
    ]
    lines += ["", "Noted:", *notes] if notes else []
    lines += (
        ["", f"Last assessment: {s.assessment.trajectory.value}: {s.assessment.reasons[0]}"] if s.assessment else []
    )
    text = "\n".join(lines) + "\n"
    write_atomically(workspace.root / WORKSPACE, text)
    return latest(text)


def write_plan(stage: Stage, all_met: bool = False) -> str:
    """Project the remit and the milestones with their status to `plan.md`; `all_met` once the last one is reached.

    Returns what prompts show of `workspace.md`, which is written with it.
    """
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
            *[f"  - left out: {line}" for line in dropping.lines(d for d in s.dropped if d.milestone == n)],
        ]
    write_atomically(stage.workspace.root / "plan.md", "\n".join(lines) + "\n")
    return write_workspace(stage)
