"""What a tool is, which role has which, and the one place where tools are run.

A tool that a phase does not have is not offered to the model, and `Toolbox.checked` refuses it all the same. A deferred
tool is named in the prompt, and its schema is sent once it was found; called by its name it works at once.
"""

from __future__ import annotations

import copy
import difflib
import functools
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import sqlalchemy.exc
from pydantic import BaseModel, ConfigDict, ValidationError

from echelon.engine.dialogue import Traits
from echelon.engine.ends import End
from echelon.engine.messages import ToolResult, ToolSchema
from echelon.engine.run import Run
from echelon.engine.todos import Dropped, TodoList, Work
from echelon.engine.workspace import Workspace
from echelon.errors import Doubt, Halted, ModelFault, ModelUnavailable, RunEnded, UserError
from echelon.files import write_atomically
from echelon.json_text import is_list, is_object


class Effect(StrEnum):
    """What running a tool a second time does: nothing, the same again, or something that must not happen twice."""

    READ = "read"
    IDEMPOTENT = "idempotent"
    ONCE = "once"


class Arguments(BaseModel):
    """Base of the arguments of tools. Field descriptions are written for the model."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def model_json_schema(cls, *args: Any, **named: Any) -> dict[str, Any]:
        """The JSON Schema, as a copy of what was made once: crewai asks in every phase, and making it takes milliseconds."""
        return copy.deepcopy(_schema_of(cls, args, tuple(sorted(named.items()))))


@functools.lru_cache(maxsize=512)
def _schema_of(arguments: type[Arguments], args: tuple[Any, ...], named: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    return super(Arguments, arguments).model_json_schema(*args, **dict(named))


EVERYTHING = "*"
"""For `Tool.looks`: the tool looks at all results."""


@dataclass
class PhaseState:
    """What the tools of one phase change in memory. Only `saw`, `was_refused` and `Tool.apply` write to it, from recorded
    results, so a replay rebuilds it."""

    todos: TodoList = field(default_factory=TodoList)
    end: End[Any] | None = None
    """How the phase ended; None while it goes on."""
    instruction: str = ""
    """What the todo list tells a role to do that only writes it; empty: to do the current todo."""
    questions: tuple[str, ...] = ()
    """What the ScopeAgent asks a person."""
    asks_at_once: bool = False
    """Whether a question to a person ends the phase, so that the job waits for the answer."""
    together: tuple[str, ...] = ()
    """Ids of open work whose todos are done by one call."""
    in_one_call: str = ""
    """What the todo list says while one of those is the current todo."""
    is_through: bool = False
    """Whether code sees nothing that is left to plan."""
    offered: tuple[Work, ...] = ()
    """Open work that a plan can name by its ids."""
    dropped: tuple[Dropped, ...] = ()
    """Open work that the planner leaves out in this phase."""
    kept_ids: tuple[str, ...] = ()
    """Ids of offered work that the planner cannot leave out."""
    droppable: tuple[str, ...] = ()
    """Ids of dropped work that the Assessor may agree to leave out."""
    outcomes: tuple[str, ...] = ()
    """The milestones that this type of job usually has, for who defines the scope."""
    kinds: tuple[str, ...] = ()
    """Kinds of checks that can be carried out in this job; none named: all."""
    deliverables: tuple[str, ...] = ()
    """The files that the role writes, where it writes nothing else."""
    needs_work: bool = False
    """Whether a todo can only be completed after a call that did something."""
    work_since: int = 0
    """Calls that succeeded since the last todo was completed."""
    opened: tuple[str, ...] = ()
    """Paths that the role opened in this phase; EVERYTHING when a tool looked at all results at once."""
    must_open: tuple[str, ...] = ()
    """Deliverables that a role must have opened before it may say that they hold."""
    at_hand: tuple[str, ...] = ()
    """Files that who judges may want to look into besides: results and inputs."""
    blind: tuple[str, ...] = ()
    """Ids of what the role has to judge by itself before it may say that the work holds; in `opened` once it has."""
    spare: tuple[str, ...] = ()
    """Ids of what it has to judge besides where its judgement differs from what was decided."""
    hidden: tuple[str, ...] = ()
    """Beginnings of paths that it cannot look into before that."""
    objects: tuple[str, ...] = ()
    """Files that a finding of who judges can be about; none named: whatever it says."""
    sources: tuple[str, ...] = ()
    """Texts of the inputs, where a finding has to name a word of them or to quote a result; empty: whatever it names."""
    points: tuple[str, ...] = ()
    """What who judges answers one by one before the verdict."""
    changed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Lines that were changed, by file, where a finding has to be about one of them; empty: whatever it is about."""
    is_surveyed: bool = False
    """Whether code has looked at all of the work that is judged, and found nothing."""
    unsettled: tuple[str, ...] = ()
    """Ids of findings that a passing verdict has to settle."""
    worked: int = 0
    """Id of the todo whose call has succeeded; 0 when there is none."""
    refused: int = 0
    """Hand-overs of this phase that its submit tools refused."""
    failures: Counter[str] = field(default_factory=Counter[str])
    """How often each tool did not do what it should in this phase"""
    called: tuple[str, ...] = ()
    """Tools that succeeded in this phase, each once, in the order of their first success."""
    found: tuple[str, ...] = ()
    """Deferred tools whose schemas are sent by now, in the order in which they were found."""

    def todos_display(self) -> str | None:
        """Layer 2 of the context."""
        current = self.todos.current
        is_together = current is not None and current.work in self.together
        return self.todos.display(self.instruction, self.worked, self.in_one_call if is_together else "")

    def unopened(self) -> list[str]:
        """The deliverables that the role must open and has not."""
        return [] if EVERYTHING in self.opened else [p for p in self.must_open if p not in self.opened]

    def unjudged(self) -> list[str]:
        """Ids of what the role must judge by itself and has not."""
        return [id_ for id_ in self.blind if id_ not in self.opened]

    def judged(self) -> list[str]:
        """What the role has judged by itself: code compares it, so no finding says it again."""
        return [id_ for id_ in self.blind if id_ in self.opened]

    def refuse_hidden(self, path: str) -> None:
        """Raises ModelFault for a path that the role may not look into yet."""
        plain = path.strip().removeprefix("./")
        if any(f"{plain}/".startswith(h) or plain.startswith(h) for h in self.hidden):
            raise ModelFault(f"'{plain[:60]}' tells what was decided; judge the places that you were given first.")

    def saw(self, name: str, arguments: dict[str, Any], looks: str = "", has_shown: bool = True) -> None:
        """Take in that a tool did what it should. `looks` says what it lets the role see, `has_shown` whether it did."""
        self.called = tuple(dict.fromkeys((*self.called, name)))
        self.work_since += not name.startswith("todo_") and name != "list_todos"
        if not has_shown:
            pass
        elif looks == EVERYTHING:
            self.opened = (*self.opened, EVERYTHING)
        elif looks and isinstance(path := arguments.get(looks), str):
            self.opened = (*self.opened, path.strip().removeprefix("./"))
        current = self.todos.current
        call = current.call if current is not None else None
        if current is not None and call is not None and (call.tool, call.arguments) == (name, arguments):
            self.worked = current.id

    def was_refused(self, tool: Tool) -> None:
        """Take in that a tool did not do what it should."""
        self.refused += tool.ends
        self.failures[tool.name] += 1


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


