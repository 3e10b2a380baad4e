"""The planner job: goals and task lists in, a plan that can be kept out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from echelon.crews.jobtype import Intake, JobType, Material, Survey
from echelon.crews.planner import files, results, rows
from echelon.crews.planner.drafts.drafting import is_unwritten
from echelon.crews.planner.drafts.patterns import open_rfc
from echelon.crews.planner.drafts.people import staffed_by_crowd
from echelon.crews.planner.drafts.shown import COVERS, pattern_words, shown
from echelon.crews.planner.drafts.telling import told
from echelon.crews.planner.inputs import bring_in
from echelon.crews.planner.person import asking, policy
from echelon.crews.planner.tools import PRODUCES
from echelon.domains.planning.contracts.plan import PatternSpec, PlanContext
from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.exporting.summary import summary
from echelon.domains.planning.importing.assemble import Imported, read_project
from echelon.domains.planning.patterns.select import select_pattern, template_tasks
from echelon.domains.planning.wanted.contracts import Wanted
from echelon.domains.planning.wanted.holding import held
from echelon.domains.planning.wanted.holding import told as read_of_goal
from echelon.domains.planning.wanted.reading import read
from echelon.engine.run import Run
from echelon.engine.todos import PlannedCall, Work
from echelon.engine.workspace import Workspace
from echelon.errors import UserError
from echelon.files import write_atomically
from echelon.settings import JobConfig
from echelon.store.plans import plans
from echelon.tasks.contracts import Finding, Report, Task

SAYS = {
    "select_pattern": "choose the pattern of the plan",
    "generate_nodes": "make the outline",
    "build_roadmap": "try options with the solver and build the roadmap",
    "generate_schedule": "make the schedule with the solver",
    "write_plan": "write the plan",
}
WRITTEN = {
    "select_pattern": "choose the pattern of the plan with select_pattern, from the goal",
    "generate_nodes": "write the outline with generate_nodes (phases, tasks with how long they take and what they wait "
    "for, milestones) of the goal: {goal}{parts}",
    "build_roadmap": "build the roadmap with build_roadmap; look at the options, and take one with a reason",
}
"""How the steps are put to a role that has to think of what is in them."""
ASKED = WRITTEN | {
    "generate_nodes": "what do people do for '{goal}', from the first preparation to the end? Name it with "
    "generate_nodes{parts}",
}
"""The same for a small model: where it reads of an outline, it writes of outlines."""
GOAL = 160
"""Characters of the goal that a step says"""
MILESTONE = {"select_pattern": 0, "generate_nodes": 0, "build_roadmap": 1}
"""The milestone that a step belongs to; the others belong to the last one."""


@dataclass(frozen=True)
class PlannerJob(JobType):
    name: str = "planner"
    outcomes: tuple[str, ...] = (
        "A reader sees the goal as an outline of tasks that keeps the rules of plans.",
        "A reader sees which options were tried, and why one was taken.",
        "A reader can keep the schedule: it breaks no rule, and is there as a page, a calendar and tables.",
    )

    talks = True

    def configured(self, config: JobConfig, home: Path) -> JobConfig:
        """The policy of the user under that of the job, and the approvals that follow from it."""
        given = {**({} if config.isolated else policy.stored(home)), **config.planning.policy}
        wanted = policy.approvals_of(policy.policy_of(given)) if given else "none"
        planning = config.planning.model_copy(update={"policy": given})
        approvals = wanted if config.approvals == "none" else config.approvals
        return config.model_copy(update={"planning": planning, "approvals": approvals})

    def questions(self, run: Run, workspace: Workspace, has_scope: bool, wanted: tuple[str, ...]) -> tuple[str, ...]:
        return asking.questions(run, workspace, has_scope, wanted)

    def heard(self, run: Run, workspace: Workspace, event: str, text: str) -> str:
        return asking.heard(run, workspace, event, text)

    def must_approve(self, run: Run, workspace: Workspace, at: str) -> str:
        """A proposed subtype is approved as soon as a milestone is reached, whatever the policy says."""
        rfc = open_rfc(run, workspace) if at in ("approve_milestone", "approve_result") else None
        if rfc is not None:
            return f"Do you approve the new subtype '{rfc.subtype}' of {rfc.pattern_type}: {rfc.rfc} {results.APPROVE}"
        if at == "approve_result" and results.needs_approval(run):
            return f"Do you approve the plan in output/? {results.APPROVE}"
        return ""

    def take_in(self, run: Run, workspace: Workspace, inputs: list[str]) -> Intake:
        """Read all files into one project; a goal in prose is planned from the template of its pattern."""
        today = _today(run.config.planning.today)
        try:
            imported = read_project([Path(p) for p in inputs], today)
            project, assumptions, wanted = _project(imported, _request(workspace), today)
        except UserError as error:
            return Intake(problems=(str(error),))
        documents = bring_in(workspace, inputs, _request(workspace))
        goal = imported.goal or _request(workspace)
        about = PlanContext(
            goal=goal, inputs=tuple(d.file for d in documents if inputs), assumptions=tuple(assumptions)
        )
        files.put_project(workspace, project)
        files.put_wanted(workspace, wanted)
        files.put_today(workspace, today)
        write_atomically(workspace.path(files.CONTEXT), about.model_dump_json(indent=1))
        return Intake(documents=tuple(documents))

    def survey(self, run: Run, workspace: Workspace, milestone: int, milestones: int) -> Survey:
        """Answers first, then every step whose result is missing or was made from another project."""
        last = milestones - 1
        mine = [w for w in steps(run, workspace) if min(MILESTONE.get(w.id, 2), last) <= milestone]
        missing = [w for w in mine if not _is_current(run, workspace, w)]
        found = files.schedule(workspace)
        facts = (
            f"the plan stands at {results.stage_of(workspace, run).value}",
            f"{len(mine) - len(missing)} of {len(mine)} steps are done",
            *(_fact(found.end) if found else ()),
        )
        return Survey(surveyed=True, open=(*_answers(workspace), *missing), facts=facts)

    def brief(self, run: Run, workspace: Workspace, works: Sequence[str]) -> Material:
        """What a role has to know that drafts the outline itself: the goal, who is there, the rules, what was said."""
        if run.config.model_of("implementor").startswith("playbook"):
            return Material()
        return Material(text=told(workspace, works))

    def blind(self, run: Run, workspace: Workspace, works: Sequence[str], seed: str) -> Material:
        """QA is shown the plan in lines, and need not open the data of it."""
        lines = shown(workspace)
        return Material(shown=lines, covers=COVERS) if lines else Material()

    def check_task(self, run: Run, workspace: Workspace, task: Task, report: Report) -> list[Finding]:
        found = files.schedule(workspace)
        wrong = [] if found is None or workspace.sha256(results.PLAN) is None else results.wrong(workspace, run)
        return super().check_task(run, workspace, task, report) + [
            Finding(says=w, about=results.PLAN, code="schedule") for w in wrong[:5]
        ]

    def check_delivery(self, run: Run, workspace: Workspace) -> list[str]:
        return results.wrong(workspace, run)

    def finish(self, run: Run, workspace: Workspace) -> None:
        if workspace.path(files.PROJECT).exists():
            results.write(workspace, run)

    def hand_over(self, run: Run, workspace: Workspace) -> None:
        """Keep the plan where other plans of the home look for it."""
        rows.keep(run.store.engine, run.job, results.plan(workspace, run), files.project(workspace))

    def figures(self, run: Run, workspace: Workspace) -> dict[str, Any]:
        if not workspace.path(files.PROJECT).exists():
            return {"planning_status": "aborted"}
        made, pattern = results.plan(workspace, run), files.shape(workspace, files.PATTERN, PatternSpec)
        rfc = open_rfc(run, workspace)
        out: dict[str, Any] = {
            "planning_status": made.planning_status, "stage": results.stage_of(workspace, run).value,
            "summary": summary(made, policy.of_run(run)), "tasks": len(files.project(workspace).tasks),
        }  # fmt: skip
        if pattern is not None:
            out["pattern"] = pattern_words(pattern)
        if made.schedule is not None:
            out |= {"end": f"{made.schedule.end:%Y-%m-%d}", "quality": made.schedule.quality, "gap": made.schedule.gap}
        if made.escalate_reason:
            out |= {"escalate_reason": made.escalate_reason, "call_to_action": made.call_to_action}
        if made.conflict or made.ways_out:
            out |= {"conflict": list(made.conflict), "ways_out": list(made.ways_out)}
        if rfc is not None:
            out |= {"pattern_rfc_required": True, "pattern_rfc_text": rfc.rfc}
        return out


def steps(run: Run, workspace: Workspace) -> list[Work]:
    """The steps of the plan. Where rules play, or nothing has to be thought of, code names the call as well."""
    thinks = not run.config.model_of("implementor").startswith("playbook")
    words = ASKED if run.config.is_guided else WRITTEN
    own = words if thinks and is_unwritten(workspace) else {"build_roadmap": words["build_roadmap"]} if thinks else {}
    names, goal = list(SAYS), " ".join(files.context(workspace).goal.split())[:GOAL].rstrip(".")
    things = files.wanted(workspace).things
    parts = f", a task for each of these by its name: {', '.join(things)}" if things else ""
    if run.config.isolated is False and _has_others(run):
        names.insert(-1, "probe_portfolio")
    pattern = files.shape(workspace, files.PATTERN, PatternSpec)
    sure = 1.0 if pattern is None or pattern.confidence is None else pattern.confidence
    if policy.brainstorms(policy.of_run(run), sure, _asks_for_ideas(workspace)):
        names.insert(-1, "brainstorm")
    return [
        Work(
            id=name, says=own.get(name, SAYS.get(name, MORE.get(name, name))).format(goal=goal, parts=parts),
            call=None if name in own or (thinks and name == "brainstorm") else PlannedCall(tool=name),
            deliverable=PRODUCES.get(name, {"probe_portfolio": files.PORTFOLIO, "brainstorm": files.IDEAS}.get(name)),
        )
        for name in names
    ]  # fmt: skip


MORE = {"probe_portfolio": "look for conflicts with other plans", "brainstorm": "keep ideas with brainstorm"}


def _has_others(run: Run) -> bool:
    return any(p.job != run.job for p in plans(run.store.engine))


def _asks_for_ideas(workspace: Workspace) -> bool:
    words = " ".join([_request(workspace), *(a.text for a in files.answers(workspace))]).lower()
    return re.search(r"\b(?:ideas?|brainstorm\w*|ideen)\b", words) is not None


def _answers(workspace: Workspace) -> list[Work]:
    """What a person said that code did not understand, as work for a role."""
    return [
        Work(id=f"answer{n}", says=f"follow what a person said with revise_plan, number {n}: {said.text[:200]}",
             deliverable=files.CHANGES)
        for n, said in enumerate(files.answers(workspace), 1) if not said.done
    ]  # fmt: skip


def _is_current(run: Run, workspace: Workspace, work: Work) -> bool:
    if work.id == "write_plan":
        return not results.wrong(workspace, run)
    return files.get(workspace, work.deliverable or "") is not None


def _fact(end: datetime) -> tuple[str]:
    return (f"the schedule ends on {end:%Y-%m-%d}",)


def _today(given: str) -> date:
    return date.fromisoformat(given) if given else datetime.now(UTC).date()


def _request(workspace: Workspace) -> str:
    return workspace.read("instructions.md").removeprefix("# Instructions").strip()


def _project(imported: Imported, request: str, today: date) -> tuple[Project, list[str], Wanted]:
    """The project of the files, or of a template where they name no task, with what the goal asks for in plain words."""
    assumptions = list(imported.assumptions)
    wanted = read(f"{imported.prose}\n{request}".strip(), today)
    if "strategy" in imported.people.project:
        wanted = wanted.model_copy(
            update={"strategy": str(imported.people.project["strategy"]).replace(" ", "_").lower()}
        )
    if imported.project is not None:
        project = staffed_by_crowd(held(imported.project, wanted))
        return project, assumptions + read_of_goal(project, wanted), wanted
    assert imported.base is not None
    goal = f"{imported.goal}\n{request}".strip()
    pattern = select_pattern(goal)
    title = str(imported.people.project.get("title") or goal.splitlines()[0].lstrip("# ")[:80] or "Plan")
    project = held(imported.base.model_copy(update={"title": title}), wanted)
    assumptions += read_of_goal(project, wanted)
    assumptions.append(
        f"No tasks were given, so a template was used: {pattern.pattern_type}. Its durations are guesses; replace them."
    )
    tasks = tuple(template_tasks(pattern, round(project.hours_per_day * 60)))
    return project.model_copy(update={"tasks": tasks}), assumptions, wanted


JOB_TYPE = PlannerJob()
