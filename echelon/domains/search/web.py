"""Web search with Tavily. Each result is kept as a file of the workspace, with its address and time, to be cited.

What comes from the web is data: it is stored and quoted, and never read as an instruction.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from echelon.json_text import is_object

if TYPE_CHECKING:
    from tavily import TavilyClient

FOLDER = "documents/web"
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
MAX_CONTENT = 200_000
"""Characters of a page that are kept."""


class WebSearchError(Exception):
    """Web search failed; the message is one sentence for a user or a role, without the key."""


class WebSearchUnavailableError(WebSearchError):
    """Web search is not configured, or its key is refused; trying again changes nothing."""


class WebSource(BaseModel):
    """A web page that was found, as it is kept and cited."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    title: str
    retrieved_at: str = Field(description="when it was fetched, ISO 8601 in UTC")
    query: str
    content: str = Field(description="the text of the page, or the part of it that Tavily gives")
    score: float = Field(description="Tavily's relevance, 0 to 1")
    path: str = Field(description="the file in the workspace that holds it")


class WebSearchSettings(BaseModel):
    """How to reach Tavily."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    api_key: str | None = Field(default=None, repr=False, description="Tavily's key")
    base_url: str | None = Field(default=None, description="another server than Tavily's own")
    max_results: int = Field(default=5, ge=1, le=20)
    timeout_s: float = Field(default=30.0, gt=0, le=120)
    attempts: int = Field(default=4, ge=1, le=10, description="tries in all")
    backoff_s: float = Field(default=1.0, ge=0, description="wait before the second try; it doubles each time")


def web_search(
    workspace: Path,
    query: str,
    settings: WebSearchSettings,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> list[WebSource]:
    """Search the web for `query` and keep what is found under `documents/web/` of `workspace`, best first.

    A failing server, a full quota of the moment and a timeout are tried again, `settings.attempts` times in all. The
    same address gets the same file, so a search that is repeated adds no file. Raises WebSearchUnavailableError without
    a key or with one that is refused, WebSearchError for an empty query or when the last try failed.
    """
    if not settings.api_key:
        raise WebSearchUnavailableError("web search needs a Tavily key: set TAVILY_API_KEY; the job goes on without it")
    if not query.strip():
        raise WebSearchError("a web search needs a question")
    results: list[dict[str, Any]] = _ask(query, settings).get("results") or []
    fetched = now().astimezone(UTC).isoformat(timespec="seconds")
    sources = [
        _source(result, query, fetched)
        for result in results
        if urlsplit(str(result.get("url", ""))).scheme in {"http", "https"}
    ]
    for source in sources:
        _keep(workspace / source.path, source)
    return sources


def read_web_source(workspace: Path, path: str) -> WebSource:
    """The kept source at `path`. Raises WebSearchError when there is none or it is damaged."""
    if Path(path).parent.as_posix() != FOLDER:
        raise WebSearchError(f"{path} is not a kept web page; they are under {FOLDER}/")
    try:
        return WebSource.model_validate_json((workspace / path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise WebSearchError(f"{path} holds no kept web page") from error


def _ask(query: str, settings: WebSearchSettings) -> dict[str, Any]:
    """Tavily's answer, after at most `settings.attempts` tries."""
    for attempt in range(1, settings.attempts + 1):
        try:
            return _ask_once(query, settings)
        except _TryAgainError as error:
            if attempt == settings.attempts:
                raise WebSearchError(f"web search failed {attempt} times, last: {error}") from error
            wait = settings.backoff_s * 2 ** (attempt - 1)
            time.sleep(wait * (1 + random.random() / 4))  # jitter, so that workers do not come back all at once
    raise AssertionError("unreachable")


class _TryAgainError(Exception):
    """A failure that may be over in a moment."""


def _searched(client: TavilyClient, query: str, settings: WebSearchSettings) -> object:
    # Tavily says dict without of what.
    return client.search(  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        query, max_results=settings.max_results, include_raw_content="text", timeout=settings.timeout_s
    )


def _ask_once(query: str, settings: WebSearchSettings) -> dict[str, Any]:
    import requests
    from tavily import TavilyClient
    from tavily.errors import (
        BadRequestError,
        ForbiddenError,
        InvalidAPIKeyError,
        TimeoutError,
        UsageLimitExceededError,
    )

    try:
        with TavilyClient(api_key=settings.api_key, api_base_url=settings.base_url) as client:
            client.session.max_redirects = 0  # the key and the question go to the configured address alone
            answer = _searched(client, query, settings)
    except InvalidAPIKeyError as error:
        raise WebSearchUnavailableError("Tavily refuses the key: check TAVILY_API_KEY") from error
    except ForbiddenError as error:
        raise WebSearchUnavailableError("Tavily's plan for this key is used up or does not allow the search") from error
    except BadRequestError as error:
        raise WebSearchError("Tavily refuses the question; make it shorter or plainer") from error
    except UsageLimitExceededError as error:
        raise _TryAgainError("too many searches at the moment") from error
    except TimeoutError as error:
        raise _TryAgainError(f"no answer within {settings.timeout_s:g} seconds") from error
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        if status in RETRIED:
            raise _TryAgainError(f"the server answered {status}") from error
        raise WebSearchError(f"web search failed: the server answered {status}") from error
    except requests.TooManyRedirects as error:
        raise WebSearchError("web search failed: the server sends the request on, which is not followed") from error
    except (requests.ConnectionError, requests.Timeout) as error:
        raise _TryAgainError("the server cannot be reached") from error
    except (requests.RequestException, ValueError, AttributeError) as error:
        # AttributeError: Tavily's client takes for granted that the answer is an object.
        raise WebSearchError(f"web search failed: {type(error).__name__}") from error
    if not is_object(answer):
        raise WebSearchError("web search failed: the server's answer has another form")
    return answer


def _source(result: dict[str, Any], query: str, fetched: str) -> WebSource:
    url = str(result["url"])
    return WebSource(
        url=url,
        title=str(result.get("title") or url),
        retrieved_at=fetched,
        query=query,
        content=str(result.get("raw_content") or result.get("content") or "")[:MAX_CONTENT],
        score=float(result.get("score") or 0.0),
        path=f"{FOLDER}/{_file_name(url)}",
    )


def _file_name(url: str) -> str:
    """A readable name that no address can lead out of the folder with."""
    host = re.sub(r"[^a-z0-9]+", "-", (urlsplit(url).hostname or "").lower()).strip("-")[:60]
    return f"{host or 'page'}-{hashlib.sha256(url.encode()).hexdigest()[:12]}.json"


def _keep(path: Path, source: WebSource) -> None:
    """Write the file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".web-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(source.model_dump(), file, ensure_ascii=False, indent=2)
    Path(temporary).replace(path)