ToolWork = Callable[[ToolContext, Any], ToolResult]
Apply = Callable[[PhaseState, Any, ToolResult], None]


@dataclass(frozen=True)
class Tool:
    """One tool. `work` runs inside a durable step; `apply` changes the phase's state after it, without any effect."""

    name: str
    description: str
    arguments: type[Arguments]
    work: ToolWork
    effect: Effect
    apply: Apply | None = None
    in_step: bool = True
    """False only for subagents: their own model calls and tool calls are the steps."""
    ends: bool = False
    """Whether it ends the phase when it succeeds."""
    waits: bool = False
    """Whether calling it again and again is how one waits for something outside: then repetitions are no loop."""
    decision: str = ""
    """Name of the argument that says what was decided, '' for tools that decide nothing."""
    looks: str = ""
    """Name of the argument that says which file the role gets to see; EVERYTHING for a tool that looks at all results."""
    shown: Callable[[Any, ToolResult], bool] = lambda _arguments, _result: True
    """Whether a call let the role see enough of the file to have opened it."""
    after: tuple[str, ...] = ()
    """Tools that must have succeeded in the phase before it may be called."""
    ready: Callable[[PhaseState], bool] = lambda _state: True
    """Whether a call of it could succeed now; one that could not is left out of what a model in JSON mode may answer."""
    held: Callable[[PhaseState, dict[str, Any]], dict[str, Any]] | None = None
    """What a model in JSON mode is held to in place of the schema of the arguments, made from that and the state."""

    @property
    def traits(self) -> Traits:
        """What the dialogue must know of it."""
        decision = self.decision or DECISIONS.get(self.name, "")
        return Traits(reads=self.effect is Effect.READ, waits=self.waits, decision=decision, ends=self.ends)

    @functools.cached_property
    def schema(self) -> ToolSchema:
        """The tool as a model sees it."""
        return ToolSchema(name=self.name, description=self.description, parameters=inlined_schema(self.arguments))


DECISIONS = {"add_note": "text", "add_accomplishment": "text", "reject_requirement": "reason"}
"""Shared tools that record a decision, and the argument that says it."""


