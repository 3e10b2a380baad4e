"""Who turns the crank of a phase: crewai's agent loop, or the bare one. Both run the same calls in the same way.

The loop of a phase is `for ready in dialogue: execute(ready)`. crewai is a driver of it: its agent asks the door (a
`BaseLLM`) for the next call, gets the tool's name and arguments, and runs the tool, whose work is `Phase.execute`.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Generator
from typing import Protocol

import pydantic

from echelon.agents import made_once
from echelon.agents.roster import Role
from echelon.engine.dialogue import Dialogue, ReadyCall
from echelon.engine.door import door
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Tool
from echelon.errors import Halted
from echelon.garbage import seldom_collecting

CALLS_OF_CREWAI = 20
"""How many of its own iterations crewai is granted for each call of a phase: the dialogue ends the phase before."""


class Playing(Protocol):
    """What a driver must know of a phase."""

    role: Role
    name: str
    dialogue: Dialogue

    @property
    def all_tools(self) -> tuple[Tool, ...]: ...

    def execute(self, ready: ReadyCall) -> ToolResult: ...


class Driver(Protocol):
    """Runs a phase to its end."""

    def __call__(self, phase: Playing) -> None: ...


def by_itself(phase: Playing) -> None:
    """The loop, bare."""
    for ready in phase.dialogue:
        phase.execute(ready)


def by_crewai(phase: Playing) -> None:
    """The loop, driven by a crewai Agent of the role with the tools of the phase."""
    quieten_crewai()
    most = phase.dialogue.run.config.budget.calls_per_phase * CALLS_OF_CREWAI
    tools = [made_once.tool(t.name, t.description, t.arguments) for t in phase.all_tools]
    agent = phase.role.agent(door(phase.dialogue), tools, most)
    with events_apart(), made_once.running(lambda name: _run(phase, name)):
        # crewai leaves types out of what it returns, and of `root` below.
        agent.kickoff(phase.name)  # pyright: ignore[reportUnknownMemberType]  # the dialogue knows the task; crewai would fill in what looks like a placeholder


def _run(phase: Playing, name: str) -> str:
    """Run the tool that crewai was told to run, and return what it is told of the result."""
    ready = phase.dialogue.current
    assert ready is not None and ready.call.name == name
    try:
        result = phase.execute(ready)
    except Exception as error:  # crewai would make it a message to the model
        raise Halted(error) from error
    # crewai stops a run at the fifth identical result; whether a repetition is a loop is decided elsewhere
    return f"[{phase.dialogue.run.number}] {result.text()}"


def quieten_crewai() -> None:
    """Draw no panels, and ignore what crewai warns about in its own code.

    Filters are added, not swapped: jobs run in several threads.
    """
    with seldom_collecting():  # the first time, this imports all of crewai
        from crewai.events.event_listener import event_listener
        from crewai_core.printer import set_suppress_console_output

    set_suppress_console_output(True)  # crewai draws panels even when it is not verbose
    event_listener.formatter.verbose = False  # and composes them, a text of all tools each, for a console that is off
    warnings.filterwarnings("ignore", category=pydantic.warnings.PydanticDeprecationWarning)
    warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"crewai|pydantic")


@contextlib.contextmanager
def events_apart() -> Generator[None]:
    """Leave crewai's events as they were before, however the phase ends.

    A run that ends by an error never says so to crewai: its start stays on a stack, and at the hundredth of them crewai
    refuses every further run of the process.
    """
    from crewai.events.event_context import (
        _event_id_stack,  # pyright: ignore[reportPrivateUsage]  # crewai only lets it be set
        restore_event_scope,
    )

    before = _event_id_stack.get()
    try:
        yield
    finally:
        restore_event_scope(before)
        forget_events()


def forget_events() -> None:
    """Drop the events that crewai keeps of the outermost run: megabytes a task, and nothing here reads them."""
    from crewai.events.event_bus import crewai_event_bus

    state = crewai_event_bus.runtime_state
    if state is not None:
        state.event_record.clear()
        state.root.clear()  # pyright: ignore[reportUnknownMemberType]
