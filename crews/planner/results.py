"""The results of a planner job, written from what its steps kept."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from echelon.crews.planner import files
from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.plan import Plan, PlanningStatus
from echelon.domains.planning.exporting.icalendar_file import to_ics
from echelon.domains.planning.exporting.mspdi import to_mspdi
from echelon.domains.planning.exporting.report import Option, Story, to_html, to_markdown
from echelon.domains.planning.exporting.tables import to_csv, to_xlsx
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically

PLAN, TEXT, PAGE = "output/plan.json", "output/plan.md", "output/report.html"
SCHEDULES = ("output/schedule.ics", "output/schedule.xml", "output/schedule.csv", "output/schedule.xlsx")
ALL = (PLAN, TEXT, PAGE, *SCHEDULES)
ASK = "Reply with the number of a way out, or 'propose changes: ...'."


def plan(workspace: Workspace) -> Plan:
    """The plan as it stands."""
    infeasible: dict[str, Any] = files.get(workspace, files.FEASIBILITY) or {}
    schedule = files.schedule(workspace)
    status: PlanningStatus = "complete" if schedule is not None else "needs_clarification"
    reason = call = None
    if schedule is None and infeasible.get("feasible") is False:
        status, reason, call = "needs_scheduling_escalation", "No schedule keeps all constraints.", ASK
    return Plan(
        planning_status=status,
        escalate_reason=reason,
        call_to_action=call,
        context=files.context(workspace),
        outline=files.outline(workspace),
        roadmap=files.roadmap(workspace),
        schedule=schedule,
        conflict=tuple(infeasible.get("conflict", ())) if reason else (),
        ways_out=tuple(infeasible.get("ways", ())) if reason else (),
        adaptations=tuple(files.changes(workspace)),
    )


def write(workspace: Workspace, today: datetime | None = None) -> list[str]:
    """Write all results that there can be; gives their paths."""
    project, made = files.project(workspace), plan(workspace)
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
    )
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


def wrong(workspace: Workspace) -> list[str]:
    """What is wrong with the results, one sentence each."""
    if not workspace.path(files.PROJECT).exists():
        return ["there is no project to plan"]
    schedule = files.schedule(workspace)
    if schedule is None:
        return ["there is no schedule of the project as it is now"]
    out = [b.says for b in check(files.project(workspace), schedule)]
    out += [f"'{path}' is not there" for path in ALL if workspace.sha256(path) is None]
    if not out and Plan.model_validate_json(workspace.path(PLAN).read_bytes()) != plan(workspace):
        out.append(f"'{PLAN}' does not say what was planned")
    return out