class Toolbox:
    """The tools of one phase, in a stable order: those of the core, then the found ones as they were found.

    `core` names the tools whose schemas are always sent; None sends all. `state` is that of the phase: it tells what was
    found and what succeeded so far.
    """

    def __init__(
        self,
        tools: Iterable[Tool],
        core: Iterable[str] | None = None,
        state: PhaseState | None = None,
    ) -> None:
        self.tools = {tool.name: tool for tool in tools}
        kept = set(self.tools) if core is None else set(core)
        self.core = tuple(name for name in self.tools if name in kept)
        self._state = state or PhaseState()

    @property
    def deferred(self) -> tuple[Tool, ...]:
        """The tools whose schemas are not sent from the start."""
        return tuple(tool for name, tool in self.tools.items() if name not in self.core)

    def schemas(self) -> tuple[ToolSchema, ...]:
        """What the model gets to see of the tools now."""
        return tuple(self.tools[name].schema for name in dict.fromkeys((*self.core, *self._state.found)))

    def traits(self, name: str) -> Traits:
        """What kind of tool it is; a tool that is not there only reads."""
        tool = self.tools.get(name)
        return Traits() if tool is None else tool.traits

    def can_succeed(self, name: str) -> bool:
        """Whether a call of a tool could succeed now, as far as the phase's state tells."""
        tool = self.tools.get(name)
        return tool is not None and tool.ready(self._state) and not self._missing(tool)

    def held(self) -> tuple[ToolSchema, ...]:
        """What an answer is held to in place of some tools' own schemas, where the server can hold it."""
        tools = (self.tools[schema.name] for schema in self.schemas())
        return tuple(
            tool.schema.model_copy(update={"parameters": tool.held(self._state, tool.schema.parameters)})
            for tool in tools
            if tool.held is not None
        )

    def _missing(self, tool: Tool) -> list[str]:
        """Tools that come before it and have not succeeded yet."""
        return [name for name in tool.after if name not in self._state.called]

    def checked(self, name: str, arguments: dict[str, Any]) -> Arguments:
        """The arguments, validated. Raises ModelFault for an unknown tool, one whose turn it is not, and arguments that do
        not fit."""
        tool = self.tools.get(name)
        if tool is None:
            near = difflib.get_close_matches(name, list(self.tools), n=1, cutoff=0.6)
            hint = f"Did you mean {near[0]}?" if near else f"Tools: {', '.join(self.tools)}."
            raise ModelFault(f"There is no tool '{name[:60]}' in this phase. {hint}")
        if missing := self._missing(tool):
            raise ModelFault(f"{name} comes after {' and '.join(missing)}; call {missing[0]} first.")
        try:
            return tool.arguments.model_validate(arguments)
        except ValidationError as error:
            raise ModelFault(
                f"The arguments of {name} do not fit: {explained(error)}. Correct them and call {name} again."
            ) from error


def explained(error: ValidationError) -> str:
    """The first three things that are wrong, as one clause each."""
    parts = [
        f"{'.'.join(map(str, e['loc'])) or 'they'}: {_in_json_words(e['msg'].removeprefix('Value error, '))}"
        for e in error.errors()[:3]
    ]
    return "; ".join(parts)


def _in_json_words(said: str) -> str:
    """A model writes lists and objects; pydantic speaks of tuples and dictionaries."""
    return said.replace("Tuple", "List").replace("tuple", "list").replace("dictionary", "object")


SURROUNDINGS = (OSError, sqlalchemy.exc.SQLAlchemyError, ModelUnavailable, RunEnded, MemoryError)
"""Errors that no other tool call can mend: the job halts and can be resumed."""


def work_result(tool: Tool, context: ToolContext, arguments: Arguments) -> ToolResult:
    """Run the work of a tool. What the model did wrong becomes a result that says so, and so does a bug of the tool.

    Raises Halted when the surroundings failed. The stack trace of a bug is kept beside the trace, not shown.
    """
    try:
        return tool.work(context, arguments)
    except (ModelFault, UserError) as fault:
        return ToolResult.failure(str(fault))
    except SURROUNDINGS as error:
        raise Halted(error) from error
    except Doubt:  # for the ledger of effects
        raise
    except Exception as error:  # any mistake in a tool: the job goes on without this call
        if not tool.in_step:  # but not one of the steps that a subagent takes
            raise Halted(error) from error
        path = context.run.trace_path(context.run.number, tool.name).with_suffix(".error.txt")
        write_atomically(path, "".join(traceback.format_exception(error)))
        said = " ".join(str(error).split())[:200]
        return ToolResult.failure(
            f"{tool.name} is broken for these arguments ({type(error).__name__}: {said}). Do it another way."
        )


NOISE = ("title", "additionalProperties")
"""Keys of JSON Schema that no model needs here: what is not allowed is refused with a sentence."""


def inlined_schema(model: type[BaseModel]) -> dict[str, Any]:
    """JSON Schema of a model without `$ref`, titles and empty defaults: small servers understand no references."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})

    def inline(value: Any) -> Any:
        if is_list(value):
            return [inline(v) for v in value]
        if not is_object(value):
            return value
        if "$ref" in value:
            named = definitions[value["$ref"].rsplit("/", 1)[1]]
            return inline({**named, **{k: v for k, v in value.items() if k != "$ref"}})
        return {k: inline(v) for k, v in value.items() if not _is_noise(k, v)}

    result: dict[str, Any] = inline(schema)
    result.pop("description", None)
    return result


def _is_noise(key: str, value: Any) -> bool:
    return (key in NOISE and not isinstance(value, dict)) or (key == "default" and value in ("", None, False, []))
