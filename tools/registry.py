"""What a tool is, which role has which, and the one place where tools are run.

A tool that a phase does not have is not offered to the model, and `Toolbox.execute` refuses it all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from echelon.engine.errors import ModelFault
from echelon.engine.messages import ToolResult, ToolSchema
from echelon.engine.run import Run
from echelon.engine.todos import TodoList
from echelon.engine.workspace import Workspace


class Effect(StrEnum):
    """What running a tool a second time does: nothing, the same again, or something that must not happen twice."""

    READ = "read"
    IDEMPOTENT = "idempotent"
    ONCE = "once"


class Arguments(BaseModel):
    """Base of the arguments of tools. Field descriptions are written for the model."""

    model_config = ConfigDict(extra="forbid")


@dataclass
class PhaseState:
    """What the tools of one phase change in memory. Only `Tool.apply` writes to it, so a replay rebuilds it."""

    todos: TodoList = field(default_factory=TodoList)
    submitted: Any = None
    ended: str | None = None
    """Why the phase is over: 'submitted', 'rewind', a limit, ...; None while it goes on."""
    issue: str = ""

    def todos_display(self) -> str | None:
        """Layer 2 of the context."""
        return self.todos.display()


@dataclass(frozen=True)
class ToolContext:
    """What a tool can reach."""

    run: Run
    workspace: Workspace
    state: PhaseState
    role: str
    may_write: tuple[str, ...] = ()
    """Top-level folders that this role may write to; empty: all that are not read-only."""
    ask: Callable[[str, str], ToolResult] | None = None
    """(kind of question, question) -> answer of a subagent"""


Work = Callable[[ToolContext, Any], ToolResult]
Apply = Callable[[PhaseState, Any, ToolResult], None]


@dataclass(frozen=True)
class Tool:
    """One tool. `work` runs inside a durable step; `apply` changes the phase's state after it, without any effect."""

    name: str
    description: str
    arguments: type[Arguments]
    work: Work
    effect: Effect
    apply: Apply | None = None
    in_step: bool = True
    """False only for subagents: their own model calls and tool calls are the steps."""

    @property
    def schema(self) -> ToolSchema:
        """The tool as a model sees it."""
        return ToolSchema(name=self.name, description=self.description, parameters=inlined_schema(self.arguments))


class Toolbox:
    """The tools of one phase, in a stable order."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self.tools = {tool.name: tool for tool in tools}

    @property
    def schemas(self) -> tuple[ToolSchema, ...]:
        return tuple(tool.schema for tool in self.tools.values())

    def checked(self, name: str, arguments: dict[str, Any]) -> Arguments:
        """The arguments, validated. Raises ModelFault for a tool that is not offered and for arguments that do not fit."""
        tool = self.tools.get(name)
        if tool is None:
            raise ModelFault(f"There is no tool '{name}' in this phase. Tools: {', '.join(self.tools)}.")
        try:
            return tool.arguments.model_validate(arguments)
        except ValidationError as error:
            raise ModelFault(
                f"The arguments of {name} do not fit: {explained(error)}. Correct them and call {name} again."
            ) from error


def explained(error: ValidationError) -> str:
    """The first three things that are wrong, as one clause each."""
    parts = [
        f"{'.'.join(map(str, e['loc'])) or 'they'}: {e['msg'].removeprefix('Value error, ')}"
        for e in error.errors()[:3]
    ]
    return "; ".join(parts)


def work_result(tool: Tool, context: ToolContext, arguments: Arguments) -> ToolResult:
    """Run the work of a tool; what the model did wrong becomes a result that says so."""
    try:
        return tool.work(context, arguments)
    except ModelFault as fault:
        return ToolResult.failure(str(fault))


def inlined_schema(model: type[BaseModel]) -> dict[str, Any]:
    """JSON Schema of a model without `$ref` and titles: small servers understand no references."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})

    def inline(value: Any) -> Any:
        if isinstance(value, list):
            return [inline(v) for v in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            named = definitions[value["$ref"].rsplit("/", 1)[1]]
            return inline({**named, **{k: v for k, v in value.items() if k != "$ref"}})
        return {k: inline(v) for k, v in value.items() if k != "title" or not isinstance(v, str)}

    result: dict[str, Any] = inline(schema)
    result.pop("description", None)
    return result
