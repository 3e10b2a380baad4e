"""`/mcp` of a running server, asked by the SDK's own client: the same tokens, names and origins as for everything else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from mcp.types import CallToolResult, TextResourceContents
from pydantic import AnyUrl

from tests.faces.http.programs import ask, asking, found
from tests.faces.http.served import ADMIN, OPERATOR, READER, TOKENS, Served, add_job, served

ORDER = {
    "type": "creator",
    "idempotency_key": "k1",
    "documents": [{"name": "rules.md", "text": "# 1 Rules\n\n1.1 The unit shall keep an inventory.\n"}],
}
INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with tokens."""
    with served(tmp_path_factory.mktemp("programs") / "home", TOKENS, wrong=1_000) as one:
        yield one


def test_an_operator_orders_and_the_same_key_is_the_same_job(server: Served) -> None:
    first = found(ask(server.url, OPERATOR, "submit_job", **ORDER))
    again = found(ask(server.url, ADMIN, "submit_job", **ORDER))
    assert (first["is_new"], again["is_new"], again["job"]) == (True, False, first["job"])
    with server.client(READER) as client:
        assert client.get(f"/jobs/{first['job']}").json()["inputs"] == ["rules.md"]


def test_a_reader_looks_and_orders_and_answers_nothing(server: Served) -> None:
    add_job(server.store, "creator-looked-at", "needs_input")
    before = len(server.store.all_jobs())

    async def work() -> None:
        async with asking(server.url, READER) as session:
            assert len((await session.list_tools()).tools) == 5
            assert found(await session.call_tool("wait_job", {"job": "creator-looked-at"}))["state"] == "needs_input"
            assert found(await session.call_tool("job_files", {"job": "creator-looked-at"}))["files"] == []
            for name, arguments in (
                ("submit_job", {**ORDER, "idempotency_key": "k2"}),
                ("answer", {"job": "creator-looked-at", "text": "the second"}),
            ):
                refused = await session.call_tool(name, arguments)
                assert refused.isError and "may look only" in str(refused.content)

    anyio.run(work)
    assert len(server.store.all_jobs()) == before
    assert server.store.job("creator-looked-at").state == "needs_input"


def test_results_are_read_as_resources(server: Served) -> None:
    add_job(server.store, "creator-done", "completed")
    folder = server.desk.service.environment.home / "jobs" / "creator-done" / "output"
    folder.mkdir(parents=True)
    (folder / "summary.md").write_text("# Found\n")

    async def work() -> None:
        async with asking(server.url, READER) as session:
            (file,) = found(await session.call_tool("job_files", {"job": "creator-done"}))["files"]
            content = (await session.read_resource(AnyUrl(file["uri"]))).contents[0]
            assert isinstance(content, TextResourceContents) and content.text == "# Found\n"

    anyio.run(work)


def test_who_waits_is_answered_when_the_server_ends(tmp_path: Path) -> None:
    with served(tmp_path / "home") as one:
        add_job(one.store, "creator-waits")

        async def work() -> CallToolResult:
            async with asking(one.url) as session:
                answers: list[CallToolResult] = []

                async def wait() -> None:
                    answers.append(await session.call_tool("wait_job", {"job": "creator-waits", "seconds": 600}))

                with anyio.fail_after(60):
                    async with anyio.create_task_group() as both:
                        both.start_soon(wait)
                        await anyio.sleep(0.5)
                        one.desk.closing.set()
                return answers[0]

        status = found(anyio.run(work))
    assert status["state"] == "submitted" and not status["is_over"]


@pytest.mark.parametrize(
    ("token", "headers", "status"),
    [
        (None, {}, 401),
        ("wrong", {}, 401),
        (OPERATOR, {"Host": "evil.test"}, 421),
        (OPERATOR, {"Origin": "http://evil.test"}, 403),
        (OPERATOR, {"Sec-Fetch-Site": "cross-site"}, 403),
        (OPERATOR, {"Content-Type": "text/plain"}, 400),
        (OPERATOR, {}, 200),
    ],
)
def test_what_holds_for_every_request_holds_here(
    server: Served, token: str | None, headers: dict[str, str], status: int
) -> None:
    with server.client(token, **{**ACCEPT, **headers}) as client:
        answer = client.post("/mcp", json=INITIALIZE, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_page_of_ours_calls_no_tool_with_its_cookie_alone(server: Served) -> None:
    with server.client() as client:
        client.post("/login", data={"token": ADMIN})
        answer = client.post("/mcp", json=INITIALIZE, headers=ACCEPT)
    assert (answer.status_code, "CSRF" in answer.text) == (403, True)


def test_sizes_and_methods_are_bounded(server: Served) -> None:
    with server.client(OPERATOR, **ACCEPT) as client:
        large = {**INITIALIZE, "params": {"text": "x" * 4_000_000}}
        assert client.post("/mcp", json=large).status_code == 413
        parts = (b'{"jsonrpc": "2.0", "x": "' + b"y" * 500_000 for _ in range(12))
        assert client.post("/mcp", content=parts, headers={"Content-Type": "application/json"}).status_code == 413
        form = client.post("/mcp", files={"files": ("a.md", b"z" * 4_500_000, "text/markdown")})
        assert form.status_code == 413, "not even as an upload"
        assert [client.request(m, "/mcp").status_code for m in ("GET", "DELETE")] == [405, 405]
        assert client.get("/mcp").headers["allow"] == "POST"
