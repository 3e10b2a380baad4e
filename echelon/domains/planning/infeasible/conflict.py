"""A smallest set of facts that cannot hold together, found by halving (QuickXplain, Junker 2004) and proven one by one."""

from __future__ import annotations

from dataclasses import dataclass, field

from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.infeasible.facts import Fact, facts_of, without
from echelon.domains.planning.scheduling.compile import compiled
from echelon.domains.planning.scheduling.scheduler import enough
from echelon.domains.planning.solver.improve import Improver
from echelon.domains.planning.solver.problem import Problem, Wish
from echelon.domains.planning.solver.process import SolverProcess
from echelon.domains.planning.solver.propagate import Impossible, windows
from echelon.domains.planning.solver.serial import by_latest_start

SECONDS = 3.0
"""Time for one question to the solver."""


@dataclass(frozen=True)
class Conflict:
    """Facts that cannot hold together. `proven`: without any one of them the rest can, by a schedule that was found."""

    facts: tuple[Fact, ...]
    proven: bool


def find_conflict(project: Project, solver: SolverProcess, slot: int | None = None) -> Conflict | None:
    """A minimal conflict of an infeasible project; None where it is feasible, or impossible even without any fact."""
    search = _Search(project, solver, slot)
    facts = facts_of(project)
    if search.possible(facts) is not False or search.possible([]) is False:
        return None
    found = search.explain([], False, facts)
    proven = all(search.possible([f for f in found if f != one]) is True for one in found)
    return Conflict(tuple(found), proven and search.possible(found) is False)


def is_possible(project: Project, solver: SolverProcess) -> bool | None:
    """Whether a schedule exists within the usual time ahead; None: the time was not enough to tell."""
    return _Search(project, solver, None).possible(facts_of(project))


@dataclass
class _Search:
    project: Project
    solver: SolverProcess
    slot: int | None
    known: dict[frozenset[Fact], bool | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.all = facts_of(self.project)
        self.horizon = enough(self.project)
        self.slot = self.slot or compiled(self.project, self.horizon).slot

    def possible(self, kept: list[Fact]) -> bool | None:
        """Whether a schedule exists when only these facts hold; None: the time was not enough to tell."""
        key = frozenset(kept)
        if key not in self.known:
            relaxed = without(self.project, [f for f in self.all if f not in key])
            self.known[key] = self._solved(compiled(relaxed, self.horizon, self.slot).problem)
        return self.known[key]

    def _solved(self, problem: Problem) -> bool | None:
        """Quickly by time alone or a serial schedule, else by the solver."""
        try:
            bounds = windows(problem)
        except Impossible:
            return False
        if Improver(problem, bounds).forward.build(by_latest_start(bounds)) is not None:
            return True
        answer = self.solver.solve(problem, Wish("any", SECONDS, longest=SECONDS * 4))
        return {"infeasible": False, "unknown": None}.get(answer.status, True)

    def explain(self, background: list[Fact], added: bool, facts: list[Fact]) -> list[Fact]:
        """The facts of a minimal conflict among `facts`, given that `background` holds."""
        if added and self.possible(background) is False:
            return []
        if len(facts) == 1:
            return facts
        half = len(facts) // 2
        first, second = facts[:half], facts[half:]
        two = self.explain(background + first, True, second)
        one = self.explain(background + two, bool(two), first)
        return one + two
