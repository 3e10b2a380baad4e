"""A trial, planned and done; and the order in which the trials of an experiment are run."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field

from echelon.experiments.scoring.finished import CheckResult
from echelon.settings import Section


@dataclass(frozen=True)
class Trial:
    """One arm at one task, once. `seed` is the same for all arms of a task and repeat."""

    id: str
    task: str
    cluster: str
    arm: str
    repeat: int
    seed: int

    @property
    def pair(self) -> tuple[str, int]:
        """What the trials of the arms that are compared with each other have in common."""
        return self.task, self.repeat


class InCluster(Protocol):
    """A task, as far as the order of the trials needs it."""

    @property
    def name(self) -> str: ...

    @property
    def cluster(self) -> str: ...


def schedule(name: str, tasks: Sequence[InCluster], arms: Sequence[str], repeats: int, seed: int) -> tuple[Trial, ...]:
    """All trials in the order in which they are run: cluster by cluster in the order of the seed, arms interleaved.

    Whatever drifts while the experiment runs hits all arms alike, and at a look whole clusters are done. The same
    arguments give the same trials.
    """
    draw = random.Random(f"{seed}:order")
    clusters = list(dict.fromkeys(t.cluster for t in tasks))
    draw.shuffle(clusters)
    out: list[Trial] = []
    for cluster in clusters:
        cells = [(t, r) for t in tasks if t.cluster == cluster for r in range(1, repeats + 1)]
        draw.shuffle(cells)
        for task, repeat in cells:
            order = list(arms)
            draw.shuffle(order)
            shared = seed_of(seed, task.name, repeat)
            out += [
                Trial(f"{name}-{task.name}-{arm}-{repeat}", task.name, cluster, arm, repeat, shared) for arm in order
            ]
    return tuple(out)


def seed_of(seed: int, task: str, repeat: int) -> int:
    """The seed that all arms of a task and repeat share: a number below 2^31."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{task}:{repeat}".encode()).digest()[:4], "big") >> 1


class Ceilings(Section):
    """The ceilings that a trial had; None where there was none."""

    cost: float | None = None
    tokens: int | None = None
    model_calls: int | None = None
    seconds: float | None = None


class Spending(Section):
    """What a trial used; of one that was forked, what came after the fork, with the shared part in `prefix`."""

    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    model_calls: int = 0
    tool_calls: int = 0


Share = Annotated[float, Field(ge=0, le=1)]


class TrialResult(Section):
    """What came of a trial. Stored, exported and read again: a field is never renamed."""

    schema_version: Literal[1] = 1
    trial: str
    task: str
    cluster: str
    arm: str
    repeat: int
    seed: int
    job: str = ""
    state: str
    """How the job ended by its own word: completed, limit, escalated, ...; crashed when it did not end"""
    reason: str = ""
    success: bool | None = None
    """Whether every check passed, by code; None when that is not known"""
    score: Share | None = None
    checks: tuple[CheckResult, ...] = ()
    outage: bool = False
    """Whether a trial that crashed was stopped by its surroundings: it is run again with --resume, no other is"""
    attempts: int = 1
    """How often it was run, or gone on with, after an outage"""
    used: Spending = Spending()
    prefix: Spending = Spending()
    ceilings: Ceilings = Ceilings()
    grading_cost: float = 0.0
    rounds: int = 0
    escalations: dict[str, int] = Field(default_factory=dict)
    """By the tier that handed up: tactical, assessment, strategic"""
    rework_share: Share = 0.0
    failures: tuple[str, ...] = ()
    """Failure kinds, by their names in `echelon.experiments.failures`"""
    failed_tier: str = ""
    """The tier at which a trial that did not succeed came to its end"""

    @property
    def crashed(self) -> bool:
        """Whether the trial broke instead of ending."""
        return self.state in ("crashed", "failed")

    @property
    def usable(self) -> bool:
        """Whether it counts in a comparison: it was graded, or it broke, which is no success."""
        return self.success is not None

    @property
    def false_completion(self) -> bool:
        """The job says COMPLETED and the checks say otherwise."""
        return self.state == "completed" and self.success is False

    def value(self, metric: str) -> float | None:
        """The figure of a metric, None when it is not known."""
        known: dict[str, Any] = {
            "success": self.success,
            "score": self.score if self.score is not None else (0.0 if self.success is False else None),
            "false_completion": None if self.success is None else self.false_completion,
            "rounds": self.rounds,
            "escalations": sum(self.escalations.values()),
            "rework_share": self.rework_share,
        }
        value = known[metric] if metric in known else getattr(self.used, metric)
        return None if value is None else float(value)
