"""A program that calls `/mcp` of a server with the SDK's own client."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult


@asynccontextmanager
async def asking(url: str, token: str | None = None) -> AsyncGenerator[ClientSession]:
    """The SDK's client."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60, trust_env=False, verify=False) as client,
        streamable_http_client(f"{url}/mcp", http_client=client) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        yield session


def ask(url: str, token: str | None, name: str, **arguments: Any) -> CallToolResult:
    """One call of a tool."""

    async def work() -> CallToolResult:
        async with asking(url, token) as session:
            return await session.call_tool(name, arguments)

    return anyio.run(work)


def found(result: CallToolResult) -> dict[str, Any]:
    assert not result.isError, result.content
    assert result.structuredContent is not None
    return result.structuredContent
