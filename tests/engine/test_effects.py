"""Effects that must not happen twice: a process is killed in the middle of one, and a person is asked."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from echelon.engine.effects import SHOWN, EffectState, effects, is_in_doubt, once
from echelon.engine.messages import ToolResult
from echelon.service.views import effect_rows
from echelon.store.engines import open_engine
from echelon.store.records.events import Moved, PhaseBegan
from echelon.store.records.jobs import Settings
from echelon.store.store import Store
from tests.support.events import of_kind
from tests.support.forked import ran
from tests.support.scripted import service

ROOT = Path(__file__).parents[2]
JOB = "plain-once"
PLAY = """
import os, signal, sys
from pathlib import Path
from dataclasses import replace
from tests.support.scripted import call, register, service, willing
from echelon.crews.tool_sets import all_tools
from echelon.engine.toolbox import Arguments, Effect, Tool
from echelon.engine.messages import ToolResult
from echelon.agents.roster import roster
from echelon.store.records.jobs import Said

home, kill = Path(sys.argv[1]), sys.argv[2] == "kill"

class Send(Arguments):
    to: str

def send(context, a):
    with open(home / "sent.txt", "a") as sent:
        sent.write(a.to + chr(10))
    if kill:
        os.kill(os.getpid(), signal.SIGKILL)
    return ToolResult(ok=True, explanations=("Sent.",))

all_tools()["send_letter"] = Tool("send_letter", "Send a letter.", Send, send, Effect.ONCE)

def implement(seen):
    if "It was sent, go on." in seen.text:
        assert "send_letter was cut off" in seen.text, "the answer without the question"
        return willing(seen)
    if "send_letter" not in seen.text and "result 1" in seen.task:
        return call("send_letter", to="the archive")
    return willing(seen)

with service(home) as jobs:
    register({"implement": implement}, "once")
    known = [r.id for r in jobs.store.all_jobs()]
    if not known:
        source = home / "input.md"
        source.write_text("# Wishes")
        settings = {"tools.implementor.core": ["send_letter"]}
        jobs.submit("plain", [source], "Write the results.", "scripted/once", settings, job="plain-once")
    said = Said(event="answered by a person", text="It was sent, go on.") if sys.argv[2] == "answer" else None
    result = jobs.run(jobs.resume("plain-once", said=said))
    print(result.state, "|", result.reason)
