"""What a failure was like, in words of ours alone: no word of a request, a document or a model is in it.

A pattern says what was tried (the form of a task), why it failed (one of a few reasons) and what worked then (the form of
the task that was accepted instead). It carries vectors of the requests and inputs of the jobs that it comes from, which
tell whether another job is like them; they hold no words either.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from echelon.digest import digest
from echelon.tasks.contracts import Finding, Task

LIKE = 0.3
"""Cosine of two mean word vectors from which requests, or inputs, are similar: unrelated texts stay below 0.2."""
PROFILES = 5
"""Jobs whose vectors a pattern keeps: the latest."""
FORMATS = frozenset(
    (".md", ".txt", ".json", ".csv", ".yaml", ".html", ".xml", ".svg", ".pdf", ".docx", ".xlsx", ".py", ".sql", ".diff")
)


class Why(StrEnum):
    """Why something failed."""

    GIVEN_BACK = "the Implementor gave it back: it could not be done as planned"
    PARTLY = "it was done only in part"
    CIRCLES = "the Implementor went round in circles"
    SILENT = "the Implementor ended without a report"
    MISSING = "a file that was promised was not there"
    HOLLOW = "a file held no result: a placeholder, a copy, or the same again and again"
    REPEATED = "a file repeated what was asked for, or what another one holds"
    NONE = "a file said that there is nothing, against the inputs"
    CHECK = "a check of the task did not hold"
    FOUND = "QA found something wrong in it"
    ABORTED = "the planner saw no way on, and gave the milestone up"
    MISALIGNED = "the Assessor found that the wrong thing was built"
    HOPELESS = "the Assessor saw no way to the outcome"


_OF_CODE = {
    "missing": Why.MISSING, "file": Why.HOLLOW, "unreadable": Why.HOLLOW, "repeats": Why.REPEATED, "twin": Why.REPEATED,
    "none": Why.NONE,
}  # fmt: skip


def why_of(finding: Finding) -> Why:
    """The reason that a finding of QA stands for, by the rule of code that made it."""
    return _OF_CODE.get(finding.code, Why.CHECK) if finding.code else Why.FOUND


class Lesson(BaseModel):
    """A failure in a job, and what worked then; '' while nothing has."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    failed: str
    why: Why
    worked: str = ""


class Profile(BaseModel):
    """What a job is about, as vectors (256 bytes each, in base64); '' where there is none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    request: str = ""
    inputs: str = ""

    def is_like(self, other: Profile) -> bool:
        """Whether the requests, or the inputs, of two jobs are similar."""
        return _cosine(self.request, other.request) >= LIKE or _cosine(self.inputs, other.inputs) >= LIKE


class Pattern(Lesson):
    """A lesson of one job or several, as it is kept."""

    schema_version: Literal[1] = 1
    id: str
    times: int = Field(default=1, ge=1)
    profiles: tuple[Profile, ...] = ()

    def __str__(self) -> str:
        worked = f" What worked then: {self.worked}." if self.worked else ""
        return f"{self.failed[:1].upper()}{self.failed[1:]} failed: {self.why.value}.{worked}"


def form_of(task: Task) -> str:
    """The form of a task: how many todos, how many files of which formats. Nothing of what it says."""
    formats = {PurePosixPath(p.lower()).suffix for p in task.deliverables}
    named = sorted(formats & FORMATS) + (["another format"] if formats - FORMATS else [])
    return (
        f"a task of {_amount(len(task.todos))} todos for {_amount(len(task.deliverables))} files ({', '.join(named)})"
    )


def _amount(count: int) -> str:
    return "1" if count == 1 else "2 to 5" if count <= 5 else "6 or more"


def joined(old: Iterable[Pattern], lessons: Sequence[Lesson], profile: Profile, most: int) -> list[Pattern]:
    """Patterns with those of a job at the end: the same again counts, the oldest beyond `most` go."""
    kept = {p.id: p for p in old}
    for lesson in dict.fromkeys(lessons):
        id_ = digest(["pattern", lesson.failed, lesson.why.value, lesson.worked])[:12]
        before = kept.pop(id_, None)
        profiles = tuple(dict.fromkeys((*(before.profiles if before else ()), profile)))[-PROFILES:]
        times = before.times + 1 if before else 1
        kept[id_] = Pattern(**lesson.model_dump(), id=id_, times=times, profiles=profiles)
    return list(kept.values())[-most:]


def told(patterns: Iterable[Pattern], profile: Profile, shown: int) -> tuple[str, ...]:
    """What a job of this profile is told: the latest patterns of jobs like it."""
    return tuple(str(p) for p in patterns if any(profile.is_like(other) for other in p.profiles))[-shown:]


def profile_of(request: str, inputs: Sequence[str]) -> Profile:
    """The profile of a job; an empty one where the word vectors are not installed. An empty request is like no other."""
    from echelon.domains.likeness.embedding import embed, unit

    try:
        vectors = unit(embed([request, " ".join(inputs)]))
    except FileNotFoundError:
        return Profile()
    packed = [
        base64.b64encode(np.rint(v * 127).astype(np.int8).tobytes()).decode("ascii") if v.any() else "" for v in vectors
    ]
    return Profile(request=packed[0], inputs=packed[1])


def _cosine(left: str, right: str) -> float:
    if not left or not right:
        return 0.0
    a, b = (np.frombuffer(base64.b64decode(v), dtype=np.int8).astype(np.float32) for v in (left, right))
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / lengths if lengths and a.shape == b.shape else 0.0
