"""The layers of a context, what becomes of old turns, and the rules that every prompt obeys."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.engine.context.conversation import LINES, STEP, Conversation, Outcome, Turn
from echelon.engine.context.cut import LEFT_OUT, one_line, pointer, prompt_tokens, shortened
from echelon.engine.context.facts import Fact, FactKind, Facts, missing, put_back
from echelon.engine.context.rules import (
    NO_ANSWER,
    NOT_RUN,
    FactsAnswerable,
    NoEmptyAnswer,
    TaskPromptStays,
    TodosVisible,
    ToolCallMatching,
)
from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, ToolResult, ToolSchema
from echelon.settings import ContextSettings, ModelSettings

CONTEXT = ContextSettings.model_validate({})
MODEL = ModelSettings.model_validate({})
TOOL = ToolSchema(name="work", description="Do work.", parameters={"type": "object", "properties": {}})


def made(number: int, name: str = "work", *, text: str = "", ok: bool = True, data: object = None) -> Turn:
    """A turn with one call."""
    call = ToolCall(id=f"c{number}", name=name, arguments=json.dumps({"n": number, "text": text}))
    result = ToolResult(ok=ok, explanations=(f"result {number}",), data=data)
    return Turn(Answer(calls=(call,)), [Outcome(call, result, f"trace/{number:05d}-{name}.txt")])


def conversation(turns: int = 0, *, display: str | None = None, size: int = 0) -> Conversation:
    talk = Conversation(system="You are X.", task="Do it.", tools=lambda: (TOOL,), todo=lambda: display)
    for n in range(1, turns + 1):
        talk.turns.append(made(n, text="a" * size, data={"text": "b" * size} if size else None))
    return talk


def prompt(talk: Conversation, **context: int) -> ModelRequest:
    return talk.request(CONTEXT.model_copy(update=context), MODEL)


def texts(request: ModelRequest) -> list[str]:
    return [m.content for m in request.messages]


def test_layers_stand_in_their_order() -> None:
    request = prompt(conversation(20, display="TODO LIST"))
    roles = [m.role for m in request.messages]
    assert texts(request)[:2] == ["You are X.", "Do it."]
    assert texts(request)[2].startswith("Turns 1 to 15 of this phase, in short:")
    assert roles[3:-1] == ["assistant", "tool"] * 5
    assert texts(request)[-1] == "TODO LIST"
    assert request.tools == (TOOL,)


def test_the_beginning_of_the_prompt_stays_the_same_while_nothing_is_folded() -> None:
    """A provider's cache of prefixes hits: from turn to turn only what is behind the open turns changes."""
    talk = conversation(2 * STEP)
    before = prompt(talk).messages[:3]
    for n in range(2 * STEP + 1, 3 * STEP):
        talk.turns.append(made(n))
        assert prompt(talk).messages[:3] == before


def test_old_results_become_pointers_and_the_last_five_stay_whole() -> None:
    talk = conversation(STEP + 4, size=2_000)
    shown = [m.content for m in prompt(talk).messages if m.role == "tool"]
    assert [s.startswith("[result of work, ") for s in shown] == [True] * (STEP - 1) + [False] * 5
    assert shown[0].endswith("in trace/00001-work.txt]")


def test_a_result_that_is_shorter_than_its_pointer_stays() -> None:
    assert pointer("work", '{"ok": true}', "trace/00001-work.txt") == '{"ok": true}'
    assert pointer("work", "x" * 500, "") == "x" * 500


def test_long_results_are_cut_to_head_and_tail() -> None:
    talk = conversation()
    talk.turns.append(made(1, data={"text": "first " + "word " * 5_000 + "last"}))
    shown = texts(prompt(talk, result_tokens=200))[-1]
    assert '"first word' in shown and 'last"}' in shown and "tokens left out" in shown
    assert prompt_tokens(prompt(talk, result_tokens=200)) < 400


def test_long_texts_in_old_arguments_are_shortened_and_marked() -> None:
    talk = conversation(3, size=1_000)
    calls = [json.loads(c.arguments) for m in prompt(talk).messages for c in m.calls]
    assert [len(c["text"]) == 1_000 for c in calls] == [False, False, True]
    assert LEFT_OUT.search(calls[0]["text"])
    assert calls[0]["n"] == 1


@given(st.text(max_size=900), st.integers())
def test_shortened_arguments_are_valid_json_with_the_same_keys(text: str, number: int) -> None:
    call = ToolCall(id="c", name="t", arguments=json.dumps({"a": text, "b": [text, {"c": number}]}))
    value = shortened(call).parsed()
    assert set(value) == {"a", "b"} and value["b"][1] == {"c": number}
    assert len(shortened(call).arguments) <= len(call.arguments) + 80


