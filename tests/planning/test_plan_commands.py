"""`echelon plan`: a goal is planned, progress comes in, finished work stays, and bad input changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from echelon.domains.planning.contracts.plan import Plan
from echelon.errors import UserError
from echelon.faces.cli.commands import parse
from echelon.faces.cli.grammar import overrides_of
from echelon.service.planning import Anew, replanned, status
from echelon.service.service import Service
from echelon.store.plans import plans, scheduled
from tests.planning.planner_roles import SET
from tests.support.scripted import service

TASKS = """id,task,duration,after,needs
A,Dig,2d,,Anna
B,Lay,3d,A,Anna
C,Paint,2d,,Ben
D,Clean,1d,C,Ben
"""


@dataclass
class Planned:
    jobs: Service
    job: str
    folder: Path

    def schedule(self) -> dict[str, str]:
        plan = Plan.model_validate_json((self.folder / "output/plan.json").read_bytes())
        assert plan.schedule is not None
        return {t.id: f"{t.start:%m-%d} {t.end:%m-%d}" + (" done" if t.done else "") for t in plan.schedule.tasks}


@contextmanager
def made(folder: Path) -> Iterator[Planned]:
    (folder / "tasks.csv").write_text(TASKS, encoding="utf-8")
    with service(folder) as jobs:
        done = jobs.run(jobs.submit("planner", [folder / "tasks.csv"], overrides=SET))
        assert done.state == "completed", done.reason
        yield Planned(jobs, done.job, done.folder)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planned]:
    """A plan that no test changes."""
    with made(tmp_path_factory.mktemp("plan")) as found:
        yield found


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Planned]:
    """A plan in a home of its own."""
    with made(tmp_path) as found:
        yield found


def late(plan: Planned, folder: Path) -> Anew:
    """All but B is done, and B needs three days more on the fourth day."""
    actuals = folder / "actuals.csv"
    actuals.write_text("Vorgang;Rest\nB;3d\n", encoding="utf-8")
    return replanned(plan.jobs, plan.job, ["A", "C", "D"], actuals, "2026-03-05")


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"done": ["AA"]}, "", "Unknown task 'AA'"),
    ({"today": "yesterday"}, "", "'yesterday' is no date"),
    ({}, "name;when\nA;today\n", "columns are needed"),
    ({}, "", "is empty"),
    ({}, "task,finished\nA,2026-02-30\n", "2026-02-30"),
    ({}, "task,remaining\nA,much\n", "'much' is no duration"),
    ({}, "task,started,finished\nA,2026-03-04,2026-03-03\n", "'A' cannot end before it starts"),
    ({}, "task,finished\n,2026-03-03\n", "row 2: no task is named"),
]


@pytest.mark.parametrize(("given", "text", "says"), BAD, ids=[says for _, _, says in BAD])
def test_bad_progress_is_one_sentence_and_changes_nothing(
    plan: Planned, tmp_path: Path, given: dict[str, Any], text: str, says: str
) -> None:
    before = (plan.folder / "output/plan.json").read_bytes()
    actuals = None if given else tmp_path / "actuals.csv"
    if actuals is not None:
        actuals.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=says.replace("(", r"\(")) as error:
        replanned(plan.jobs, plan.job, given.get("done", []), actuals, given.get("today", "2026-03-04"))
    assert "\n" not in str(error.value)
    assert (plan.folder / "output/plan.json").read_bytes() == before


def test_finished_work_stays_what_runs_goes_on_and_nothing_moves_that_need_not(own: Planned, tmp_path: Path) -> None:
    assert own.schedule() == {"A": "03-02 03-03", "B": "03-04 03-06", "C": "03-02 03-03", "D": "03-04 03-04"}
    stands = status(own.jobs, own.job, "2026-03-05")
    assert (stands.overdue, stands.running, stands.following) == (("A", "C", "D"), ("B",), ())

    found = replanned(own.jobs, own.job, ["A", "C"], None, "2026-03-04")
    assert [e.what for e in found.changes if e.why == "progress"] == []
    assert own.schedule() == {"A": "03-02 03-03 done", "B": "03-04 03-06", "C": "03-02 03-03 done", "D": "03-04 03-04"}

    found = late(own, tmp_path)
    assert own.schedule()["B"].endswith("03-09") and own.schedule()["A"] == "03-02 03-03 done"
    assert f"{found.end:%Y-%m-%d}" == "2026-03-09" and f"{found.before:%Y-%m-%d}" == "2026-03-06"
    assert [e.what for e in found.changes if e.why == "progress"] == ["'Lay' moves"]
    assert status(own.jobs, own.job, "2026-03-05").done == ("A", "C", "D")
    assert own.jobs.result(own.job).figures["end"] == "2026-03-09", "what `show` says is what holds now"
    rows = plans(own.jobs.store.engine)
    assert [r.job for r in rows] == [own.job]
    assert [r.task for r in scheduled(own.jobs.store.engine, "other", 0, 9e9)] == ["B"], "finished tasks want nobody"


def test_a_plan_knows_who_is_wanted_by_another_plan_of_the_home(own: Planned, tmp_path: Path) -> None:
    late(own, tmp_path)
    (tmp_path / "more.csv").write_text("id,task,duration,needs\nX,Survey,10d,Anna\nY,Sort,1d,Eve\n", encoding="utf-8")
    done = own.jobs.run(own.jobs.submit("planner", [tmp_path / "more.csv"], overrides=SET))
    assert done.state == "completed", done.reason
    found = json.loads((done.folder / "plan/portfolio.json").read_text(encoding="utf-8"))["value"]
    assert found["plans"] == 1
    assert found["conflicts"] == [f"'Anna' is wanted for 'Survey' and for 'Lay' of {own.job} on 2026-03-04."]
    assert found["suggested_shifts"] == ["'Survey' 8 days later, on 2026-03-10"]
    assert found["utilisation"]["Anna"] > 0.9 > found["utilisation"]["Eve"]
    assert "## Other plans" in (done.folder / "output/plan.md").read_text(encoding="utf-8")
    isolated = own.jobs.run(own.jobs.submit("planner", [tmp_path / "more.csv"], overrides={**SET, "isolated": True}))
    assert not (isolated.folder / "plan/portfolio.json").exists(), "a trial sees nothing of other jobs"


def test_a_day_can_be_set_as_yaml_reads_it(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        overrides = overrides_of(parse(["plan", "Build a shed", "--set", "planning.today=2026-03-02"]))
        assert jobs.configuration("planner", None, overrides).planning.today == "2026-03-02"


def test_the_words_of_the_command() -> None:
    given = parse(["plan", "Build a shed", "--set", "planning.seconds=3", "--json"])
    assert given.what == ["Build a shed"] and given.json
    given = parse(["plan", "replan", "last", "--done", "A", "B", "--today", "2026-03-04"])
    assert (given.what, given.done, given.today) == (["replan", "last"], ["A", "B"], "2026-03-04")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["plan", "status"], "Say which job"), (["plan", "policy", "tone"], "--set KEY=VALUE"),
        (["plan", "Build it", "--done", "A"], "--done belongs to"),
    ],
)  # fmt: skip
def test_words_that_do_not_fit_are_one_sentence(words: list[str], says: str) -> None:
    given = parse(words)
    with pytest.raises(UserError, match=says):
        given.command(given)


def test_the_policy_is_shown_and_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ECHELON_HOME", str(tmp_path / "home"))
    for words in (["plan", "policy", "--set", "tone=clinical"], ["plan", "policy", "--json"]):
        given = parse(words)
        assert given.command(given) == 0
    shown = capsys.readouterr().out.splitlines()
    assert "kept in" in shown[0] and json.loads(shown[-1])["tone"] == "clinical"
