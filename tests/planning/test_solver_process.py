"""The solver's child is left to the next one that needs it, and only where nothing of another request can be in it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from echelon.domains.planning.solver import process
from echelon.domains.planning.solver.problem import Activity, Answer, Mode, Problem, Store, Table, Wish
from echelon.domains.planning.solver.process import SolverProcess
from echelon.waiting import end

CELLS = 12
IDLE = process._idle  # pyright: ignore[reportPrivateUsage]


def problem(*needs: int) -> Problem:
    """Tasks of one cell each, which need so many of three units."""
    table = Table(tuple(range(CELLS)), tuple(range(1, CELLS + 1)))
    return Problem(CELLS, (table,), tuple(Activity((Mode(0, ((0, units),)),)) for units in needs), (), (Store(3),))


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """No child waits before or after a test."""
    IDLE.let_go()
    yield
    IDLE.let_go()


def pid(solver: SolverProcess) -> int:
    child = solver._child  # pyright: ignore[reportPrivateUsage]
    assert child is not None
    return child.pid


def is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def asked(solver: SolverProcess, *needs: int) -> tuple[int, float | None]:
    """Ask, and say which child answered what."""
    answer = solver.solve(problem(*needs), Wish(seconds=5))
    assert answer.status == "optimal", answer
    return pid(solver), answer.objective


def test_a_child_that_has_answered_answers_the_next_one_too() -> None:
    with SolverProcess() as one:
        first = asked(one, 3, 3, 2, 1)
    with SolverProcess() as two:
        second = asked(two, 2, 2, 2, 2)
    with SolverProcess() as three:
        third = asked(three, 3, 3, 2, 1)
    assert first == third and first[0] == second[0]
    assert (first[1], second[1]) == (3, 4)


def test_two_at_once_have_a_child_each_and_one_is_left() -> None:
    with SolverProcess() as one, SolverProcess() as two:
        numbers = {asked(one, 3, 1)[0], asked(two, 3, 1)[0]}
        assert len(numbers) == 2
    assert sorted(map(is_alive, numbers)) == [False, True]
    IDLE.let_go()
    assert not any(map(is_alive, numbers))


def test_a_child_with_another_ceiling_of_memory_is_not_taken() -> None:
    with SolverProcess() as one:
        first, _ = asked(one, 3, 1)
    with SolverProcess(memory_mb=4000) as two:
        second, _ = asked(two, 3, 1)
    assert first != second and not is_alive(first)


def test_a_child_that_died_while_it_waited_is_not_taken() -> None:
    with SolverProcess() as one:
        first, _ = asked(one, 3, 1)
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    with SolverProcess() as two:
        assert asked(two, 3, 1)[0] != first


def test_a_child_that_waited_so_long_that_it_may_be_about_to_end_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with SolverProcess() as one:
        first, _ = asked(one, 3, 1)
    monkeypatch.setattr(process, "IDLE_SECONDS", 0)
    with SolverProcess() as two:
        assert asked(two, 3, 1)[0] != first and not is_alive(first)


def harder() -> Problem:
    """One whose answer gets better after the first."""
    table = Table(tuple(range(200)), tuple(range(3, 203)))
    return Problem(202, (table,), tuple(Activity((Mode(0, ((0, 2),)),)) for _ in range(9)), (), (Store(3),))


def test_a_child_that_is_in_the_middle_of_an_answer_is_neither_left_nor_asked_again() -> None:
    def refuse(_: Answer) -> None:
        raise RuntimeError("the page is closed")

    with SolverProcess() as one:
        with pytest.raises(RuntimeError):
            one.solve(harder(), Wish(seconds=5), refuse)
        first = pid(one)
        assert asked(one, 3, 3, 2, 1)[1] == 3  # and not what is left of the answer before
        assert pid(one) != first and not is_alive(first)
    with SolverProcess() as two, pytest.raises(RuntimeError):
        two.solve(harder(), Wish(seconds=5), refuse)
    assert IDLE.process is None


def test_a_fork_does_not_talk_to_the_child_of_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    with SolverProcess() as one:
        first, _ = asked(one, 3, 1)
    waits = IDLE.process
    assert waits is not None
    monkeypatch.setattr(os, "getpid", lambda: 1)  # as a fork has another one
    with SolverProcess() as two:
        assert asked(two, 3, 1)[0] != first
    assert is_alive(first)
    IDLE.let_go()
    end(waits)
