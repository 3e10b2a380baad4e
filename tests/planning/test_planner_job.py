"""The planner job, without a language model: files in, a plan that can be kept out."""

from __future__ import annotations

import json
from pathlib import Path

import icalendar
import pytest

from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.plan import Plan
from echelon.domains.planning.contracts.project import Project
from echelon.service.job_result import JobResult
from echelon.store.records.jobs import Said
from tests.support.scripted import service

SET = {"planning": {"seconds": 2, "today": "2026-03-02"}}
CSV = """id,task,duration,after,needs
A,Design,3d,,Anna
B,Build,1w,A,Anna
C,Test,4h,B FS+1d; A SS,Anna | Ben
M,Done,0,C,
"""
PEOPLE = """
project: {title: Launch, start: 2026-03-02, zone: Europe/Berlin, country: DE, subdivision: BE}
resources: {Anna: {absences: [{on: 2026-03-04}]}, Ben: {}}
"""


def planned(folder: Path, texts: dict[str, str], request: str = "") -> JobResult:
    paths = []
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        paths.append(folder / name)
    with service(folder / "home") as jobs:
        return jobs.run(jobs.submit("planner", paths, request=request, overrides=SET))


@pytest.fixture(scope="module")
def launch(tmp_path_factory: pytest.TempPathFactory) -> JobResult:
    return planned(tmp_path_factory.mktemp("launch"), {"tasks.csv": CSV, "people.yaml": PEOPLE})


def test_a_task_list_is_planned_completely(launch: JobResult) -> None:
    assert launch.state == "completed", launch.reason
    plan = Plan.model_validate_json((launch.folder / "output/plan.json").read_bytes())
    project = Project.model_validate_json((launch.folder / "plan/project.json").read_bytes())
    assert plan.planning_status == "complete"
    assert plan.schedule is not None and check(project, plan.schedule) == []
    assert f"{plan.schedule.end:%Y-%m-%d}" == "2026-03-16", (
        "three days, one of leave, a week, a day between, half a day"
    )
    assert launch.figures["planning_status"] == "complete"


def test_every_result_is_there_and_says_the_same(launch: JobResult) -> None:
    names = {p.name for p in launch.outputs}
    assert names == {
        "plan.json",
        "plan.md",
        "report.html",
        "schedule.ics",
        "schedule.xml",
        "schedule.csv",
        "schedule.xlsx",
    }
    plan = json.loads((launch.folder / "output/plan.json").read_text())
    calendar = icalendar.Calendar.from_ical((launch.folder / "output/schedule.ics").read_bytes())
    assert len(list(calendar.walk("VEVENT"))) == len(plan["schedule"]["tasks"]) == 4
    assert "<svg" in (launch.folder / "output/report.html").read_text()
    assert [o["name"] for o in plan["roadmap"]["options_tried"]] == ["earliest_end", "level_load", "least_cost"]


def test_a_goal_in_prose_is_planned_from_a_template_and_says_so(tmp_path: Path) -> None:
    done = planned(tmp_path, {}, request="Learn to play the piano and practice for the exam")
    assert done.state == "completed", done.reason
    plan = Plan.model_validate_json((done.folder / "output/plan.json").read_bytes())
    assert plan.context.assumptions and "a template was used" in plan.context.assumptions[-1]
    assert plan.outline is not None and plan.outline.pattern is not None
    assert plan.outline.pattern.pattern_type == "progressive_accumulation_arc"


def test_bad_input_is_one_sentence_and_nothing_half_made(tmp_path: Path) -> None:
    done = planned(tmp_path, {"t.csv": "id,task,duration,after\nA,a,1,B\nB,b,1,A\n"})
    assert (done.state, done.exit_code) == ("rejected", 2)
    assert done.reason == "The tasks wait for each other in a circle: A -> B -> A."
    assert not done.folder.exists()


def test_what_cannot_be_done_is_asked_with_ways_out_and_goes_on_with_the_answer(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "id,task,duration,needs,deadline\nA,Dig,2d,Anna,2026-03-03\nB,Lay,2d,Anna,2026-03-03\n"
    )
    with service(tmp_path / "home") as jobs:
        job = jobs.submit("planner", [tmp_path / "t.csv"], overrides=SET)
        asked = jobs.run(job)
        assert asked.state == "needs_input"
        assert asked.figures["planning_status"] == "needs_scheduling_escalation"
        assert "there is no more than 1 of 'Anna' at once" in asked.figures["conflict"]
        assert len(asked.figures["ways_out"]) == 3
        assert "Reply with a number" in asked.reason
        done = jobs.run(jobs.resume(job, said=Said(event="answered by a person", text="2")))
    assert done.state == "completed", done.reason
    plan = Plan.model_validate_json((done.folder / "output/plan.json").read_bytes())
    assert plan.schedule is not None and plan.planning_status == "complete"
    assert [c.why for c in plan.adaptations] == ["2"]
    assert plan.adaptations[0].after.startswith("One more 'Anna'")
