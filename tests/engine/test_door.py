"""The model door against what models get wrong and what crewai does with it. Real agent, real durable steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from echelon.crews.driving import by_crewai, by_itself
from echelon.engine.dialogue import LED
from echelon.engine.messages import Answer, ToolCall
from echelon.engine.todos import PlannedCall
from echelon.engine.toolbox import Effect, PhaseState
from echelon.service.service import Service
from tests.support.phases import Played, echo, play, results, saying, tool
from tests.support.scripted import Reply, Script, Seen, call, raw, service


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("door")) as running:
        yield running


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (raw("echo", '{"text": "a'), "the arguments are not valid JSON"),
        (raw("echo", '["a"]'), "the arguments must be a JSON object, not a list"),
        (raw("echo", '"a"'), "the arguments must be a JSON object, not a str"),
        (raw("echo", '{"text": 5}'), "The arguments of echo do not fit: text:"),
        (raw("echo", '{"words": "a"}'), "The arguments of echo do not fit: words:"),
        (call("make_coffee"), "There is no tool 'make_coffee' in this phase."),
        (call("job_complete", summary="x"), "There is no tool 'job_complete' in this phase."),
        (call("ecko", text="x"), "Did you mean echo?"),
        (call("", text="x"), "There is no tool ''"),
        (call("echo", text="as before: [… 1,024 more characters]"), "write the whole text"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_call_that_cannot_be_run_is_answered_with_what_to_do(jobs: Service, broken: Reply, says: str) -> None:
    played = play(jobs, saying(broken, call("echo", text="b")), [echo()])
    assert played.how == "submitted"
    first, second = results(played)
    assert says in first
    assert second == "you said b"
    assert played.run.spent.refused_calls == 1


def test_evidence_that_is_a_cut_copy_of_a_call_is_left_out_of_a_hand_over(jobs: Service) -> None:
    """A small model handed its report in five times, each time refused for it, and its phase was over."""
    cut = "write_file path=output/a.md text='The meeting[… 180 more characters]'"
    report = call("submit_report", summary="It is done.", evidence=["call 1", cut])
    played = play(jobs, lambda seen: call("echo", text="a") if seen.turn == 0 else report, [echo()])
    assert played.how == "submitted" and [e.ref for e in played.submitted.evidence] == ["1"]
    told = call("submit_report", summary=cut)
    played = play(jobs, lambda seen: report if "write the whole text" in seen.text else told, [echo()])
    assert played.how == "submitted" and played.run.spent.refused_calls == 1, "what people read has to be whole"


def test_an_unknown_tool_with_a_huge_name_is_refused_shortly(jobs: Service) -> None:
    played = play(jobs, saying(call("x" * 5000)), [echo()])
    assert len(results(played)[0]) < 300


def test_crewai_and_the_bare_loop_run_the_same_calls(jobs: Service) -> None:
    script = (call("ecko", text="x"), raw("echo", "{"), "", [call("echo", text="a"), call("echo", text="b")])
    crewai, bare = (play(jobs, saying(*script), [echo()], drive=drive) for drive in (by_crewai, by_itself))
    assert crewai.how == bare.how == "submitted" and crewai.steps == bare.steps
    assert [r.messages for r in crewai.model.asked] == [r.messages for r in bare.model.asked]


@pytest.mark.parametrize("reply", ["", "I think that the work is done.", Answer()], ids=["empty", "text", "nothing"])
def test_an_answer_without_a_call_is_nudged(jobs: Service, reply: Reply) -> None:
    played = play(jobs, saying(reply), [echo()])
    assert played.how == "submitted"
    last = played.model.asked[-1].messages
    assert last[-1].content == "Answer with one tool call. When this phase's work is done, call submit_report."
    assert last[-2].role == "assistant" and last[-2].content  # a server refuses an assistant message without anything


def test_a_model_that_never_calls_a_tool_is_given_up(jobs: Service) -> None:
    played = play(jobs, lambda seen: "Let me think about it.", [echo()])
    assert played.how == "unusable"
    assert len(played.model.asked) == 5


def test_two_calls_at_once_run_one_after_another_and_both_results_are_seen(jobs: Service) -> None:
    order: list[str] = []

    def note(text: str) -> str:
        order.append(text)
        return f"noted {text}"

    noting = tool("note", note, effect=Effect.IDEMPOTENT)
    both = [call("note", text="first"), call("note", text="second")]
    played = play(jobs, saying(both), [noting])
    assert order == ["first", "second"]
    assert results(played) == ["noted first", "noted second"]
    calls = next(m for m in played.model.asked[-1].messages if m.calls).calls
    assert len({c.id for c in calls}) == 2


def test_one_bad_call_of_two_does_not_stop_the_other(jobs: Service) -> None:
    played = play(jobs, saying([raw("echo", "{"), call("echo", text="good")]), [echo()])
    assert results(played)[1] == "you said good"


def test_what_follows_a_submit_in_the_same_answer_is_dropped(jobs: Service) -> None:
    late = tool("late", lambda text: "ran")
    played = play(jobs, saying([call("submit_report", summary="done"), call("late", text="x")]), [late])
    assert played.how == "submitted"
    assert played.steps.count("late") == 0


def test_a_submit_that_is_refused_lets_the_phase_go_on(jobs: Service) -> None:
    script = saying(call("submit_report", summary="too early"), call("todo_complete"))
    played = play(jobs, script, shelf=("submit_report", "todo_complete"), todos=["one"])
    assert played.how == "submitted"
    assert "is not done; do it and call todo_complete" in results(played)[0]


@pytest.mark.parametrize("calls", [(), (raw("echo", '{"text": "and so on and'),)], ids=["words", "half a call"])
def test_a_model_whose_answer_was_cut_off_is_told_to_write_less(jobs: Service, calls: tuple[ToolCall, ...]) -> None:
    played = play(jobs, saying(Answer(text="and so on", calls=calls, cut=True), call("echo", text="b")), [echo()])
    assert played.how == "submitted"
    told = Seen(played.model.asked[1]).text
    assert "The answer was cut off after 2048 tokens" in told and "in several calls" in told
    assert "not valid JSON" not in told, "that is not what went wrong"


def test_a_model_that_circled_until_it_was_cut_off_hears_so_and_does_not_read_it_again(jobs: Service) -> None:
    circling = (
        "First this. "
        + "In summary, whoever plans the next meeting should consider what differs between the plans. " * 40
    )
    script = saying(Answer(text=circling, cut=True), call("echo", text="b"))
    played = play(jobs, script, [echo()])
    assert played.how == "submitted"
    told = Seen(played.model.asked[1]).text
    assert "said the same again and again" in told and "Say each thing once" in told
    assert told.count("In summary, whoever plans") <= 1 and "more characters]" in told


def test_five_identical_calls_of_a_tool_that_waits_are_no_failure(jobs: Service) -> None:
    polling = tool("wait_for_build", lambda text: "still running", waits=True)
    played = play(jobs, saying(*[call("wait_for_build", text="7")] * 9), [polling])
    assert played.how == "submitted"
    assert played.steps.count("wait_for_build") == 9


def test_what_looks_like_a_placeholder_stays_literal(jobs: Service) -> None:
    text = "Replace {tools} and {input} by {{ name }} in {tool_names}, {'a': 1}."
    played = play(jobs, saying(call("echo", text="{input}")), [echo()], task=text)
    last = played.model.asked[-1]
    assert last.messages[1].content == text
    assert results(played) == ["you said {input}"]


def test_text_beside_calls_stays_in_the_conversation(jobs: Service) -> None:
    answer = Answer(text="First I look.", calls=(call("echo", text="a"),))
    played = play(jobs, saying(answer), [echo()])
    assert next(m for m in played.model.asked[-1].messages if m.role == "assistant").content == "First I look."


def test_the_same_call_again_and_again_is_stopped_within_eight(jobs: Service) -> None:
    played = play(jobs, lambda seen: call("echo", text="a"), [echo()])
    assert played.how == "stuck"
    assert played.state.end.issue.startswith("The role went round in circles: echo was called 5 times")
    assert len(played.model.asked) <= 8
    assert "Careful: echo was called 3 times" in Seen(played.model.asked[3]).text


def barred(played: Played) -> list[tuple[str, ...]]:
    return [request.barred for request in played.model.asked]


def test_a_tool_that_was_called_twice_for_nothing_is_barred_once(jobs: Service) -> None:
    again = saying(call("echo", text="a"), call("echo", text="a"), call("echo", text="b"))
    assert barred(play(jobs, again, [echo()])) == [(), (), ("echo",), ()]


def test_what_ends_a_phase_is_never_barred_as_a_circle(jobs: Service) -> None:
    script: Script = lambda seen: call("submit_report", summary="done")  # noqa: E731
    assert set(barred(play(jobs, script, todos=["never done"]))) == {()}


def test_once_all_todos_are_done_only_the_end_is_left(jobs: Service) -> None:
    """Todos that nobody has written bar nothing."""
    script = saying(call("todo_complete"), call("echo", text="still allowed where there is no schema"))
    shelf = ("todo_complete", "todo_rewind", "submit_report")
    played = play(jobs, script, [echo()], shelf=shelf, todos=["say it"])
    assert barred(played) == [(), ("echo", "todo_complete"), ("echo", "todo_complete")]
    assert played.how == "submitted"
    assert "you said still allowed where there is no schema" in results(played)
    assert barred(play(jobs, saying(call("echo", text="a")), [echo()])) == [(), ()]


HELD = {"model_settings.tool_calls": "json_schema"}


def test_a_led_model_whose_todos_are_done_cannot_hand_them_back(jobs: Service) -> None:
    shelf = ("todo_complete", "todo_rewind", "submit_report")
    script = saying(call("echo", text="a"), call("todo_complete"))
    played = play(jobs, script, [echo()], shelf=shelf, todos=["say it"], overrides=HELD)
    assert played.how == "submitted" and barred(played)[-1] == ("echo", "todo_complete", "todo_rewind")


def test_what_could_only_be_refused_is_not_offered_to_a_model_that_answers_to_a_schema(jobs: Service) -> None:
    script = saying(call("echo", text="a"), call("todo_complete"))
    shelf = ("todo_complete", "submit_report")
    led = play(
        jobs,
        script,
        [echo(after=()), tool("last", str, after=("echo",))],
        shelf=shelf,
        todos=["say it"],
        overrides=HELD,
    )
    assert led.how == "submitted"
    first, second, _ = barred(led)
    assert {"last", "submit_report"} <= set(first) and "echo" not in first, (
        "nothing can be reported before anything was done"
    )
    assert not {"last", "todo_complete", "submit_report"} & set(second)
    free = play(jobs, script, [echo(), tool("last", str, after=("echo",))], shelf=shelf, todos=["say it"])
    assert barred(free)[0] == (), "native tool calls keep their list for the cache"


def test_who_is_led_in_vain_may_call_what_it_likes(jobs: Service) -> None:
    never = tool("never", str, after=("not there",))
    script = saying(*(call("echo", text=str(number)) for number in range(LED + 1)))
    asked = barred(play(jobs, script, [echo(), never], overrides=HELD))
    assert all("never" in each for each in asked[:LED]) and "never" not in asked[LED]


def test_a_tool_can_hold_an_answer_to_what_is_asked_for(jobs: Service) -> None:
    def held(_state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
        return parameters | {"properties": {"text": {"enum": ["a"]}}}

    led = play(jobs, saying(call("echo", text="a")), [echo(held=held)], overrides=HELD)
    schema = led.model.asked[0].held[0]
    assert (schema.name, schema.parameters["properties"]) == ("echo", {"text": {"enum": ["a"]}})
    assert schema not in led.model.asked[0].tools, "the words of the prompt stay the same all phase long"
    free = play(jobs, saying(call("echo", text="a")), [echo(held=held)])
    assert all(request.held == () and "held" not in request.model_dump() for request in free.model.asked)


def test_the_call_of_a_todo_makes_it_ready_to_be_completed(jobs: Service) -> None:
    script = saying(call("echo", text="b"), call("echo", text="a"), call("todo_complete"), call("todo_complete"))
    calls = {"say a": PlannedCall(tool="echo", arguments={"text": "a"})}
    shelf = ("todo_complete", "submit_report")
    played = play(jobs, script, [echo()], shelf=shelf, todos=["say a", "say b"], calls=calls)
    told = [
        request.messages[-1].content.partition("INSTRUCTION: ")[2].splitlines()[0] for request in played.model.asked
    ]
    assert told == [
        "Complete todo 1, then call todo_complete()",
        "Complete todo 1, then call todo_complete()",
        "Todo 1 has its result: call todo_complete()",
        "Complete todo 2, then call todo_complete()",
        "All todos are done: call submit_report",
    ]


def test_a_submit_that_is_refused_again_and_again_is_stopped_within_eight(jobs: Service) -> None:
    script: Script = lambda seen: call("submit_report", summary=f"In other words, done {seen.number}")  # noqa: E731
    played = play(jobs, script, todos=["never done"])
    assert played.how == "stuck"
    assert len(played.model.asked) <= 8


def test_a_phase_of_a_hundred_calls_runs_through(jobs: Service) -> None:
    script: Script = lambda seen: (  # noqa: E731
        call("echo", text=f"n{seen.number}") if seen.number <= 100 else call("submit_report", summary="ok")
    )
    played = play(jobs, script, [echo()])
    assert played.how == "submitted"
    assert Seen(played.model.asked[-1]).turn == 100
