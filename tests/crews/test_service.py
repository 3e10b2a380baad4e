"""Jobs from Python: submit, run, resume, look, cancel; and `crews.run_job`, `submit_job`, `wait_job`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from echelon import run_job, submit_job, wait_job
from echelon.crews.hierarchy.states import ENDS, State
from echelon.engine import durable
from echelon.errors import ModelUnavailable, UnknownName, UserError
from echelon.service.failures import TRACE
from echelon.service.job_result import EXIT_CODES, JobResult
from echelon.service.service import Service
from echelon.settings import Environment
from echelon.store.records.jobs import Said
from tests.support.scripted import Seen, call, register, run_plain, service, submit_plain

SCOPE: dict[str, Any] = {
    "in_scope": ["what the request asks for"], "success": ["the files in output/ are there"],
    "milestones": [{"outcome": "A reader finds every result in output/", "checks": ["open the files"]}],
    "confidence": 0.9,
}  # fmt: skip


def asking(seen: Seen) -> Any:
    """A ScopeAgent that asks until somebody has answered."""
    answered = "The second edition." in seen.text
    return call("submit_scope", **SCOPE, questions=[] if answered else ["Which edition?"])


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path) as made:
        yield made


def test_a_job_that_completes(jobs: Service) -> None:
    job = submit_plain(jobs, {})
    before = jobs.result(job)
    assert (before.state, before.outputs, before.ledger, before.cost) == ("submitted", (), (), 0.0)
    result = jobs.run(job)
    assert (result.job, result.state, result.exit_code, result.reason) == (job, State.COMPLETED, 0, "")
    assert result.folder == jobs.environment.home / "jobs" / job
    assert result.outputs and all(path.is_file() for path in result.outputs)
    assert [step.number for step in result.ledger] == list(range(1, len(result.ledger) + 1))
    assert jobs.result(job) == result


def test_a_result_is_plain_data(jobs: Service) -> None:
    result = run_plain(jobs, {})
    value = json.loads(json.dumps(result.as_dict()))
    assert "ledger" not in value
    assert value["steps"] == len(result.ledger) > 0
    assert value["outputs"] == [str(path) for path in result.outputs]
    assert value["folder"] == str(result.folder)
    assert (value["state"], value["exit_code"], value["spent"]["model_calls"]) == ("completed", 0, len(
        [s for s in result.ledger if s.kind == "model"]
    ))  # fmt: skip


@pytest.mark.parametrize("state", sorted(ENDS))
def test_every_end_has_an_exit_code(state: State) -> None:
    result = JobResult(job="j", state=state.value, folder=Path())
    assert result.exit_code == EXIT_CODES[state]
    unread = JobResult(job="j", state=state.value, folder=Path(), warnings=("a.pdf: page 1 has no text",))
    assert unread.exit_code == (3 if state is State.COMPLETED else EXIT_CODES[state])


def test_ends_can_be_told_apart_by_their_exit_codes() -> None:
    assert set(EXIT_CODES) == ENDS
    assert len(set(EXIT_CODES.values())) == len(ENDS)


def test_a_job_that_asks_goes_on_with_the_answer(jobs: Service) -> None:
    job = submit_plain(jobs, {"scope": asking})
    asked = jobs.run(job)
    assert (asked.state, asked.exit_code, asked.reason) == (State.NEEDS_INPUT, 4, "Which edition?")
    with pytest.raises(UserError, match="waits for a person: Which edition"):
        jobs.resume(job)
    with pytest.raises(UserError, match="nothing to approve"):
        jobs.resume(job, said=Said(event="approved"))
    assert jobs.resume(job, said=Said(event="answered by a person", text="The second edition.")) == job
    assert jobs.run(job).state == State.COMPLETED


def test_a_scope_is_approved_or_changed_or_refused(jobs: Service) -> None:
    approve = {"approvals": "scope"}
    first, second = (submit_plain(jobs, {}, overrides=approve) for _ in range(2))
    assert jobs.run(first).reason == "Do you approve the scope in plan.md?"
    jobs.resume(first, said=Said(event="answered by a person", text="Leave the annex out."))
    changed = jobs.run(first)
    assert (changed.state, changed.exit_code) == (State.NEEDS_INPUT, 4)  # the new scope is to be approved again
    jobs.resume(first, said=Said(event="approved"))
    assert jobs.run(first).state == State.COMPLETED
    jobs.run(second)
    jobs.resume(second, said=Said(event="refused by a person"))
    refused = jobs.run(second)
    assert (refused.state, refused.exit_code) == (State.CANCELLED, 6)


def test_a_job_at_a_limit_goes_on_with_more(jobs: Service) -> None:
    job = submit_plain(jobs, {}, overrides={"budget.model_calls": 3})
    limited = jobs.run(job)
    assert (limited.state, limited.exit_code) == (State.LIMIT, 3)
    assert limited.reason.startswith("budget.model_calls is 3")
    assert limited.spent["model_calls"] == 3
    with pytest.raises(UserError, match="asks nothing: it is limit"):
        jobs.resume(job, said=Said(event="approved"))
    with pytest.raises(UserError, match=r"did you mean 'budget\.model_calls'"):
        jobs.resume(job, {"budget.model_cals": 5})
    jobs.resume(job, {"budget.model_calls": 500})
    assert jobs.run(job).state == State.COMPLETED


def test_a_model_that_is_away_fails_the_job_which_goes_on_later(jobs: Service) -> None:
    away = ModelUnavailable("scripted/test", "nobody is there")
    job = submit_plain(jobs, {"implement": lambda _: away})
    failed = jobs.run(job)
    assert (failed.state, failed.exit_code) == (State.FAILED, 1)
    assert failed.reason == "Model 'scripted/test' cannot be used: nobody is there."
    assert "ModelUnavailable" in (failed.folder / TRACE).read_text()
    calls = len(failed.ledger)
    register({}, "test")
    assert jobs.resume() == job
    done = jobs.run(job)
    assert done.state == State.COMPLETED
    finished = [s for s in failed.ledger if s.answered]
    assert [s.starts for s in done.ledger[: len(finished)]] == [1] * len(finished)
    assert len(done.ledger) > calls


def test_cancelling(jobs: Service) -> None:
    job = submit_plain(jobs, {})
    jobs.cancel(job)
    assert jobs.result(job).state == State.CANCELLED
    for refused in (jobs.cancel, jobs.resume):
        with pytest.raises(UserError, match="cancelled"):
            refused(job)


def test_the_latest_job_that_was_interrupted_is_resumed_before_one_that_waits(jobs: Service) -> None:
    with pytest.raises(UserError, match="no job to go on with"):
        jobs.resume()
    interrupted = submit_plain(jobs, {})
    waiting = submit_plain(jobs, {"scope": asking}, name="asking")
    jobs.run(waiting)
    assert jobs.resume() == interrupted
    jobs.cancel(interrupted)
    with pytest.raises(UserError, match=f"Job {waiting} waits for a person"):
        jobs.resume()


def test_bad_input_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    jobs = Service(Environment({"ECHELON_HOME": str(tmp_path / "home")}))
    refused: list[tuple[list[str | Path], str]] = [
        ([], "at least 1 input"),
        ([tmp_path / "none.md"], "There is no file"),
        ([tmp_path], "is a folder"),
    ]
    for inputs, says in refused:
        with pytest.raises(UserError, match=says):
            jobs.submit("creator", inputs)
    assert not jobs.has_store
    assert not jobs.environment.home.exists()


def test_names_that_do_not_exist(jobs: Service) -> None:
    for look in (jobs.result, jobs.run, jobs.cancel, jobs.resume):
        with pytest.raises(UnknownName, match="job 'creator-0'"):
            look("creator-0")


def test_results_are_copied_where_they_are_wanted(jobs: Service, tmp_path: Path) -> None:
    result = run_plain(jobs, {})
    copied = jobs.copied(result, tmp_path / "a" / "b")
    assert [p.read_bytes() for p in copied.outputs] == [p.read_bytes() for p in result.outputs]
    assert {p.parent for p in copied.outputs} == {tmp_path / "a" / "b"}
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be copied to"):
        jobs.copied(result, tmp_path / "file")


def test_jobs_from_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ECHELON_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("ECHELON_DATABASE_URL", raising=False)
    document = tmp_path / "rules.md"
    document.write_text("# Rules\n\n1.1 The clerk shall lock the door.\n")
    try:
        result = run_job("creator", inputs=[document], overrides={"budget.cost": 1.0})
        assert (result.state, result.cost, result.figures["requirements"]) == ("completed", 0.0, 1)
        assert sorted(p.name for p in result.outputs)[0] == "report.html"
        job = submit_job("creator", inputs=[str(document)], overrides={"budget.model_calls": 2})
        assert wait_job(job).state == "limit"  # a job that ended badly raises nothing
        with pytest.raises(UserError, match="There is no file"):
            run_job("creator", inputs=["none.md"])
        with pytest.raises(UnknownName):
            wait_job("creator-0")
    finally:
        durable.shut_down()


def test_models_whose_price_nobody_knows_are_named_once_each(tmp_path: Path) -> None:
    with service(tmp_path, OPENAI_API_KEY="any", OPENAI_BASE_URL="http://127.0.0.1:9/v1") as jobs:
        source = tmp_path / "a.md"
        source.write_text("# Wishes\n\nA record shall be kept.\n")

        def warnings(model: str, **overrides: Any) -> list[str]:
            return jobs.price_warnings(jobs.submit("creator", [source], model=model, overrides=overrides))

        (warning,) = warnings("openai/mine", models={"qa": "openai/mine"})
        assert warning.startswith("The price of 'openai/mine' is not known")
        assert len(warnings("openai/mine", models={"qa": "openai/other"})) == 2
        assert warnings("openai/gpt-4o-mini") == warnings("playbook") == []
        assert warnings("openai/mine", **{"model_settings.input_price": 0.1}) == []
