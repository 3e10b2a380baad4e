"""Experiments end to end: real jobs in the queue, graded, analysed and written; gone on with; stopped by a ceiling."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from echelon.engine import durable
from echelon.errors import ModelUnavailable, UserError
from echelon.experiments.report.tables import read_jsonl
from echelon.service.experiments import records
from echelon.service.experiments.coordinator import Progress
from echelon.service.experiments.prepare import Prepared, check_budget, equal_budget, outlook, prepare
from echelon.service.service import Service
from echelon.settings import Budget
from echelon.store import experiments as kept
from tests.experiments.making import results
from tests.experiments.running import good, plain_experiment, run
from tests.support.scripted import Reply, Seen, call, register, service


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path) as found:
        yield found


def test_an_experiment_counts_false_completions_and_writes_its_results(tmp_path: Path, jobs: Service) -> None:
    path = plain_experiment(tmp_path)
    seen: list[Progress] = []
    result = run(path, jobs, report=seen.append)
    assert result.state == "completed" and len(result.trials) == 10
    good, careless = result.analysis.arm("good"), result.analysis.arm("careless")
    assert (good.success.successes, good.false_completion.successes) == (5, 0)
    assert (careless.success.successes, careless.false_completion.successes) == (0, 5)
    difference = result.analysis.of("careless", "success")
    assert difference.found.estimate == -1.0 and difference.significant is False, "five tasks alone cannot show it"
    kinds = {kind for r in result.trials if r.arm == "careless" for kind in r.failures}
    assert "FM-3.3 incorrect verification" in kinds
    assert [p.name for p in result.files] == [
        "report.html",
        "trials.csv",
        "trials.jsonl",
        "experiment.json",
        "summary.txt",
    ]
    assert sorted(read_jsonl(result.files[2].read_text()), key=lambda r: r.trial) == sorted(
        result.trials, key=lambda r: r.trial
    )
    definition = json.loads(result.files[3].read_text())
    assert definition["versions"]["echelon"] and definition["tasks"]["t1"]["files"]["wishes.md"]
    assert definition["configurations"]["t1 / careless"]["model"] == "scripted/careless"
    assert (seen[0].done, seen[-1].done, seen[-1].left) == (0, 10, 0)
    assert all(t.used.model_calls == jobs.result(t.job).spent["model_calls"] > 0 for t in result.trials)
    # again: nothing runs, and what was written is the same
    before = len(jobs.store.all_jobs())
    with pytest.raises(UserError, match="10 of 10 trials done; go on with --resume"):
        run(path, jobs)
    again = run(path, jobs, resume=True)
    assert again.sentences == result.sentences and len(jobs.store.all_jobs()) == before
    # changed since: refused
    changed = plain_experiment(tmp_path, arms={"good": "good", "careless": "broken"})
    with pytest.raises(UserError, match="another content"):
        run(changed, jobs, resume=True)
    shown = records.stored(jobs.store, "small")
    assert shown.sentences == result.sentences
    assert [r["done"] for r in records.rows(jobs.store)] == [10]


def test_a_verdict_without_a_look_is_told_from_a_wrong_one(tmp_path: Path, jobs: Service) -> None:
    result = run(plain_experiment(tmp_path, 2, {"good": "good", "rash": "rash"}), jobs)
    kinds = {arm: {k for r in result.trials if r.arm == arm for k in r.failures} for arm in ("good", "rash")}
    assert "FM-3.2 no or incomplete verification" in kinds["rash"] and not kinds["good"]


def test_a_trial_that_crashes_is_a_result_and_the_others_go_on(tmp_path: Path, jobs: Service) -> None:
    path = plain_experiment(tmp_path, 2, {"good": "good", "broken": "broken"}, stop_when={"crashed": 1.0})
    result = run(path, jobs)
    broken = [t for t in result.trials if t.arm == "broken"]
    assert [(t.state, t.success) for t in broken] == [("crashed", False)] * 2
    assert "the cable was cut" in broken[0].reason
    assert result.analysis.arm("good").success.successes == 2
    assert not result.analysis.missing


DOWN: dict[str, Any] = {"is_down": True, "calls": 0}


def in_an_outage(seen: Seen) -> Reply:
    """The server of this model is gone when it comes to the work, until somebody mends it."""
    DOWN["calls"] += 1
    if seen.phase == "implement" and DOWN["is_down"]:
        return ModelUnavailable("scripted/outage", "the server cannot be reached")
    return good(seen)


def failing(seen: Seen) -> Reply:
    """What this one asks for, its server refuses, today and tomorrow."""
    return ModelUnavailable("x", "status 400: no such tool", outage=False) if seen.phase == "implement" else good(seen)


def test_what_an_outage_stopped_goes_on_and_what_a_trial_did_itself_stays(tmp_path: Path, jobs: Service) -> None:
    register(in_an_outage, "outage")
    register(failing, "refused")
    DOWN.update(is_down=True, calls=0)
    arms = {"good": "good", "outage": "outage", "refused": "refused"}
    path = plain_experiment(tmp_path, 2, arms, stop_when={"crashed": 1.0})
    first = {t.trial: t for t in run(path, jobs).trials}
    crashed = {t.arm: t.outage for t in first.values() if t.crashed}
    assert crashed == {"outage": True, "refused": False}, [t.reason for t in first.values()]
    before, steps = DOWN["calls"], {t.job: len(jobs.store.steps(t.job)) for t in first.values()}
    DOWN["is_down"] = False
    again = run(path, jobs, resume=True)
    assert again.state == "completed" and len(again.trials) == 6
    for t in again.trials:
        if t.arm == "outage":
            assert (t.state, t.success, t.attempts, t.outage) == ("completed", True, 2, False)
            ledger = jobs.store.steps(t.job)
            began = [s for s in ledger[: steps[t.job] - 1] if s.kind == "model"]
            assert began and all(s.starts == 1 for s in began), "what had been paid for was not asked again"
        else:
            assert t == first[t.trial]
    calls = sum(t.used.model_calls for t in again.trials if t.arm == "outage")
    assert DOWN["calls"] - before < calls
    third = run(path, jobs, resume=True)
    assert third.trials == again.trials, "there is nothing left to try again"


def as_if_done(path: Path, jobs: Service, count: int, **said: Any) -> Prepared:
    """The experiment with results for its first `count` trials, as if an earlier coordinator had left them."""
    prepared = prepare(path, jobs)
    records.open_record(jobs.store, prepared, resume=False)
    for result in results(prepared.trials[:count], lambda t: {"success": t.arm == "good", **said}):
        kept.keep_result(jobs.store.engine, "small", result.trial, result.model_dump(mode="json"))
    return prepared


def test_a_ceiling_of_the_whole_experiment_is_not_passed(tmp_path: Path, jobs: Service) -> None:
    budget = {"per_trial": {"tokens": 60_000}, "total": {"tokens": 200_000}}
    path = plain_experiment(tmp_path, 6, budget=budget)
    as_if_done(path, jobs, 3, used={"tokens": 50_000})
    result = run(path, jobs, resume=True)
    assert result.state == "ceiling reached" and len(result.trials) == 3, "50,000 are left and a trial may use 60,000"
    assert not jobs.store.all_jobs()
    assert len(result.analysis.missing) == 9
    assert "The experiment is not whole: ceiling reached" in result.files[0].read_text()


def test_trials_have_the_ceilings_that_the_file_names(tmp_path: Path, jobs: Service) -> None:
    path = plain_experiment(tmp_path, 2, budget={"per_trial": {"tokens": 9_000}}, repeats=1)
    result = run(path, jobs)
    assert {t.ceilings.tokens for t in result.trials} == {9_000}
    assert all(t.used.tokens <= 9_000 and t.state == "limit" for t in result.trials)
    assert {f for t in result.trials for f in t.failures} >= {"FM-1.5 unaware of termination conditions"}


def test_arms_whose_budgets_differ_are_refused_unless_the_file_gives_them_one(tmp_path: Path, jobs: Service) -> None:
    arms: dict[str, Any] = {"good": "good", "other": {"model": "scripted/good", "job_type": "creator"}}
    path = plain_experiment(tmp_path, 2, arms, budget={"per_trial": {"tokens": 7_000}})
    assert outlook(prepare(path, jobs), jobs).budget == "at most 7,000 tokens a trial, the same in every arm"
    dollars = prepare(plain_experiment(tmp_path, 2, budget={"match": "cost", "per_trial": {"cost": 0.5}}), jobs)
    assert equal_budget(dollars) == "at most $0.50 a trial, the same in every arm"
    given = dollars.configs["t2", "careless"]
    dollars.configs["t2", "careless"] = given.model_copy(update={"budget": Budget(cost=0.7)})
    with pytest.raises(UserError, match="'good' and 'careless' have no equal budget at task 't2'"):
        check_budget(dollars)


@pytest.mark.parametrize(("done", "state"), [(16, "decided at a look"), (20, "completed")])
def test_it_stops_where_a_look_decides(tmp_path: Path, jobs: Service, done: int, state: str) -> None:
    looks = [0.8, 1.0] if done == 16 else [1.0]
    path = plain_experiment(tmp_path, 10, compare={"looks": looks, "metrics": ["success"]})
    as_if_done(path, jobs, done)
    result = run(path, jobs, resume=True)
    assert result.state == state and len(result.trials) == done
    assert result.analysis.of("careless", "success").significant is True
    assert records.stored(jobs.store, "small").sentences == result.sentences


def test_too_many_crashes_stop_it_and_nothing_is_said(tmp_path: Path, jobs: Service) -> None:
    path = plain_experiment(tmp_path, 12)
    as_if_done(path, jobs, 22, state="crashed")
    result = run(path, jobs, resume=True)
    assert result.state == "too many crashes" and len(result.trials) == 22
    assert "crashed or could not be graded" in result.sentences[0]


def test_what_was_interrupted_goes_on_and_nothing_runs_twice(tmp_path: Path, jobs: Service) -> None:
    path = plain_experiment(tmp_path, 3)

    def stop(progress: Progress) -> None:
        if progress.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(path, jobs, report=stop)
    durable.shut_down()
    shown = records.stored(jobs.store, "small")
    assert shown.analysis is None and len(shown.results) == 3, "before the end nothing is said of the arms"
    known = {r.trial: r for r in shown.results}
    result = run(path, jobs, resume=True)
    assert result.state == "completed" and len(result.trials) == 6
    assert all(known.get(t.trial, t) == t for t in result.trials)
    steps = [s for t in result.trials if t.trial in known for s in jobs.store.steps(t.job)]
    assert steps and all(s.starts == 1 for s in steps)


def test_an_arm_that_no_type_of_job_knows_is_refused_before_anything_is_made(tmp_path: Path, jobs: Service) -> None:
    path = plain_experiment(tmp_path, 5, {"good": "good", "odd": {"set": {"todoss.batch": 3}}})
    with pytest.raises(UserError, match=r"Arm 'odd' at task 't1': .*'todoss'; did you mean 'todos'"):
        run(path, jobs)
    assert not jobs.has_store or jobs.store.all_jobs() == []


def test_repositories_are_tasks_of_an_experiment(jobs: Service, tmp_path: Path) -> None:
    """A folder is an input of the jobs that take one, and is graded by files that no role sees."""
    for n in (1, 2):
        source = tmp_path / "tasks" / f"t{n}" / "source"
        source.mkdir(parents=True)
        (source / "one.py").write_text(f"def one():\n    return {n} - 2\n")
        (source.parent / "hidden.py").write_text("import one\nassert one.one() == 1\n")
    register(_mended, "mending")
    register(lambda seen: call("submit_report", outcome="done", summary="There was nothing to do."), "idle")
    run_ = [
        "{python}",
        "-c",
        "import sys; sys.path[0] = '{workspace}/repository'; exec(open('{task}/hidden.py').read())",
    ]
    given: dict[str, Any] = {
        "name": "repositories",
        "tasks": {
            "from": "tasks/*", "job_type": "coder", "inputs": ["source"], "request": "Make one() return 1.",
            "set": {"ceilings.task_failures": 1},
            "checks": [{"kind": "command", "run": run_, "fence": "none", "must_change": ["repository/one.py"]}],
        },
        "arms": {n: {"model": f"scripted/{n}", "crew": "single"} for n in ("mending", "idle")},
    }  # fmt: skip
    path = tmp_path / "experiment.yaml"
    path.write_text(yaml.safe_dump(given))
    done = run(path, jobs)
    assert {(t.arm, t.task): (t.success, t.crashed) for t in done.trials} == {
        ("mending", "t1"): (True, False), ("mending", "t2"): (True, False),
        ("idle", "t1"): (False, False), ("idle", "t2"): (False, False),
    }  # fmt: skip
    given["tasks"] |= {"job_type": "plain", "checks": [{"kind": "command", "run": ["true"], "fence": "none"}]}
    path.write_text(yaml.safe_dump(given | {"name": "files"}))
    with pytest.raises(UserError, match="is a folder; name the files in it"):
        run(path, jobs)


def _mended(seen: Seen) -> Reply:
    if not seen.last_tool:
        return call("edit_code", path="one.py", old="- 2", new="* 0 + 1")
    return call("submit_report", outcome="partial", summary="It returns 1 now.", issue="There is no test.")
