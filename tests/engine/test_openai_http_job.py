"""A whole creator job over HTTP: the server answers like the playbook would, and fails now and then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from echelon.service.job_result import JobResult
from tests.support.chat_server import Call, ChatServer, Reply, calls, empty, rate_limited, server_error
from tests.support.scripted import service
from tests.support.served_playbook import Scripted

SAMPLE = Path(__file__).parents[2] / "knowledge" / "records-retention-policy-2pages.pdf"
ODD: tuple[Callable[[], Reply], ...] = (
    empty,
    lambda: calls(Call("fly", {"to": "the moon"})),
    lambda: calls(Call("read_file", '{"path": ')),
    lambda: calls(Call("read_file", "[1, 2]")),
)


def run(home: Path, answers: Scripted, mode: str) -> JobResult:
    with (
        ChatServer(answers) as server,
        service(home, OPENAI_API_KEY="any", OPENAI_BASE_URL=server.base_url) as jobs,
    ):
        job = jobs.submit("creator", [SAMPLE], model="openai/local", overrides={"model_settings.tool_calls": mode})
        return jobs.run(job)


@pytest.mark.parametrize("mode", ["native", "json_schema"])
def test_a_job_over_http_completes(tmp_path: Path, mode: str) -> None:
    answers = Scripted(0, ())
    result = run(tmp_path, answers, mode)
    assert (result.state, result.reason) == ("completed", "")
    assert result.spent["model_calls"] == answers.count
    assert result.spent["refused_calls"] == 0


def test_a_job_over_http_survives_what_servers_and_models_do(tmp_path: Path) -> None:
    passing = (lambda: rate_limited(0), server_error)
    answers = Scripted(3, (*ODD, *passing))
    result = run(tmp_path, answers, "native")
    assert (result.state, result.reason) == ("completed", "")
    assert answers.wrong >= len(ODD) + len(passing)
    assert result.spent["refused_calls"] >= 3
