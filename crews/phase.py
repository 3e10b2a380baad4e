"""One phase: one role, one crewai Agent, its own tools, and an empty conversation."""

from __future__ import annotations

import functools
import json
import warnings
from dataclasses import dataclass
from typing import Any

import pydantic

from echelon.agents.roster import Role
from echelon.engine.context.conversation import Conversation
from echelon.engine.context.cut import LONG_ARGUMENT
from echelon.engine.door import door
from echelon.engine.effects import is_in_doubt, once
from echelon.engine.messages import ToolCall, ToolResult
from echelon.engine.models.model import Model
from echelon.engine.run import Run, Where
from echelon.engine.stuck import action_of
from echelon.engine.talk import PhaseTalk, limits_of
from echelon.engine.toolbox import Effect, PhaseState, Tool, Toolbox, ToolContext, work_result
from echelon.engine.workspace import Workspace
from echelon.errors import Halted
from echelon.files import write_atomically
from echelon.tasks.prompts import render
from echelon.tools import discovery

LONG_RESULT = 400
"""Characters from which a result is also kept as text, so that read_file can follow the pointer to it."""
SUMMARY_WORDS = 400


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
        self.toolbox = self._toolbox()
        self.talk = PhaseTalk(
            run=self.run, where=self.where, model=self.model, conversation=self._conversation(), gate=self.toolbox,
            ended=lambda: self.state.ended, end=self._end, todos_done=lambda: self.state.todos.done,
            summary_prompt=render("summary", words=SUMMARY_WORDS),
        )  # fmt: skip
        self.context = ToolContext(
            run=self.run, workspace=self.workspace, state=self.state, role=self.role.name, may_write=self.role.writes,
            ask=self.ask,
        )  # fmt: skip
        self.run.emit(
            "phase", role=self.role.role, phase=self.name, round=self.where.round, milestone=self.where.milestone
        )
        self._kickoff()
        self.run.emit(
            "phase_end", role=self.role.role, phase=self.name, why=self.state.ended, calls=self.talk.calls,
            first_prompt_tokens=self.talk.first_prompt_tokens,
        )  # fmt: skip
        return self.state

    def execute(self) -> None:
        """Run the tool call that the talk handed out, and put its result into the conversation."""
        call = self.talk.current
        assert call is not None
        tool = self.toolbox.tools[call.name]
        given = call.parsed()
        arguments = self.toolbox.checked(call.name, given)
        path = ""
        if tool.in_step:
            recorded = self.run.step(
                "tool", tool.name, lambda: self._done(tool, call, arguments), action_of(call.name, call.arguments),
                self.where,
            )  # fmt: skip
            result = ToolResult.model_validate(recorded)
            path = self._kept_at(call, result)
        else:
            result = work_result(tool, self.context, arguments)
        self.run.spent.tool_calls += 1
        if result.ok:
            self.state.saw(tool.name, given)
            if tool.apply is not None:
                tool.apply(self.state, arguments, result)
        todos = self.state.todos
        self.run.emit(
            "tool", role=self.role.role, tool=tool.name, ok=result.ok, said=_first(result), done=todos.done,
            of=len(todos.items), current=todos.current.content if todos.current else "",
        )  # fmt: skip
        if is_in_doubt(result):
            self._end("in doubt", result.explanations[0])
        self.talk.add_result(result, path)

    def _toolbox(self) -> Toolbox:
        """The tools of the phase. Where the role has a core, the others are deferred and find_tools finds them."""
        core = self.role.core_of(self.name)
        box = Toolbox(self.tools, core, lambda: self.state.found)
        if not box.deferred:
            return box
        finder = discovery.find_tools_over(box.deferred)
        return Toolbox((*self.tools, finder), (*box.core, finder.name), lambda: self.state.found)

    def _conversation(self) -> Conversation:
        more = discovery.listing(self.toolbox.deferred)
        return Conversation(
            system=f"{self.system}{more}", task=self.task, tools=self.toolbox.schemas, todo=self.state.todos_display,
            open_todos=lambda: tuple(item.content for item in self.state.todos.items if not item.done),
            limits=lambda: limits_of(self.run, self.talk.calls),
        )  # fmt: skip

    def _done(self, tool: Tool, call: ToolCall, arguments: Any) -> dict[str, Any]:
        """The work of a step: the tool itself, and a readable copy of a long call or result."""
        result = self._worked(tool, call, arguments)
        if path := self._kept_at(call, result):
            write_atomically(self.workspace.root / path, readable(call, result))
        return result.model_dump(mode="json")

    def _worked(self, tool: Tool, call: ToolCall, arguments: Any) -> ToolResult:
        """The tool's result; one that must not run twice runs under the ledger of effects."""
        if tool.effect is not Effect.ONCE:
            return work_result(tool, self.context, arguments)
        run = self.run
        return once(
            run.store.engine, run.job, run.number, tool.name, call.arguments,
            lambda: work_result(tool, self.context, arguments),
        )  # fmt: skip

    def _kept_at(self, call: ToolCall, result: ToolResult) -> str:
        """Workspace path of the readable copy, '' for a short call with a short result."""
        if len(call.arguments) <= LONG_ARGUMENT and len(result.text()) <= LONG_RESULT:
            return ""
        path = self.run.trace_path(self.run.number, call.name).with_suffix(".txt")
        return path.relative_to(self.run.folder).as_posix()

    def _end(self, why: str, sentence: str) -> None:
        if self.state.ended is None:
            self.state.ended, self.state.issue = why, sentence

    def _kickoff(self) -> None:
        from crewai_core.printer import set_suppress_console_output

        set_suppress_console_output(True)  # crewai draws panels even when it is not verbose
        quieten_crewai()
        most = self.run.config.budget.calls_per_phase * 20
        agent = self.role.agent(door(self.talk), [_crewai_tool(self, t) for t in self.toolbox.tools.values()], most)
        try:
            agent.kickoff(self.name)  # the talk knows the task; crewai would fill in what looks like a placeholder
        finally:
            forget_events()


