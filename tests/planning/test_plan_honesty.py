"""Dishonest or lazy drafts of a plan, through the public door: each ends with the person, and nothing false completes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from echelon.crews.planner import files, results
from echelon.crews.planner.drafts.claims import contradicted, unasked
from echelon.crews.planner.drafts.nodes import Node, once
from echelon.crews.planner.drafts.people import peopled, staffed
from echelon.crews.planner.drafts.rules import broken
from echelon.crews.planner.person import changing, wishes
from echelon.domains.planning.contracts.plan import PlanContext, TriedOption
from echelon.domains.planning.contracts.project import Resource
from echelon.domains.planning.patterns.select import select_pattern, template_tasks
from echelon.domains.planning.wanted.reading import read
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically
from tests.planning.planner_roles import SET, playing
from tests.planning.projects import at, project, task
from tests.support.scripted import Reply, Seen, register, service

ROOM = "Renovate the room: floor, windows, new cupboards."
REFUSED = {
    "one task for all": ([("Make floor, windows and cupboards nice", "5d"), ("Sweep", "1d")], "'floor'"),
    "a part is missing": ([("Lay the floor", "2d"), ("Put in windows", "1d")], "'new cupboards'"),
    "titles that say nothing": ([("Task 1", "1d"), ("Task 2", "1d")], "does not say what is done"),
    "the goal again": ([("Renovate the room", "1d"), ("Sweep", "1d")], "says the goal again"),
    "one title for all": ([("Work in the room", "1d")] * 4, "the same title"),
    "no time": ([("Lay the floor", "0"), ("Windows", "1d"), ("Cupboards", "1d")], "takes no time"),
    "years": ([("Lay the floor", "1000d"), ("Windows", "1d"), ("Cupboards", "1d")], "longer than a year"),
    "a date in a title": ([("Floor by 3 May 2026", "1d"), ("Windows", "1d"), ("Cupboards", "1d")], "promises a date"),
    "the template": ([], "Nobody wrote the tasks"),
}  # fmt: skip


def nodes(*tasks: tuple[str, str], **more: Any) -> list[Node]:
    return [Node(id=f"n{n}", title=title, takes=takes, **more) for n, (title, takes) in enumerate(tasks)]


def test_an_outline_that_is_none_ends_with_the_person(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        for name, (tasks, says) in REFUSED.items():
            drafts = {"generate_nodes": {"nodes": [{"title": t, "takes": d} for t, d in tasks]}}
            register(playing(drafts))
            done = jobs.run(jobs.submit("planner", [], ROOM, "scripted/test", SET))
            assert done.state != "completed", name
            told = (done.folder / "trace/stages.json").read_text()
            assert says in told, (name, done.reason)
        goal = f"{ROOM} The floor takes two weeks, and it must be finished by 2026-03-06."
        drafts = {"generate_nodes": {"nodes": [{"title": t, "takes": "1d"} for t in ("Floor", "Windows", "Cupboards")]}}
        register(playing(drafts))
        short = jobs.run(jobs.submit("planner", [], goal, "scripted/test", SET))
        assert short.state != "completed" and "The floor takes two weeks" in short.reason


def test_a_small_model_is_told_the_parts_and_all_faults_and_the_same_draft_again_is_no_other_try(
    tmp_path: Path,
) -> None:
    """One repeated a draft of which it had heard one fault, until there was no try left."""
    poor = [("Lay the floor", "2d"), ("Finish", "1d"), ("Sweep", "1d")]
    good = [("Lay the floor", "2d"), ("Put in windows", "1d"), ("Hang cupboards", "1d")]
    drafts = [{"nodes": [{"title": t, "takes": d} for t, d in tasks]} for tasks in (poor, poor, poor, poor, good)]
    plays, heard = playing({"generate_nodes": drafts}), [""]

    def script(seen: Seen) -> Reply:
        if seen.phase == "implement" and seen.todo is not None and "generate_nodes" in seen.todo[1]:
            heard.append(seen.text)
        return plays(seen)

    with service(tmp_path) as jobs:
        register(script)
        done = jobs.run(jobs.submit("planner", [], ROOM, "scripted/test", {**SET, "prompts": "guided"}))
        assert done.state == "completed", done.reason
    told = max(heard, key=len)
    assert "by its name: floor, windows, new cupboards" in told and "the very draft that was refused" in told
    assert "'Finish' does not say what is done" in told and "'windows', 'new cupboards'" in told


def test_what_a_person_has_seen_is_settled_and_an_answer_is_followed_once(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    (tmp_path / "plan").mkdir()
    files.put_project(workspace, project(task("paint", 2), task("floor", 1)))
    files.put_wanted(workspace, read("", at(5, 0).date()))
    assert not files.is_settled(workspace)
    said = files.Said(text="give the painters a week", event="answered", open=("give the painters a week",))
    assert wishes.beside(workspace, said, ["Paint takes 7d"]) == ""
    assert "nothing of 'drop Floor'" in wishes.beside(workspace, said, ["Paint takes 7d", "drop Floor"])
    assert "nothing of 'no deadline'" in wishes.beside(workspace, said, ["no deadline"])


def test_people_of_the_goal_are_all_that_there_are() -> None:
    crowd = project(task("a", 1), task("b", 1), resources=(Resource(id="people", capacity=2),))
    two, _ = peopled(crowd, nodes(("A", "1d"), needs=["Anna"]))
    assert [(r.id, r.capacity) for r in two.resources] == [("Anna", 1), ("people", 1)]
    three, _ = peopled(crowd, [Node(title=t, needs=[t]) for t in ("Anna", "Ben", "Cem")])
    assert three == crowd, "so the grammar says who is not described"
    assert all(t.needs for t in staffed(crowd, set())[0].tasks)
    free = nodes(("Dig", "1d"), ("Lay", "1d"), needs=["nobody"])
    assert [v.code for v in broken(free, crowd, "A fair", read("", at(5, 0).date()), at(5, 0).date())] == ["nobody"]


def test_a_title_that_is_there_twice_is_one_task() -> None:
    kept, says = once([*nodes(("Cook", "1h"), ("cook", "1h")), Node(id="c", title="Eat", takes="1h", after=["n1"])])
    assert [(n.title, n.after) for n in kept] == [("Cook", []), ("Eat", ["n0"])] and "more than once" in says[0]


def test_a_reason_says_what_the_figures_say() -> None:
    def option(name: str, day: int, cost: float, chosen: bool = False) -> TriedOption:
        return TriedOption(name=name, end=at(day, 17), cost=cost, peak=1, chosen=chosen, why="")

    tried = [option("earliest_end", 9, 900, chosen=True), option("least_cost", 12, 400)]
    for why in ("It is the cheapest.", "It ends on 2026-01-07.", "It costs 300 euros.", "least_cost is taken."):
        assert contradicted(why, tried[0], tried), why
    for why in ("It ends earliest.", "It ends on 2026-01-09 and costs 900 euros.", "The sooner the better.", ""):
        assert contradicted(why, tried[0], tried) == "", why


def test_a_person_can_add_a_task() -> None:
    made = changing.changed(project(task("a", 1)), "add Clean the windows takes 2d after A")
    assert made.open == () and [(t.title, t.duration) for t in made.project.tasks][1] == ("Clean the windows", 960)
    assert changing.changed(project(task("a", 1)), "add Clean the windows").open, "it is asked how long it takes"


def test_files_that_nobody_asked_for_and_other_days_are_named(tmp_path: Path) -> None:
    request = "Move the shop. Put a list into packing.md."
    drafts = {"generate_nodes": {"nodes": [{"title": t, "takes": "1d"} for t in ("Carry boxes", "Sweep")]}}
    with service(tmp_path) as jobs:
        register(playing(drafts))
        done = jobs.run(jobs.submit("planner", [], request, "scripted/test", SET))
    assert done.state == "completed", done.reason
    workspace = Workspace(done.folder)
    workspace.path("output/summary.md").write_text("It ends on 5 March 2026.")
    workspace.path("output/packing.md").write_text("Two ladders, until 2 May 2026.")
    packing, summary = unasked(workspace, results.ALL, request)
    assert "says 2026-05-02" in packing and "was not asked for" in summary
    workspace.path("output/packing.md").write_text("Two ladders.")
    workspace.path("output/summary.md").unlink()
    assert unasked(workspace, results.ALL, request) == []


def test_what_an_answer_says_of_the_work_is_held_and_the_role_still_writes_the_tasks(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    (tmp_path / "plan").mkdir()
    template = project().model_copy(update={"tasks": tuple(template_tasks(select_pattern("Build a shed"), 480))})
    files.put_project(workspace, template)
    write_atomically(workspace.path(files.CONTEXT), PlanContext(goal="Build a shed").model_dump_json())
    made = wishes.followed(
        workspace, changing.changed(template, "two people do the work; no work on Fridays; be happy")
    )
    assert made.open == ("be happy",) and made.project.tasks == template.tasks
    assert [r.capacity for r in made.project.resources] == [2]
    assert all(c.week[4] == () for c in made.project.calendars)
    assert files.wanted(workspace).people == 2 and files.wanted(workspace).closed == (4,)


@pytest.mark.parametrize(("written", "kept"), [
    ("'Cook'", "Cook"), ("a workshop'", "a workshop"), ('"Lay the floor', "Lay the floor"), ("Read 'Faust'", "Read 'Faust'"),
    ("The members' party", "The members' party"), ("`Paint`", "Paint"), ("  Dig  a hole ", "Dig a hole"), ("'", ""),
])  # fmt: skip
def test_a_title_has_no_quotation_mark_left_over(written: str, kept: str) -> None:
    assert Node(title=written).title == kept
