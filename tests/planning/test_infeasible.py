"""Why a project is impossible: a set that is minimal, and ways out that work."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.project import Absence, Deadline, Resource
from echelon.domains.planning.infeasible.conflict import find_conflict
from echelon.domains.planning.infeasible.facts import facts_of, sentence, without
from echelon.domains.planning.infeasible.ways_out import ways_out
from echelon.domains.planning.scheduling.scheduler import schedule
from echelon.domains.planning.solver.process import SolverProcess
from tests.planning.projects import QUICK, at, project, task


@pytest.fixture(scope="module")
def solver() -> Iterator[SolverProcess]:
    with SolverProcess() as process:
        yield process


TIGHT = project(
    task("dig", 2, who="anna"),
    task("lay", 2, "dig", who="anna"),
    task("paint", 1, who="ben"),
    task("open", 0, "lay", deadline=Deadline(at=at(7, 17))),
)


def test_the_conflict_is_the_chain_and_its_deadline(solver: SolverProcess) -> None:
    found = find_conflict(TIGHT, solver)
    assert found is not None and found.proven
    assert {(f.kind, f.subject) for f in found.facts} <= {
        ("link", "lay"), ("link", "open"), ("deadline", "open"), ("capacity", "anna")
    }  # fmt: skip
    assert ("deadline", "open") in {(f.kind, f.subject) for f in found.facts}
    assert "'Open' has to end by 2026-01-07 17:00" in [sentence(TIGHT, f) for f in found.facts]
    rest = [f for f in facts_of(TIGHT) if f not in found.facts]
    assert schedule(without(TIGHT, rest), QUICK, solver).status == "infeasible"
    for one in found.facts:
        assert schedule(without(TIGHT, [one]), QUICK, solver).schedule is not None


def test_a_capacity_that_is_too_small_is_named(solver: SolverProcess) -> None:
    tasks = [task(n, 1, who="anna", deadline=Deadline(at=at(5, 17))) for n in "ab"]
    found = find_conflict(project(*tasks), solver)
    assert found is not None and found.proven
    assert {(f.kind, f.subject) for f in found.facts} == {("deadline", "a"), ("deadline", "b"), ("capacity", "anna")}


def test_an_absence_over_a_fixed_start_is_named(solver: SolverProcess) -> None:
    away = Resource(id="anna", absences=(Absence(start=at(6, 0), end=at(7, 0), title="leave"),))
    made = project(task("call", 0.25, who="anna", fixed_start=at(6, 10)), task("other", 1, who="ben"),
                   resources=(away, Resource(id="ben")))  # fmt: skip
    found = find_conflict(made, solver)
    assert found is not None and found.proven
    assert [sentence(made, f) for f in found.facts] == [
        "'anna' is away from 2026-01-06 00:00 to 2026-01-07 00:00 (leave)",
        "'Call' starts exactly on 2026-01-06 10:00",
    ]


def test_a_feasible_project_has_no_conflict(solver: SolverProcess) -> None:
    assert find_conflict(project(task("a", 1)), solver) is None


def test_ways_out_work_and_have_a_price(solver: SolverProcess) -> None:
    tasks = [task(n, 1, who="anna", deadline=Deadline(at=at(5, 17))) for n in "ab"]
    made = project(*tasks, resources=(Resource(id="anna", rate_per_hour=50),))
    conflict = find_conflict(made, solver)
    assert conflict is not None
    ways = ways_out(made, conflict.facts, solver, QUICK)
    assert [w.kind for w in ways] == ["later", "more", "less"]
    later, more, less = (w.says for w in ways)
    assert "24 hours later" in later or "1 days later" in later
    assert more == "One more 'anna' in week 2026-W02 (8 hours, 400 more)."
    assert "Leave out" in less and "(8 hours of work)" in less
    for way in ways:
        found = schedule(way.project, QUICK, solver).schedule
        assert found is not None and check(way.project, found) == []
