"""Who does the tasks that a role wrote: people of the goal or of the inputs, and nobody beside them."""

from __future__ import annotations

from echelon.crews.planner.drafts.nodes import Node, is_nobody
from echelon.domains.planning.contracts.project import Need, Project, Resource, TaskSpec
from echelon.domains.planning.wanted.holding import CROWD


def peopled(project: Project, nodes: list[Node]) -> tuple[Project, list[str]]:
    """The project with the people that the nodes name, where it describes none or only how many there are."""
    known = {r.id.casefold() for r in project.resources}
    new = list(dict.fromkeys(w for n in nodes for w in n.needs if w.casefold() not in known and not is_nobody(w)))
    crowd = next((r for r in project.resources if r.id == CROWD), None)
    if not new or (project.resources and (crowd is None or len(new) > crowd.capacity)):
        return project, []
    resources = [Resource(id=w, title=w) for w in new]
    if crowd is not None and crowd.capacity > len(new):
        resources.append(crowd.model_copy(update={"capacity": crowd.capacity - len(new)}))
    others = [r for r in project.resources if r.id != CROWD]
    says = f"{', '.join(new)}: there all working hours, one of each."
    return project.model_copy(update={"resources": (*others, *resources)}), [says]


def staffed(project: Project, alone: set[str]) -> tuple[Project, list[str]]:
    """Where people are described, one of them does each task that names nobody. `alone` are the ids that need no one."""
    if not project.resources:
        return project, []
    open_ = [t for t in project.tasks if t.duration and not t.needs and not t.any_of and t.id not in alone]
    ids = {t.id for t in open_}
    tasks = tuple(_given(t, project) if t.id in ids else t for t in project.tasks)
    says = [f"One of {', '.join(r.id for r in project.resources)} does what names nobody."] if open_ else []
    free = [t.title for t in project.tasks if t.id in alone]
    says += [f"Nobody is needed for {', '.join(free)}."] if free else []
    return project.model_copy(update={"tasks": tasks}), says


def staffed_by_crowd(project: Project) -> Project:
    """Given tasks that name nobody, where the goal says how many people there are."""
    return staffed(project, set())[0] if [r.id for r in project.resources] == [CROWD] else project


def _given(task: TaskSpec, project: Project) -> TaskSpec:
    ways = tuple((Need(resource=r.id),) for r in project.resources)
    return task.model_copy(update={"needs": ways[0]} if len(ways) == 1 else {"any_of": ways})
