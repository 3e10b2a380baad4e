"""Scheduling a project: how far to look ahead, which solving to do for each aim, and what comes out as a schedule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.domains.planning.contracts.strategy import Strategy
from echelon.domains.planning.scheduling.compile import Compiled, compiled, dates_of
from echelon.domains.planning.scheduling.reading import schedule_of
from echelon.domains.planning.scheduling.working_time import minutes_after
from echelon.domains.planning.solver.problem import Answer, Previous, Problem, Wish
from echelon.domains.planning.solver.process import SolverProcess

DAY = 1440
LONGEST = 12 * 366 * DAY
"""Nothing is planned further ahead."""

PATIENCE = 10.0
"""How much longer than asked a steady solving may take on a busy machine before the clock ends it."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Limits:
    """Ceilings of one scheduling. `steady` gives the same plan for the same input, whatever else the machine does."""

    seconds: float = 20.0
    workers: int = 2
    steady: bool = True
    memory_mb: int = 6000


@dataclass(frozen=True)
class Outcome:
    """A schedule, or the word that there is none ("infeasible", proven) or none was found in time ("unknown")."""

    status: str
    schedule: Schedule | None = None
    compiled: Compiled | None = None
    answer: Answer | None = None


def schedule(
    project: Project,
    limits: Limits = Limits(),
    solver: SolverProcess | None = None,
    tell: Tell = lambda _: None,
    previous: Schedule | None = None,
) -> Outcome:
    """Schedule a project for its strategy. `previous` asks that what need not move stays where it was there.

    Raises ValueError where a name in the project is unknown; `grammar.violations` says so before in sentences.
    """
    if solver is not None:
        return _Scheduling(project, limits, solver, tell, previous).run()
    with SolverProcess(limits.memory_mb) as own:
        return _Scheduling(project, limits, own, tell, previous).run()


class _Scheduling:
    """One project on its way to a schedule."""

    def __init__(
        self, project: Project, limits: Limits, solver: SolverProcess, tell: Tell, previous: Schedule | None
    ) -> None:
        self.project, self.limits, self.solver, self.tell, self.previous = project, limits, solver, tell, previous

    def run(self) -> Outcome:
        horizon = enough(self.project)
        made = compiled(self.project, horizon)
        answer = self._solve(made)
        longest = min(LONGEST, surely_enough(self.project))
        if answer.status in ("infeasible", "unknown") and horizon < longest:
            made = compiled(self.project, longest)
            answer = self._solve(made)
        if not answer.choices:
            return Outcome(answer.status, None, made, answer)
        return Outcome(answer.status, schedule_of(made, answer), made, answer)

    def _solve(self, made: Compiled) -> Answer:
        aim = self.project.strategy.aim
        share = self.limits.seconds
        if aim is Strategy.LEAST_COST:
            return self._ask(made.problem, "cost", share, made)
        first = self._ask(made.problem, "makespan", share * 0.7, made)
        if not first.choices:
            return first
        if self.previous is not None:
            return self._kept(made, first, share * 0.3)
        ceiling = max(c.end for c in first.choices if c is not None)
        if aim is Strategy.LEVEL_LOAD:
            ceiling = min(made.problem.horizon, round(ceiling * (1 + self.project.strategy.stretch)))
            return self._second(made, first, "level", ceiling, share * 0.3)
        if aim is Strategy.LATEST_START:
            return self._second(made, first, "late", self._late_ceiling(made, ceiling), share * 0.3)
        return self._second(made, first, "early", ceiling, share * 0.3)

    def _late_ceiling(self, made: Compiled, end: int) -> int:
        """How late everything may end: before the deadline by the buffer, and never before the earliest end."""
        deadline = self.project.deadline
        if deadline is None:
            return end
        last = made.axis.last_end(minutes_after(self.project.start, deadline.at))
        return max(end, last - round(self.project.strategy.buffer * end))

    def _second(self, made: Compiled, first: Answer, aim: str, ceiling: int, seconds: float) -> Answer:
        """Settle what the first aim leaves open; the first answer's quality is what is reported."""
        better = self._ask(made.problem, aim, seconds, made, ceiling)
        if not better.choices:
            return first
        return replace(first, choices=better.choices, note=better.note or first.note)

    def _kept(self, made: Compiled, first: Answer, seconds: float) -> Answer:
        assert self.previous is not None
        before = _before(made, self.previous)
        end = max(c.end for c in first.choices if c is not None)
        old = max((made.axis.first_end(minutes_after(self.project.start, self.previous.end)), end))
        wish = self._wish("keep", seconds, min(old, made.problem.horizon), before)
        kept = self.solver.solve(made.problem, wish, lambda a: None)
        return replace(first, choices=kept.choices) if kept.choices else first

    def _ask(self, problem: Problem, aim: str, seconds: float, made: Compiled, ceiling: int | None = None) -> Answer:
        def progress(answer: Answer) -> None:
            if aim == "makespan" and answer.choices:
                end = made.axis.end_minute(max(c.end for c in answer.choices if c is not None))
                self.tell(f"a plan that ends on {made.moment(end):%Y-%m-%d}, after {answer.seconds:.1f} s")

        return self.solver.solve(problem, self._wish(aim, seconds, ceiling), progress)

    def _wish(
        self, aim: str, seconds: float, ceiling: int | None = None, before: dict[int, Previous] | None = None
    ) -> Wish:
        return Wish(
            aim=aim,
            seconds=seconds,
            longest=seconds * PATIENCE if self.limits.steady else None,
            workers=self.limits.workers,
            steady=self.limits.steady,
            ceiling=ceiling,
            previous=before or {},
        )


