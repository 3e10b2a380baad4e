"""What was made of a plan, in lines, for who judges it: its files are data for programs, thousands of tokens each."""

from __future__ import annotations

from collections.abc import Iterator

from echelon.crews.planner import files, results
from echelon.crews.planner.drafts.telling import MOST, task_line
from echelon.domains.planning.contracts.plan import PatternSpec
from echelon.engine.workspace import Workspace

COVERS = (files.PATTERN, files.OUTLINE, files.ROADMAP, files.SCHEDULE, *results.ALL)
"""The files that the lines stand for."""


def shown(workspace: Workspace) -> str:
    """The pattern, the tasks, the options and the schedule, as far as they are there; '' before anything is."""
    lines = [*_pattern(workspace), *_tasks(workspace), *_options(workspace), *_schedule(workspace)]
    return "\n".join(["What was made of the plan, as it stands:", *lines]) if lines else ""


def pattern_words(pattern: PatternSpec) -> str:
    """A pattern with its subtype and variant, where it has them."""
    return ", ".join(p for p in (pattern.pattern_type, pattern.subtype, pattern.variant) if p)


def _pattern(workspace: Workspace) -> Iterator[str]:
    pattern = files.shape(workspace, files.PATTERN, PatternSpec)
    if pattern is not None:
        yield f"Pattern: {pattern_words(pattern)}"


def _tasks(workspace: Workspace) -> Iterator[str]:
    if files.outline(workspace) is not None:
        tasks = files.project(workspace).tasks
        yield f"Outline, {len(tasks)} tasks:"
        yield from map(task_line, tasks[:MOST])


def _options(workspace: Workspace) -> Iterator[str]:
    roadmap = files.roadmap(workspace)
    if roadmap is not None:
        yield "Options that were tried with the solver:"
        for o in roadmap.options_tried:
            taken = f"; taken: {o.why}" if o.chosen else ""
            yield f"- {o.name}: ends on {o.end:%Y-%m-%d}, costs {o.cost:g}, peak {o.peak}{taken}"


def _schedule(workspace: Workspace) -> Iterator[str]:
    found = files.schedule(workspace)
    if found is not None:
        yield f"Schedule, ends on {found.end:%Y-%m-%d %H:%M}:"
        for task in found.tasks[:MOST]:
            yield f"- {task.title}: {task.start:%Y-%m-%d %H:%M} to {task.end:%Y-%m-%d %H:%M}"
