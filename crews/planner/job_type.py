"""The planner job: goals and task lists in, a plan that can be kept out."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from echelon.crews.jobtype import InputDocument, Intake, JobType, Survey
from echelon.crews.planner import files, results
from echelon.crews.planner.tools import PRODUCES, open_answers
from echelon.domains.planning.contracts.plan import PlanContext
from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.importing.assemble import Imported, read_project
from echelon.domains.planning.importing.values import moment_of, zone_named
from echelon.domains.planning.patterns.select import select_pattern, template_tasks
from echelon.engine.run import Run
from echelon.engine.todos import PlannedCall, Work
from echelon.engine.workspace import Workspace
from echelon.errors import UserError
from echelon.files import unique_names, write_atomically
from echelon.tasks.contracts import Finding, Report, Task

SAYS = {
    "choose_pattern": "choose the pattern of the plan",
    "generate_nodes": "make the outline",
    "validate_grammar": "check the outline against the rules of plans",
    "build_roadmap": "try options with the solver and build the roadmap",
    "generate_schedule": "make the schedule with the solver",
    "write_plan": "write the plan",
}
STEPS = tuple(
    Work(id=name, says=says, call=PlannedCall(tool=name), deliverable=PRODUCES[name]) for name, says in SAYS.items()
)
MILESTONE = {"choose_pattern": 0, "generate_nodes": 0, "validate_grammar": 0, "build_roadmap": 1}
"""The milestone that a step belongs to; the others belong to the last one."""


@dataclass(frozen=True)
class PlannerJob(JobType):
    name: str = "planner"
    outcomes: tuple[str, ...] = (
        "A reader sees the goal as an outline of tasks that keeps the rules of plans.",
        "A reader sees which options were tried, and why one was taken.",
        "A reader can keep the schedule: it breaks no rule, and is there as a page, a calendar and tables.",
    )

    def take_in(self, run: Run, workspace: Workspace, inputs: list[str]) -> Intake:
        """Read all files into one project; a goal in prose is planned from the template of its pattern."""
        today = _today(run.config.planning.today)
        try:
            imported = read_project([Path(p) for p in inputs], today)
            project, assumptions = _project(imported, _request(workspace), today)
        except UserError as error:
            return Intake(problems=(str(error),))
        documents: list[InputDocument] = []
        for source, name in zip(map(Path, inputs), unique_names(inputs), strict=True):
            shutil.copyfile(source, workspace.root / "documents" / name)
            sha = workspace.sha256(f"documents/{name}") or ""
            documents.append(InputDocument(file=name, sha256=sha, pages=None, language="en", parts=1))
        goal = imported.goal or _request(workspace)
        about = PlanContext(goal=goal, inputs=tuple(d.file for d in documents), assumptions=tuple(assumptions))
        files.put_project(workspace, project)
        write_atomically(workspace.path(files.CONTEXT), about.model_dump_json(indent=1))
        if not documents:
            sha = workspace.sha256("instructions.md") or ""
            documents = [InputDocument(file="instructions.md", sha256=sha, pages=None, language="en", parts=1)]
        return Intake(documents=tuple(documents))

    def survey(self, run: Run, workspace: Workspace, milestone: int, milestones: int) -> Survey:
        """Answers first, then every step whose result is missing or was made from another project."""
        answers = [
            Work(id=f"answer{n}", says=f"apply what a person answered: {text[:120]}",
                 call=PlannedCall(tool="apply_answer", arguments={"number": n}), deliverable=files.CHANGES)
            for n, text in open_answers(workspace)
        ]  # fmt: skip
        last = milestones - 1
        mine = [w for w in STEPS if min(MILESTONE.get(w.id, 2), last) <= milestone]
        missing = [w for w in mine if not _is_current(workspace, w)]
        found = files.schedule(workspace)
        facts = (f"{len(STEPS) - len(missing)} of {len(STEPS)} steps are done", *(_fact(found.end) if found else ()))
        return Survey(surveyed=True, open=(*answers, *missing), facts=facts)

    def check_task(self, run: Run, workspace: Workspace, task: Task, report: Report) -> list[Finding]:
        found = files.schedule(workspace)
        wrong = [] if found is None or workspace.sha256(results.PLAN) is None else results.wrong(workspace)
        return super().check_task(run, workspace, task, report) + [
            Finding(says=w, about=results.PLAN, code="schedule") for w in wrong[:5]
        ]

    def check_delivery(self, run: Run, workspace: Workspace) -> list[str]:
        return results.wrong(workspace)

    def finish(self, run: Run, workspace: Workspace) -> None:
        if workspace.path(files.PROJECT).exists():
            results.write(workspace)

    def figures(self, run: Run, workspace: Workspace) -> dict[str, Any]:
        if not workspace.path(files.PROJECT).exists():
            return {"planning_status": "aborted"}
        made = results.plan(workspace)
        out: dict[str, Any] = {"planning_status": made.planning_status, "tasks": len(files.project(workspace).tasks)}
        if made.schedule is not None:
            out |= {"end": f"{made.schedule.end:%Y-%m-%d}", "quality": made.schedule.quality, "gap": made.schedule.gap}
        if made.escalate_reason:
            out |= {"escalate_reason": made.escalate_reason, "call_to_action": made.call_to_action,
                    "conflict": list(made.conflict), "ways_out": list(made.ways_out)}  # fmt: skip
        return out


def _is_current(workspace: Workspace, work: Work) -> bool:
    if work.id == "write_plan":
        return not results.wrong(workspace)
    value = files.get(workspace, work.deliverable or "")
    return value == [] if work.id == "validate_grammar" else value is not None


def _fact(end: datetime) -> tuple[str]:
    return (f"the schedule ends on {end:%Y-%m-%d}",)


def _today(given: str) -> date:
    return date.fromisoformat(given) if given else datetime.now(UTC).date()


def _request(workspace: Workspace) -> str:
    return workspace.read("instructions.md").removeprefix("# Instructions").strip()


def _project(imported: Imported, request: str, today: date) -> tuple[Project, list[str]]:
    """The project of the files, or of a template where they name no task."""
    assumptions = list(imported.assumptions)
    if imported.project is not None:
        return imported.project, assumptions
    goal = f"{imported.goal}\n{request}".strip()
    pattern = select_pattern(goal)
    zone = zone_named(str(imported.people.project.get("zone", "UTC")), "project")
    start = moment_of(imported.people.project.get("start", today), zone, "project: start")
    assumptions.append(
        f"No tasks were given, so a template was used: {pattern.pattern_type}. Its durations are guesses; replace them."
    )
    project = Project(
        title=goal.splitlines()[0].lstrip("# ")[:80] or "Plan",
        zone=zone.key,
        start=start,
        calendars=imported.people.calendars,
        resources=imported.people.resources,
        tasks=tuple(template_tasks(pattern, 480)),
    )
    return project, assumptions


JOB_TYPE = PlannerJob()
