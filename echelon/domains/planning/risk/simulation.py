"""End dates by simulation: durations are drawn from three-point estimates, the order on the resources stays.

Draws are PERT (a beta distribution with the most likely value weighted four times; Malcolm and others 1959). A task
starts when what it waits for and the tasks before it on its resources have ended in the draw, and never before its date.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from echelon.domains.planning.contracts.project import Project, TaskSpec
from echelon.domains.planning.contracts.schedule import Confidence, Schedule
from echelon.domains.planning.scheduling.working_time import OpenTime, common, minutes_after, open_time, without

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLES, SEED = 2000, 7
DRIVERS = 5
AHEAD = 3.0
"""How much longer than planned the simulated time is, at most."""


def with_confidence(project: Project, schedule: Schedule, samples: int = SAMPLES, seed: int = SEED) -> Schedule:
    """The schedule with its end dates at 50, 80 and 95 per cent; unchanged where no task has an estimate."""
    if not any(t.estimate is not None for t in project.tasks):
        return schedule
    return schedule.model_copy(update={"confidence": _Simulation(project, schedule, samples, seed).run()})


@dataclass
class _Simulation:
    project: Project
    schedule: Schedule
    samples: int
    seed: int
    _times: dict[tuple[str | None, tuple[str, ...]], OpenTime] = field(default_factory=dict)

    def __post_init__(self) -> None:
        length = minutes_after(self.project.start, self.schedule.end)
        self.horizon = round(length * AHEAD) + 60 * 1440
        self.tasks = {t.id: t for t in self.project.tasks}
        self.placed = {t.id: t for t in self.schedule.tasks}
        self.working = open_time(self.project.calendar_named(None), self.project.start, self.horizon)

    def run(self) -> Confidence:
        import numpy as np

        rng = np.random.default_rng(self.seed)
        starts: dict[str, NDArray[np.float64]] = {}
        ends: dict[str, NDArray[np.float64]] = {}
        drawn: dict[str, NDArray[np.float64]] = {}
        before = self._before()
        for placed in sorted(self.schedule.tasks, key=lambda t: (t.start, t.end, t.id)):
            task = self.tasks[placed.id]
            earliest = np.full(self.samples, float(self._earliest(task)))
            for other in before[task.id]:
                earliest = np.maximum(earliest, ends[other])
            for link in task.after:
                if link.after in ends:
                    source = ends[link.after] if link.kind[0] == "F" else starts[link.after]
                    if link.kind[1] == "S":
                        earliest = np.maximum(earliest, self._later(source, link.lag, link.elapsed))
            drawn[task.id] = _draw(task, rng, self.samples)
            time = self._time(task)
            starts[task.id] = _reached(time, _worked(time, earliest), up=True) if task.duration else earliest
            ends[task.id] = (
                _reached(time, _worked(time, starts[task.id]) + drawn[task.id]) if task.duration else earliest
            )
        last = np.max(np.stack(list(ends.values())), axis=0)
        return self._confidence(last, drawn)

    def _confidence(self, last: NDArray[np.float64], drawn: dict[str, NDArray[np.float64]]) -> Confidence:
        import numpy as np

        p50, p80, p95 = (self._moment(float(np.percentile(last, p))) for p in (50, 80, 95))
        pull = {
            name: abs(float(np.corrcoef(values, last)[0, 1]))
            for name, values in drawn.items()
            if values.std() > 0 and last.std() > 0
        }
        drivers = sorted(pull, key=lambda n: (-pull[n], n))[:DRIVERS]
        return Confidence(
            p50=p50, p80=p80, p95=p95, samples=self.samples, drivers=tuple(d for d in drivers if pull[d] > 0.1)
        )

    def _moment(self, minute: float) -> datetime:
        return self.project.start.astimezone(UTC) + timedelta(minutes=round(minute))

    def _earliest(self, task: TaskSpec) -> int:
        dates = [m for m in (task.release, task.fixed_start) if m is not None]
        return max([0, *(minutes_after(self.project.start, m) for m in dates)])

    def _before(self) -> dict[str, list[str]]:
        """Tasks that used what a task uses, and had ended when it starts."""
        out: dict[str, list[str]] = {t.id: [] for t in self.schedule.tasks}
        for resource in self.project.resources:
            users = [t for t in self.schedule.tasks if any(n.resource == resource.id for n in t.needs)]
            users.sort(key=lambda t: (t.start, t.end, t.id))
            for number, task in enumerate(users):
                ended = [u for u in users[:number] if u.end <= task.start]
                ended.sort(key=lambda u: u.end)
                out[task.id] += [u.id for u in ended[-resource.capacity :]]
        return out

    def _later(self, source: NDArray[np.float64], lag: int, elapsed: bool) -> NDArray[np.float64]:
        if elapsed or lag == 0:
            return source + lag
        return _reached(self.working, _worked(self.working, source) + lag)

    def _time(self, task: TaskSpec) -> OpenTime:
        placed = self.placed[task.id]
        key = (task.calendar, tuple(sorted(n.resource for n in placed.needs)))
        if key not in self._times:
            times = [self._resource_time(n.resource) for n in placed.needs]
            if task.calendar is not None or not times:
                times.append(open_time(self.project.calendar_named(task.calendar), self.project.start, self.horizon))
            together = times[0]
            for other in times[1:]:
                together = common(together, other)
            self._times[key] = together
        return self._times[key]

    def _resource_time(self, name: str) -> OpenTime:
        resource = next(r for r in self.project.resources if r.id == name)
        own = open_time(self.project.calendar_named(resource.calendar), self.project.start, self.horizon)
        start = self.project.start
        away = [
            (minutes_after(start, a.start), minutes_after(start, a.end))
            for a in resource.absences
            if (a.units or resource.capacity) >= resource.capacity
        ]
        return without(own, away)


def _draw(task: TaskSpec, rng: np.random.Generator, samples: int) -> NDArray[np.float64]:
    import numpy as np

    e = task.estimate
    if e is None or e.pessimistic == e.optimistic:
        return np.full(samples, float(task.duration))
    width = e.pessimistic - e.optimistic
    alpha, beta = 1 + 4 * (e.likely - e.optimistic) / width, 1 + 4 * (e.pessimistic - e.likely) / width
    return np.asarray(e.optimistic + width * rng.beta(alpha, beta, samples))


def _worked(time: OpenTime, minutes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Worked minutes before each moment."""
    import numpy as np

    edges, work = _line(time)
    return np.interp(minutes, edges, work)


def _reached(time: OpenTime, work: NDArray[np.float64], up: bool = False) -> NDArray[np.float64]:
    """The moment at which so much is worked; `up`: the first moment after it at which work goes on."""
    import numpy as np

    begins = np.array([a for a, _ in time.spans] or [0], dtype=float)
    lengths = np.array([b - a for a, b in time.spans] or [0], dtype=float)
    done = np.concatenate(([0.0], np.cumsum(lengths)))
    at = np.searchsorted(done, work, side="right" if up else "left") - 1
    at = np.clip(at, 0, len(begins) - 1)
    return np.asarray(begins[at] + (work - done[at]))


def _line(time: OpenTime) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np

    edges: list[float] = [-1.0]
    work: list[float] = [0.0]
    for begin, finish in time.spans:
        edges += [float(begin), float(finish)]
        work += [work[-1], work[-1] + finish - begin]
    return np.array(edges), np.array(work)
