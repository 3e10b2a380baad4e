"""One phase: one role, one crewai Agent, its own tools, and an empty conversation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from echelon.agents.roster import Role
from echelon.crews.driving import Driver, by_crewai
from echelon.crews.readable import readable
from echelon.engine.context.conversation import Conversation
from echelon.engine.context.cut import LONG_ARGUMENT
from echelon.engine.dialogue import Dialogue, ReadyCall, limits_of
from echelon.engine.effects import is_in_doubt, once
from echelon.engine.ends import Failed, InDoubt, Unusable, name_of
from echelon.engine.messages import ToolResult
from echelon.engine.models.model import Model
from echelon.engine.run import Run, Where
from echelon.engine.stuck import action_of
from echelon.engine.toolbox import Effect, PhaseState, Tool, Toolbox, ToolContext, work_result
from echelon.engine.tracing import Told
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically
from echelon.store.records.events import PhaseBegan, PhaseEnded, ToolCalled
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
    ask: Callable[[str, str], ToolResult] | None = None
    drive: Driver = by_crewai

    def play(self) -> PhaseState:
        """Run the role. What its tools changed, and how the phase ended, is in the state afterwards."""
        self.toolbox = self._toolbox()
        self.dialogue = Dialogue(
            run=self.run, where=self.where, model=self.model, conversation=self._conversation(), gate=self.toolbox,
            over=lambda: self.state.end is not None, end=self._end, todos_done=lambda: self.state.todos.done,
            summary_prompt=render("summary", words=SUMMARY_WORDS),
        )  # fmt: skip
        self.context = ToolContext(
            run=self.run, workspace=self.workspace, state=self.state, role=self.role.name, may_write=self.role.writes,
            ask=self.ask,
        )  # fmt: skip
        role, name, place = self.role.role, self.name, self.where
        self.run.emit(PhaseBegan(role=role, phase=name, round=place.round, milestone=place.milestone))
        self.drive(self)
        end = self.state.end = self.state.end or Unusable("The role stopped without an answer.")
        self.run.emit(PhaseEnded(
            role=role, phase=name, why=name_of(end), said=end.issue, calls=self.dialogue.calls,
            first_prompt_tokens=self.dialogue.first_prompt_tokens,
        ))  # fmt: skip
        return self.state

    @property
    def all_tools(self) -> tuple[Tool, ...]:
        """Every tool that can be run in this phase, whether its schema is sent or not."""
        return tuple(self.toolbox.tools.values())

    def execute(self, ready: ReadyCall) -> ToolResult:
        """Run a tool call that the dialogue handed out, and put its result into the conversation."""
        tool = self.toolbox.tools[ready.call.name]
        result, path = self._outcome(tool, ready)
        self.run.spent.tool_calls += 1
        if result.ok:
            self.state.saw(tool.name, ready.given, tool.looks, tool.shown(ready.arguments, result))
            if tool.apply is not None:
                tool.apply(self.state, ready.arguments, result)
        else:
            self.state.was_refused(tool)
        todos = self.state.todos
        self.run.emit(ToolCalled(
            role=self.role.role, tool=tool.name, ok=result.ok, said=_first(result), done=todos.done,
            of=len(todos.items), current=todos.current.content if todos.current else "",
        ))  # fmt: skip
        if is_in_doubt(result):
            self._end(InDoubt(result.explanations[0]))
        self.dialogue.add_result(result, path)
        return result

    def _outcome(self, tool: Tool, ready: ReadyCall) -> tuple[ToolResult, str]:
        """The result of a call, and the workspace path of its readable copy ('' where there is none)."""
        if not tool.in_step:
            return work_result(tool, self.context, ready.arguments), ""
        asked = action_of(tool.name, ready.given)
        recorded = self.run.step("tool", tool.name, lambda: self._done(tool, ready), asked, self.where, _told(ready))
        result = ToolResult.model_validate(recorded)
        return result, self._kept_at(ready, result)

    def _toolbox(self) -> Toolbox:
        """The tools of the phase. Where the role has a core, the others are deferred and find_tools finds them."""
        box = Toolbox(self.tools, self.role.core_of(self.name), self.state)
        if not box.deferred:
            return box
        finder = discovery.find_tools_over(box.deferred)
        every, kept = (*self.tools, finder), (*box.core, finder.name)
        return Toolbox(every, kept, self.state)

    def _conversation(self) -> Conversation:
        more = discovery.listing(self.toolbox.deferred)
        return Conversation(
            system=f"{self.system}{more}", task=self.task, tools=self.toolbox.schemas, todo=self.state.todos_display,
            open_todos=lambda: tuple(item.content for item in self.state.todos.items if not item.done),
            limits=lambda: limits_of(self.run, self.dialogue.calls),
        )  # fmt: skip

    def _done(self, tool: Tool, ready: ReadyCall) -> dict[str, Any]:
        """The work of a step: the tool itself, and a readable copy of a long call or result."""
        result = self._worked(tool, ready)
        if path := self._kept_at(ready, result):
            write_atomically(self.workspace.root / path, readable(tool.name, ready.given, result))
        return result.model_dump(mode="json")

    def _worked(self, tool: Tool, ready: ReadyCall) -> ToolResult:
        """The tool's result; one that must not run twice runs under the ledger of effects."""
        if tool.effect is not Effect.ONCE:
            return work_result(tool, self.context, ready.arguments)
        run = self.run
        return once(
            run.store.engine, run.job, run.number, tool.name, ready.call.arguments,
            lambda: work_result(tool, self.context, ready.arguments),
        )  # fmt: skip

    def _kept_at(self, ready: ReadyCall, result: ToolResult) -> str:
        """Workspace path of the readable copy, '' for a short call with a short result."""
        if len(ready.call.arguments) <= LONG_ARGUMENT and len(result.text()) <= LONG_RESULT:
            return ""
        path = self.run.trace_path(self.run.number, ready.call.name).with_suffix(".txt")
        return path.relative_to(self.run.folder).as_posix()

    def _end(self, end: Failed) -> None:
        self.state.end = self.state.end or end


def _told(ready: ReadyCall) -> Told:
    """What a trace says of a tool call."""
    return Told({"gen_ai.tool.call.id": ready.call.id}, lambda: {"gen_ai.tool.call.arguments": ready.call.arguments})


def _first(result: ToolResult) -> str:
    return result.explanations[0][:200] if result.explanations else ""
