"""What is made once for crewai does what crewai's own would do, each time."""

from __future__ import annotations

import asyncio
import copy
import sys
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from echelon.agents import made_once
from echelon.agents.at_once import work_at_once
from echelon.crews.driving import quieten_crewai
from echelon.engine.toolbox import Arguments
from echelon.errors import Halted
from tests.support import scripted  # imports crewai without its warnings


class Named(Arguments):
    path: str = Field(description="where it is")
    lines: list[int] = Field(default=[], description="which lines of it")


crewai = scripted.crewai
Executor = crewai.agents.agent_executor.AgentExecutor
crewais = crewai.flow.runtime
METHODS = Executor.flow_definition().methods
LISTENERS = {name: m.listen for name, m in METHODS.items() if m.listen is not None}
WAITED_FOR = {name: list(crewais._iter_condition_events(condition)) for name, condition in LISTENERS.items()}
EVENTS = sorted({event for events in WAITED_FOR.values() for event in events} | set(METHODS) | {"nothing", ""})


class Silent(crewai.BaseLLM):
    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        return "done"


def crewai_agent(*tools: Any) -> Any:
    quieten_crewai()
    return made_once.agent_class()(role="r", goal="g", backstory="b", llm=Silent(model="silent"), tools=list(tools))


def executor(*tools: Any) -> Any:
    return crewai_agent(*tools)._prepare_kickoff("go on")[0]


ONE, OTHER = executor(), executor()


def test_there_is_something_to_follow() -> None:
    assert len(LISTENERS) > 10 and any(not isinstance(c, str) for c in LISTENERS.values())


@given(st.lists(st.tuples(st.sampled_from(EVENTS), st.booleans(), st.booleans()), max_size=30))
def test_the_same_methods_follow_as_by_crewai(steps: list[tuple[str, bool, bool]]) -> None:
    for one in (ONE, OTHER):
        one._pending_events.clear()
        one._clear_or_listeners()
    for trigger, router_only, anew in steps:
        if anew:
            ONE._clear_or_listeners()
            OTHER._clear_or_listeners()
        assert ONE._find_triggered_methods(trigger, router_only) == crewais.Flow._find_triggered_methods(
            OTHER, trigger, router_only
        )
        assert ONE._fired_or_listeners == OTHER._fired_or_listeners


def test_each_method_that_waits_is_found_by_each_event_it_waits_for() -> None:
    for name, events in WAITED_FOR.items():
        for event in events:
            ONE._clear_or_listeners()
            assert name in ONE._find_triggered_methods(event, METHODS[name].router), (name, event)


PRIVATE = sorted(type(ONE).__private_attributes__)


