"""The user's own tools that a job's settings name: found, loaded, and given to roles that may have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echelon.agents.roster import roster
from echelon.crews.tool_sets import all_tools
from echelon.engine.toolbox import Effect
from echelon.errors import UserError
from echelon.own_tools import places, tools_of
from echelon.service.mcp_tools import only_reads

if TYPE_CHECKING:
    from echelon.settings import JobConfig


def granted(config: JobConfig) -> list[str]:
    """Names of the tools that the settings give to roles."""
    return [name for grant in config.tools.values() for name in (*grant.core, *grant.deferred)]


def with_own_tools(config: JobConfig) -> JobConfig:
    """The configuration with the place of each own tool that it names. None stands in for a tool of ours.

    Raises UserError for one that cannot be used, and for a role that only reads and would get one that does more.
    """
    names = set(granted(config)) - set(all_tools())
    known = {name: place for name, place in config.own_tools.items() if name in names}
    known |= places(names - set(known))
    tools, roles = tools_of(known), roster(config.role_folder)
    for role, grant in config.tools.items():
        for tool in (tools[n] for n in (*grant.core, *grant.deferred) if n in tools):
            if role in roles and tool.effect is not Effect.READ and only_reads(roles[role]):
                raise UserError(
                    f"The role '{role}' only reads, and the tool '{tool.name}' may do more; make it Effect.READ if that "
                    "is what it does, or give it to the implementor."
                )
    return config.model_copy(update={"own_tools": known})
