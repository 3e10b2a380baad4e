"""The rules of plans: an outline that keeps them is valid, and each broken one is named with what would mend it."""

from __future__ import annotations

import pytest

from echelon.domains.planning.contracts.plan import OutlineNode, PatternSpec, PlanOutline
from echelon.domains.planning.contracts.project import Deadline, Need, Project, TaskSpec
from echelon.domains.planning.patterns.grammar import outline_of, violations
from tests.planning.projects import at, project, task

GOOD = project(task("a", 1), task("b", 1, "a"), task("end", 0, "b"))


def codes(made: Project, outline: PlanOutline | None = None) -> set[str]:
    return {v.code for v in violations(outline or outline_of(made, "goal", None), made)}


def spoilt(*tasks: TaskSpec) -> Project:
    """A project as it comes from elsewhere, unchecked."""
    return GOOD.model_copy(update={"tasks": tasks})


def test_a_good_outline_breaks_nothing() -> None:
    assert codes(GOOD) == set()


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (spoilt(task("a", 1, "b"), task("b", 1, "a")), "cycle"),
        (spoilt(task("a", 1, "b"), task("b", 1, "a"), task("c", 1, "a")), "unreachable"),
        (spoilt(task("a", 1, "ghost")), "unreachable"),
        (spoilt(task("m", 0), task("a", 1)), "milestone_without_work"),
        (spoilt(task("a", 1, deadline=Deadline(at=at(2, 9)))), "impossible_date"),
        (spoilt(task("a", 1, release=at(9, 9), deadline=Deadline(at=at(7, 9)))), "impossible_date"),
        (spoilt(task("a", 1, needs=(Need(resource="nobody"),))), "unknown_resource"),
        (spoilt(task("p", 1, "c"), task("c", 1, parent="p")), "dependency_on_child"),
        (spoilt(task("a", 1), task("a", 1)), "doubled_id"),
        (spoilt(), "empty_level"),
    ],
)
def test_each_broken_rule_is_named(made: Project, code: str) -> None:
    assert code in codes(made)


def test_missing_estimates_empty_phases_and_a_pattern_that_does_not_fit() -> None:
    nodes = (
        OutlineNode(id="goal", title="Goal", level="goal"),
        OutlineNode(id="p", title="Phase", level="phase", parent="goal"),
        OutlineNode(id="a", title="A", level="task", parent="goal"),
    )
    outline = PlanOutline(nodes=nodes, pattern=PatternSpec(pattern_type="recurring_cycle"))
    assert codes(GOOD, outline) == {"empty_level", "no_estimate", "pattern_mismatch"}
