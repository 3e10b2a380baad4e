"""A server of the tests' own, and what a person does about its tools."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from echelon.servers.settings import Server
from echelon.service import mcp_tools
from echelon.service.service import Service
from echelon.settings import JobConfig
from tests.support import mcp_server
from tests.support.mcp_server import tool


@dataclass
class Place:
    """A server of the tests' own over pipes, told how to behave, and what it really did."""

    folder: Path
    told: dict[str, Any] = field(default_factory=dict)

    def tell(self, **told: Any) -> None:
        self.told = {"tools": [tool("get_ticket"), tool("pay", "Pays an invoice.")], **self.told, **told}
        self.told["effects"] = str(self.folder / "effects")
        (self.folder / "told.json").write_text(json.dumps(self.told), encoding="utf-8")

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-S", "-E", mcp_server.__file__, str(self.folder / "told.json")]

    @property
    def happened(self) -> list[dict[str, Any]]:
        path = self.folder / "effects"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def server(self, **more: Any) -> Server:
        values = {
            "command": self.command,
            "tools": {"pay": None, "get_ticket": {"effect": "read"}},
            "seconds": 20,
            **more,
        }
        return Server.model_validate(values)

    def settings(self, **more: Any) -> dict[str, Any]:
        return {"mcp": {"shop": self.server(**more).model_dump(mode="json")}}


def look(jobs: Service, config: JobConfig) -> list[mcp_tools.Seen]:
    return mcp_tools.look(jobs.store.engine if jobs.has_store else None, {}, config)


def approve(jobs: Service, settings: dict[str, Any]) -> None:
    config = jobs.layers("plain", "scripted/none", settings)
    mcp_tools.approve_seen(jobs.store.engine, {}, config, mcp_tools.code_of(look(jobs, config)))


def changed() -> list[dict[str, Any]]:
    """A definition, and the same with something else in one place."""
    plain = tool("pay", "Pays an invoice.")
    return [
        plain,
        tool("pay", "Pays an invoice to somebody."),
        tool("pay", "Pays an invoice.", annotations={"readOnlyHint": True}),
        tool("pay", "Pays an invoice.", outputSchema={"type": "object"}),
        tool("pay", "Pays an invoice.", _meta={"a": 1}),
        {**plain, "inputSchema": {**plain["inputSchema"], "required": []}},
    ]
