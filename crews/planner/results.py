"""The results of a planner job, written from what its steps kept."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from echelon.crews.planner import files, standing
from echelon.crews.planner.drafts.claims import unasked
from echelon.crews.planner.drafts.patterns import open_rfc
from echelon.crews.planner.person import policy
from echelon.crews.planner.stages import Stage
from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.plan import PatternSpec, Plan, PlanningStatus, PlanOutline, Roadmap
from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.domains.planning.exporting.icalendar_file import to_ics
from echelon.domains.planning.exporting.mspdi import to_mspdi
from echelon.domains.planning.exporting.report import Option, Story, to_html, to_markdown
from echelon.domains.planning.exporting.summary import summary
from echelon.domains.planning.exporting.tables import to_csv, to_xlsx
from echelon.domains.planning.patterns.grammar import violations
from echelon.domains.planning.patterns.roadmaps import roadmap_violations
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically
from echelon.tasks.results import request_of

PLAN, TEXT, PAGE = "output/plan.json", "output/plan.md", "output/report.html"
SCHEDULES = ("output/schedule.ics", "output/schedule.xml", "output/schedule.csv", "output/schedule.xlsx")
ALL = (PLAN, TEXT, PAGE, *SCHEDULES)
ASK = "Reply with the number of a way out, or 'propose changes: ...'."
APPROVE = "Reply 'approve' or 'propose changes: ...'."
STATUS: dict[Stage, PlanningStatus] = {
    Stage.COMPLETE: "complete",
    Stage.NEEDS_SCHED_ESCALATION: "needs_scheduling_escalation",
    Stage.ABORTED: "aborted",
}
"""What a plan is called that stands at the end of its stages; at any other stage a person has to be heard."""


def plan(workspace: Workspace, run: Run) -> Plan:
    """The plan as it stands."""
    stage = stage_of(workspace, run)
    status = STATUS.get(stage, "needs_clarification")
    infeasible: dict[str, Any] = files.get(workspace, files.FEASIBILITY) or {}
    reason, call = why(workspace, run, stage)
    pattern = files.shape(workspace, files.PATTERN, PatternSpec)
    return Plan(
        planning_status=status,
        escalate_reason=reason,
        call_to_action=call,
        context=files.context(workspace).model_copy(update={"pattern": pattern}),
        outline=files.outline(workspace),
        roadmap=files.roadmap(workspace),
        schedule=files.schedule(workspace),
        conflict=tuple(infeasible.get("conflict", ())) if status == "needs_scheduling_escalation" else (),
        ways_out=tuple(infeasible.get("ways", ())) if status == "needs_scheduling_escalation" else (),
        adaptations=tuple(files.changes(workspace)),
        ideas=tuple(files.get(workspace, files.IDEAS) or ()),
    )


def stage_of(workspace: Workspace, run: Run) -> Stage:
    """The stage that the plan of a job is in."""
    return standing.stage(workspace, run.config.planning.retries, approvals=needs_approval(run))


def needs_approval(run: Run) -> bool:
    """Whether a person approves the results; the approval of a scope alone is none of them."""
    return run.config.approvals in ("single_final", "milestones", "every_step")


def why(workspace: Workspace, run: Run, stage: Stage) -> tuple[str | None, str | None]:
    """Why a plan is not complete, and the one thing that a person is asked to do."""
    if stage is Stage.COMPLETE:
        return None, None
    if stage is Stage.NEEDS_SCHED_ESCALATION:
        return "No schedule keeps all constraints.", ASK
    pending = [a.question for a in files.asked(workspace) if not a.answered]
    if (rfc := open_rfc(run, workspace)) is not None:
        return f"The subtype '{rfc.subtype}' waits for approval: {rfc.rfc}", APPROVE
    if stage is Stage.SEEK_APPROVAL:
        return "The plan waits for approval.", APPROVE
    if pending:
        return pending[0], "Answer with 'echelon answer JOB TEXT'."
    return f"The plan is not finished; it stands at {stage.value}.", "Go on with 'echelon resume JOB'."


def write(workspace: Workspace, run: Run, today: datetime | None = None) -> list[str]:
    """Write all results that there can be; gives their paths."""
    project, made = files.project(workspace), plan(workspace, run)
    zone = ZoneInfo(project.zone)
    tried = made.roadmap.options_tried if made.roadmap else ()
    story = Story(
        options=[
            Option(o.name, f"{o.end.astimezone(zone):%Y-%m-%d}", f"{o.cost:,.0f}", "yes" if o.chosen else "", o.why)
            for o in tried
        ],
        conflict=made.conflict,
        ways=made.ways_out,
        changes=[f"{c.what}: {c.before} -> {c.after} ({c.why})" for c in made.adaptations],
        assumptions=made.context.assumptions,
        summary=summary(made, policy.of_run(run)),
        ideas=made.ideas,
        portfolio=_portfolio(workspace),
    )
    today = today or files.today(workspace)
    out: dict[str, str | bytes] = {
        PLAN: made.model_dump_json(indent=1) + "\n",
        TEXT: to_markdown(project, made.schedule, story),
        PAGE: to_html(project, made.schedule, story, today),
    }
    if made.schedule is not None:
        contents = (to_ics(made.schedule), to_mspdi(project, made.schedule), to_csv(project, made.schedule),
                    to_xlsx(project, made.schedule))  # fmt: skip
        out |= dict(zip(SCHEDULES, contents, strict=True))
    for path, content in out.items():
        write_atomically(workspace.path(path), content)
    return list(out)


def _portfolio(workspace: Workspace) -> tuple[str, ...]:
    """What other plans of the home have to do with this one, one sentence each."""
    found: dict[str, Any] = files.get(workspace, files.PORTFOLIO) or {}
    return (*found.get("conflicts", ()), *(f"Suggested: {s}" for s in found.get("suggested_shifts", ())))


def wrong(workspace: Workspace, run: Run) -> list[str]:
    """What is wrong with the results, one sentence each. Everything is looked at again, whoever made it."""
    if not workspace.path(files.PROJECT).exists():
        return ["there is no project to plan"]
    outline, roadmap = files.outline(workspace), files.roadmap(workspace)
    schedule = files.schedule(workspace)
    if outline is None or roadmap is None or schedule is None:
        named = (("outline", outline), ("roadmap", roadmap), ("schedule", schedule))
        return [f"there is no {name} of the project as it is now" for name, made in named if made is None]
    out = _broken(files.project(workspace), outline, roadmap, schedule)
    out += over_budget(workspace, schedule.cost)
    out += [f"'{path}' is not there" for path in ALL if workspace.sha256(path) is None]
    out += unasked(workspace, ALL, request_of(workspace))
    if not out and not _is_told(workspace, run):
        out.append(f"'{PLAN}' does not say what was planned")
    return out


def over_budget(workspace: Workspace, cost: float) -> list[str]:
    """That a plan costs more than the goal allows, in a sentence."""
    budget = files.wanted(workspace).budget
    return [f"it costs {cost:,.0f}, and the budget is {budget:,.0f}"] if budget is not None and cost > budget else []


def wrong_so_far(workspace: Workspace) -> list[str]:
    """What is wrong with the outline, the roadmap and the schedule, as far as they are there."""
    made = files.outline(workspace), files.roadmap(workspace), files.schedule(workspace)
    return _broken(files.project(workspace), *made)


def _broken(
    project: Project, outline: PlanOutline | None, roadmap: Roadmap | None, schedule: Schedule | None
) -> list[str]:
    out = [] if outline is None else [v.says for v in violations(outline, project)]
    out += [] if roadmap is None else [v.says for v in roadmap_violations(roadmap, project)]
    return out + ([] if schedule is None else [b.says for b in check(project, schedule)])


def _is_told(workspace: Workspace, run: Run) -> bool:
    """Whether the plan that was written is the one that stands, apart from whether it is approved by now."""
    try:
        written = Plan.model_validate_json(workspace.path(PLAN).read_bytes())
    except ValidationError:
        return False
    about = {"planning_status": "complete", "escalate_reason": None, "call_to_action": None}
    return written.model_copy(update=about) == plan(workspace, run).model_copy(update=about)
