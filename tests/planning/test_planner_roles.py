"""Roles draft the plan and code decides whether a draft is kept: whole jobs with a scripted model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.plan import Plan
from echelon.domains.planning.contracts.project import Project
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.store.plans import approved_subtypes, plans, scheduled
from echelon.store.records.jobs import Said
from tests.planning.planner_roles import NODES, SET, playing
from tests.support.scripted import Seen, call, register, service

GOAL = "Give a dinner for twelve"


def start(jobs: Service, drafts: dict[str, Any], request: str = GOAL, **settings: Any) -> JobResult:
    register(playing(drafts))
    return jobs.run(jobs.submit("planner", [], request, "scripted/test", {**SET, **settings}))


def plan_of(done: JobResult) -> tuple[Plan, Project]:
    plan = Plan.model_validate_json((done.folder / "output/plan.json").read_bytes())
    return plan, Project.model_validate_json((done.folder / "plan/project.json").read_bytes())


def answered(jobs: Service, job: str, text: str, event: str = "answered by a person") -> JobResult:
    return jobs.run(jobs.resume(job, said=Said(event=event, text=text)))


def test_what_a_role_writes_is_planned_and_the_numbers_are_the_solvers(tmp_path: Path) -> None:
    model = register(playing({
        "select_pattern": {"pattern_type": "milestone_project", "subtype": "event"},
        "generate_nodes": {"nodes": NODES},
        "build_roadmap": {"choose": "level_load", "why": "Nobody should be overworked."},
    }))  # fmt: skip
    with service(tmp_path) as jobs:
        done = jobs.run(jobs.submit("planner", [], GOAL, "scripted/test", SET))
        assert done.state == "completed", done.reason
        rows = plans(jobs.store.engine)
        assert [(r.job, r.pattern_type, r.pattern_subtype) for r in rows] == [(done.job, "milestone_project", "event")]
        assert len(scheduled(jobs.store.engine, "another", rows[0].begins, rows[0].ends)) == 3
        jobs.store.remove_job(done.job)
        assert plans(jobs.store.engine, "milestone_project") == []
    plan, project = plan_of(done)
    assert plan.schedule is not None and check(project, plan.schedule) == []
    assert {t.id for t in plan.schedule.tasks} == {"menu", "shop", "cook", "served"}
    assert f"{plan.schedule.end:%Y-%m-%d}" == "2026-03-05"
    assert plan.outline is not None and {n.level for n in plan.outline.nodes} == {"goal", "phase", "task", "milestone"}
    assert plan.outline.pattern == plan.context.pattern and plan.context.pattern is not None
    assert plan.context.pattern.subtype == "event"
    assert not any("template" in a for a in plan.context.assumptions)
    assert plan.roadmap is not None
    assert [o.why for o in plan.roadmap.options_tried if o.chosen] == ["Nobody should be overworked."]
    assert plan.schedule.confidence is not None, "a three-point estimate gives end dates that are surer"
    asked = [Seen(r) for r in model.asked]
    assert any(
        GOAL in s.task and "every task says how long it takes" in s.task for s in asked if s.phase == "implement"
    )


def test_a_draft_that_breaks_a_rule_is_not_kept_and_the_third_one_asks_the_person(tmp_path: Path) -> None:
    def without_estimate(title: str) -> dict[str, Any]:
        return {"nodes": [{"id": "a", "title": title}, {"id": "b", "title": "Next", "takes": "1d", "after": ["a"]}]}

    drafts = [without_estimate(t) for t in ("One", "Two", "Three")] + [{"nodes": NODES}]
    with service(tmp_path) as jobs:
        asked = start(jobs, {"generate_nodes": drafts})
        assert asked.state == "needs_input", asked.reason
        assert "3 drafts broke a rule at validate_outline" in asked.reason and "has no estimate" in asked.reason
        assert asked.figures["planning_status"] == "needs_clarification"
        assert asked.figures["stage"] == "needs_clarification"
        assert not (asked.folder / "plan/outline.json").exists()
        register(playing({"generate_nodes": {"nodes": NODES}}))
        done = answered(jobs, asked.job, "go on")
    assert done.state == "completed", done.reason
    assert done.figures["planning_status"] == "complete"


def test_no_role_writes_what_code_decides_on_and_tools_wait_for_what_they_need(tmp_path: Path) -> None:
    said: list[str] = []

    def script(seen: Seen) -> Any:
        if seen.phase == "implement" and seen.turn == 0 and not said:
            said.append("tried")
            return [
                call("write_file", path="plan/schedule.json", text="{}"), call("build_roadmap"), call("generate_schedule")
            ]  # fmt: skip
        if len(said) == 1 and seen.results:
            said.extend(seen.results)
        return playing({"generate_nodes": {"nodes": NODES}})(seen)

    register(script)
    with service(tmp_path) as jobs:
        done = jobs.run(jobs.submit("planner", [], GOAL, "scripted/test", SET))
    assert done.state == "completed", done.reason
    refusals = " ".join(said)
    assert "'plan' is read-only" in refusals
    assert "build_roadmap needs 'plan/outline.json'" in refusals and "call generate_nodes first" in refusals


RFC = "No known subtype fits a dinner that is cooked together by guests."
PROPOSED = {"pattern_type": "milestone_project", "subtype": "proposed:shared_dinner", "rfc": RFC}


def test_a_new_subtype_waits_for_a_person_and_is_known_to_later_jobs(tmp_path: Path) -> None:
    drafts = {"select_pattern": PROPOSED, "generate_nodes": {"nodes": NODES}}
    with service(tmp_path) as jobs:
        asked = start(jobs, drafts)
        assert asked.state == "needs_input" and asked.asks_approval, asked.reason
        assert RFC in asked.reason and asked.reason.endswith("Reply 'approve' or 'propose changes: ...'.")
        assert asked.figures["pattern_rfc_required"] is True and asked.figures["pattern_rfc_text"] == RFC
        done = answered(jobs, asked.job, "", "approved")
        assert done.state == "completed", done.reason
        assert done.figures["pattern"] == "milestone_project, shared_dinner"
        assert list(approved_subtypes(jobs.store.engine, "milestone_project")) == ["shared_dinner"]
        known = {"pattern_type": "milestone_project", "subtype": "shared_dinner"}
        later = start(jobs, {"select_pattern": known, "generate_nodes": {"nodes": NODES}})
        assert later.state == "completed", later.reason


def test_subtypes_can_be_forbidden_left_unasked_and_turned_down(tmp_path: Path) -> None:
    drafts = {"select_pattern": [PROPOSED, {"pattern_type": "milestone_project"}], "generate_nodes": {"nodes": NODES}}
    with service(tmp_path) as jobs:
        forbidden = start(jobs, drafts, **{"planning.allow_new_subtypes": False})
        assert forbidden.state == "completed" and forbidden.figures["pattern"] == "milestone_project"
        unasked = start(jobs, drafts, **{"planning.require_rfc": False})
        assert unasked.figures["pattern"] == "milestone_project, proposed:shared_dinner"
        asked = start(jobs, drafts)
        done = answered(jobs, asked.job, "propose changes: no new subtype")
        assert done.state == "completed", done.reason
        assert done.figures["pattern"] == "milestone_project"
        assert not list(approved_subtypes(jobs.store.engine, "milestone_project"))


def test_a_revision_lists_what_it_changes_and_moves_nothing_else(tmp_path: Path) -> None:
    nodes = [
        {"id": "a", "title": "Paint", "takes": "2d", "needs": ["Anna"]},
        {"id": "b", "title": "Dry", "takes": "1d", "after": ["a"], "needs": ["Anna"]},
        {"id": "c", "title": "Print", "takes": "3d", "needs": ["Ben"]},
        {"id": "d", "title": "Post", "takes": "1d", "after": ["c"], "needs": ["Ben"]},
    ]
    with service(tmp_path) as jobs:
        asked = start(jobs, {"generate_nodes": {"nodes": nodes}}, approvals="single_final")
        assert asked.state == "needs_input" and asked.asks_approval, asked.reason
        assert asked.figures["planning_status"] == "needs_clarification" and asked.figures["stage"] == "seek_approval"
        assert asked.figures["call_to_action"] == "Reply 'approve' or 'propose changes: ...'."
        before, _ = plan_of(asked)
        again = answered(jobs, asked.job, "propose changes: Paint takes 3d")
        assert again.state == "needs_input" and again.asks_approval, again.reason
        after, _ = plan_of(again)
        done = answered(jobs, asked.job, "", "approved")
    assert done.state == "completed" and done.figures["planning_status"] == "complete"
    assert before.schedule is not None and after.schedule is not None
    old, new = ({t.id: (t.start, t.end) for t in s.tasks} for s in (before.schedule, after.schedule))
    assert {n for n in old if old[n] != new[n]} == {"a", "b"}
    assert [c.what for c in after.adaptations] == ["'Paint' takes 3 days", "'Paint' moves", "'Dry' moves"]


def test_a_small_scope_of_known_milestones_checks_no_files_of_its_own(tmp_path: Path) -> None:
    """The files of a plan are code's: a small model demanded another one, which no task would have made."""
    held: list[str] = []
    plays = playing({"generate_nodes": {"nodes": NODES}})

    def script(seen: Seen) -> Any:
        if seen.phase == "scope":
            schema = {s.name: s.parameters for s in seen.request.held}["submit_scope"]
            checks = schema["properties"]["milestones"]["prefixItems"][0]["properties"]["checks"]
            held.extend(form["properties"]["kind"]["const"] for form in checks["items"]["anyOf"])
        return plays(seen)

    with service(tmp_path) as jobs:
        register(script)
        done = jobs.run(
            jobs.submit("planner", [], GOAL, "scripted/test", {**SET, "model_settings.tool_calls": "json_schema"})
        )
    assert (held, done.state) == (["judged"], "completed"), done.reason


def test_qa_is_shown_the_plan_in_lines_and_opens_no_data(tmp_path: Path) -> None:
    """The data of a plan of eleven tasks were 3,000 tokens, which a small QA read twice."""
    told: list[str] = []
    plays = playing(
        {"generate_nodes": {"nodes": NODES}, "build_roadmap": {"choose": "earliest_end", "why": "It is soon."}}
    )

    def script(seen: Seen) -> Any:
        if seen.phase == "qa" and not seen.last_tool:
            told.append(seen.task)
            assert seen.values["look_at"] == []
        return plays(seen)

    with service(tmp_path) as jobs:
        register(script)
        done = jobs.run(jobs.submit("planner", [], GOAL, "scripted/test", SET))
    assert done.state == "completed", done.reason
    assert "Pattern: " in told[0] and "- menu: Settle the menu (16 hours)" in told[0] and "Options" not in told[0]
    assert "- earliest_end: ends on " in told[-1] and "taken: It is soon." in told[-1]
    assert "- Cook: 2026-03-0" in told[-1]