def readable(call: ToolCall, result: ToolResult) -> str:
    """A call and its result as lines: texts keep their line breaks, so that read_file can page through them."""
    try:
        given: Any = call.parsed()
    except ValueError:
        given = call.arguments
    return (
        f"{call.name}\n\n{_lines(given)}\n\nresult:\n" + "\n".join([*result.explanations, _lines(result.data)]) + "\n"
    )


def _lines(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{k}: {_lines(v)}" for k, v in value.items())
    if isinstance(value, list):
        return "\n".join(f"- {_lines(v)}" for v in value)
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def quieten_crewai() -> None:
    """Ignore what crewai warns about in its own code. Filters are added, not swapped: jobs run in several threads."""
    warnings.filterwarnings("ignore", category=pydantic.warnings.PydanticDeprecationWarning)
    warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"crewai|pydantic")


def forget_events() -> None:
    """Drop the events that crewai keeps of the outermost run: megabytes a task, and nothing here reads them."""
    from crewai.events.event_bus import crewai_event_bus

    state = crewai_event_bus.runtime_state
    if state is not None:
        state.event_record.clear()
        state.root.clear()


def _first(result: ToolResult) -> str:
    return result.explanations[0][:200] if result.explanations else ""


class NoArguments(pydantic.BaseModel):
    """What crewai sees of a tool's arguments: the talk has checked them, and hands them to the tool itself."""


@functools.cache
def _tool_class() -> Any:
    from crewai.tools import BaseTool

    class PhaseTool(BaseTool):
        args_schema: type[pydantic.BaseModel] = NoArguments
        phase: Any = pydantic.Field(exclude=True)

        def _run(self) -> str:
            try:
                self.phase.execute()
            except Exception as error:  # crewai would make it a message to the model
                raise Halted(error) from error
            # crewai stops a run at the fifth identical result; whether a repetition is a loop is decided elsewhere
            return f"[call {self.phase.run.number}]"

    return PhaseTool


def _crewai_tool(phase: Phase, tool: Tool) -> Any:
    return _tool_class()(name=tool.name, description=tool.description, phase=phase)
