"""The cost ledger: sums add up, and each step has the use that its round and its phase gave it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from echelon.errors import UnknownName
from echelon.faces.cli.cost_text import cost_text
from echelon.service.cost import AMOUNTS, GROUPS, Round, Use, cost_of, lines, rounds_of
from echelon.store.records.events import Moved
from tests.support.scripted import Reply, Seen, call, passing, run_plain, service, willing


def fails(times: int) -> Any:
    """A QA that fails the first tasks that it sees."""
    seen_so_far: list[str] = []

    def qa(seen: Seen) -> Reply:
        if len(seen_so_far) >= times:
            return passing(seen)
        seen_so_far.append(seen.task)
        return call("submit_verdict", passed=False, findings=[f"part {len(seen_so_far)} is missing"])

    return qa


def moved(before: str, event: str, after: str, number: int) -> Moved:
    return Moved(before=before, event=event, after=after, round=number)


def test_the_sums_of_every_group_are_the_sums_of_the_ledger(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"qa": fails(1)})
        found, ledger = cost_of(jobs.store, result.job), jobs.store.steps(result.job)
    assert found["total"]["calls"] == sum(s.kind == "model" for s in ledger) == result.spent["model_calls"]
    assert found["total"]["tokens"] == sum(s.prompt_tokens + s.completion_tokens for s in ledger)
    assert set(found["by"]) == set(GROUPS)
    for groups in found["by"].values():
        for amount in AMOUNTS:
            assert sum(g[amount] for g in groups.values()) == pytest.approx(found["total"][amount])


def test_a_job_without_a_failure_has_no_rework_and_no_waste(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {})
        rows = lines(jobs.store, result.job)
    assert {x.use for x in rows} == {Use.FIRST_PASS, Use.CHECKING, Use.PLANNING}
    assert {x.role for x in rows if x.use is Use.FIRST_PASS} == {"Implementor"}
    assert {x.role for x in rows if x.use is Use.CHECKING} == {"QA", "code"}
    assert {x.attempt for x in rows} == {1}


def test_a_rejected_round_is_waste_and_the_round_that_mends_it_is_rework(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"qa": fails(1)})
        rows = lines(jobs.store, result.job)
    assert result.state == "completed"
    work = {x.round: x.use for x in rows if x.role == "Implementor"}
    assert (work[1], work[2]) == (Use.WASTE, Use.REWORK) and set(list(work.values())[2:]) <= {Use.FIRST_PASS}
    assert {x.attempt for x in rows if x.round == 2} == {2}
    assert all(x.use is Use.CHECKING for x in rows if x.role == "QA"), "a check that found something is no waste"


def test_a_phase_that_ended_without_a_submission_is_waste(tmp_path: Path) -> None:
    tried: list[int] = []

    def implement(seen: Seen) -> Reply:
        tried.append(1)
        return call("todo_rewind", issue="the source cannot be read") if len(tried) == 1 else willing(seen)

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"implement": implement})
        rows = lines(jobs.store, result.job)
    assert {x.use for x in rows if x.role == "Implementor" and x.round == 1} == {Use.WASTE}


def test_the_work_of_a_subagent_has_the_use_of_the_phase_that_asked(tmp_path: Path) -> None:
    asked: list[int] = []

    def plan(seen: Seen) -> Reply:
        if not asked:
            asked.append(1)
            return call("ask", question="What is asked for in the input?")
        return willing(seen)

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"plan": plan})
        rows = lines(jobs.store, result.job)
    helped = [x for x in rows if x.tier == "subagent"]
    assert helped and {x.use for x in helped} == {Use.PLANNING}


def test_rounds_count_attempts_until_one_is_accepted() -> None:
    events = [
        moved("gate_plan", "pass", "implement", 1), moved("qa", "fail", "plan", 1),
        moved("gate_plan", "pass", "implement", 2), moved("implement", "rewind", "plan", 2),
        moved("gate_plan", "pass", "implement", 3), moved("qa", "pass", "plan", 3),
        moved("gate_plan", "pass", "implement", 4), moved("qa", "pass", "assess", 4),
    ]  # fmt: skip
    assert rounds_of(events) == {1: Round(1, False), 2: Round(2, False), 3: Round(3, True), 4: Round(1, True)}


def test_a_job_that_has_not_begun_costs_nothing_and_an_unknown_one_is_named(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        source = tmp_path / "input.md"
        source.write_text("# A\n", encoding="utf-8")
        job = jobs.submit("creator", [source])
        found = cost_of(jobs.store, job)
        assert found["total"] == dict.fromkeys(AMOUNTS, 0) and found["by"]["use"] == {}
        assert "TOTAL" in cost_text(found).upper()
        with pytest.raises(UnknownName):
            cost_of(jobs.store, "creator-nothing")
