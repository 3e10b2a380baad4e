"""The roster: the roles as data, and how a role becomes a crewai Agent."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from echelon.agents import made_once
from echelon.errors import UnknownName
from echelon.settings import read_mapping, validated

if TYPE_CHECKING:
    from crewai import Agent
    from crewai.llms.base_llm import BaseLLM

FOLDER = Path(__file__).parent


class Role(BaseModel):
    """One role: who it is, on which tier, and which tools it has in which phase."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    role: str = Field(description="the name that people read")
    tier: Literal["strategic", "tactical", "assessment", "subagent", "single"]
    goal: str
    backstory: str
    writes: tuple[str, ...] = Field(default=(), description="folders that it may write to; empty: what its tools allow")
    tools: dict[str, tuple[str, ...]] = Field(description="names of tools by phase")
    domain_first: bool = Field(default=False, description="whether domain tools stand in front of the role's own")
    deferred: tuple[str, ...] = Field(default=(), description="tools whose schemas arrive only through find_tools")
    guided: dict[str, tuple[str, ...]] = Field(
        default={}, description="what is left of them, by phase, for a guided role whose prompt shows all that it needs"
    )

    def tools_in(self, phase: str) -> tuple[str, ...]:
        """Names of the tools of a phase. Raises UnknownName for a phase that the role does not have."""
        if phase not in self.tools:
            raise UnknownName(f"phase of {self.role}", phase, list(self.tools))
        return self.tools[phase]

    def given(self, core: tuple[str, ...], deferred: tuple[str, ...]) -> Role:
        """The role with domain tools, in every phase but the hand-over of the results.

        Who works with them has them in front of its own tools: small models reach for what stands first.
        """
        more = (*core, *deferred)
        tools = {
            phase: names if phase == "deliver" else (*more, *names) if self.domain_first else (*names, *more)
            for phase, names in self.tools.items()
        }
        return self.model_copy(update={"tools": tools, "deferred": (*self.deferred, *deferred)})

    def lean_in(self, phase: str, domain: Sequence[str]) -> tuple[str, ...]:
        """The tools of a phase that a guided role keeps where its prompt shows all that it needs: few, each with a use, and
        the core ones of its domain."""
        if phase not in self.guided:
            return self.tools_in(phase)
        kept = {*self.guided[phase], *domain}
        return tuple(name for name in self.tools_in(phase) if name in kept)

    def core_of(self, phase: str) -> tuple[str, ...]:
        """Names of the tools of a phase whose schemas are sent from the start."""
        return tuple(name for name in self.tools_in(phase) if name not in self.deferred)

    def agent(self, llm: BaseLLM, tools: list[Any], most_calls: int) -> Agent:
        """A crewai Agent for one phase, with crewai's own memory, delegation and limits out of the way.

        Tools are those of `made_once.tool`.
        """
        return made_once.agent_class()(
            role=self.role,
            goal=self.goal,
            backstory=self.backstory,
            llm=llm,
            tools=tools,
            max_iter=most_calls + 10,  # the door ends a phase, so crewai's own ceiling must lie above it
            allow_delegation=False,
            cache=False,
            verbose=False,
        )


@functools.cache
def roster(own: str = "") -> dict[str, Role]:
    """All roles by name; those of the folder `own` stand in for ours. Raises UserError for a file that does not fit."""
    files = [*sorted(FOLDER.glob("*.yaml")), *(sorted(Path(own).glob("*.yaml")) if own else [])]
    roles = [validated(Role, read_mapping(p), f"role {p.name}") for p in files]
    return {role.name: role for role in roles}
