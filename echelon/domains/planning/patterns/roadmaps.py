"""What is wrong with a roadmap: it has every task of the project with what it waits for, and one option was taken."""

from __future__ import annotations

from echelon.domains.planning.contracts.plan import Roadmap
from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.patterns.grammar import Violation

LEAST_OPTIONS = 1
AGAIN = "Build the roadmap again."


def roadmap_violations(roadmap: Roadmap, project: Project) -> list[Violation]:
    """All rules that a roadmap breaks."""
    out: list[Violation] = []
    tasks = {t.id: t.after for t in project.tasks}
    nodes = {n.id: n.after for n in roadmap.nodes}
    for name in sorted(set(tasks) ^ set(nodes)):
        where = "the roadmap" if name in tasks else "the project"
        out.append(Violation("missing_node", name, f"'{name}' is not in {where}.", AGAIN))
    for name in sorted(set(tasks) & set(nodes)):
        if tasks[name] != nodes[name]:
            says = f"'{name}' waits for something else in the roadmap than in the project."
            out.append(Violation("other_dependencies", name, says, AGAIN))
    chosen = [o.name for o in roadmap.options_tried if o.chosen]
    if len(roadmap.options_tried) < LEAST_OPTIONS or len(chosen) != 1:
        says = f"{len(chosen)} of {len(roadmap.options_tried)} options that were tried are chosen; it has to be one."
        out.append(Violation("no_choice", "options", says, "Choose one of the options that have a schedule."))
    elif chosen[0] != project.strategy.aim.value:
        says = f"The roadmap takes '{chosen[0]}', and the project's strategy is '{project.strategy.aim.value}'."
        out.append(Violation("other_strategy", chosen[0], says, AGAIN))
    return out
