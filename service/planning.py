"""A finished plan while it is carried out: how it stands on a day, and made anew from what has really happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from echelon.crews.job_types import job_type
from echelon.crews.planner import files, results, rows, solving
from echelon.crews.planner.person.policy import of_run
from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.plan import AdaptationLogEntry
from echelon.domains.planning.contracts.project import Progress, Project
from echelon.domains.planning.contracts.schedule import Schedule, ScheduledTask
from echelon.domains.planning.exporting.summary import summary
from echelon.domains.planning.importing.actuals import Report, read_actuals
from echelon.domains.planning.replanning.progress import Actual, replan
from echelon.domains.planning.scheduling.scheduler import Limits
from echelon.domains.planning.solver.process import SolverProcess
from echelon.engine import durable
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.errors import UnknownName, UserError
from echelon.service.service import Service
from echelon.settings import JobConfig

NO_PLAN = "has no plan yet; see 'echelon show {job}' for how it stands."


@dataclass(frozen=True)
class Standing:
    """How a plan stands on a day: ids of tasks that are done, run, should run or be done and are not, and come next."""

    job: str
    today: date
    end: datetime
    done: tuple[str, ...]
    running: tuple[str, ...]
    overdue: tuple[str, ...]
    following: tuple[str, ...]


@dataclass(frozen=True)
class Anew:
    """A plan made anew: each change, the new end, or why it cannot be."""

    job: str
    changes: tuple[AdaptationLogEntry, ...]
    end: datetime | None
    before: datetime
    summary: str
    conflict: tuple[str, ...] = ()
    overdue: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Plan:
    run: Run
    workspace: Workspace
    project: Project
    schedule: Schedule


def status(service: Service, job: str, today: str | None) -> Standing:
    """How the plan of a job stands. Raises UserError where there is none."""
    plan = _plan(service, job)
    day = _day(plan, today)
    noon = _moment(plan, day)
    tasks = [t for t in plan.schedule.tasks if t.end > t.start or not t.done]
    open_ = [t for t in tasks if not t.done]
    return Standing(
        job=job, today=day, end=plan.schedule.end, done=tuple(t.id for t in tasks if t.done),
        running=tuple(t.id for t in open_ if t.start <= noon < t.end),
        overdue=tuple(t.id for t in open_ if t.end <= noon),
        following=tuple(t.id for t in sorted(open_, key=lambda t: t.start) if t.start > noon)[:5],
    )  # fmt: skip


def replanned(service: Service, job: str, done: Sequence[str], actuals: Path | None, today: str | None) -> Anew:
    """Plan the rest of a job anew from `today` on, and keep it in the place of the plan. Finished work stays.

    Raises UserError for what does not fit the plan; then, and where no plan is possible, nothing changes.
    """
    plan = _plan(service, job)
    day = _day(plan, today)
    moment = _moment(plan, day)
    reports = _reports(plan, done, actuals, moment)
    with durable.Lease(service.store, job), SolverProcess() as solver:
        known = {**_known(plan.project), **reports}
        found = replan(
            plan.project, plan.schedule, moment, known, solver, Limits(seconds=plan.run.config.planning.seconds)
        )
        overdue = tuple(t.id for t in plan.schedule.tasks if t.end <= moment and not t.done and t.id not in known)
        if found.schedule is None:
            said = solving.impossible(found.project, plan.run.config.planning.seconds)
            return Anew(job, (), None, plan.schedule.end, "No schedule keeps all constraints.", tuple(said), overdue)
        entries = (*_reported(plan, reports), *found.moved)
        _keep(plan, found.schedule, known, entries, day)
        figures = job_type("planner").figures(plan.run, plan.workspace)
        service.store.set_job(job, result=service.store.job(job).end.model_copy(update={"figures": figures}))
        rows.keep(service.store.engine, job, results.plan(plan.workspace, plan.run), files.project(plan.workspace))
    text = summary(results.plan(plan.workspace, plan.run), of_run(plan.run))
    return Anew(job, entries, found.schedule.end, plan.schedule.end, text, (), overdue)


def _plan(service: Service, job: str) -> _Plan:
    row = service.store.job(job)
    if row.type != "planner":
        raise UserError(f"Job {job} is a job of the type '{row.type}'; only planner jobs have a plan.")
    workspace = Workspace(row.folder)
    schedule = files.schedule(workspace) if row.state == "completed" else None
    if schedule is None:
        raise UserError(f"Job {job} {NO_PLAN.format(job=job)}")
    config = JobConfig.model_validate(row.config.config)
    run = Run(job=job, folder=row.folder, config=config, store=service.store, environment=service.environment)
    return _Plan(run, workspace, files.project(workspace), schedule)


def _day(plan: _Plan, given: str | None) -> date:
    zone = ZoneInfo(plan.project.zone)
    if given is None:
        return datetime.now(zone).date()
    try:
        return date.fromisoformat(given)
    except ValueError as error:
        raise UserError(f"--today: '{given}' is no date; write it like 2026-05-01.") from error


def _moment(plan: _Plan, day: date) -> datetime:
    """The beginning of a day where the project is."""
    return datetime.combine(day, time(), ZoneInfo(plan.project.zone))


def _reports(plan: _Plan, done: Sequence[str], actuals: Path | None, moment: datetime) -> dict[str, Actual]:
    names = {t.id: t for t in plan.schedule.tasks}
    out: dict[str, Actual] = {}
    zone, hours = ZoneInfo(plan.project.zone), plan.project.hours_per_day
    reports = read_actuals(actuals, zone, hours) if actuals is not None else []
    for report in [*reports, *(Report(task=name, is_done=True) for name in done)]:
        if report.task not in names:
            raise UserError(str(UnknownName("task", report.task, list(names))))
        out[report.task] = _actual(names[report.task], report, moment, plan.project)
    return out


def _actual(placed: ScheduledTask, report: Report, moment: datetime, project: Project) -> Actual:
    """What happened to a task; what a report leaves out was as planned."""
    is_done = report.is_done or report.finished is not None
    latest = moment if moment > project.start else project.start + timedelta(minutes=1)
    finished = (report.finished or min(placed.end, latest)) if is_done else None
    started = report.started or (min(placed.start, finished) if finished is not None else min(placed.start, latest))
    if finished is not None and (finished < started or (finished == started and placed.end > placed.start)):
        raise UserError(f"'{report.task}' cannot end before it starts.")
    left = project.task(placed.id).duration if report.remaining is None else report.remaining
    return Actual(started, finished, 0 if finished is not None else left)


def _known(project: Project) -> dict[str, Actual]:
    """What was reported of finished tasks before."""
    return {
        t.id: Actual(t.progress.started, t.progress.finished)
        for t in project.tasks
        if t.progress is not None and t.progress.finished is not None
    }


def _reported(plan: _Plan, reports: Mapping[str, Actual]) -> list[AdaptationLogEntry]:
    out: list[AdaptationLogEntry] = []
    for name, actual in reports.items():
        was = plan.schedule.task(name)
        now = f"done on {actual.finished:%Y-%m-%d}" if actual.finished else f"{actual.remaining / 60:g} hours are left"
        out.append(
            AdaptationLogEntry(
                what=f"'{was.title}': {now}", why="reported", before=f"until {was.end:%Y-%m-%d}", after=now
            )
        )
    return out


def _keep(
    plan: _Plan, found: Schedule, known: Mapping[str, Actual], entries: Sequence[AdaptationLogEntry], day: date
) -> None:
    workspace = plan.workspace
    progress = {
        name: Progress(started=a.started, finished=a.finished, remaining=a.remaining) for name, a in known.items()
    }
    tasks = tuple(t.model_copy(update={"progress": progress.get(t.id)}) for t in plan.project.tasks)
    project = plan.project.model_copy(update={"tasks": tasks})
    broken = [b for b in check(project, found) if b.subject not in known]
    if broken:
        raise UserError(f"The new schedule breaks a rule: {broken[0].says}.")
    files.put_again(
        workspace, project, files.PATTERN, files.OUTLINE, files.GRAMMAR, files.ROADMAP, files.APPROVAL, files.IDEAS
    )
    files.put(workspace, files.SCHEDULE, found)
    files.put_today(workspace, day)
    for entry in entries:
        files.put_change(workspace, entry)
    results.write(workspace, plan.run)
    workspace.commit(f"Plan anew from {day}")
