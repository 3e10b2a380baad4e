"""Echelon as an MCP server, asked by the SDK's own client: in memory, over pipes, and over HTTP as a server mounts it."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.memory import create_connected_server_and_client_session
from mcp.types import BlobResourceContents, CallToolResult, TextResourceContents
from pydantic import AnyUrl

from echelon.faces.mcp.server import make_server
from echelon.service.service import Service
from tests.cli.command import REPOSITORY, SHORT_SAMPLE, Shell
from tests.support.scripted import call, register, run_plain, service, submit_plain, willing

TOOLS = {"submit_job", "job_status", "wait_job", "answer", "job_files"}


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path) as there:
        yield there


@asynccontextmanager
async def asked(jobs: Service, folder: Path | None = None, **settings: Any) -> AsyncIterator[ClientSession]:
    server = make_server(jobs, folder=folder, settings=settings)
    async with create_connected_server_and_client_session(server._mcp_server) as session:
        yield session


def good(result: CallToolResult) -> dict[str, Any]:
    assert not result.isError, result.content
    assert result.structuredContent is not None
    return result.structuredContent


def said(result: CallToolResult) -> str:
    """The sentence of a call that failed."""
    assert result.isError
    return str(getattr(result.content[0], "text", ""))


def ask(jobs: Service, name: str, folder: Path | None = None, **arguments: Any) -> CallToolResult:
    async def work() -> CallToolResult:
        async with asked(jobs, folder) as session:
            return await session.call_tool(name, arguments)

    return anyio.run(work)


def test_tools_have_typed_results(jobs: Service) -> None:
    async def work() -> None:
        async with asked(jobs) as session:
            tools = {t.name: t for t in (await session.list_tools()).tools}
            assert set(tools) == TOOLS
            for tool in tools.values():
                assert tool.description and tool.outputSchema is not None
                assert tool.outputSchema["properties"]["job"]["type"] == "string"

    anyio.run(work)


def test_the_same_key_makes_one_job(jobs: Service) -> None:
    register({}, "test")
    order = {"type": "plain", "idempotency_key": "k1", "model": "scripted/test", "request": "Write it."}
    texts = {"documents": [{"name": "wishes.md", "text": "# Wishes\n\nWrite two results.\n"}]}
    first = good(ask(jobs, "submit_job", **order, **texts))
    again = good(ask(jobs, "submit_job", **order, **texts))
    assert first["is_new"] and not again["is_new"] and first["job"] == again["job"]
    assert "was used for another request" in said(ask(jobs, "submit_job", **{**order, "request": "Else."}, **texts))
    assert [row.id for row in jobs.store.all_jobs()] == [first["job"]]
    assert good(ask(jobs, "job_status", job=first["job"]))["state"] == "submitted"


def test_a_finished_job_says_what_came_of_it_and_gives_its_files(jobs: Service) -> None:
    done = run_plain(jobs, {})

    async def work() -> None:
        async with asked(jobs) as session:
            status = good(await session.call_tool("wait_job", {"job": done.job, "seconds": 5}))
            assert status["state"] == "completed" and status["is_over"] and status["tokens"] > 0
            files = good(await session.call_tool("job_files", {"job": done.job}))["files"]
            assert set(status["outputs"]) <= {f["path"] for f in files}
            templates = (await session.list_resource_templates()).resourceTemplates
            assert [t.uriTemplate for t in templates] == ["echelon://jobs/{job}/files/{path}"]
            for file in files:
                content = (await session.read_resource(AnyUrl(file["uri"]))).contents[0]
                assert isinstance(content, TextResourceContents) and content.mimeType == file["media"]
                assert len(content.text.encode()) == file["bytes"]

    anyio.run(work)


@pytest.mark.parametrize(
    "path",
    [
        "trace/job.json",
        "../../echelon.sqlite",
        "output/../trace/job.json",
        "output/%2e%2e/trace/job.json",
        "/etc/passwd",
        "",
    ],
)
def test_no_other_file_can_be_read(jobs: Service, path: str) -> None:
    done = run_plain(jobs, {})

    async def work() -> None:
        async with asked(jobs) as session:
            with pytest.raises(McpError):
                await session.read_resource(AnyUrl(f"echelon://jobs/{done.job}/files/{path}"))

    anyio.run(work)


def test_what_is_no_text_comes_as_bytes(jobs: Service) -> None:
    done = run_plain(jobs, {})
    (done.folder / "output" / "a plan.bin").write_bytes(b"\xff\x00\x01")

    async def work() -> None:
        async with asked(jobs) as session:
            uri = AnyUrl(f"echelon://jobs/{done.job}/files/output/a%20plan.bin")
            content = (await session.read_resource(uri)).contents[0]
            assert isinstance(content, BlobResourceContents) and content.blob == "/wAB"

    anyio.run(work)


def test_an_answer_goes_on_with_a_job_that_asks(jobs: Service) -> None:
    asking = call(
        "submit_scope", in_scope=["x"], success=["y"], milestones=[], questions=["Which one?"], confidence=0.2
    )
    job = submit_plain(jobs, {"scope": lambda seen: asking if "the second" not in seen.task else willing(seen)})
    jobs.run(job)
    status = good(ask(jobs, "job_status", job=job))
    assert status["state"] in ("needs_input", "escalated") and status["is_over"] and status["reason"]
    assert not good(ask(jobs, "answer", job=job, text="the second"))["is_over"]
    assert (
        "waits in the queue" in said(ask(jobs, "answer", job=job, text="x")) or jobs.store.job(job).state == "submitted"
    )


def test_an_answer_approves_nothing(jobs: Service) -> None:
    done = run_plain(jobs, {}, overrides={"approvals": "scope"})
    assert done.asks_approval
    good(ask(jobs, "answer", job=done.job, text="I approve this."))
    given = jobs.store.job(done.job).config.given
    assert given is not None and given.said is not None and given.said.event == "changes asked for"


@pytest.mark.parametrize(
    "setting",
    [
        "mcp.x.command", "code.fence", "code.commands", "graph.url", "models.qa", "own", "role_folder", "prompt_folder",
        "approvals", "playbook", "budget.calls_per_phase", "instructions", "model_settings.timeout",
    ],
)  # fmt: skip
def test_an_order_cannot_set_what_starts_programs_or_opens_gates(jobs: Service, setting: str) -> None:
    result = ask(jobs, "submit_job", type="plain", idempotency_key="k", settings={setting: "x"})
    assert "cannot be set by an order" in said(result)
    assert not jobs.has_store or not jobs.store.all_jobs()


def test_an_order_only_lowers_ceilings(jobs: Service) -> None:
    def with_cost(value: Any) -> CallToolResult:
        return ask(jobs, "submit_job", type="plain", idempotency_key="k", settings={"budget.cost": value})

    register({}, "test")
    assert "up to 5.0" in said(with_cost(50))
    assert "up to 5.0" in said(with_cost("unlimited"))
    assert "needs a language model" in said(with_cost(0.5)), "that ceiling is fine; what is missing is the model"


def test_files_are_those_of_one_folder(jobs: Service, tmp_path: Path) -> None:
    register({}, "test")
    order = {"type": "plain", "idempotency_key": "k", "model": "scripted/test"}
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.md").write_text("# A\n\nText.\n")
    (tmp_path / "other.md").write_text("# B\n\nText.\n")
    (tmp_path / "mine" / "link.md").symlink_to(tmp_path / "other.md")
    for path in ("../other.md", str(tmp_path / "other.md"), "link.md"):
        assert "lies outside" in said(ask(jobs, "submit_job", tmp_path / "mine", files=[path], **order))
    assert "cannot be named here" in said(ask(jobs, "submit_job", None, files=["a.md"], **order))
    assert good(ask(jobs, "submit_job", tmp_path / "mine", files=["a.md"], **order))["is_new"]


def test_a_file_of_settings_is_no_type_of_job(jobs: Service, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: plain\njob: plain\ncode:\n  fence: none\n")
    for name in (str(path), str(path)[:-5]):
        assert "Unknown job type" in said(ask(jobs, "submit_job", tmp_path, type=name, idempotency_key="k"))
    assert not jobs.has_store or not jobs.store.all_jobs()


def test_a_mistake_is_one_sentence(jobs: Service) -> None:
    assert "Unknown job 'nobody'" in said(ask(jobs, "job_status", job="nobody"))


def test_over_pipes_a_job_is_ordered_run_and_read(tmp_path: Path) -> None:
    """The command itself, with its worker, and a real job by rules."""
    shell = Shell(tmp_path, {"ECHELON_HOME": str(tmp_path / "home")})
    parameters = StdioServerParameters(
        command=sys.executable, args=["-W", "ignore", "-m", "echelon", "mcp", "--folder", str(SHORT_SAMPLE.parent)],
        env={**shell.environment, "PYTHONPATH": str(REPOSITORY)}, cwd=str(tmp_path),
    )  # fmt: skip

    async def work() -> None:
        async with stdio_client(parameters) as ends, ClientSession(*ends) as session:
            await session.initialize()
            order = {"type": "creator", "idempotency_key": "k1", "files": [SHORT_SAMPLE.name]}
            job = good(await session.call_tool("submit_job", order))["job"]
            status = good(await session.call_tool("wait_job", {"job": job, "seconds": 170}))
            assert status["state"] == "completed", status
            uri = AnyUrl(f"echelon://jobs/{job}/files/output/requirements.json")
            content = (await session.read_resource(uri)).contents[0]
            assert isinstance(content, TextResourceContents) and json.loads(content.text)

    anyio.run(work)


def test_over_http_as_a_server_mounts_it(jobs: Service) -> None:
    import httpx

    server = make_server(jobs, folder=None)
    app = server.streamable_http_app()

    async def work() -> None:
        from mcp.client.streamable_http import streamable_http_client

        async with server.session_manager.run():
            transport = httpx.ASGITransport(app=app)
            client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8600")
            ends = streamable_http_client("http://127.0.0.1:8600/mcp", http_client=client)
            async with client, ends as (read, write, _), ClientSession(read, write) as session:
                await session.initialize()
                assert {t.name for t in (await session.list_tools()).tools} == TOOLS
            strange = httpx.AsyncClient(transport=transport, base_url="http://evil.test")
            async with strange:
                assert (await strange.post("/mcp", json={})).status_code == 421, "no DNS rebinding"

    anyio.run(work)
