"""How much of a job is done, and about how long the rest takes, as far as its events tell."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from echelon.store.records.events import Event, Gated, MilestoneReached, Scoped, TaskAccepted, TaskFailed, ToolCalled

LEAST_SHARE, LEAST_SECONDS = 0.05, 5.0
"""What must have been done, in how long a time, before anything is said of the rest."""


@dataclass
class Share:
    """Milestones count alike; in one of them counts what code sees as open, less what is done of the task at hand."""

    milestones: int = 0
    reached: int = 0
    most: int = 0
    """The most that was open at once in this milestone"""
    open: int = 0
    of_task: int = 0
    """What is done of the task at hand"""
    began: tuple[float, float] | None = field(default=None, compare=False)
    """When the watching began, and the share that was done then"""

    def take(self, event: Event) -> None:
        """Take an event in."""
        match event:
            case Scoped(milestones=outcomes):
                self.milestones, self.reached = len(outcomes), 0
                self._next_milestone()
            case MilestoneReached(number=number):
                self.reached = max(self.reached, number)
                self._next_milestone()
            case Gated(gate="plan", open=int(left), problems=()):
                self.open, self.most, self.of_task = left, max(self.most, left), 0
            case ToolCalled() if event.of and event.role == "Implementor":
                self.of_task = event.done
            case TaskFailed():
                self.of_task = 0
            case TaskAccepted():
                self.open, self.of_task = max(0, self.open - self.of_task), 0
            case _:
                pass

    def _next_milestone(self) -> None:
        self.most = self.open = self.of_task = 0

    @property
    def done(self) -> float:
        """The share of the work that is done, 0 to 1; 0 where nothing is known."""
        if not self.milestones:
            return 0.0
        left = max(0, self.open - self.of_task)
        inside = 1 - left / self.most if self.most else 0.0
        return min(1.0, (self.reached + (inside if self.reached < self.milestones else 0.0)) / self.milestones)

    def watch(self, now: float | None = None) -> None:
        """From here on time counts; again changes nothing."""
        if self.began is None:
            self.began = (time.monotonic() if now is None else now, self.done)

    def said(self, now: float | None = None) -> str:
        """'45 % done, about 2 min left'; '' where nothing is known, and no estimate before there is something to go by."""
        done = self.done
        if done <= 0:
            return ""
        rest = self._seconds_left(time.monotonic() if now is None else now)
        about = "" if rest is None or done >= 1 else f", about {_readable(rest)} left"
        return f"{int(done * 100)} % done{about}"

    def _seconds_left(self, now: float) -> float | None:
        if self.began is None:
            return None
        seconds, gained = now - self.began[0], self.done - self.began[1]
        if gained < LEAST_SHARE or seconds < LEAST_SECONDS:
            return None
        return seconds * (1 - self.done) / gained


def _readable(seconds: float) -> str:
    """'40 s', '3 min', '2 h': an estimate is no more exact than that."""
    if seconds < 60:
        return f"{max(10, round(seconds, -1)):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"
