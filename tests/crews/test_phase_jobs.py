"""Whole jobs of the plain type, driven by a scripted model through the service."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from echelon.service.service import Service
from echelon.store.records.events import PhaseEnded, WentRound
from tests.support.events import events, of_kind
from tests.support.scripted import LEAST, Reply, Script, Seen, call, played, run_plain, service, willing


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("jobs")) as running:
        yield running


def test_a_willing_model_completes_a_plain_job(jobs: Service) -> None:
    result = run_plain(jobs, willing)
    assert (result.state, result.reason) == ("completed", "")
    assert sorted(p.name for p in result.outputs) == ["result-1.md", "result-2.md"]
    assert result.outputs[0].read_text(encoding="utf-8").count("write part") == LEAST


def replanned(seen: Seen) -> Reply:
    """As willing, with other todos after each failure: what is ruled out cannot be planned again."""
    failures = seen.task.count("\n- '")
    reply = willing(seen)
    if seen.last_tool != "todo_write" and failures:
        return call("todo_write", todos=[f"write part {n} of it, attempt {failures + 1}" for n in range(1, 6)])
    return reply


def looping(seen: Seen) -> Reply:
    """An Implementor that goes round in circles until it is told what went wrong."""
    if "What went wrong the last time" in seen.task:
        return willing(seen)
    return call("list_files", folder="notes")


def test_a_circle_ends_the_phase_and_the_job_goes_on_with_another_plan(jobs: Service) -> None:
    result = run_plain(jobs, {"plan": replanned, "implement": looping})
    assert (result.state, result.reason) == ("completed", "")
    stops = [e for e in of_kind(jobs, result.job, WentRound) if e.stop]
    assert stops and all((s.role, s.sort) == ("Implementor", "repeat") for s in stops)
    ends = [e.why for e in of_kind(jobs, result.job, PhaseEnded) if e.role == "Implementor"]
    assert ends.count("stuck") == len(stops)
    assert sorted(p.name for p in result.outputs) == ["result-1.md", "result-2.md"]


@pytest.mark.parametrize("phase", ["scope", "plan", "qa", "assess", "deliver"])
def test_a_role_that_loops_for_ever_ends_the_job_within_its_ceilings(jobs: Service, phase: str) -> None:
    loop: Script = lambda seen: call("list_files", folder="notes")  # noqa: E731
    result = run_plain(jobs, {phase: loop})
    assert result.state in ("escalated", "limit", "failed")
    assert result.reason
    by_phase: dict[str, int] = {}
    for row in result.ledger:
        if row.kind == "model" and row.phase.endswith(f"-{phase}"):
            by_phase[row.phase] = by_phase.get(row.phase, 0) + 1
    assert by_phase and max(by_phase.values()) <= 8


def test_a_small_window_is_kept_over_a_whole_job(jobs: Service) -> None:
    """Summaries by a model that answers nothing sensible: the job still completes."""

    def small(seen: Seen) -> Reply:
        if not seen.tools:
            return "Something was done."
        return played(seen, 2, 5)

    overrides = {"context.compact_at_tokens": 1_200, "model_settings.context_window": 4_000}
    result = run_plain(jobs, small, overrides=overrides)
    assert (result.state, result.reason) == ("completed", "")
    assert any(row.name == "summary" for row in result.ledger)
    assert max(row.prompt_tokens for row in result.ledger) <= 4_000


def test_the_playbook_can_be_asked_for_a_summary(jobs: Service) -> None:
    from echelon.crews.playbooks.model import playbooks_are_registered
    from echelon.engine.messages import Message, ModelRequest
    from echelon.engine.models.opening import open_model

    playbooks_are_registered()
    config = jobs.configuration("creator", "playbook", None)
    model = open_model("playbook/creator", config.model_settings, jobs.environment)
    asked = ModelRequest(messages=(Message(role="system", content="Summarise."), Message(role="user", content="x")))
    assert not model.answer(asked).calls


def test_events_of_a_job_carry_no_reason_twice(jobs: Service) -> None:
    result = run_plain(jobs, willing)
    kinds = [e.kind for e in events(jobs, result.job)]
    assert kinds.count("phase") == kinds.count("phase_end")
    assert not re.search("stuck|refused|limit", " ".join(kinds))
