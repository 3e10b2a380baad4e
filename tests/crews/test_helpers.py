"""Helpers and thinking: places are looked up, a question is cheap, an answer that was cut off in thought gets room."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.engine.messages import Answer
from echelon.engine.workspace import Workspace
from echelon.service.service import Service
from echelon.tasks.evidence import looked_up
from tests.support.scripted import Reply, Seen, call, played, run_plain, service

LESS = {"todos.least": 1}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("helped")) as found:
        yield found


def test_places_are_there_or_not(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.create()
    workspace.write("output/bank.py", "a\nb\nc\n")
    there = ["output/bank.py:1", "output/bank.py:2-3", "output/bank.py"]
    gone = [
        "output/bank.py:999",
        "output/bank.py:3-9",
        "output/bank.py:0",
        "none.py:1",
        "policy.md, page 3",
        "somewhere",
        "../x:1",
    ]
    assert looked_up(workspace, [*there, *gone]) == (there, gone)


def test_what_a_helper_makes_up_does_not_pass_on(jobs: Service) -> None:
    told: list[dict[str, object]] = []

    def plan(seen: Seen) -> Reply:
        if seen.last_tool == "ask":
            told.append(seen.last)
        return call("ask", question="Where are wishes written?") if not seen.results else played(seen, 1, 1)

    def answer(_: Seen) -> Reply:
        evidence = ["documents/input.md.txt:1", "documents/input.md.txt:999"]
        return call("submit_answer", answer="In the first line.", evidence=evidence)

    result = run_plain(jobs, {"plan": plan, "answer": answer}, overrides=LESS)
    assert result.state == "completed"
    assert told[0]["data"] == {"evidence": ["documents/input.md.txt:1"]}
    assert "documents/input.md.txt:999" in json.dumps(told[0]["explanations"]) and "not there" in json.dumps(told[0])


def test_an_answer_cut_off_in_thought_gets_more_room_once_and_is_said_when_it_stays_so(jobs: Service) -> None:
    asked: list[int] = []

    def thinking(seen: Seen) -> Reply:
        asked.append(seen.request.max_output_tokens)
        return Answer(cut=True)

    result = run_plain(jobs, {"scope": thinking}, overrides=LESS)
    assert result.state == "escalated" and "still thinking" in result.reason and "max_output_tokens" in result.reason
    assert asked[:4] == [2048, 8192, 2048, 2048]


def test_an_answer_with_room_goes_on(jobs: Service) -> None:
    def thinks_long(seen: Seen) -> Reply:
        return Answer(cut=True) if seen.request.max_output_tokens < 8000 else played(seen, 1, 1)

    assert run_plain(jobs, {"scope": thinks_long}, overrides=LESS).state == "completed"


@pytest.mark.parametrize(("tool", "most"), [("ask", 8), ("explain_code", 30)])
def test_a_helper_that_finds_no_answer_ends_at_its_ceiling_of_calls(jobs: Service, tool: str, most: int) -> None:
    """A question is one targeted check: after its calls the role that asked is told to look itself, and goes on."""
    told: list[str] = []
    text = "\n".join(f"Wish {n} is another one." for n in range(60))

    def plan(seen: Seen) -> Reply:
        if seen.last_tool == tool:
            told.append(seen.results[-1])
        return call(tool, question="Where are wishes written?") if not seen.results else played(seen, 1, 1)

    def wandering(seen: Seen) -> Reply:
        return call("read_file", path="documents/input.md.txt", from_line=seen.turn + 1)

    result = run_plain(jobs, {"plan": plan, "answer": wandering}, overrides=LESS, name=f"wanders-{tool}", text=text)
    calls = [s for s in result.ledger if s.kind == "model" and s.role == "Explainer"]
    asked = sum(s.name == "submit_milestone_done" or s.name == "submit_task" for s in result.ledger)
    assert result.state == "completed" and asked and "found no answer" in told[0]
    phases = {s.phase for s in calls}
    assert {phase: sum(s.phase == phase for s in calls) for phase in phases} == dict.fromkeys(phases, most)
