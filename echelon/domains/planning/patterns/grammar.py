"""What is wrong with an outline: rules that no role overrules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from echelon.domains.planning.contracts.plan import WORK, OutlineNode, PatternSpec, PlanOutline
from echelon.domains.planning.contracts.project import Project, TaskSpec
from echelon.domains.planning.importing.sanity import find_circle

ORDER = ("goal", "phase", "milestone", "task", "step")


@dataclass(frozen=True)
class Violation:
    """A broken rule: its code, what it is about, a sentence, and what would mend it."""

    code: str
    about: str
    says: str
    fix: str


def outline_of(project: Project, goal: str, pattern: PatternSpec | None) -> PlanOutline:
    """The outline of a project: one goal, phases by parents that are no tasks, milestones and tasks."""
    title = goal.strip().splitlines()[0].lstrip("# ")[:120] if goal.strip() else project.title
    nodes = [OutlineNode(id="goal", title=title or project.title, level="goal")]
    ids = {t.id for t in project.tasks}
    for name in sorted({t.parent for t in project.tasks if t.parent and t.parent not in ids} - {None}, key=str):
        nodes.append(OutlineNode(id=f"phase {name}", title=str(name), level="phase", parent="goal"))
    for task in project.tasks:
        parent = task.parent if task.parent in ids else (f"phase {task.parent}" if task.parent else "goal")
        habit = task.origin.startswith("habit")
        said = task.origin.removeprefix("ai ") if task.origin.startswith("ai ") else ""
        kind = "habit" if habit else said or ("event" if task.fixed_start else "work")
        level = "milestone" if task.duration == 0 else "task"
        nodes.append(OutlineNode.model_validate({
            "id": task.id, "title": task.title, "level": level, "kind": kind, "parent": parent, "duration": task.duration,
            "origin": "system",
        }))  # fmt: skip
    return PlanOutline(nodes=tuple(nodes), pattern=pattern)


def violations(outline: PlanOutline, project: Project) -> list[Violation]:
    """All rules that the outline and its tasks break."""
    return [
        *_ids([n.id for n in outline.nodes]),
        *_levels(outline.nodes),
        *_links(project.tasks),
        *_family(project.tasks),
        *_work(outline.nodes, project.tasks),
        *_resources(project),
        *_dates(project),
        *_pattern(outline, project),
    ]


def _ids(names: list[str]) -> list[Violation]:
    twice = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) < len(names) else []
    return [Violation("doubled_id", n, f"'{n}' is there twice.", f"Give one '{n}' another id.") for n in twice]


def _levels(nodes: Sequence[OutlineNode]) -> list[Violation]:
    out: list[Violation] = []
    if not any(n.level in WORK for n in nodes):
        out.append(
            Violation("empty_level", "task", "There is no task in the outline.", "Add the work that leads to the goal.")
        )
    if not any(n.level == "goal" for n in nodes):
        out.append(
            Violation("empty_level", "goal", "There is no goal in the outline.", "Add a node of the level goal.")
        )
    has_children = {n.parent for n in nodes}
    for node in nodes:
        if node.level == "phase" and node.id not in has_children:
            out.append(
                Violation("empty_level", node.id, f"The phase '{node.title}' is empty.", "Add tasks or drop it.")
            )
    return out


def _links(tasks: Sequence[TaskSpec]) -> list[Violation]:
    out: list[Violation] = []
    known = {t.id for t in tasks}
    for task in tasks:
        for link in task.after:
            if link.after not in known:
                says = f"'{task.id}' depends on '{link.after}', which is not there."
                out.append(Violation("unreachable", task.id, says, f"Add '{link.after}', or drop the dependency."))
    circle = find_circle({t.id: [k.after for k in t.after if k.lag >= 0 and k.after in known] for t in tasks})
    if circle:
        says = f"The tasks wait for each other in a circle: {' -> '.join(circle)}."
        out.append(Violation("cycle", circle[0], says, "Take one of these dependencies away."))
        reached = _reached(tasks)
        out += [Violation("unreachable", n, f"'{n}' can never start.", "Break the circle before it.")
                for n in sorted(known - reached - set(circle))]  # fmt: skip
    return out


def _reached(tasks: Sequence[TaskSpec]) -> set[str]:
    """Tasks that can start once all that they wait for has."""
    done: set[str] = set()
    while True:
        more = {t.id for t in tasks if t.id not in done and all(k.after in done for k in t.after)}
        if not more:
            return done
        done |= more


def _family(tasks: Sequence[TaskSpec]) -> list[Violation]:
    parents = {t.id: t.parent for t in tasks}
    out: list[Violation] = []
    for task in tasks:
        if task.duration == 0:
            continue  # a summary ends with its parts
        for link in task.after:
            if parents.get(link.after) == task.id:
                says = f"'{task.id}' depends on '{link.after}', which is a part of it."
                out.append(Violation("dependency_on_child", task.id, says, "Depend on another task, or drop it."))
    return out


def _work(nodes: Sequence[OutlineNode], tasks: Sequence[TaskSpec]) -> list[Violation]:
    out: list[Violation] = []
    for task in tasks:
        if (
            task.duration == 0
            and not task.after
            and not any(t.parent == task.id for t in tasks)
            and not task.fixed_start
        ):
            says = f"The milestone '{task.title}' has no work before it."
            out.append(Violation("milestone_without_work", task.id, says, "Let it depend on the work that it closes."))
    for node in nodes:
        if node.level in WORK and node.duration is None:
            says = f"'{node.title}' has no estimate."
            out.append(Violation("no_estimate", node.id, says, "Say how long it takes."))
    return out


def _resources(project: Project) -> list[Violation]:
    known = {r.id: r.capacity for r in project.resources}
    out: list[Violation] = []
    for task in project.tasks:
        for need in (*task.needs, *(n for way in task.any_of for n in way)):
            if need.resource not in known:
                says = f"'{task.id}' needs '{need.resource}', which is not described."
                fix = f"Describe '{need.resource}', or name one of: {', '.join(known) or 'nobody'}."
                out.append(Violation("unknown_resource", task.id, says, fix))
    return out


def _dates(project: Project) -> list[Violation]:
    out: list[Violation] = []
    for task in project.tasks:
        dates: list[datetime] = [d for d in (task.release, task.fixed_start) if d is not None]
        end = task.deadline.at if task.deadline is not None and task.deadline.hard else None
        if end is not None and (end <= project.start or any(d > end for d in dates)):
            says = f"'{task.title}' has to end before it may start."
            out.append(Violation("impossible_date", task.id, says, "Move its deadline, or the date before it."))
        elif task.fixed_start is not None and task.fixed_start < project.start:
            says = f"'{task.title}' is fixed before the plan starts."
            out.append(Violation("impossible_date", task.id, says, "Start the plan earlier, or move it."))
    return out


def _pattern(outline: PlanOutline, project: Project) -> list[Violation]:
    kind = outline.pattern.pattern_type if outline.pattern is not None else None
    repeats = any(n.kind == "habit" for n in outline.nodes) or len({t.title for t in project.tasks}) < len(
        project.tasks
    )
    if kind == "recurring_cycle" and not repeats and not _has_cycles(outline):
        says = "The pattern is a recurring cycle, and nothing in the outline recurs."
        return [Violation("pattern_mismatch", "pattern", says, "Add a habit, or choose milestone_project.")]
    return []


def _has_cycles(outline: PlanOutline) -> bool:
    return sum("cycle" in n.title.lower() for n in outline.nodes) > 1
