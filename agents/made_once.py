"""What crewai would make anew in each phase, made once in a process: a class, the tools, and who follows whom.

An agent of crewai is a flow of some thirty methods, and a phase of a job is often a call or two: most of its time went
into preparing it. Two methods of crewai's executor are ours; they do what the pinned version does, and tests compare. Its
steps run where it runs (`at_once`).
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable, Generator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

import pydantic

from echelon.agents.at_once import work_at_once

if TYPE_CHECKING:
    from crewai import Agent
    from crewai.agents.agent_executor import AgentExecutor

TOOLS = 512
"""How many tools are kept; the longest unused go first."""

_run: ContextVar[Callable[[str], str]] = ContextVar("run")


@contextlib.contextmanager
def running(run: Callable[[str], str]) -> Generator[None]:
    """Have the tools of a phase run by `run(name)`, which returns what crewai is told of the result."""
    token = _run.set(run)
    try:
        yield
    finally:
        _run.reset(token)


@functools.lru_cache(TOOLS)
def tool(name: str, description: str, arguments: type[pydantic.BaseModel]) -> Any:
    """A tool as crewai wants it; whichever phase has it, `running` says what it does."""
    return _tool_class()(name=name, description=description, args_schema=arguments)


@functools.cache
def _tool_class() -> Any:
    from crewai.tools import BaseTool
    from crewai.tools.structured_tool import CrewStructuredTool
    from crewai.utilities.agent_utils import convert_tools_to_openai_schema

    class PlainTool(CrewStructuredTool):
        @property
        def formatted_description(self) -> str:
            """For crewai's own prompt, which nobody reads: it would compose the schema of each tool anew, twice a phase."""
            return self.description

        def _validate_function_signature(self) -> None:
            """`_run` takes whatever the schema allows; it would be inspected anew with each agent."""

        def __str__(self) -> str:
            return self.name  # crewai writes each tool out at the start of each phase, for a console that is off

    class PhaseTool(BaseTool):
        @functools.cached_property
        def structured(self) -> CrewStructuredTool:
            made = PlainTool(name=self.name, description=self.description, args_schema=self.args_schema, func=self._run)
            made._original_tool = self  # pyright: ignore[reportPrivateUsage]  # as crewai's own does
            return made

        @functools.cached_property
        def native(self) -> dict[str, Any]:
            """The tool as servers are told of it."""
            return convert_tools_to_openai_schema([self])[0][0]

        def to_structured_tool(self) -> CrewStructuredTool:
            return self.structured

        def _run(self, **given: Any) -> str:
            return _run.get()(self.name)

    return PhaseTool


@functools.cache
def agent_class() -> type[Agent]:
    """A crewai Agent whose executor prepares less; other agents in the process keep crewai's own."""
    from crewai import Agent

    _one_class_of_state()
    executor = _executor_class()

    class PhaseAgent(Agent):
        def _prepare_kickoff(self, *given: Any, **named: Any) -> Any:
            made = cast(Any, super())._prepare_kickoff(*given, **named)
            made[0].__class__ = executor  # crewai names the class it makes; ours adds no data
            return made

    return PhaseAgent


def _one_class_of_state() -> None:
    """Give crewai's executor the class of its state that it would make anew, schema and all, for each phase."""
    from crewai.agents.agent_executor import AgentExecutor, AgentExecutorState
    from crewai.flow.flow import FlowState

    class State(FlowState, AgentExecutorState):
        pass

    cast(Any, AgentExecutor)._initial_state_t = State  # as `Flow[State]` sets it; crewai does not declare it


def _executor_class() -> type[AgentExecutor]:
    from crewai.agents.agent_executor import AgentExecutor
    from crewai.flow import runtime as crewais
    from crewai.flow.flow_definition import FlowDefinitionCondition
    from crewai.flow.types import FlowMethodName, PendingListenerKey

    runtime = cast(Any, crewais)  # what it keeps for itself, and leaves types out of
    waiting = dict[tuple[str, bool], list[tuple[FlowMethodName, FlowDefinitionCondition, bool]]]()
    """(event, is it a router) -> (name, condition, fires only once) of each listener that waits for it, in crewai's order"""
    for name, method in AgentExecutor.flow_definition().methods.items():
        if method.listen is None:
            continue
        only_once = runtime._is_multi_event_or(method.listen) and not method.router
        for event in dict.fromkeys(runtime._iter_condition_events(method.listen)):
            listener = FlowMethodName(name), method.listen, only_once
            waiting.setdefault((event, method.router), []).append(listener)

    class PhaseExecutor(AgentExecutor):
        async def kickoff_async(self, *given: Any, **named: Any) -> Any:
            """The loop is this phase's alone: crewai makes one for each run of an agent."""
            work_at_once(asyncio.get_running_loop())
            return await cast(Any, super()).kickoff_async(*given, **named)

        if not TYPE_CHECKING:  # else any name would be an attribute to it

            def __getattr__(self, name: str) -> Any:
                """Pydantic's own looks for three other things before the private attribute that is asked for.

                A flow keeps nearly all in those, and reads some hundred in each step.
                """
                private = object.__getattribute__(self, "__pydantic_private__")  # whether or not there is one yet
                return private[name] if private and name in private else super().__getattr__(name)

        def _setup_native_tools(self) -> None:
            """Crewai's own makes the schemas of all tools anew."""
            tools = {t.native["function"]["name"]: t for t in cast(list[Any], self.original_tools)}
            self._openai_tools = [t.native for t in tools.values()]
            self._available_functions = {name: t.run for name, t in tools.items()}
            self._tool_name_mapping = tools

        def _find_triggered_methods(self, trigger_method: FlowMethodName, router_only: bool) -> list[FlowMethodName]:
            """Crewai's own asks each listener; only one that waits for the trigger can be set off by it."""
            found = list[FlowMethodName]()
            for name, condition, only_once in waiting.get((str(trigger_method), router_only), ()):
                if only_once and name in self._fired_or_listeners:
                    continue
                if cast(Any, self)._condition_met(condition, trigger_method, PendingListenerKey(str(name))):
                    found.append(name)
                    if only_once:
                        self._fired_or_listeners.add(name)
            return found

    return PhaseExecutor
