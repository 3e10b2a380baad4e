"""The command that looks at the tools of MCP servers and approves them."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from echelon.faces.cli.grammar import SETTING, Define, overrides_of
from echelon.shown import show, visible, visible_lines

if TYPE_CHECKING:
    from echelon.service.mcp_tools import Seen

WORDS = {
    "approved": "approved, and still the same",
    "new": "nobody has approved it yet",
    "changed": "CHANGED since it was approved",
    "refused": "REFUSED",
    "gone": "the server does not have it",
}


def add_servers(define: Define) -> None:
    """Add the command."""
    tools = define(
        "mcp-tools", tools_command, "look at the tools of the MCP servers of a type of job, and approve them"
    )
    tools.add_argument("type", metavar="TYPE", help="a type of job, or a file with its settings")
    tools.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help=SETTING)
    tools.add_argument("--approve", metavar="CODE", help="approve what was shown with this code")


def tools_command(given: argparse.Namespace) -> int:
    """`echelon mcp-tools`: 0 when everything that the settings name is approved and unchanged."""
    from echelon.service import mcp_tools
    from echelon.service.service import Service

    service = Service()
    config = service.layers(given.type, None, overrides_of(given))
    if given.approve:
        done = mcp_tools.approve_seen(service.store.engine, service.environment.values, config, given.approve)
        show(
            json.dumps(mcp_tools.as_json(done))
            if given.json
            else "\n".join(f"approved {s.server}__{s.tool}" for s in done)
        )
        return 0
    there = service.store.engine if service.has_store else None
    seen = mcp_tools.look(there, service.environment.values, config)
    code = mcp_tools.code_of(seen)
    if given.json:
        show(json.dumps({"tools": mcp_tools.as_json(seen), "code": code}, ensure_ascii=True))
    else:
        _print(seen, code, given)
    return 0 if all(s.standing == "approved" for s in seen) else 1


def _print(seen: list[Seen], code: str, given: argparse.Namespace) -> None:
    if not seen:
        show(f"The settings of {visible(given.type)} name no MCP servers (mcp:).")
    for s in seen:
        show(f"{s.server}__{s.tool}  {WORDS[s.standing]}  ({visible(s.place)})")
        for problem in s.problems:
            show(f"  ! {visible(problem)}")
        for title, definition in (("was", s.before), ("is", s.definition)):
            if definition:
                text = json.dumps(definition, indent=2, ensure_ascii=False, sort_keys=True)
                show(f"  {title}:\n" + "\n".join(f"    {line}" for line in visible_lines(text).splitlines()))
    if code:
        settings = "".join(f" --set {visible(text)}" for text in given.set)
        command = f"echelon mcp-tools {visible(given.type)}{settings} --approve {code}"
        show(f"\nApprove what is new or changed here with:\n  {command}")