def test_arguments_that_are_no_json_are_shortened_too() -> None:
    assert len(shortened(ToolCall(id="c", name="t", arguments='{"a": ' + "x" * 900)).arguments) < 200


def test_folded_turns_keep_a_line_and_the_first_ones_are_counted() -> None:
    talk = conversation(40)
    history = texts(prompt(talk))[2].splitlines()
    assert history[1] == f"First: work {35 - LINES} times."
    assert len(history) == 2 + LINES
    assert history[-1] == '35. work(n=35, text="") → result 35'


def test_a_failed_call_is_folded_as_failed() -> None:
    talk = conversation(12)
    talk.turns[2] = made(3, ok=False)
    assert '3. work(n=3, text="") → failed: result 3' in texts(prompt(talk))[2]


def test_the_prompt_does_not_grow_with_the_turns() -> None:
    sizes = [prompt_tokens(prompt(conversation(n, size=1_000))) for n in (30, 100, 400)]
    assert max(sizes) - min(sizes) < 20


def test_results_are_cut_further_where_the_window_is_small() -> None:
    talk = conversation(8, size=20_000)
    small = ModelSettings.model_validate({"context_window": 3_000, "max_output_tokens": 500})
    assert prompt_tokens(talk.request(CONTEXT, small)) <= 2_500


def test_feedback_stands_after_the_results_of_its_turn() -> None:
    talk = conversation(2)
    talk.turns[0].feedback = "Careful."
    assert [m.role for m in prompt(talk).messages][2:6] == ["assistant", "tool", "user", "assistant"]


# rules


def call_message(*ids: str) -> Message:
    return Message(role="assistant", calls=tuple(ToolCall(id=i, name="work", arguments="{}") for i in ids))


def result_message(call_id: str, text: str = "r") -> Message:
    return Message(role="tool", content=text, call_id=call_id, name="work")


def is_matched(messages: list[Message]) -> bool:
    """Each call has one result before the next message of another role, and no result lacks its call."""
    waiting: list[str] = []
    for message in messages:
        if message.role == "tool":
            if message.call_id not in waiting:
                return False
            waiting.remove(message.call_id)
            continue
        if waiting:
            return False
        waiting = [c.id for c in message.calls]
    return not waiting


def test_a_call_without_a_result_gets_one() -> None:
    mended = ToolCallMatching().enforce([call_message("a", "b"), result_message("b"), Message(role="user")])
    assert [(m.role, m.content) for m in mended] == [("assistant", ""), ("tool", "r"), ("tool", NOT_RUN), ("user", "")]


def test_a_result_without_its_call_goes() -> None:
    assert ToolCallMatching().enforce([result_message("x"), call_message("a"), result_message("a")])[0].calls


_MESSAGES = st.lists(
    st.one_of(
        st.lists(st.sampled_from("abcdef"), unique=True, max_size=3).map(lambda ids: call_message(*ids)),
        st.sampled_from("abcdef").map(result_message),
        st.just(Message(role="user", content="x")),
    ),
    max_size=20,
)


@given(_MESSAGES)
def test_calls_and_results_match_whatever_comes_in(messages: list[Message]) -> None:
    mended = ToolCallMatching().enforce(messages)
    assert is_matched(mended)
    assert ToolCallMatching().enforce(mended) == mended
    if is_matched(messages):
        assert mended == messages


def test_an_empty_answer_is_named() -> None:
    assert NoEmptyAnswer().enforce([Message(role="assistant", content=" \n")])[0].content == NO_ANSWER
    assert NoEmptyAnswer().enforce([call_message("a")]) == [call_message("a")]


@given(_MESSAGES)
def test_the_task_prompt_stays_first(messages: list[Message]) -> None:
    rule = TaskPromptStays("system", "task")
    mended = rule.enforce(messages)
    assert [m.content for m in mended[:2]] == ["system", "task"]
    assert rule.enforce(mended) == mended


@given(_MESSAGES)
def test_todos_are_the_end(messages: list[Message]) -> None:
    mended = TodosVisible("[ ] 1. x").enforce(messages)
    assert mended[-1].content == "[ ] 1. x"
    assert TodosVisible("[ ] 1. x").enforce(mended) == mended
    assert TodosVisible(None).enforce(messages) == messages


def test_facts_that_cannot_be_read_are_put_back_before_the_todos() -> None:
    facts = (
        Fact(FactKind.DELIVERABLE, "output/a.md"),
        Fact(FactKind.DECISION, "Use  UTC."),
        Fact(FactKind.TODO, "x y"),
    )
    todos = Message(role="user", content="[ ] 1. x\ny")
    mended = FactsAnswerable(facts, todos.content).enforce([Message(role="user", content="wrote OUTPUT/A.md"), todos])
    assert mended[-1].content == "- decided: Use  UTC.\n\n[ ] 1. x\ny"
    assert len(mended) == 2