"""


def play(home: Path, how: str) -> subprocess.CompletedProcess[str]:
    return ran(PLAY, str(home), how)


def test_a_letter_cut_off_while_it_was_sent_is_asked_about_and_not_sent_again(tmp_path: Path) -> None:
    assert play(tmp_path, "kill").returncode == -signal.SIGKILL
    assert (tmp_path / "sent.txt").read_text() == "the archive\n"
    resumed = play(tmp_path, "resume")
    assert resumed.stdout.startswith("needs_input | send_letter was cut off"), resumed.stdout + resumed.stderr
    assert "the archive" in resumed.stdout and "do it again?" in resumed.stdout
    with service(tmp_path) as jobs:
        (row,) = effect_rows(jobs.store, JOB)
        assert (row["tool"], row["state"]) == ("send_letter", "in doubt")
    answered = play(tmp_path, "answer")
    assert answered.stdout.startswith("completed"), answered.stdout + answered.stderr
    assert (tmp_path / "sent.txt").read_text() == "the archive\n", "the letter went out twice"
    with service(tmp_path) as jobs:
        moves = [(m.before, m.event, m.after, m.round) for m in of_kind(jobs, JOB, Moved)]
        phases = [e.phase for e in of_kind(jobs, JOB, PhaseBegan)]
    assert ("implement", "effect in doubt", "needs_input", 1) in moves
    assert ("needs_input", "answered by a person", "implement", 1) in moves, "it goes on where it was, in its round"
    assert phases.count("scope") == 1


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[sa.Engine]:
    engine = open_engine(f"sqlite:///{tmp_path / 'x.sqlite'}")
    Store(engine).migrate()
    yield engine
    engine.dispose()


def sent(counter: list[int]) -> ToolResult:
    counter.append(1)
    return ToolResult(ok=True, explanations=("Sent.",), data={"number": len(counter)})


def test_an_effect_that_is_done_gives_its_result_again(engine: sa.Engine) -> None:
    counter: list[int] = []
    first = once(engine, "j", 7, "send", "{}", lambda: sent(counter))
    again = once(engine, "j", 7, "send", "{}", lambda: sent(counter))
    assert first == again and counter == [1]
    assert [(e["number"], e["state"]) for e in effects(engine, "j")] == [(7, "done")]


def test_an_effect_that_failed_half_way_is_in_doubt_for_good(engine: sa.Engine) -> None:
    def cut_off() -> ToolResult:
        raise OSError("the line went dead")

    with pytest.raises(OSError, match="went dead"):
        once(engine, "j", 1, "send", '{"to": "x"}', cut_off)
    counter: list[int] = []
    for _ in range(2):
        result = once(engine, "j", 1, "send", '{"to": "x"}', lambda: sent(counter))
        assert is_in_doubt(result) and '{"to": "x"}' in result.explanations[0]
    assert counter == [] and effects(engine, "j")[0]["state"] == EffectState.IN_DOUBT


def test_each_call_is_an_effect_of_its_own(engine: sa.Engine) -> None:
    counter: list[int] = []
    for number in (3, 1, 2):
        once(engine, "j", number, "send", "{}", lambda: sent(counter))
    once(engine, "other", 1, "send", "{}", lambda: sent(counter))
    assert len(counter) == 4 and [e["number"] for e in effects(engine, "j")] == [1, 2, 3]
    assert not is_in_doubt(ToolResult.failure("no such address"))


def test_what_a_step_did_in_the_world_is_not_done_again_when_its_segment_begins_again(engine: sa.Engine) -> None:
    counter: list[int] = []
    letters = [
        once(engine, "j", number, "send", letter, lambda: sent(counter)) for number, letter in enumerate("xxy", 7)
    ]
    once(engine, "j", 2, "send", "x", lambda: sent(counter))
    once(engine, "other", 7, "send", "x", lambda: sent(counter))
    Store(engine).begin_again("j", 6, 0)
    assert [e["number"] for e in effects(engine, "other")] == [7]
    counter.clear()
    other = once(engine, "j", 7, "send", "z", lambda: sent(counter))
    assert other.data == {"number": 1}, "the effect that had this number before is another one"
    again = [
        once(engine, "j", number, "send", letter, lambda: sent(counter)) for number, letter in enumerate("yxxx", 8)
    ]
    assert again[:3] == [letters[2], letters[0], letters[1]] and len(counter) == 2, "the fourth was never made"
    assert [e["number"] for e in effects(engine, "j")] == [2, 7, 8, 9, 10, 11]
    assert once(engine, "j", 9, "send", "x", lambda: sent(counter)) == letters[0] and len(counter) == 2


def test_effects_of_several_undone_times_are_told_apart(engine: sa.Engine) -> None:
    counter: list[int] = []
    for letter in "ab":
        once(engine, "j", 3, "send", letter, lambda: sent(counter))
        Store(engine).begin_again("j", 0, 0)
    assert [e["number"] for e in effects(engine, "j")] == [-6, -3]
    results = [once(engine, "j", 3, "send", letter, lambda: sent(counter)).data for letter in "b"]
    assert results == [{"number": 2}] and len(counter) == 2


def test_what_was_in_doubt_or_cannot_be_told_from_another_stays_in_doubt(engine: sa.Engine) -> None:
    counter: list[int] = []

    def cut_off() -> ToolResult:
        raise OSError("the line went dead")

    with pytest.raises(OSError, match="went dead"):
        once(engine, "j", 3, "send", "x", cut_off)
    long = "y" * SHOWN
    once(engine, "j", 4, "send", long + "one", lambda: sent(counter))
    once(engine, "j", 5, "send", long, lambda: sent(counter))
    Store(engine).begin_again("j", 0, 0)
    assert is_in_doubt(once(engine, "j", 1, "send", "x", lambda: sent(counter)))
    assert is_in_doubt(once(engine, "j", 2, "send", long + "two", lambda: sent(counter)))
    assert len(counter) == 2


def test_an_undone_effect_is_shown_without_a_number(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        jobs.store.add_job(JOB, "plain", "Send it.", Settings(), "jobs/x")
        once(jobs.store.engine, JOB, 3, "send", "x", lambda: sent([]))
        jobs.store.begin_again(JOB, 0, 0)
        assert [(r["number"], r["state"]) for r in effect_rows(jobs.store, JOB)] == [(0, "done")]
