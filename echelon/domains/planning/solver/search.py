"""From a problem and a wish to an answer: bounds, serial schedules, then the solver from the best of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from echelon.domains.planning.solver.aims import add_aim
from echelon.domains.planning.solver.bounds import lower_bound
from echelon.domains.planning.solver.improve import Improver
from echelon.domains.planning.solver.model import Model
from echelon.domains.planning.solver.prices import PRICED, has_dues, latest_end, price
from echelon.domains.planning.solver.problem import Answer, Choice, Problem, Wish
from echelon.domains.planning.solver.propagate import Impossible, Windows, windows
from echelon.domains.planning.solver.serial import Serial, makespan

Report = Callable[[Answer], None]
STEADY_UNITS = 0.5
"""Units of deterministic time for a second of the clock: few enough that the clock, which is no measure that two runs
share, rarely cuts the search off."""


def solve(problem: Problem, wish: Wish, report: Report = lambda _: None) -> Answer:
    """The best answer within the wish's seconds. Every better one is told to `report` as it is found."""
    started = time.monotonic()
    try:
        bounds = windows(problem, wish.ceiling)
    except Impossible:
        return Answer("infeasible", seconds=time.monotonic() - started, note="dates and dependencies")
    floor = lower_bound(problem, bounds)
    run = _Run(problem, wish, report, started, floor)
    hint = run.heuristic(bounds)
    if hint is not None and wish.aim in ("makespan", "any"):
        settled = wish.aim == "any" or (makespan(hint) <= floor and not any(a.due for a in problem.activities))
        if settled:
            return run.answer("optimal", hint, float(makespan(hint)), float(floor))
    return run.exact(hint)


class _Run:
    """One solving of one problem."""

    def __init__(self, problem: Problem, wish: Wish, report: Report, started: float, floor: int) -> None:
        self.problem, self.wish, self.report, self.started, self.floor = problem, wish, report, started, floor
        self.first: float | None = None

    def answer(
        self, status: str, choices: list[Choice | None] | list[Choice], objective: float, bound: float
    ) -> Answer:
        """The answer so far, with the time it took."""
        spent = time.monotonic() - self.started
        if self.first is None:
            self.first = spent
        return Answer(status, tuple(choices), objective, bound, spent, self.first)

    def heuristic(self, bounds: Windows) -> list[Choice] | None:
        """A serial schedule that holds everything; None where the order gets stuck or something may be left out."""
        if any(a.droppable is not None for a in self.problem.activities):
            return None
        improver = Improver(self.problem, bounds)

        def found(choices: list[Choice]) -> None:
            self.report(self.answer("feasible", choices, self._value(choices), self._least()))

        if self.wish.aim == "keep":
            kept = _kept(bounds, self.problem, self.wish)
            if kept is not None:
                return kept
        goal = 10**9 if self.wish.aim == "any" else self.floor
        return improver.run(self.wish, goal, found)

    def exact(self, hint: list[Choice] | None) -> Answer:
        """Let the solver work from the hint."""
        top = self._top(hint)
        try:
            bounds = windows(self.problem, top)
        except Impossible:
            if hint is None:
                return Answer("infeasible", seconds=time.monotonic() - self.started, note="dates and dependencies")
            raise
        model = Model(self.problem, bounds, top, hint)
        model.floor = self.floor
        add_aim(model, self.wish)
        model.finish()
        return self._search(model, hint)

    def _top(self, hint: list[Choice] | None) -> int:
        """Nothing better than the hint ends later than this."""
        tops = [self.problem.horizon, self.problem.latest, self.wish.ceiling]
        if hint is not None:
            tops.append(latest_end(self.problem, hint, self.wish.aim))
        return min(x for x in tops if x is not None)

    def _value(self, choices: list[Choice]) -> float:
        return (
            float(price(self.problem, choices, self.wish.aim)) if self.wish.aim in PRICED else float(makespan(choices))
        )

    def _least(self) -> float:
        """What no schedule can be better than, without the solver."""
        if self.wish.aim not in PRICED:
            return 0.0
        priced = self.wish.aim == "cost" or has_dues(self.problem)
        return float(self.floor * (self.problem.day_price if priced else 1))

    def _search(self, model: Model, hint: list[Choice] | None) -> Answer:
        from ortools.sat.python import cp_model

        solver: Any = cp_model.CpSolver()
        left = max(0.5, (self.wish.longest or self.wish.seconds) - (time.monotonic() - self.started))
        solver.parameters.max_time_in_seconds = left
        solver.parameters.num_workers = self.wish.workers
        solver.parameters.random_seed = self.wish.seed
        if self.wish.steady:
            solver.parameters.interleave_search = True
            solver.parameters.max_deterministic_time = self.wish.seconds * STEADY_UNITS
        status = solver.solve(model.cp, _Progress(self, model))
        name = {cp_model.OPTIMAL: "optimal", cp_model.FEASIBLE: "feasible", cp_model.INFEASIBLE: "infeasible"}.get(
            status
        )
        if name in ("optimal", "feasible"):
            chosen = choices_of(model, solver.value)
            return self.answer(str(name), chosen, solver.objective_value, solver.best_objective_bound)
        if name is None and hint is not None:
            return self.answer("feasible", hint, self._value(hint), self._least())
        spent = time.monotonic() - self.started
        return Answer(name or "unknown", seconds=spent, note="resources" if name else "time ran out")


def _Progress(run: _Run, model: Model) -> Any:
    """A callback that reports each better solution."""
    from ortools.sat.python import cp_model

    class Callback(cp_model.CpSolverSolutionCallback):  # type: ignore[misc,unused-ignore]
        def on_solution_callback(self) -> None:
            choices = choices_of(model, self.value)
            run.report(run.answer("feasible", choices, self.objective_value, self.best_objective_bound))

    return Callback()


def choices_of(model: Model, value: Callable[[Any], int]) -> list[Choice | None]:
    """Read the choices from a solution; None where an activity is left out."""
    out: list[Choice | None] = []
    for made in model.activities:
        if made.present is not None and not value(made.present):
            out.append(None)
            continue
        mode = next((n for n, chosen in enumerate(made.modes) if value(chosen)), 0)
        out.append(Choice(int(value(made.start)), int(value(made.end)), mode))
    return out


def _kept(bounds: Windows, problem: Problem, wish: Wish) -> list[Choice] | None:
    """A serial schedule in which nothing starts before its old place, and only what is in the way moves."""
    first = list(bounds.first_start)
    for index, before in wish.previous.items():
        first[index] = max(first[index], before.start)
    late = Windows(first, bounds.first_end, bounds.last_start, bounds.last_end)
    return Serial(problem, late).build([float(x) for x in first])
