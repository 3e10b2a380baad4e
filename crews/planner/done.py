"""What tools of the planner job answer, and how they note what came of a stage."""

from __future__ import annotations

from typing import Any

from echelon.crews.planner import standing
from echelon.crews.planner.stages import Event, Stage
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import ToolContext


def done(says: str, confidence: float, data: Any) -> ToolResult:
    """A tool did what it should."""
    return ToolResult(ok=True, confidence=confidence, explanations=(says,), data=data)


def log(
    context: ToolContext, stage: Stage, event: Event, tool: str, confidence: float, says: tuple[str, ...] = ()
) -> None:
    """Note what came of a stage, at the step of the job in which it did."""
    move = standing.Move(step=context.run.number, stage=stage, event=event, tool=tool, confidence=confidence, says=says)
    standing.note(context.workspace, move)
