"""Loops are stopped within eight calls; work that only looks like a loop is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import cycle, islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.engine.stuck import WINDOW, Deed, Finding, Kind, Watch, action_of

MOST = 8
"""Calls after which a loop must have been stopped."""


def deed(tool: str, arguments: Any = None, result: str = "", **more: Any) -> Deed:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return Deed.of(tool, text, result, **{"ok": True, **more})


def read(path: str, result: str | None = None, **more: Any) -> Deed:
    return deed("read_file", {"path": path}, result or f"content of {path}", **more)


def write(path: str, text: str, **more: Any) -> Deed:
    return deed("write_file", {"path": path, "text": text}, f"Wrote {path}.", reads=False, **more)


def failing(tool: str, arguments: Any, result: str) -> Deed:
    return deed(tool, arguments, result, ok=False)


def notes(n: int) -> Deed:
    return deed("add_note", {"text": f"thought {n}"}, "Noted in notes/notes.md.", reads=False)


def stopped_after(deeds: Iterable[Deed]) -> tuple[int | None, list[Finding]]:
    """The number of the call at which the role is stopped, None when it is not, and what was found until then."""
    watch, found = Watch(), []
    for number, each in enumerate(deeds, 1):
        if finding := watch.saw(each):
            found.append(finding)
            if finding.stop:
                return number, found
    return None, found


LOOPS: dict[str, Callable[[], Iterable[Deed]]] = {
    "the same read": lambda: cycle([read("a.md")]),
    "the same empty list": lambda: cycle([deed("list_files", {"folder": "notes"}, "0 files.")]),
    "the same write": lambda: cycle([write("output/a.md", "x")]),
    "keys in another order": lambda: cycle(
        [deed("read_file", '{"path": "a", "lines": 5}', "r"), deed("read_file", '{"lines":5,"path":"a"}', "r")]
    ),
    "white space in the arguments": lambda: (deed("list_files", "{" + " " * n + "}", "3 files.") for n in range(99)),
    "escaped and plain": lambda: cycle(
        [deed("ask", '{"question": "\\u00e4"}', "r"), deed("ask", '{"question": "ä"}', "r")]
    ),
    "a missing file": lambda: cycle([failing("read_file", {"path": "x"}, "There is no file 'x'.")]),
    "malformed in many ways": lambda: (
        failing("write_file", '{"path": ' + "x" * n, f"not valid JSON at character {n}") for n in range(99)
    ),
    "job_complete refused in other words": lambda: (
        failing("job_complete", {"summary": f"done {n}"}, "There is no file 'output/a.md'.") for n in range(99)
    ),
    "submit refused, a note, submit refused": lambda: (
        notes(n) if n % 2 else failing("submit_report", {"summary": "done"}, "Todo 2 is not done.") for n in range(99)
    ),
    "an unknown tool": lambda: cycle([failing("make_coffee", {}, "There is no tool 'make_coffee'.")]),
    "two reads in turn": lambda: cycle([read("a.md"), read("b.md")]),
    "two writes in turn": lambda: cycle([write("a.md", "x"), write("a.md", "y")]),
    "write and delete": lambda: cycle(
        [write("a.md", "x"), deed("delete_file", {"path": "a.md"}, "a.md is gone.", reads=False)]
    ),
    "three in turn": lambda: cycle([read("a.md"), read("b.md"), deed("list_files", {}, "2 files.")]),
    "a failure and a read in turn": lambda: cycle([failing("edit_file", {"old": "x"}, "stands 0 times"), read("a.md")]),
    "reading past the end": lambda: (
        deed("read_file", {"path": "a.md", "from_line": 100 + n}, "a.md has 12 lines.") for n in range(99)
    ),
    "searching with ever other words": lambda: (
        deed("search_files", {"words": f"word{n}"}, "No line has any of these words.") for n in range(99)
    ),
    "four in turn": lambda: cycle([read(x, "the same text") for x in "abcd"]),
    "one read among known ones": lambda: cycle([read("a"), read("b"), read("a"), read("a"), read("b")]),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_stopped_within_eight_calls(name: str) -> None:
    at, found = stopped_after(islice(LOOPS[name](), 50))
    assert at is not None and at <= MOST
    assert found[-1].sentence.startswith("The role went round in circles: ")


def test_there_are_twenty_loops() -> None:
    assert len(LOOPS) == 20


def test_a_role_is_told_before_it_is_stopped() -> None:
    for name, loop in LOOPS.items():
        _, found = stopped_after(islice(loop(), 50))
        assert not found[0].stop, name
        assert "Do something else" in found[0].sentence


WAITS: dict[str, Callable[[], Iterable[Deed]]] = {
    "polling a tool that waits": lambda: cycle([deed("wait_for_build", {"id": 7}, "still running", waits=True)]),
    "ten todos, each done by the same call": lambda: (
        deed("todo_complete", {}, f"Todo {n} is done.", reads=False, done_so_far=n) for n in range(1, 60)
    ),
    "part after part": lambda: (
        x
        for n in range(1, 30)
        for x in (
            deed("extract_requirements", {"part": n}, f"{n % 3} found", reads=False, done_so_far=n - 1),
            deed("todo_complete", {}, f"Todo {n} is done.", reads=False, done_so_far=n),
        )
    ),
    "a progress bar": lambda: (deed("status", {}, f"{n} of 50 files done") for n in range(50)),
    "notes on many things": lambda: (notes(n) for n in range(50)),
}


@pytest.mark.parametrize("name", WAITS)
def test_legitimate_waits_and_repetitions_are_not_stopped(name: str) -> None:
    assert stopped_after(islice(WAITS[name](), 50)) == (None, [])


def test_a_few_empty_searches_are_results() -> None:
    empty = [deed("search_files", {"words": w}, "No line has any of these words.") for w in ("one", "two", "three")]
    assert stopped_after([*empty, read("a.md"), *empty]) == (None, [])


def test_reading_again_what_was_cleared_is_allowed_after_a_todo_is_done() -> None:
    first = [read(x, done_so_far=0) for x in "abcdef"]
    again = [read(x, done_so_far=1) for x in "abcdef"]
    assert stopped_after([*first, *again]) == (None, [])


def test_a_nudge_that_is_followed_ends_the_matter() -> None:
    at, found = stopped_after([read("a"), read("a"), read("a"), read("b"), read("a"), read("c"), read("a")])
    assert at is None
    assert [f.kind for f in found] == [Kind.REPEAT]


def test_a_different_failure_is_not_the_same_failure() -> None:
    deeds = [failing("edit_file", {"old": str(n)}, f"no such text: {'x' * n}") for n in range(1, 7)]
    assert stopped_after(deeds) == (None, [])


def test_thoughts_do_not_count_because_only_calls_and_results_do() -> None:
    assert action_of("a", '{"x": 1, "y": [2]}') == action_of("a", ' { "y":[2], "x":1 } ')
    assert action_of("a", '{"x": 1}') != action_of("b", '{"x": 1}')
    assert action_of("a", "{oops") == action_of("a", " {oops ")


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), st.booleans()), min_size=30, max_size=60))
def test_whatever_comes_from_few_calls_without_progress_is_stopped(moves: list[tuple[str, str, bool]]) -> None:
    """Twelve outcomes can be new only once each, so six calls in a row without a new one are too many."""
    watch, seen, old = Watch(), set[str](), 0
    for tool, result, ok in moves:
        each = deed(tool, {}, result, ok=ok)
        finding = watch.saw(each)
        old = 0 if each.outcome not in seen else old + 1
        seen.add(each.outcome)
        if old >= 6:
            assert finding is not None and finding.stop
        if finding is not None and finding.stop:
            return


@given(st.lists(st.integers(0, 3), max_size=40))
def test_nothing_is_ever_found_while_each_call_finishes_a_todo(tools: list[int]) -> None:
    assert stopped_after(deed(f"t{t}", {}, "r", done_so_far=n) for n, t in enumerate(tools)) == (None, [])


def circling_after(*deeds: Deed) -> tuple[str, ...]:
    watch = Watch()
    for each in deeds:
        watch.saw(each)
    return watch.circling()


def test_a_call_that_changed_nothing_is_a_circle_from_the_second_time_on() -> None:
    assert circling_after(read("a")) == ()
    assert circling_after(read("a"), read("a")) == ("read_file",)
    assert circling_after(read("a"), read("b")) == ()
    assert circling_after(read("a"), read("a"), write("x", "y")) == ()


def test_all_tools_of_a_ping_pong_are_the_circle() -> None:
    assert circling_after(*[read("a"), write("x", "y")] * 2) == ("read_file", "write_file")


def test_calls_that_bring_nothing_new_are_the_circle() -> None:
    known = [read("a"), write("x", "y"), notes(1)]
    again = [read("a"), notes(1), read("a"), write("x", "y")]
    assert circling_after(*known, *again) == ("add_note", "read_file", "write_file")


def test_what_fails_may_be_right_the_next_time() -> None:
    wrong = failing("submit_report", {"summary": ""}, "summary is empty")
    assert circling_after(wrong, wrong, wrong) == ()


def test_a_finished_todo_ends_a_circle() -> None:
    assert circling_after(read("a"), read("a"), read("a", done_so_far=1)) == ()


def test_the_window_is_bounded() -> None:
    watch = Watch()
    for n in range(100):
        watch.saw(read(f"{n}"))
    assert len(watch.deeds) == WINDOW
