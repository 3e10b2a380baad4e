"""The page: stands in until it is made."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route


def page_routes() -> list[BaseRoute]:
    """The pages."""

    async def home(request: Request) -> PlainTextResponse:
        return PlainTextResponse("Echelon")

    return [Route("/", home)]
