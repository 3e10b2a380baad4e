"""What is no matter for the model: trouble around the job, ceilings, and what a phase leaves behind in crewai."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from echelon.engine import durable
from echelon.engine.messages import ToolResult
from echelon.engine.run import listen
from echelon.errors import JobCancelled, ModelUnavailable
from echelon.service.service import Service
from echelon.store.records.events import Event, ToolCalled
from tests.support.phases import Played, echo, go_on, play, prepared, refused, results, saying, tool
from tests.support.scripted import Reply, Script, Seen, call, service


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("door")) as running:
        yield running


class PowerCut(BaseException):
    """Stands for whatever stops a process."""


def interrupted(jobs: Service, error: BaseException, where: str) -> tuple[Played, list[str]]:
    """A phase in which `error` is raised once, in the third call of the model or of the tool."""
    ran: list[str] = []

    def model(seen: Seen) -> Reply:
        ran.append(f"model {seen.number}")
        if where == "model" and seen.number == 3 and ran.count("model 3") == 1:
            return error
        return call("echo", text=f"{seen.number}") if seen.number <= 4 else call("submit_report", summary="ok")

    def work(text: str) -> str:
        ran.append(f"tool {text}")
        if where == "tool" and text == "3" and ran.count("tool 3") == 1:
            raise error
        return f"did {text}"

    return prepared(jobs, model, [tool("echo", work)]), ran


@pytest.mark.parametrize("where", ["model", "tool"])
@pytest.mark.parametrize(
    "error", [PowerCut("off"), KeyboardInterrupt(), OSError(28, "No space left on device"), MemoryError()], ids=repr
)
def test_trouble_around_the_job_leaves_through_crewai_and_the_phase_goes_on_later(
    jobs: Service, error: BaseException, where: str
) -> None:
    played, ran = interrupted(jobs, error, where)
    with pytest.raises(type(error)):
        go_on(played)
    before = list(ran)
    go_on(played)
    assert played.how == "submitted"
    assert ran[len(before)] == before[-1]  # what was cut off runs again
    repeated = {x for x in ran if ran.count(x) > 1}
    assert repeated == {before[-1]}  # and nothing else does


def test_a_model_server_that_is_gone_halts_the_phase(jobs: Service) -> None:
    played, _ = interrupted(jobs, ModelUnavailable("test", "the server cannot be reached"), "model")
    with pytest.raises(ModelUnavailable):
        go_on(played)
    go_on(played)
    assert played.how == "submitted"


def test_a_cancelled_job_stops_at_its_next_step(jobs: Service) -> None:
    def cancel_after_two(event: Event) -> None:
        if isinstance(event, ToolCalled) and event.said == "you said 2":
            durable.cancel(jobs.store, played.job, 1)

    played = prepared(jobs, lambda seen: call("echo", text=f"{seen.number}"), [echo()])
    listen(played.job, cancel_after_two)
    with pytest.raises(JobCancelled):
        go_on(played)
    assert len(played.model.asked) == 2


@pytest.mark.parametrize(
    "error", [ValueError("bad value"), KeyError("x"), ZeroDivisionError(), AssertionError(), RecursionError()]
)
def test_a_bug_of_a_tool_is_a_short_result_without_a_stack_trace(jobs: Service, error: Exception) -> None:
    def broken(_: str) -> str:
        raise error

    played = play(jobs, saying(call("broken", text="a")), [tool("broken", broken)])
    assert played.how == "submitted"
    said = results(played)[0]
    assert said.startswith("broken is broken for these arguments (") and type(error).__name__ in said
    assert "Traceback" not in said and "File " not in said and len(said) < 400
    kept = list((played.run.folder / "trace").glob("*-broken.error.txt"))
    assert "Traceback" in kept[0].read_text(encoding="utf-8")


def test_a_fault_of_the_model_inside_a_tool_is_a_result(jobs: Service) -> None:
    played = play(jobs, saying(call("picky")), [tool("picky", lambda _: refused("Give a text."))])
    seen = json.loads(Seen(played.model.asked[-1]).results[0])
    assert (seen["ok"], seen["explanations"]) == (False, ["Give a text."])


def test_results_have_one_shape(jobs: Service) -> None:
    rich = tool("rich", lambda _: ToolResult(ok=True, confidence=0.5, explanations=("Found.",), data={"n": 1}))
    played = play(jobs, saying(call("rich")), [rich])
    assert json.loads(Seen(played.model.asked[-1]).results[0]) == {
        "ok": True, "confidence": 0.5, "explanations": ["Found."], "data": {"n": 1},
    }  # fmt: skip


# ceilings


def test_calls_of_a_phase_have_a_ceiling_and_the_role_is_told_before(jobs: Service) -> None:
    script: Script = lambda seen: call("echo", text=f"n{seen.number}")  # noqa: E731
    played = play(jobs, script, [echo()], overrides={"budget.calls_per_phase": 10})
    assert played.how == "stuck"
    assert len(played.model.asked) == 10
    told = "Limit: 8 of 10 model calls of this phase are used."
    assert [told in Seen(r).text for r in played.model.asked[7:9]] == [False, True]


def test_a_ceiling_of_the_job_is_checked_before_the_call(jobs: Service) -> None:
    script: Script = lambda seen: call("echo", text=f"n{seen.number}")  # noqa: E731
    played = play(jobs, script, [echo()], overrides={"budget.model_calls": 6})
    assert played.how == "limit"
    assert len(played.model.asked) == 6


# memory


def test_crewai_keeps_nothing_of_a_phase(jobs: Service) -> None:
    from crewai.events.event_bus import crewai_event_bus

    sizes: dict[str, tuple[int, int]] = {}

    def look(event: Event) -> None:  # called in the thread that plays the phase
        state = crewai_event_bus.runtime_state
        if state is not None and event.kind in ("tool", "phase_end"):
            sizes[event.kind] = len(state.event_record), len(state.root)

    played = prepared(jobs, saying(*[call("echo", text=f"{n}") for n in range(20)]), [echo()])
    listen(played.job, look)
    go_on(played)
    assert sizes["tool"][0] > 20  # crewai does keep events: without the clearing they would stay
    assert sizes["phase_end"] == (0, 0)


def test_a_phase_that_ends_by_an_error_leaves_crewai_as_it_was(jobs: Service) -> None:
    """Its stack of events that have begun holds a hundred; then every run of the process would be refused."""
    from crewai.events.event_context import _event_id_stack

    depths: list[int] = []

    def fails(_: Seen) -> Reply:
        depths.append(len(_event_id_stack.get()))
        return ModelUnavailable("scripted/test", "the server is gone")

    for _ in range(3):
        with pytest.raises(ModelUnavailable):
            play(jobs, fails, [echo()])
    assert len(depths) == 3 and len(set(depths)) == 1


def test_memory_does_not_grow_by_the_phase(jobs: Service) -> None:
    import gc
    import tracemalloc

    def one() -> None:
        long = "word " * 2_000
        played = play(jobs, saying(*[call("echo", text=f"{n} {long}") for n in range(10)]), [echo()])
        played.model.asked.clear()

    one()
    tracemalloc.start()
    try:
        one()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(3):
            one()
        gc.collect()
        grown = (tracemalloc.get_traced_memory()[0] - before) / 3
    finally:
        tracemalloc.stop()
    assert grown < 400_000, f"{grown:,.0f} bytes a phase"


def test_traces_can_be_read_by_the_role(jobs: Service) -> None:
    long = "\n".join(f"line {n} of the text" for n in range(400))

    def script(seen: Seen) -> Reply:
        if seen.number == 1:
            return call("write_file", path="notes/long.md", text=long)
        if seen.number == 2:
            return call("read_file", path="notes/long.md", lines=400)
        if seen.number <= 8:
            return call("write_file", path=f"notes/{seen.number}.md", text="short")
        if seen.number == 9:
            pointer = next(r for r in seen.results if r.startswith("[result of read_file"))
            return call("read_file", path=pointer.rpartition(" in ")[2].rstrip("]"), from_line=200, lines=20)
        return call("submit_report", summary="ok")

    played = play(jobs, script, shelf=("write_file", "read_file", "list_files", "submit_report"))
    assert played.how == "submitted"
    assert "of the text" in Seen(played.model.asked[-1]).last["data"]["text"]
