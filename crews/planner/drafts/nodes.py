"""Nodes of an outline as a role writes them, and the tasks that they become."""

from __future__ import annotations

import itertools
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from echelon.crews.planner.drafts.order import SAYS as IN_ORDER
from echelon.crews.planner.drafts.order import linked_by_goal, sorted_by_goal
from echelon.domains.planning.contracts.project import Estimate, Link, Need, Project, TaskSpec
from echelon.domains.planning.importing.assemble import with_summaries
from echelon.domains.planning.importing.values import duration_of
from echelon.domains.planning.wanted.contracts import Wanted
from echelon.errors import ModelFault, UserError
from echelon.json_text import is_object

SELF = "ai"
"""Origin of tasks that a role wrote."""
QUOTES = "'\"`"
NOBODY = ("nobody", "none", "no one", "niemand")
"""What a role writes for work that needs no one"""


def _as_node(value: Any) -> Any:
    return value if is_object(value) else {"title": str(value)}


def _as_names(value: Any) -> Any:
    return [v.strip() for v in re.split(r"[,;|]", value) if v.strip()] if isinstance(value, str) else value


def _as_text(value: Any) -> Any:
    return f"{value:g}d" if isinstance(value, int | float) and not isinstance(value, bool) else value


Names = Annotated[list[str], BeforeValidator(_as_names)]


def _unquoted(title: str) -> str:
    """The title without quotation marks around it, and without one that was left over from a quotation."""
    title = " ".join(title.split())
    for mark in QUOTES:
        ends = (title[:1] == mark) + (title[-1:] == mark)
        if title.count(mark) <= ends:
            title = title.strip(mark).strip()
    return title


class Node(BaseModel):
    model_config = ConfigDict(extra="ignore")

    title: Annotated[str, AfterValidator(_unquoted)] = Field(description="what is done, in a few words", max_length=200)
    id: str = Field(default="", description="a short name that other nodes use in 'after'", max_length=60)
    level: Literal["phase", "milestone", "task", "step"] = Field(default="task", description="phases hold tasks")
    kind: Literal["work", "decision", "event", "habit"] = "work"
    parent: str = Field(default="", description="id of the phase or task that it is a part of")
    takes: Annotated[str, BeforeValidator(_as_text)] = Field(
        default="", description="working time of a task, such as '3d' or '4h'; 'least | likely | most' where it is open"
    )
    after: Names = Field(default=[], description="ids of the nodes that have to end before it starts")
    needs: Names = Field(default=[], description="names of the people or machines that do it")


AnyNode = Annotated[Node, BeforeValidator(_as_node)]


def written(project: Project, nodes: list[Node], wanted: Wanted) -> tuple[Project, list[str]]:
    """The project with the tasks that a role wrote, and what had to be assumed. Raises ModelFault."""
    phases = {n.id: n.title for n in nodes if n.level == "phase"}
    by_title = {n.title.casefold(): n.id for n in nodes}
    known = {r.id.casefold(): r.id for r in project.resources}
    assumptions: list[str] = []
    tasks = [_task(n, project, phases, by_title, known) for n in nodes if n.level != "phase"]
    members = _by_phase(nodes, phases)
    tasks = [t.model_copy(update={"after": _members(t.after, members)}) for t in tasks]
    if not any(t.after for t in tasks) and len(tasks) > 1:
        assumptions.append(
            "One task follows the other in the order in which they were written, since nobody said else."
        )
        if wanted.is_in_order:
            tasks = sorted_by_goal(tasks, wanted)
        tasks = [tasks[0], *(t.model_copy(update={"after": (Link(after=b.id),)}) for b, t in itertools.pairwise(tasks))]
    tasks = [_closing(t, tasks[:number]) for number, t in enumerate(linked_by_goal(tasks, wanted))]
    if wanted.is_in_order:
        assumptions.append(IN_ORDER)
    return project.model_copy(update={"tasks": tuple(with_summaries(tasks))}), assumptions


