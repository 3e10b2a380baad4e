"""What a person approved of the tools of MCP servers: kept by place and name, with the whole definition."""

from __future__ import annotations

import time
from typing import Any

import sqlalchemy as sa

from echelon.servers.settings import Approved
from echelon.store import tables as t
from echelon.store.inserting import insert


def approved(engine: sa.Engine, place: str) -> dict[str, tuple[Approved, dict[str, Any]]]:
    """What is approved of the server at a place: by tool, what is pinned and the definition that was seen."""
    query = sa.select(t.server_tools).where(t.server_tools.c.place == place)
    with engine.connect() as c:
        rows = c.execute(query).mappings().all()
    return {row["tool"]: (Approved.model_validate(row["pinned"]), row["definition"]) for row in rows}


def approve(engine: sa.Engine, place: str, tool: str, pinned: Approved, definition: dict[str, Any]) -> None:
    """Write down that a person approved this definition, in place of the one before."""
    row = {
        "place": place, "tool": tool, "sha256": pinned.sha256, "pinned": pinned.model_dump(mode="json"),
        "definition": definition, "at": time.time(),
    }  # fmt: skip
    upsert = (
        insert(engine, t.server_tools).values(**row).on_conflict_do_update(index_elements=["place", "tool"], set_=row)
    )
    with engine.begin() as c:
        c.execute(upsert)