def _before(made: Compiled, previous: Schedule) -> dict[int, Previous]:
    """Where the activities lay in an earlier schedule, as far as that is still ahead."""
    old = {t.id: t for t in previous.tasks}
    out: dict[int, Previous] = {}
    for task in made.project.tasks:
        was = old.get(task.id)
        if was is None or was.done or made.first[task.id] != made.last[task.id]:
            continue
        index = made.first[task.id]
        minute = minutes_after(made.project.start, was.start)
        if minute < 0:
            continue
        at = made.axis.first_start(minute) if task.duration else made.axis.first_end(minute)
        modes = made.project.task(task.id).any_of
        mode = next((n for n, way in enumerate(modes) if task.needs + way == was.needs), 0)
        out[index] = Previous(at, mode)
    return out


def enough(project: Project) -> int:
    """Minutes to look ahead: the longest chain of work, the busiest resource, and all dates, with room to spare."""
    work = max(_longest_chain(project), _busiest(project))
    return min(
        LONGEST, surely_enough(project), enough_for_dates(project) + round(_clock(project, work) * 1.5) + 30 * DAY
    )


def surely_enough(project: Project) -> int:
    """Minutes that are enough when one task is done after the other."""
    work = sum(t.duration + sum(abs(link.lag) for link in t.after) for t in project.tasks)
    return enough_for_dates(project) + _clock(project, work) * 2 + 60 * DAY


def enough_for_dates(project: Project) -> int:
    """Minutes to the last date that the project names."""
    dates = [project.deadline.at] if project.deadline else []
    dates += [moment for task in project.tasks for moment in dates_of(task)]
    for resource in project.resources:
        dates += [a.end for a in resource.absences]
    return max(0, *(minutes_after(project.start, d) for d in dates), 0)


def _clock(project: Project, work: int) -> int:
    """Minutes of the clock that working minutes take, by the shortest week of all calendars."""
    calendars = [project.calendar_named(name) for name in {None, *(r.calendar for r in project.resources)}]
    week = min(sum(s.finish - s.begin for day in c.week for s in day) for c in calendars)
    return round(work * 7 * DAY / week) if week else LONGEST


def _longest_chain(project: Project) -> int:
    lengths: dict[str, int] = {}
    tasks = {t.id: t for t in project.tasks}
    for _ in range(3):
        for task in project.tasks:
            before = [
                lengths.get(k.after, tasks[k.after].duration) + max(0, k.lag) for k in task.after if k.after in tasks
            ]
            lengths[task.id] = task.duration + max(before, default=0)
    return max(lengths.values(), default=0)


def _busiest(project: Project) -> int:
    load = {r.id: 0.0 for r in project.resources}
    capacity = {r.id: r.capacity for r in project.resources}
    for task in project.tasks:
        for need in (*task.needs, *(n for way in task.any_of for n in way)):
            load[need.resource] = load.get(need.resource, 0.0) + task.duration * need.units
    return round(max((load[r] / capacity.get(r, 1) for r in load), default=0))
