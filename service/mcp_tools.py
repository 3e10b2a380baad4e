"""Tools of MCP servers before a job may use them: looking at what a server offers, and a person's approval."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from echelon.agents.roster import Role, roster
from echelon.crews.tool_sets import all_tools
from echelon.digest import digest
from echelon.errors import UnknownName, UserError
from echelon.servers.approvals import approve, approved
from echelon.servers.client import listed
from echelon.servers.definition import Definition
from echelon.servers.settings import Server, full_name

if TYPE_CHECKING:
    import sqlalchemy as sa

    from echelon.settings import JobConfig

WRITERS = ("tactical", "single")
"""Tiers whose roles may have tools that do more than read; and QA, of these, may not."""
LOOKERS = ("qa", "task_planner")


@dataclass(frozen=True)
class Seen:
    """A tool as its server describes it now, beside what was approved of it."""

    server: str
    place: str
    tool: str
    standing: Literal["approved", "new", "changed", "refused", "gone"]
    definition: dict[str, Any]
    before: dict[str, Any] | None
    """The definition that was approved, if another one was"""
    problems: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        return digest([self.place, self.tool, self.definition])


def check(config: JobConfig) -> None:
    """Raises UserError for roles that are none, for effects that a role may not have, and for tools named in `after`."""
    from echelon.addresses import passwords_of

    roles = roster(config.role_folder)
    known = {**all_tools(), **{full_name(n, tool): None for n, s in config.mcp.items() for tool in s.tools}}
    for name, server in config.mcp.items():
        if passwords_of(server.url):
            raise UserError(f"mcp.{name}.url must hold no password; name a variable in mcp.{name}.headers.")
        for role in server.roles:
            if role not in roles:
                raise UnknownName("role", role, list(roles))
            acting = sorted(n for n, tool in server.tools.items() if tool.effect != "read")
            if acting and only_reads(roles[role]):
                raise UserError(
                    f"The role '{role}' only reads, and mcp.{name}.tools.{acting[0]} may do more; say 'effect: read' if "
                    "that is what it does, or give it to the implementor."
                )
        for after in (a for tool in server.tools.values() for a in tool.after):
            if after not in known:
                raise UnknownName("tool", after, list(known))


def only_reads(role: Role) -> bool:
    """Whether a role has no tool that does more than read, beyond what is its own."""
    return role.tier not in WRITERS or role.name in LOOKERS


def with_approved(engine: sa.Engine | None, config: JobConfig) -> JobConfig:
    """The configuration with what a person approved of its servers. Raises UserError for a tool that nobody did.

    `engine` is None where there is no database yet: then nothing was approved, and looking makes none.
    """
    if not config.mcp:
        return config
    check(config)
    servers: dict[str, Server] = {}
    for name, server in config.mcp.items():
        there = approved(engine, server.place) if engine is not None else {}
        for tool in server.tools:
            if tool not in there:
                raise UserError(
                    f"Nobody approved the tool {full_name(name, tool)} of {server.place[:120]}; look at it first with: "
                    f"echelon mcp-tools {config.job}"
                )
        pinned = {tool: _in_words(there[tool][1], name, server, tool) for tool in server.tools}
        servers[name] = server.model_copy(update={"approved": pinned})
    return config.model_copy(update={"mcp": servers})


def _in_words(definition: dict[str, Any], name: str, server: Server, tool: str) -> Any:
    """What is pinned, in the words that the settings have now. Raises UserError where these no longer let it pass."""
    seen = Definition(name, definition)
    if problems := seen.problems(server.tools[tool], _names(server.tools)):
        raise UserError(f"The tool {full_name(name, tool)} is not used: {problems[0]}")
    return seen.approved(server.tools[tool])


def _names(own: Mapping[str, Any]) -> list[str]:
    """Names that a definition has no cause to name: all of ours. Those of its own server are no strangers."""
    return sorted(set(all_tools()) - set(own))


def look(engine: sa.Engine | None, variables: Mapping[str, str], config: JobConfig) -> list[Seen]:
    """Ask every server what it offers of the tools that the configuration names. Raises UserError."""
    check(config)
    seen: list[Seen] = []
    for name, server in config.mcp.items():
        offered = [Definition(name, raw) for raw in listed(server, variables)]
        before = approved(engine, server.place) if engine is not None else {}
        seen += [_seen(name, server, tool, offered, before.get(tool, (None, None))[1]) for tool in server.tools]
    return seen


def _seen(name: str, server: Server, tool: str, offered: list[Definition], before: dict[str, Any] | None) -> Seen:
    mine = [d for d in offered if d.name == tool]
    if len(mine) != 1:
        why = f"the server offers {len(mine) or 'no'} tools of this name; it has {', '.join(d.name for d in offered)[:200]}"
        return Seen(name, server.place, tool, "gone" if not mine else "refused", {}, before, (why,))
    definition = mine[0]
    problems = tuple(definition.problems(server.tools[tool], _names(server.tools)))
    if problems:
        return Seen(name, server.place, tool, "refused", definition.raw, before, problems)
    if before is None:
        return Seen(name, server.place, tool, "new", definition.raw, None)
    same = digest(before) == definition.sha256
    return Seen(name, server.place, tool, "approved" if same else "changed", definition.raw, None if same else before)


def code_of(seen: list[Seen]) -> str:
    """A short name for exactly what was looked at and waits for approval, '' where nothing does."""
    waiting = sorted(s.digest for s in seen if s.standing in ("new", "changed"))
    return digest(waiting)[:12] if waiting else ""


def approve_seen(engine: sa.Engine, variables: Mapping[str, str], config: JobConfig, code: str) -> list[Seen]:
    """Approve what has this code, as `look` showed it; returns that. Raises UserError where it is something else now."""
    seen = look(engine, variables, config)
    waiting = [s for s in seen if s.standing in ("new", "changed")]
    if not waiting or code_of(seen) != code:
        raise UserError("What the servers offer is not what has this code; look at it again with: echelon mcp-tools")
    for s in waiting:
        settings = config.mcp[s.server].tools[s.tool]
        approve(engine, s.place, s.tool, Definition(s.server, s.definition).approved(settings), s.definition)
    return waiting


def as_json(seen: list[Seen]) -> list[dict[str, Any]]:
    """What was seen as plain data."""
    return [json.loads(json.dumps({**vars(s), "problems": list(s.problems)})) for s in seen]
