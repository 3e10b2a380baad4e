"""Known faults in finished work: whose QA finds them, whose passes all, whose fails all; and that nothing is asked twice."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from echelon.errors import UserError
from echelon.experiments.calibration import faults
from echelon.experiments.calibration.confusion import Verdict
from echelon.service.experiments.calibration.units import references, verdicts
from echelon.service.experiments.prepare import outlook, prepare
from echelon.service.experiments.run import ExperimentResult
from echelon.service.service import Service
from tests.experiments.running import good, plain_experiment, run
from tests.support.scripted import Reply, Seen, call, passing, register, service

WORK = """# Keys

- The clerk must hand out 12 keys a day (page 3 of the rules).
- Nobody shall copy a key of the archive. The guard must count them at night.

The rules of section 4 hold for all 7 rooms of the house.
"""
SCORER = f"""
WORK = {WORK!r}

def grade(trial):
    path = trial.output / "result-1.md"
    return path.exists() and path.read_text().split() == WORK.split()
"""
CALLS: dict[str, int] = {}


def writing(seen: Seen) -> Reply:
    """Writes the whole work for every todo."""
    CALLS[seen.phase] = CALLS.get(seen.phase, 0) + 1
    if seen.phase == "implement" and seen.todo is not None and seen.last_tool in ("", "todo_complete"):
        return call("write_file", path="output/result-1.md", text=WORK)
    return good(seen)


def reading(seen: Seen) -> Reply:
    """As `writing`, with a QA that reads the work and compares every word with what should stand there."""
    if seen.phase != "qa" or not seen.has_read("output/result-1.md"):
        return writing(seen)
    CALLS["qa"] = CALLS.get("qa", 0) + 1
    text = "\n".join(json.loads(r)["data"]["text"] for r in seen.results if "text" in json.loads(r).get("data", {}))
    missing = [line for line in WORK.splitlines() if line.strip() and line.strip() not in text]
    return call("submit_verdict", passed=False, findings=[f"wrong: {missing[0]}"]) if missing else passing(seen)


def grumbling(seen: Seen) -> Reply:
    """As `writing`, with a QA that fails everything once."""
    if seen.phase == "qa" and seen.has_read("output/result-1.md") and not seen.values["open_findings"]:
        return call("submit_verdict", passed=False, findings=["it feels wrong"])
    return writing(seen)


KINDS = ["wrong_count", "placeholder"]


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    CALLS.clear()
    for name, script in (("reads", reading), ("passes", writing), ("fails", grumbling)):
        register(script, name)
    with service(tmp_path) as found:
        yield found


def calibration(folder: Path, arms: Sequence[str], tasks: int = 2, **qa: Any) -> Path:
    given = {name: {"set": {"models.qa": f"scripted/{name}"}, "model": "scripted/passes"} for name in arms}
    path = plain_experiment(folder, tasks, given, qa={"plant": KINDS, **qa})
    for scorer in folder.glob("tasks/*/scorer.py"):
        scorer.write_text(SCORER)
    return path


def of(result: ExperimentResult, arm: str) -> Any:
    return next(c for c in result.qa.confusion if c.arm == arm)


def test_a_qa_that_reads_one_that_passes_all_and_one_that_fails_all(tmp_path: Path, jobs: Service) -> None:
    path = calibration(tmp_path, ["reads", "passes", "fails"])
    expected = outlook(prepare(path, jobs), jobs)
    result = run(path, jobs)
    assert result.state == "completed" and result.qa.unused == ()
    assert expected.verdicts == len(result.qa.verdicts) == 3 * 2 * (1 + len(KINDS) + 1)
    reads, passes, fails = (of(result, arm) for arm in ("reads", "passes", "fails"))
    for arm in (reads, passes, fails):
        assert arm.by_code == 2, "what is still to be written is found by code; no role is asked"
        assert arm.caught + arm.missed == 2 and arm.passed + arm.refused == 2 * 2 and arm.none == 0
    assert (reads.caught, reads.missed, reads.passed) == (2, 0, 4), "other white space is right work"
    assert (passes.caught, passes.missed, passes.passed) == (0, 2, 4)
    assert (fails.caught, fails.missed, fails.passed) == (2, 0, 0)
    assert fails.false_reject.share == 1.0 and passes.false_accept.share == 1.0 and reads.catch.share == 1.0
    assert passes.by_fault == {"wrong_count": (2, 2)}
    same = {(v.task, v.fault, v.form): v.job for v in result.qa.verdicts if v.arm == "reads"}
    for v in result.qa.verdicts:
        mine, other = (
            jobs.store.job(j).folder / "output" / "result-1.md" for j in (v.job, same[v.task, v.fault, v.form])
        )
        assert mine.read_text() == other.read_text(), "the QAs of all arms see the same work"
        assert (mine.read_text().split() != WORK.split()) == bool(v.fault)
    page = (path.parent / "results" / "report.html").read_text()
    assert (
        "Is QA right?" in page
        and "found by code" in page
        and "passed of the planted faults: wrong_count 2 of 2" in page
    )
    lines = (path.parent / "results" / "verdicts.jsonl").read_text().splitlines()
    assert [Verdict.model_validate_json(line) for line in lines] == list(result.qa.verdicts)


def test_what_a_verdict_does_to_the_job_and_that_no_verdict_is_asked_for_twice(tmp_path: Path, jobs: Service) -> None:
    path = calibration(tmp_path, ["reads", "passes"], plant=["wrong_count"], to_the_end=True)
    result = run(path, jobs)
    assert of(result, "passes").of_faulty == {"delivered wrong": 2}
    assert of(result, "reads").of_faulty == {"delivered right": 2}, "what it sends back is written again"
    assert of(result, "passes").of_right == of(result, "reads").of_right == {"delivered right": 4}
    assert "delivered wrong 2" in (path.parent / "results" / "report.html").read_text()
    before, asked = len(jobs.store.all_jobs()), dict(CALLS)
    again = run(path, jobs, resume=True)
    assert again.qa == result.qa and (len(jobs.store.all_jobs()), CALLS) == (before, asked)


def test_a_coordinator_that_stopped_in_the_middle_goes_on_with_the_rest(tmp_path: Path, jobs: Service) -> None:
    path = calibration(tmp_path, ["reads", "passes"], plant=["wrong_count"])

    def stop(progress: Any) -> None:
        if progress.part != "trials" and progress.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(path, jobs, report=stop)
    assert len(verdicts(jobs.store, "small")) == 3 and len(references(jobs.store, "small")) >= 1
    kept = verdicts(jobs.store, "small")
    result = run(path, jobs, resume=True)
    assert len(result.qa.verdicts) == 2 * 2 * 3
    assert {u: v for u, v in verdicts(jobs.store, "small").items() if u in kept} == kept
    assert len({j.id for j in jobs.store.all_jobs() if j.id.endswith(".qa")}) == 12


def test_work_that_is_not_right_is_no_use(tmp_path: Path, jobs: Service) -> None:
    path = calibration(tmp_path, ["reads", "passes"], plant=["wrong_count"])
    (tmp_path / "tasks" / "t1" / "scorer.py").write_text("def grade(trial):\n    return False\n")
    result = run(path, jobs)
    assert {v.task for v in result.qa.verdicts} == {"t2"}
    assert "task 't1': the work is not right as it stands there" in result.qa.unused[0]


def test_arms_that_share_their_prefix_and_their_calibration(tmp_path: Path, jobs: Service) -> None:
    path = calibration(tmp_path, ["reads", "passes"], plant=["wrong_count"])
    path.write_text(path.read_text() + "from: qa\n")
    result = run(path, jobs)
    assert len(result.qa.verdicts) == 12 and of(result, "reads").caught == 2
    assert len([j for j in jobs.store.all_jobs() if ".prefix" in j.id and not j.id.endswith(".right")]) == 2


BAD: list[tuple[dict[str, Any], str]] = [
    ({"plant": ["wrong_cuont"]}, "did you mean 'wrong_count'?"),
    ({"plant": ["wrong_ruling"]}, "Unknown fault in qa: for a job of type 'plain'"),
    ({"at": "plan"}, "qa"),
]


@pytest.mark.parametrize(("qa", "sentence"), BAD)
def test_one_sentence_before_anything_runs(tmp_path: Path, jobs: Service, qa: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError) as raised:
        prepare(calibration(tmp_path, ["reads", "passes"], **qa), jobs)
    assert sentence in str(raised.value) and jobs.store.all_jobs() == []


def test_arms_without_a_qa_are_not_tried(tmp_path: Path, jobs: Service) -> None:
    arms = {n: {"model": "scripted/passes", "set": {"without": w}} for n, w in (("a", ["qa"]), ("b", ["qa", "ask"]))}
    path = plain_experiment(tmp_path, 2, arms, qa={"plant": KINDS})
    with pytest.raises(UserError, match="no arm has a QA"):
        prepare(path, jobs)


@pytest.mark.parametrize("kind", [*faults.FAULTS, *faults.FORMS])
def test_the_same_draw_plants_the_same_and_what_has_no_place_stays(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "work.md"
    texts: set[tuple[int, str]] = set()
    for seed in (1, 1, 2, 3):
        path.write_text(WORK)
        said = faults.plant(tmp_path, ["work.md"], ["The input."], kind, random.Random(seed))
        assert said.startswith("work.md: ") and path.read_text() != WORK
        texts.add((seed, path.read_text()))
        same = path.read_text().replace("* ", "- ").split() == WORK.split()
        assert same == (kind in faults.FORMS)
    assert len(texts) == 3
    path.write_text("")
    if kind != "copied_input":
        assert faults.plant(tmp_path, ["work.md", "gone.md"], [], kind, random.Random(1)) == "" == path.read_text()
