"""Progress comes in: finished work stays, the rest is planned anew, and what need not move does not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.project import Estimate
from echelon.domains.planning.replanning.progress import Actual, replan
from echelon.domains.planning.risk.simulation import with_confidence
from echelon.domains.planning.solver.process import SolverProcess
from echelon.errors import UserError
from tests.planning.projects import QUICK, at, link, project, solved, span, task


@pytest.fixture(scope="module")
def solver() -> Iterator[SolverProcess]:
    with SolverProcess() as process:
        yield process


def test_a_task_that_slips_moves_only_what_waits_for_it(solver: SolverProcess) -> None:
    made = project(
        task("a", 1, who="anna"), task("b", 1, "a", who="anna"), task("c", 2, who="ben"), task("d", 1, "c", who="ben")
    )
    before = solved(made)
    late = {"a": Actual(at(5, 9), at(6, 17)), "c": Actual(at(5, 9), at(6, 17))}
    found = replan(made, before, at(6, 17), late, solver, QUICK)
    assert found.schedule is not None
    assert span(found.schedule, "a") == (at(5, 9), at(6, 17)), "what is finished stays where it was"
    assert span(found.schedule, "b") == (at(7, 9), at(7, 17))
    assert span(found.schedule, "d") == span(before, "d")
    assert [m.what for m in found.moved] == ["'B' moves"]
    assert check(found.project, found.schedule.model_copy(update={
        "tasks": tuple(t for t in found.schedule.tasks if not t.done)})) == []  # fmt: skip


def test_slack_takes_the_slip_up_without_a_move(solver: SolverProcess) -> None:
    made = project(task("a", 1, who="anna"), task("b", 1, who="anna", release=at(8, 9)), task("long", 5, who="ben"))
    before = solved(made)
    found = replan(made, before, at(6, 17), {"a": Actual(at(5, 9), at(6, 17)),
                                             "long": Actual(at(5, 9), None, 3 * 480)}, solver, QUICK)  # fmt: skip
    assert found.schedule is not None
    assert span(found.schedule, "b") == span(before, "b")
    assert span(found.schedule, "long") == span(before, "long")
    assert found.moved == ()


def test_lags_after_finished_work_still_count(solver: SolverProcess) -> None:
    made = project(task("a", 1), task("b", 1, link("a", "FS", 2)))
    found = replan(made, solved(made), at(6, 0), {"a": Actual(at(5, 9), at(5, 17))}, solver, QUICK)
    assert found.schedule is not None
    assert span(found.schedule, "b")[0] == at(8, 9)


def test_an_unknown_task_is_one_sentence(solver: SolverProcess) -> None:
    made = project(task("alpha", 1))
    with pytest.raises(UserError, match="did you mean 'alpha'"):
        replan(made, solved(made), at(6, 0), {"alpa": Actual(at(5, 9), at(5, 17))}, solver, QUICK)


def test_estimates_give_end_dates_that_are_surer_the_later_they_are() -> None:
    def days(a: float, b: float, c: float) -> Estimate:
        return Estimate(optimistic=round(a * 480), likely=round(b * 480), pessimistic=round(c * 480))

    made = project(
        task("wild", 4, estimate=days(2, 4, 12)), task("sure", 2, "wild", estimate=days(1.9, 2, 2.1)), task("side", 1)
    )
    found = with_confidence(made, solved(made))
    sure = found.confidence
    assert sure is not None
    assert found.end < sure.p50 < sure.p80 < sure.p95
    assert sure.drivers[0] == "wild" and "side" not in sure.drivers
    assert with_confidence(made, solved(made)).confidence == sure, "the same draws again"


def test_without_spread_the_simulated_end_is_the_planned_one() -> None:
    same = Estimate(optimistic=960, likely=960, pessimistic=960)
    made = project(task("a", 2, who="anna", estimate=same), task("b", 5, who="anna"), task("c", 1, link("b", "SS", 1)))
    planned = solved(made)
    sure = with_confidence(made, planned).confidence
    assert sure is not None
    assert sure.p50 == sure.p95 == planned.end


def test_no_estimates_no_confidence() -> None:
    made = project(task("a", 1))
    assert with_confidence(made, solved(made)).confidence is None
