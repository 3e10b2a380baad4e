"""Which pattern a goal has, by its words, and the tasks of the pattern's template."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import yaml

from echelon.domains.planning.contracts.plan import PatternSpec, PatternType
from echelon.domains.planning.contracts.project import Link, TaskSpec

FALLBACK: PatternType = "milestone_project"


@functools.cache
def templates() -> dict[PatternType, dict[str, Any]]:
    """The templates by pattern."""
    loaded: dict[PatternType, dict[str, Any]] = yaml.safe_load(
        (Path(__file__).parent / "templates.yaml").read_text("utf-8")
    )
    return loaded


def select_pattern(goal: str, has_habits: bool = False, has_tasks: bool = False) -> PatternSpec:
    """The pattern whose words the goal has most of. A list of tasks is a project, with habits a hybrid."""
    if has_tasks:
        kind: PatternType = "hybrid_project_cycle" if has_habits else FALLBACK
        return PatternSpec(pattern_type=kind, confidence=0.9, subtype="given_tasks")
    words = re.findall(r"[^\W\d_]+", goal.lower())
    scores: dict[PatternType, int] = {name: sum(words.count(w) for w in t["words"]) for name, t in templates().items()}
    best = max(scores, key=lambda name: (scores[name], name == FALLBACK))
    total = sum(scores.values())
    sure = scores[best] / total if total else 0.3
    return PatternSpec(pattern_type=best, confidence=round(0.3 + 0.6 * sure, 2) if total else 0.3)


def template_tasks(pattern: PatternSpec, minutes_a_day: int) -> list[TaskSpec]:
    """The tasks of a pattern's template."""
    return [
        TaskSpec(
            id=name,
            title=title,
            duration=round(days * minutes_a_day),
            after=tuple(Link(after=a.strip()) for a in after.split(",") if a.strip()),
            origin="template",
        )
        for name, title, days, after in templates()[pattern.pattern_type]["tasks"]
    ]