def _by_phase(nodes: list[Node], phases: dict[str, str]) -> dict[str, list[str]]:
    """Ids of the tasks of each phase."""
    return {p: [n.id for n in nodes if n.level != "phase" and n.parent in (p, phases[p])] for p in phases}


def once(nodes: list[Node]) -> tuple[list[Node], list[str]]:
    """Nodes with their ids, each once: what is written twice in the same place is one task. With what was left out."""
    first: dict[tuple[str, str, str], str] = {}
    other: dict[str, str] = {}
    kept: list[Node] = []
    for node in _named(nodes):
        name = first.setdefault((node.level, node.parent.casefold(), " ".join(node.title.casefold().split())), node.id)
        if name == node.id or node.kind == "habit":
            kept.append(node)
        else:
            other[node.id] = name
    says = [
        f"'{t}' was written more than once, and is there once."
        for t in dict.fromkeys(n.title for n in kept if n.id in other.values())
    ]
    out = [n.model_copy(update={"after": [other.get(a, a) for a in n.after if other.get(a, a) != n.id]}) for n in kept]
    return out, says


def is_nobody(name: str) -> bool:
    """Whether a need says that nobody is needed, as for concrete that cures."""
    return name.strip().casefold() in NOBODY


def _named(nodes: list[Node]) -> list[Node]:
    """Each node with an id: its own, or made from its title."""
    out: list[Node] = []
    for number, node in enumerate(nodes, 1):
        slug = "-".join(re.findall(r"[^\W_]+", node.title.lower())[:4]) or f"n{number}"
        taken = {n.id for n in out} | {n.id for n in nodes if n.id}
        name = node.id.strip() or (slug if slug not in taken else f"{slug}-{number}")
        out.append(node.model_copy(update={"id": name}))
    return out


def _task(
    node: Node, project: Project, phases: dict[str, str], titles: dict[str, str], known: dict[str, str]
) -> TaskSpec:
    estimate = _estimate(node, project.hours_per_day) if node.level != "milestone" else None
    after = tuple(Link(after=titles.get(a.casefold(), a)) for a in dict.fromkeys(node.after) if a != node.id)
    needs = dict.fromkeys(w for w in node.needs if not is_nobody(w)) if node.level != "milestone" else ()
    parent = titles.get(node.parent.casefold(), node.parent) or None
    return TaskSpec(
        id=node.id, title=node.title, duration=0 if estimate is None else estimate.likely, after=after,
        needs=tuple(Need(resource=known.get(w.casefold(), w)) for w in needs),
        parent=phases.get(parent, parent) if parent else None,
        estimate=estimate if estimate is not None and estimate.optimistic < estimate.pessimistic else None,
        origin=SELF if node.kind == "work" else f"ai {node.kind}",
    )  # fmt: skip


def _estimate(node: Node, hours: float) -> Estimate | None:
    parts = [p.strip() for p in re.split(r"[|/]", node.takes) if p.strip()]
    if not parts:
        return None
    try:
        minutes = sorted(duration_of(p, hours, f"'{node.title}'") for p in parts[:3])
    except UserError as error:
        raise ModelFault(str(error)) from error
    return Estimate(optimistic=minutes[0], likely=minutes[len(minutes) // 2], pessimistic=minutes[-1])


def _members(links: tuple[Link, ...], members: dict[str, list[str]]) -> tuple[Link, ...]:
    """Links with phases replaced by their tasks."""
    names = (name for k in links for name in members.get(k.after, [k.after]))
    return tuple(Link(after=name) for name in dict.fromkeys(names))


def _closing(task: TaskSpec, before: list[TaskSpec]) -> TaskSpec:
    """A milestone that waits for nothing closes what stands before it."""
    if task.duration or task.after or not before:
        return task
    return task.model_copy(update={"after": tuple(Link(after=t.id) for t in before)})
