"""What shows that a milestone is reached: its checks as code sees them, and what was made since it began."""

from __future__ import annotations

from echelon.crews.stage import Stage
from echelon.crews.tool_sets import all_tools
from echelon.engine.stuck import action_of
from echelon.engine.toolbox import Effect
from echelon.tasks.checks import Checked, Looking, Standing, carried_out, is_result
from echelon.tasks.contracts import CheckKind, OpenFinding
from echelon.tasks.deliverables import TEXTS, problems_of

RUN = "run_command"
"""The tool whose calls are evidence for a check by command."""


def changed(stage: Stage) -> list[str]:
    """Results that were made or changed since the milestone began."""
    since = stage.state.milestone_commit
    return stage.code("changed", list[str], lambda: [p for p in stage.workspace.changed_since(since) if is_result(p)])


def readable(paths: list[str]) -> list[str]:
    """Those that a role can open."""
    return [p for p in paths if p.lower().endswith(TEXTS)]


def check_milestone(stage: Stage, made: list[str]) -> tuple[Checked, ...]:
    """The checks of the current milestone as code sees them; kept for whoever looks at the job."""
    checks = stage.state.current_milestone.checks

    def look() -> tuple[Checked, ...]:
        looking = _looking(stage, made)
        return tuple(carried_out(c, looking) for c in checks)

    checked = stage.code("check_milestone", tuple[Checked, ...], look)
    stage.state.checked[str(stage.state.milestone + 1)] = checked
    return checked


def _looking(stage: Stage, made: list[str]) -> Looking:
    type_, run, workspace = stage.type, stage.run, stage.workspace
    return Looking(
        workspace, type_.texts_of_inputs(workspace), frozenset(made), lambda command: _has_run(stage, command),
        lambda query: type_.count(run, workspace, query),
    )  # fmt: skip


def _has_run(stage: Stage, command: str) -> bool:
    """Whether a command succeeded after the last call that changed something."""
    tools = all_tools()
    asked = action_of(RUN, {"command": command})
    steps = [s for s in stage.run.store.steps(stage.run.job) if s.kind == "tool" and s.ok]
    ran = max((s.number for s in steps if s.name == RUN and s.asked == asked), default=0)
    writes = {
        t.name for t in tools.values() if t.effect is not Effect.READ and not t.ends and not t.name.startswith("todo_")
    }
    changed_at = max((s.number for s in steps if s.name in writes - {RUN}), default=0)
    return ran > changed_at


def judged(stage: Stage, reason: str) -> None:
    """The checks that only a role can judge stand as judged."""
    key = str(stage.state.milestone + 1)
    stage.state.checked[key] = tuple(
        c.model_copy(update={"standing": Standing.JUDGED, "why": f"Assessor: {reason}"[:400]})
        if c.standing is Standing.OPEN
        else c
        for c in stage.state.checked.get(key, ())
    )


def still_open(stage: Stage) -> str:
    """The first finding that no verdict has settled, as a sentence; '' where there is none."""
    for finding in stage.state.open_findings:
        return f"Finding {finding.id} is open: {said(finding)}"
    return ""


def said(finding: OpenFinding) -> str:
    """What a finding says, with its object."""
    return f"{finding.says} ({finding.about})" if finding.about and finding.about not in finding.says else finding.says


def undelivered(stage: Stage) -> list[str]:
    """Why the job is not done, whatever was said before: checked once more before it is called COMPLETED."""
    s = stage.state
    if s.scope is None:  # one agent alone: nobody wrote checks
        inputs = stage.type.texts_of_inputs(stage.workspace)
        files = stage.type.deliverables(stage.workspace)
        return [f.says for path in files for f in problems_of(stage.workspace, path, inputs)]
    problems = [] if s.done else ["No task was accepted in this job."]
    problems += [still_open(stage)] if s.open_findings else []
    files_of = [c for m in s.scope.milestones for c in m.checks if c.kind in (CheckKind.FILE, CheckKind.QUOTE)]
    there = _looking(stage, [c.path for c in files_of])
    return problems + [
        f"{c.says}: {c.why}" for c in (carried_out(x, there) for x in files_of) if c.standing is Standing.FAILED
    ]
