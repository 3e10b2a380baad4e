"""How tests call a tool: as a phase does, without a model and without a durable step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from echelon.crews.tool_sets import all_tools
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Toolbox, ToolContext, work_result


def use(context: ToolContext, name: str, **arguments: Any) -> ToolResult:
    """Call a tool as a phase does: checked, run, and its effect on the phase applied."""
    tool = all_tools()[name]
    checked = Toolbox([tool]).checked(name, arguments)
    result = work_result(tool, context, checked)
    if result.ok and tool.apply is not None:
        tool.apply(context.state, checked, result)
    return result


def files_of(context: ToolContext) -> dict[str, bytes]:
    """Every file of the workspace with its content, but git's own and the trace, which code keeps for itself."""
    root = context.workspace.root
    return {
        str(p.relative_to(root)): p.read_bytes()
        for p in sorted(root.rglob("*"))
        if p.is_file() and p.relative_to(root).parts[0] not in (".git", "trace")
    }


def guided(context: ToolContext) -> ToolContext:
    """The same for a small model that is led."""
    config = context.run.config.model_copy(update={"prompts": "guided"})
    return replace(context, run=replace(context.run, config=config))


def notes_only(context: ToolContext) -> ToolContext:
    """The same for a role that may write notes alone."""
    return replace(context, may_write=("notes",))
