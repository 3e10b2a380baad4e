"""What happened in a job, as a page shows it: milestones with their tasks, and phases on a line of time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from echelon.service.cost import KINDS
from echelon.service.share import Share
from echelon.store.records.events import (
    CallRefused,
    CodeWorked,
    Escalated,
    Event,
    EventRow,
    Gated,
    InputsRead,
    LimitMet,
    MilestoneReached,
    Moved,
    PhaseBegan,
    PhaseEnded,
    Scoped,
    TaskAccepted,
    TaskFailed,
    ToolCalled,
    WentRound,
)
from echelon.store.store import Store

WIDTH, LANE, LEFT = 1000, 26, 130
"""Sizes of the drawing"""
LATEST = 400
"""Phases that are drawn at most: the latest"""


@dataclass
class Task:
    """A task of a milestone, and how it went."""

    round: int
    title: str
    state: str = "at work"
    findings: tuple[str, ...] = ()
    todo: str = ""
    done: int = 0
    of: int = 0


@dataclass
class Milestone:
    """A milestone with its tasks."""

    number: int
    outcome: str
    reached: bool = False
    tasks: list[Task] = field(default_factory=list)


@dataclass
class Phase:
    """A role at work. Times are in seconds since the beginning of the job."""

    role: str
    name: str
    round: int
    began: float
    ended: float | None = None
    why: str = ""
    calls: int = 0
    trouble: list[str] = field(default_factory=list)


@dataclass
class Story:
    """What happened, as far as the events tell."""

    milestones: list[Milestone] = field(default_factory=list)
    phases: list[Phase] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    escalations: list[str] = field(default_factory=list)
    share: Share = field(default_factory=Share)
    latest: int = 0
    seconds: float = 0.0
    current: int = 1
    round: int = 0
    uses: list[Event] = field(default_factory=list)
    """Events that say what steps were for"""

    def take(self, row: EventRow, began: float) -> None:
        """Take an event in; `began` is when the job was made."""
        at, event = max(0.0, row.at - began), row.event
        self.latest, self.seconds = row.number, max(self.seconds, at)
        self.share.take(event)
        if event.kind in KINDS:
            self.uses.append(event)
        match event:
            case InputsRead(documents=documents):
                self.log += [f"read {d.file}" for d in documents]
            case Scoped(milestones=outcomes):
                self.milestones = [Milestone(n, outcome) for n, outcome in enumerate(outcomes, 1)]
            case Moved(round=number):
                self.round = number
            case Gated(gate="plan", problems=(), title=title) if self._milestone is not None:
                self._milestone.tasks.append(Task(self.round + 1, title))
            case ToolCalled() if event.of and (task := self._task) is not None:
                task.done, task.of, task.todo = event.done, event.of, event.current
            case TaskAccepted(title=title) if (task := self._task) is not None:
                task.state, task.todo = "accepted", ""
            case TaskFailed(findings=findings) if (task := self._task) is not None:
                task.state, task.findings, task.todo = "failed", findings, ""
            case MilestoneReached(number=number):
                self._reached(number)
            case PhaseBegan():
                self.round = event.round or self.round
                self.phases.append(Phase(event.role, _name(event.phase), event.round, at))
            case PhaseEnded():
                self._ended(event, at)
            case CallRefused(tool=tool, why=why) if self.phases:
                self.phases[-1].trouble.append(f"{tool} was refused: {why}")
            case WentRound(tool=tool) if self.phases:
                self.phases[-1].trouble.append(f"repeated {tool}")
            case Escalated():
                self.escalations.append(f"{event.by} to {event.to}: {event.cause}")
                self.log.append(f"escalated by {event.by} to {event.to}: {event.cause}")
            case CodeWorked(said=said):
                self.log.append(said)
            case LimitMet(scope="job"):
                self.log.append(f"limit reached: {event.limit} {event.spent:g} of {event.ceiling:g}")
            case _:
                pass

    @property
    def _milestone(self) -> Milestone | None:
        return next((m for m in self.milestones if m.number == self.current), None)

    @property
    def _task(self) -> Task | None:
        here = self._milestone
        return here.tasks[-1] if here is not None and here.tasks else None

    def _ended(self, event: PhaseEnded, at: float) -> None:
        """A subagent works inside the phase that asked it, so what ends is not always what began last."""
        name = _name(event.phase)
        open_ = (p for p in reversed(self.phases) if p.ended is None and (p.role, p.name) == (event.role, name))
        if (phase := next(open_, None)) is not None:
            phase.ended, phase.why, phase.calls = at, event.why, event.calls

    def _reached(self, number: int) -> None:
        for milestone in self.milestones:
            milestone.reached = milestone.reached or milestone.number <= number
        self.current = number + 1


class Stories:
    """The stories of the jobs that somebody looked at last: each event is read and taken in once."""

    def __init__(self, store: Store, most: int = 64) -> None:
        self._store, self._most, self._lock = store, most, threading.Lock()
        self._known: OrderedDict[tuple[str, float], tuple[threading.Lock, Story]] = OrderedDict()

    def of(self, job: str, began: float) -> Story:
        """What happened until now in a job that was made at `began`, seconds since 1970."""
        with self._lock:
            mine, told = self._known.setdefault((job, began), (threading.Lock(), Story()))
            self._known.move_to_end((job, began))
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        with mine:
            for row in self._store.events(job, told.latest):
                told.take(row, began)
        return told


@dataclass(frozen=True)
class Bar:
    """A phase in the drawing."""

    x: float
    y: int
    width: float
    kind: str
    title: str


@dataclass(frozen=True)
class Drawing:
    """Phases on a line of time, a lane a role."""

    lanes: tuple[tuple[str, int], ...]
    bars: tuple[Bar, ...]
    marks: tuple[tuple[float, str], ...]
    width: int
    height: int


def drawing(told: Story) -> Drawing:
    """The phases of a story as bars."""
    phases = told.phases[-LATEST:]
    roles = list(dict.fromkeys(p.role for p in phases))
    first = phases[0].began if phases else 0.0
    span = max(1.0, told.seconds - first)
    scale = (WIDTH - LEFT - 10) / span
    bars = tuple(_bar(p, roles.index(p.role), first, told.seconds, scale) for p in phases)
    marks = tuple((LEFT + scale * span * n / 4, _clock(first + span * n / 4)) for n in range(5))
    lanes = tuple((role, n * LANE) for n, role in enumerate(roles))
    return Drawing(lanes, bars, marks, WIDTH, len(roles) * LANE + 20)


def _bar(phase: Phase, lane: int, first: float, now: float, scale: float) -> Bar:
    end = now if phase.ended is None else phase.ended
    kind = "open" if phase.ended is None else "good" if phase.why == "submitted" else "bad"
    kind = "retry" if kind == "good" and phase.trouble else kind
    said = [f"{phase.role}, {phase.name}, round {phase.round}", f"{end - phase.began:.1f} s, {phase.calls} calls"]
    said += [phase.why] if phase.why not in ("", "submitted") else []
    x = round(LEFT + (phase.began - first) * scale, 1)
    width = round(max(3.0, (end - phase.began) * scale), 1)
    return Bar(x, lane * LANE + 4, width, kind, " · ".join([*said, *phase.trouble]))


def _name(phase: str) -> str:
    """What a phase is for: `0006-plan` is a plan."""
    return phase.partition("-")[2] or phase


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d} h"