def test_without_todos_facts_are_a_message_of_their_own() -> None:
    rule = FactsAnswerable((Fact(FactKind.FAILURE, "work: no"), Fact(FactKind.LIMIT, "Limit: 9 of 10.")), None)
    mended = rule.enforce([result_message("a")])
    assert mended[-1].content == "- failed: work: no\nLimit: 9 of 10."
    assert rule.enforce(mended) == mended


_FACT = st.builds(Fact, st.sampled_from(FactKind), st.text("ab ,.x", min_size=1, max_size=12).filter(str.strip))


@given(st.lists(_FACT, max_size=8), st.lists(st.text("ab ,.x\n", max_size=30), max_size=4))
def test_what_is_put_back_is_not_missing_any_more(facts: list[Fact], seen: list[str]) -> None:
    lost = missing(facts, seen)
    assert missing(facts, [*seen, put_back(lost)]) == []


# facts


def happened(facts: Facts, name: str, ok: bool = True, data: object = None, **arguments: object) -> None:
    call = ToolCall(id="c", name=name, arguments=json.dumps(arguments))
    result = ToolResult(ok=ok, explanations=("it went so",), data=data)
    reads = name.startswith("read")
    facts.add(call, result, reads=reads, decision="text" if name == "add_note" else "")


def test_facts_are_kept_as_they_happen() -> None:
    facts = Facts()
    happened(facts, "write_file", data={"path": "output/b.md"})
    happened(facts, "read_file", data={"path": "output/c.md"})
    happened(facts, "add_note", text="Appendix\nB is out.")
    happened(facts, "edit_file", ok=False, path="x")
    assert [(f.kind.value, f.text) for f in facts.all(["one"], ["Limit."])] == [
        ("limit", "Limit."), ("open todo", "one"), ("written", "output/b.md"), ("decided", "Appendix B is out."),
        ("failed", "edit_file: it went so"),
    ]  # fmt: skip


def test_a_failure_that_was_mended_is_forgotten() -> None:
    facts = Facts()
    happened(facts, "edit_file", ok=False, path="x")
    happened(facts, "edit_file", path="x")
    assert facts.all() == []


def test_facts_fall_out_of_sight_and_come_back() -> None:
    talk = conversation(display="[ ] 1. x")
    for n in range(1, 60):
        turn = made(n, "add_note", text=f"Decision number {n:03d}")
        talk.turns.append(turn)
        talk.facts.add(turn.results[0].call, turn.results[0].result, reads=False, decision="text")
        seen = "\n".join([*texts(prompt(talk)), *(c.arguments for m in prompt(talk).messages for c in m.calls)])
        assert all(f"Decision number {i:03d}" in seen for i in range(1, n + 1))


@pytest.mark.parametrize("most", [5, 20])
def test_one_line(most: int) -> None:
    line = one_line("a\n b\t\tc " * 9, most)
    assert len(line) == most and "\n" not in line and line.endswith("…")


def refused(number: int, draft: str, why: str = "it is no work") -> Turn:
    call = ToolCall(id=f"c{number}", name="work", arguments=json.dumps({"draft": draft}))
    return Turn(Answer(calls=(call,)), [Outcome(call, ToolResult(ok=False, explanations=(why,)), "")])


def test_a_call_that_fails_again_and_again_is_shown_without_what_it_was_called_with() -> None:
    """A small model copied the draft that was refused six times, since it stood there to be copied."""
    talk = conversation(1)
    talk.turns.append(refused(2, "plan the planning"))
    assert any("plan the planning" in c.arguments for m in prompt(talk).messages for c in m.calls), "to be mended"
    talk.turns.append(refused(3, "plan the planning"))
    calls = [c.arguments for m in prompt(talk).messages for c in m.calls]
    assert calls[1:] == ["{}", "{}"] and "it is no work" in texts(prompt(talk))[-1], "what was wrong is still said"
    talk.turns.append(refused(4, "carry the books"))
    calls = [c.arguments for m in prompt(talk).messages for c in m.calls]
    assert "plan the planning" in calls[1] and "carry the books" in calls[-1], "another try is another matter"


def test_calls_that_do_what_they_should_are_shown_whole_however_often_they_are_made() -> None:
    talk = conversation()
    for number in (1, 2, 3):
        call = ToolCall(id=f"c{number}", name="work", arguments='{"draft": "carry"}')
        talk.turns.append(Turn(Answer(calls=(call,)), [Outcome(call, ToolResult(ok=True), "")]))
    assert all("carry" in c.arguments for m in prompt(talk).messages for c in m.calls)
