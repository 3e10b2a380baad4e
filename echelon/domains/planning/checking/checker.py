"""Does a schedule keep every rule of its project? Looks minute by minute, and knows nothing of how it was made.

What holds: a task works its duration (less than a slot more) between its start and its end in minutes in which all that
it needs is open, beginning and ending with a worked minute; it holds its units from start to end, of which no resource
gives more than it has while it works; links hold between moments, lags counted in the project's working minutes, or
on the clock when elapsed; releases, fixed starts and hard deadlines hold; nothing that is not optional is missing.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from echelon.domains.planning.checking.minutes import Minutes
from echelon.domains.planning.contracts.project import Link, Need, Project, TaskSpec
from echelon.domains.planning.contracts.schedule import Schedule, ScheduledTask

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Broken:
    """One rule that a schedule breaks: what it is about, and a sentence."""

    subject: str
    says: str


def check(project: Project, schedule: Schedule) -> list[Broken]:
    """All rules that are broken; an empty list says that the schedule can be kept."""
    return _Check(project, schedule).run()


class _Check:
    def __init__(self, project: Project, schedule: Schedule) -> None:
        self.project, self.schedule = project, schedule
        ends = [t.end for t in schedule.tasks] + [project.start]
        starts = [t.start for t in schedule.tasks] + [project.start]
        self.begin = min(starts)
        self.minutes = Minutes(self.begin, round((max(ends) - self.begin) / timedelta(minutes=1)) + 2 * 1440)
        self.placed = {t.id: t for t in schedule.tasks}
        self._open: dict[str, NDArray[np.bool_]] = {}
        self.found: list[Broken] = []

    def run(self) -> list[Broken]:
        for task in self.project.tasks:
            placed = self.placed.get(task.id)
            if placed is None:
                if not task.optional:
                    self._say(task.id, f"'{task.id}' is not in the schedule")
                continue
            self._dates(task, placed)
            self._work(task, placed)
            for link in task.after:
                self._link(task, placed, link)
        self._strangers()
        for resource in self.project.resources:
            self._capacity(resource.id)
        if self.project.deadline is not None and self.project.deadline.hard:
            for placed in self.schedule.tasks:
                if placed.end > self.project.deadline.at:
                    self._say(placed.id, f"'{placed.id}' ends after the deadline of the project")
        return self.found

    def _say(self, subject: str, says: str) -> None:
        self.found.append(Broken(subject, says))

    def _strangers(self) -> None:
        known = {t.id for t in self.project.tasks}
        names = [t.id for t in self.schedule.tasks]
        for name in sorted(set(names) - known):
            self._say(name, f"'{name}' is scheduled but is no task of the project")
        for name in sorted({n for n in names if names.count(n) > 1} if len(set(names)) < len(names) else set()):
            self._say(name, f"'{name}' is scheduled twice")

    # one task

    def _dates(self, task: TaskSpec, placed: ScheduledTask) -> None:
        if placed.done:
            return
        if placed.end < placed.start:
            self._say(task.id, f"'{task.id}' ends before it starts")
        if placed.start < self.project.start and task.progress is None:
            self._say(task.id, f"'{task.id}' starts before the project")
        if task.release is not None and placed.start < task.release:
            self._say(task.id, f"'{task.id}' starts before it may")
        if task.fixed_start is not None and placed.start != task.fixed_start:
            self._say(task.id, f"'{task.id}' does not start when it is fixed")
        if task.deadline is not None and task.deadline.hard and placed.end > task.deadline.at:
            self._say(task.id, f"'{task.id}' ends after its deadline")

    def _work(self, task: TaskSpec, placed: ScheduledTask) -> None:
        if placed.done:
            return
        ways = [task.needs + way for way in task.any_of] or [task.needs]
        if tuple(placed.needs) not in ways:
            self._say(task.id, f"'{task.id}' is not done with what it needs")
            return
        if task.duration == 0:
            if placed.start != placed.end:
                self._say(task.id, f"the milestone '{task.id}' takes time")
            return
        parts = [(p.start, p.end) for p in placed.pieces] or [(placed.start, placed.end)]
        if len(parts) > 1 and task.split != "anywhere":
            self._say(task.id, f"'{task.id}' is split although it may not be")
        if (parts[0][0], parts[-1][1]) != (placed.start, placed.end):
            self._say(task.id, f"the pieces of '{task.id}' are not all of it")
        if any(before[1] > after[0] for before, after in itertools.pairwise(parts)):
            self._say(task.id, f"pieces of '{task.id}' overlap")
        worked = sum(self._worked(task, placed, a, b) for a, b in parts)
        least = task.duration
        if task.progress is not None:
            return
        if not least <= worked < least + self.schedule.slot_minutes * len(parts):
            self._say(task.id, f"'{task.id}' works {worked} minutes instead of {least}")

    def _worked(self, task: TaskSpec, placed: ScheduledTask, start: datetime, end: datetime) -> int:
        low, high = self.minutes.at(start), self.minutes.at(end)
        flags = self._together(task.calendar, placed.needs)[low:high]
        if not len(flags) or not flags[0] or not flags[-1]:
            self._say(task.id, f"'{task.id}' begins or ends when nobody works on it")
        if task.split == "never" and not flags.all():
            self._say(task.id, f"'{task.id}' pauses although it may not")
        return int(flags.sum())

    def _together(self, calendar: str | None, needs: tuple[Need, ...]) -> NDArray[np.bool_]:
        flags = None if needs and calendar is None else self._calendar(calendar).copy()
        for need in needs:
            theirs = self._available(need.resource) > 0
            flags = theirs if flags is None else flags & theirs
        assert flags is not None
        return flags

    def _calendar(self, name: str | None) -> NDArray[np.bool_]:
        calendar = self.project.calendar_named(name)
        if calendar.name not in self._open:
            self._open[calendar.name] = self.minutes.open(calendar)
        return self._open[calendar.name]

    # links

    def _link(self, task: TaskSpec, placed: ScheduledTask, link: Link) -> None:
        before = self.placed.get(link.after)
        if before is None or placed.done:
            return
        source = before.end if link.kind in ("FS", "FF") else before.start
        target = placed.end if link.kind in ("FF", "SF") else placed.start
        if link.elapsed or link.lag == 0:
            good = target >= source + timedelta(minutes=link.lag)
        elif link.lag > 0:
            good = target >= source and self._between(source, target) >= link.lag
        else:
            good = target >= source or self._between(target, source) <= -link.lag
        if not good:
            self._say(task.id, f"'{task.id}' breaks {link.kind} {link.lag:+d} after '{link.after}'")

    def _between(self, start: datetime, end: datetime) -> int:
        low, high = self.minutes.at(start), self.minutes.at(end)
        return int(self._calendar(None)[max(0, low) : max(0, high)].sum())

    # resources

    def _available(self, name: str) -> NDArray[np.int64]:
        """Units of a resource in each minute."""
        import numpy as np

        resource = next(r for r in self.project.resources if r.id == name)
        units = self._calendar(resource.calendar).astype(np.int64) * resource.capacity
        for absence in resource.absences:
            low, high = max(0, self.minutes.at(absence.start)), max(0, self.minutes.at(absence.end))
            units[low:high] -= absence.units or resource.capacity
        return np.maximum(units, 0)

    def _capacity(self, name: str) -> None:
        import numpy as np

        used = np.zeros(self.minutes.count, dtype=np.int64)
        for placed in self.schedule.tasks:
            units = sum(n.units for n in placed.needs if n.resource == name)
            if not units or placed.done:
                continue
            for start, end in [(p.start, p.end) for p in placed.pieces] or [(placed.start, placed.end)]:
                used[max(0, self.minutes.at(start)) : max(0, self.minutes.at(end))] += units
        there = self._available(name)
        over = (used > there) & (there > 0)
        if over.any():
            moment = self.minutes.start + timedelta(minutes=int(over.argmax()))
            self._say(name, f"'{name}' is used {int(used[over.argmax()])} times at once at {moment:%Y-%m-%d %H:%M} UTC")
