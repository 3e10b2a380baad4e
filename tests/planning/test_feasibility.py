"""Schedules of made projects keep every rule: the checker, which shares no code with the model, finds nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.strategy import Strategy, StrategyProfile
from echelon.domains.planning.scheduling.scheduler import Limits, schedule
from echelon.domains.planning.solver.process import SolverProcess
from tests.support.made_projects import made_project

QUICK = Limits(seconds=1.0)


@pytest.fixture(scope="module")
def solver() -> Iterator[SolverProcess]:
    with SolverProcess() as process:
        yield process


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(seed=st.integers(10_000, 99_999), size=st.integers(1, 10))
def test_no_rule_is_broken(solver: SolverProcess, seed: int, size: int) -> None:
    project = made_project(seed, size)
    outcome = schedule(project, QUICK, solver)
    assert outcome.status in ("optimal", "feasible", "infeasible")
    if outcome.schedule is not None:
        assert check(project, outcome.schedule) == []


@pytest.mark.parametrize("aim", list(Strategy))
def test_every_aim_gives_a_schedule_that_can_be_kept(solver: SolverProcess, aim: Strategy) -> None:
    project = made_project(3).model_copy(update={"strategy": StrategyProfile(aim=aim)})
    outcome = schedule(project, QUICK, solver)
    assert outcome.schedule is not None
    assert check(project, outcome.schedule) == []


def test_the_same_project_gives_the_same_plan(solver: SolverProcess) -> None:
    project = made_project(3)
    with SolverProcess() as other:
        one, again = schedule(project, QUICK, solver).schedule, schedule(project, QUICK, other).schedule
    assert one is not None and again is not None
    assert one.tasks == again.tasks