def test_a_private_attribute_is_what_it_is_to_pydantic_and_is_not_looked_for_anywhere_else() -> None:
    assert "_fired_or_listeners" in PRIVATE
    looked = set[str]()

    def look(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code is Executor.__getattr__.__code__:
            looked.add(frame.f_locals["item"])

    sys.setprofile(look)
    try:
        found = {name: getattr(ONE, name, None) for name in PRIVATE}
    finally:
        sys.setprofile(None)
    assert all(value is Executor.__getattr__(ONE, name) for name, value in found.items() if name not in looked)
    assert "_fired_or_listeners" not in looked and len(looked) < len(PRIVATE) / 4


@pytest.mark.parametrize("name", ["nothing_of_this_name", "_nothing_of_this_name"])
def test_what_no_executor_has_is_missed_in_pydantics_words(name: str) -> None:
    with pytest.raises(AttributeError, match=f"'PhaseExecutor' object has no attribute '{name}'"):
        getattr(ONE, name)


def test_one_that_is_being_copied_has_nothing_yet() -> None:
    made = type(ONE).__new__(type(ONE))
    assert not [name for name in ("__pydantic_private__", "nothing", *PRIVATE) if hasattr(made, name)]


def test_no_private_attribute_is_a_descriptor() -> None:
    """Of such a one pydantic asks the descriptor."""
    assert not [name for name, default in type(ONE).__private_attributes__.items() if hasattr(default, "__get__")]


def test_the_tools_are_set_up_as_by_crewai() -> None:
    tools = [made_once.tool("read_file", "Reads a file.", Named), made_once.tool("submit", "Ends it.", Arguments)]
    made = executor(*tools)
    made._setup_native_tools()
    schemas, functions, names = crewai.utilities.agent_utils.setup_native_tools(tools)
    assert made._openai_tools == schemas and schemas[0]["function"]["parameters"]["properties"]["path"]
    assert made._available_functions == functions and list(functions) == ["read_file", "submit"]
    assert made._tool_name_mapping == names


def test_a_phase_without_tools_has_none() -> None:
    made = executor()
    made._setup_native_tools()
    assert (made._openai_tools, made._available_functions) == ([], {})


def test_a_tool_is_made_once_and_a_changed_one_anew() -> None:
    tool = made_once.tool("read_file", "Reads a file.", Named)
    assert made_once.tool("read_file", "Reads a file.", Named) is tool
    assert tool.to_structured_tool() is tool.to_structured_tool()
    told = {made_once.tool(*given).native["function"]["description"] for given in (
        ("read_file", "Reads a file.", Named), ("read_file", "Reads a file in parts.", Named))}  # fmt: skip
    assert told == {"Reads a file.", "Reads a file in parts."}
    assert made_once.tool("read_file", "Reads a file.", Arguments).native["function"]["parameters"]["properties"] == {}


def test_what_a_run_changed_in_a_schema_is_not_there_in_the_next() -> None:
    tool = made_once.tool("read_file", "Reads a file.", Named)
    before = copy.deepcopy(tool.native)
    crewai_agent(tool).kickoff("go on")
    assert tool.native == before


def test_other_agents_of_the_process_are_as_crewai_makes_them() -> None:
    quieten_crewai()
    agent = crewai.Agent(role="r", goal="g", backstory="b", llm=Silent(model="silent"))
    assert type(agent._prepare_kickoff("go on")[0]) is Executor
    assert isinstance(ONE, Executor) and type(ONE) is not Executor


def test_the_steps_of_a_phase_are_in_its_thread_and_may_start_a_loop_and_another_agent() -> None:
    seen = list[Any]()

    class Asking(Silent):
        def call(self, messages: Any, *_: Any, **__: Any) -> str:
            async def inside() -> str:
                return "of a loop"

            seen.append(threading.current_thread())
            seen.append(crewai_agent().kickoff("go on").raw)
            seen.append(asyncio.run(inside()))
            return "all done"

    quieten_crewai()
    agent = made_once.agent_class()(role="r", goal="g", backstory="b", llm=Asking(model="asking"))
    assert agent.kickoff("go on").raw == "all done"
    assert seen == [threading.current_thread(), "done", "of a loop"]


@pytest.mark.parametrize("loops", ["asyncio", "uvloop"])
@pytest.mark.parametrize("error", [ValueError("bad"), Halted(ValueError("bad")), KeyboardInterrupt()])
def test_what_is_done_at_once_is_as_of_a_pool(loops: str, error: BaseException) -> None:
    seen = list[Any]()

    def ask(what: str, fails: bool = False) -> str:
        with pytest.raises(RuntimeError, match="no running event loop"):
            asyncio.get_running_loop()
        seen.append(threading.current_thread())
        if fails:
            raise error
        return what

    async def task() -> tuple[str, str, list[str]]:
        loop = asyncio.get_running_loop()
        work_at_once(loop)
        failing = loop.run_in_executor(None, ask, "nothing", True)
        with pytest.raises(type(error)) as raised:
            await failing
        assert raised.value is error
        answers = await asyncio.to_thread(ask, what="one"), await loop.run_in_executor(None, ask, "two")
        together = await asyncio.gather(*(asyncio.to_thread(ask, what) for what in "abc"))
        assert asyncio.get_running_loop() is loop
        return *answers, together

    assert pytest.importorskip(loops).run(task()) == ("one", "two", ["a", "b", "c"])
    assert seen == [threading.current_thread()] * 6


def test_a_tool_runs_in_the_phase_that_is_playing() -> None:
    tool = made_once.tool("read_file", "Reads a file.", Named)
    with made_once.running(lambda name: f"outer {name}"):
        with made_once.running(lambda name: f"inner {name}"):
            assert tool.run(path="a") == "inner read_file"
        assert tool.run(path="a") == "outer read_file"
    with pytest.raises(LookupError):
        tool.run(path="a")


def test_jobs_beside_each_other_share_a_tool_and_no_phase() -> None:
    tool, said, both = made_once.tool("read_file", "Reads a file.", Named), list[str](), threading.Barrier(2)

    def job(number: int) -> None:
        with made_once.running(lambda name: f"{number} {name}"):
            both.wait()
            said.append(tool.run(path="a"))
            both.wait()

    threads = [threading.Thread(target=job, args=(n,)) for n in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == ["1 read_file", "2 read_file"]
