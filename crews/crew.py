"""A crew: a transition table, and who acts in each of its states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from echelon.agents.roster import roster
from echelon.crews.hierarchy.states import Event, Row, State
from echelon.crews.stage import Stage
from echelon.errors import UnknownName


@dataclass(frozen=True)
class Performer:
    """Who acts in a state: code, a role (by its name in `agents/`), a person, or several of them in turn."""

    act: Callable[[Stage], Event]
    code: str = ""
    """What code does there; '' where it does nothing worth saying."""
    role: str = ""
    person: str = ""
    code_first: bool = True

    @property
    def who(self) -> str:
        """Who acts, in a few words."""
        role = roster()[self.role].role if self.role else ""
        if self.code and not role:
            return f"code: {self.code}"
        parts = [p for p in (self.code, role, self.person) if p]
        return ", then ".join(parts if self.code_first else parts[::-1])


@dataclass(frozen=True)
class Crew:
    """One way to have a job done. Jobs of the same type can be done by different crews and be compared."""

    name: str
    table: tuple[Row, ...]
    performers: Mapping[State, Performer]
    begins: State
    """Where a job goes on once a person has answered what stopped it."""

    def performer(self, state: State) -> Performer:
        """Who acts in a state. Raises UnknownName for one in which nobody does."""
        if state not in self.performers:
            raise UnknownName(f"state of the crew '{self.name}'", state.value, [s.value for s in self.performers])
        return self.performers[state]
