"""A planner job played by a scripted model: the playbook's moves, but for the todos that a script does otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from echelon.crews.planner.playbook import planner
from echelon.crews.playbooks.view import View
from tests.support.scripted import Reply, Script, Seen, call

SET: dict[str, Any] = {"planning.seconds": 2, "planning.today": "2026-03-02"}
NODES: list[dict[str, Any]] = [
    {"id": "prep", "title": "Preparation", "level": "phase"},
    {"id": "menu", "title": "Settle the menu", "takes": "2d", "parent": "prep", "needs": ["Anna"]},
    {"id": "shop", "title": "Shop", "takes": "4h", "after": ["menu"], "parent": "prep", "needs": ["Ben"]},
    {"id": "cook", "title": "Cook", "takes": "1d | 1d | 3d", "after": ["shop"], "needs": ["Anna"]},
    {"id": "served", "title": "Dinner is served", "level": "milestone", "after": ["cook"]},
]

Drafts = Mapping[str, Any]
"""Tool -> its arguments for every call, or a list of them for one call after another."""


def playing(drafts: Drafts) -> Script:
    """A script whose Implementor calls the tools of `drafts` with these arguments when a todo names them."""
    calls: dict[str, int] = {}
    drafts = {"select_pattern": {}, "generate_nodes": {}, "build_roadmap": {}, **drafts}

    def script(seen: Seen) -> Reply:
        if seen.phase == "implement" and seen.todo is not None:
            tool = next((name for name in drafts if name in seen.todo[1]), None)
            if tool is not None:
                if seen.last_tool == tool and seen.last.get("ok"):
                    return call("todo_complete")
                if not isinstance(drafts[tool], list):
                    return call(tool, **drafts[tool])
                number = calls[tool] = calls.get(tool, -1) + 1
                if number >= len(drafts[tool]):
                    return call("todo_rewind", issue="nothing else can be drafted")
                return call(tool, **drafts[tool][number])
        name, arguments = planner(View(seen.request))
        return call(name, **arguments)

    return script
