"""One phase: one role, one crewai Agent, its own tools, and an empty conversation."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import pydantic

from agents.roster import Role
from echelon.engine.context import Conversation
from echelon.engine.door import PhaseTalk, door
from echelon.engine.messages import ToolResult
from echelon.engine.models import Model
from echelon.engine.run import Run, Where
from echelon.engine.workspace import Workspace
from tools.registry import PhaseState, Tool, Toolbox, ToolContext, work_result


@dataclass
class Phase:
    """A role at work: `play` runs it until it submits, or until something ends it."""

    run: Run
    workspace: Workspace
    role: Role
    name: str
    model: Model
    where: Where
    system: str
    task: str
    tools: tuple[Tool, ...]
    state: PhaseState
    ask: Any = None

    def play(self) -> PhaseState:
        """Run the role. What it submitted, and why it ended, is in the state afterwards."""
        self.toolbox = Toolbox(self.tools)
        conversation = Conversation(
            system=self.system, task=self.task, tools=self.toolbox.schemas, todo=self.state.todos_display
        )
        self.talk = PhaseTalk(
            run=self.run, where=self.where, model=self.model, conversation=conversation, gate=self.toolbox,
            ended=lambda: self.state.ended, end=self._end,
        )  # fmt: skip
        self.context = ToolContext(
            run=self.run,
            workspace=self.workspace,
            state=self.state,
            role=self.role.name,
            may_write=self.role.writes,
            ask=self.ask,
        )
        self.run.emit(
            "phase", role=self.role.role, phase=self.name, round=self.where.round, milestone=self.where.milestone
        )
        self._kickoff()
        self.run.emit(
            "phase_end", role=self.role.role, phase=self.name, why=self.state.ended, calls=self.talk.calls,
            first_prompt_tokens=self.talk.first_prompt_tokens,
        )  # fmt: skip
        return self.state

    def execute(self, tool: Tool, values: dict[str, Any]) -> str:
        """Run one tool call of this phase; the toolbox refuses what the phase does not have."""
        arguments = self.toolbox.checked(tool.name, values)
        if tool.in_step:
            recorded = self.run.step(
                "tool", tool.name, lambda: _plain(work_result(tool, self.context, arguments)), where=self.where
            )
            path = self.workspace.relative(self.run.trace_path(self.run.number, tool.name))
        else:
            recorded = _plain(work_result(tool, self.context, arguments))
            path = ""
        result = ToolResult.model_validate(recorded)
        self.run.spent.tool_calls += 1
        if result.ok and tool.apply is not None:
            tool.apply(self.state, arguments, result)
        todos = self.state.todos
        self.run.emit(
            "tool", role=self.role.role, tool=tool.name, ok=result.ok, said=_first(result), done=todos.done,
            of=len(todos.items), current=todos.current.content if todos.current else "",
        )  # fmt: skip
        return self.talk.add_result(result, path)

    def _end(self, why: str) -> None:
        self.state.ended = self.state.ended or why

    def _kickoff(self) -> None:
        from crewai.events.event_bus import crewai_event_bus
        from crewai_core.printer import set_suppress_console_output

        set_suppress_console_output(True)  # crewai draws panels even when it is not verbose
        quieten_crewai()
        agent = self.role.agent(
            door(self.talk), [_crewai_tool(self, t) for t in self.tools], self.run.config.budget.calls_per_phase * 20
        )
        try:
            agent.kickoff(self.task)
        finally:
            if bus := crewai_event_bus.runtime_state:  # crewai keeps every event of the outermost run
                bus.event_record.clear()


def quieten_crewai() -> None:
    """Ignore what crewai warns about in its own code. Filters are added, not swapped: jobs run in several threads."""
    warnings.filterwarnings("ignore", category=pydantic.warnings.PydanticDeprecationWarning)
    warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"crewai|pydantic")


def _plain(result: ToolResult) -> dict[str, Any]:
    return result.model_dump(mode="json")


def _first(result: ToolResult) -> str:
    return result.explanations[0][:200] if result.explanations else ""


def _crewai_tool(phase: Phase, tool: Tool) -> Any:
    from crewai.tools import BaseTool

    class PhaseTool(BaseTool):
        name: str = tool.name
        description: str = tool.description
        args_schema: type[pydantic.BaseModel] = tool.arguments

        def _run(self, **values: Any) -> str:
            text = phase.execute(tool, values)
            # crewai stops a run at the fifth identical result; whether a repetition is a loop is decided elsewhere
            return f"{text}\n[call {phase.run.number}]"

    return PhaseTool()
