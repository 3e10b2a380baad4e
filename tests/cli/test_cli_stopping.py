"""Jobs that are stopped: by Ctrl-C, SIGTERM, another process, a server that is away; and how they go on.

The model is behind a real HTTP server that does not answer for as long as a test needs the job to be at work.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.cli.command import Shell, wait_until
from tests.support.chat_server import Call, ChatServer, Reply, calls, hang, unauthorized

QUESTION = "Which edition counts?"
ASKS = calls(
    Call(
        "submit_scope",
        {
            "in_scope": ["the requirements"], "out_of_scope": [], "success": ["every requirement is found"],
            "milestones": [{"outcome": "A reader finds every requirement with its page", "checks": ["look"]}],
            "questions": [QUESTION], "confidence": 0.9,
        },
    )
)  # fmt: skip
"""An answer of the ScopeAgent that ends the job in NEEDS_INPUT, so that a test needs no whole job."""


@dataclass
class Server:
    """Answers every request with `reply`."""

    chat: ChatServer
    reply: list[Reply] = field(default_factory=lambda: [hang()])


@pytest.fixture
def server() -> Iterator[Server]:
    reply = [hang()]
    with ChatServer(lambda _: reply[0]) as chat:
        yield Server(chat, reply)


@pytest.fixture
def with_model(shell: Shell, server: Server) -> Shell:
    """A folder with a document, where openai/scripted is the model."""
    (shell.folder / "a.md").write_text("# Rules\n\nThe clerk shall lock the door.\n")
    return shell.with_(OPENAI_API_KEY="any", OPENAI_BASE_URL=server.chat.base_url, ECHELON_MODEL="openai/scripted")


def at_work(shell: Shell, server: Server, *arguments: str) -> tuple[subprocess.Popen[str], str]:
    """Start a command and wait until its job waits for the model; returns the process and the job's id."""
    before = len(server.chat.requests)
    process = shell.start(*arguments)
    wait_until(lambda: len(server.chat.requests) > before, process)
    return process, state_of(shell)["job"]


def state_of(shell: Shell) -> dict[str, str]:
    """The row of the only job."""
    rows: list[dict[str, str]] = json.loads(shell.echelon("jobs", "--json").out)
    assert len(rows) == 1
    return rows[0]


def test_ctrl_c_and_sigterm_leave_a_job_that_goes_on(with_model: Shell, server: Server) -> None:
    process, job = at_work(with_model, server, "run", "creator", "a.md")
    interrupted = with_model.interrupted(process, signal.SIGINT)
    assert interrupted.code == 130
    assert interrupted.sentence == f"interrupted; nothing is lost. Go on with: echelon resume {job}"
    assert state_of(with_model)["state"] == "interrupted"

    process, _ = at_work(with_model, server, "resume")
    terminated = with_model.interrupted(process, signal.SIGTERM)
    assert (terminated.code, terminated.sentence) == (130, interrupted.sentence)

    server.reply[0] = ASKS
    resumed = with_model.echelon("resume", job)
    assert (resumed.code, resumed.err) == (4, "")
    assert "going on after: read a.md · " in resumed.out
    assert resumed.out.count("read a.md") == 1  # what was told before is not told again
    assert re.search(rf"^Job {job} waits for you\n  why +{re.escape(QUESTION)}$", resumed.out, re.MULTILINE)
    assert f"echelon answer {job} TEXT" in resumed.out


def test_one_process_has_a_job_and_another_can_cancel_it(with_model: Shell, server: Server) -> None:
    process, job = at_work(with_model, server, "run", "creator", "a.md")
    second, answer, latest = with_model.all_of([["resume", job], ["answer", job, "yes"], ["resume"]])
    assert second.code == 2
    assert second.sentence.startswith(f"Job {job} is already running in process {process.pid}")
    assert answer.sentence == f"Job {job} asks nothing: it is running."
    assert latest.sentence.startswith("There is no job to go on with")

    cancelled = with_model.echelon("cancel", job)
    assert (cancelled.code, cancelled.out, cancelled.err) == (0, f"Job {job} is cancelled.\n", "")
    ended = with_model.ended(process)
    assert (ended.code, ended.err) == (6, "")
    assert f"Job {job} is cancelled" in ended.out
    again, resume = with_model.all_of([["cancel", job, "--json"], ["resume", job]])
    assert (again.code, again.out) == (2, "")
    assert again.sentence == f"Job {job} is cancelled already."
    assert resume.sentence == f"Job {job} is cancelled; there is nothing to go on with."


def test_a_server_that_is_away_fails_the_job_which_goes_on_when_it_is_back(with_model: Shell, server: Server) -> None:
    away = with_model.with_(OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    failed = away.echelon("run", "creator", "a.md", "--set", "model_settings.attempts=1")
    assert failed.code == 1
    job = failed.out.split()[1]
    assert "the server cannot be reached; check OPENAI_BASE_URL" in failed.sentence
    assert failed.sentence.endswith(f"Go on with: echelon resume {job}")
    assert f"Job {job} was stopped by an error" in failed.out
    assert "Traceback" in (with_model.folder / ".echelon" / "jobs" / job / "trace" / "error.txt").read_text()
    assert "127.0.0.1:9/v1 cannot be reached" in away.echelon("doctor").out

    server.reply[0] = ASKS
    resumed = with_model.echelon("resume", "--json")
    value = json.loads(resumed.out)
    assert (resumed.code, resumed.err) == (4, "")
    assert (value["job"], value["state"], value["reason"]) == (job, "needs_input", QUESTION)
    wrong = with_model.all_of([["approve", job], ["resume", job], ["answer", job, ""]])
    assert [o.code for o in wrong] == [2, 2, 2]
    assert wrong[0].sentence.startswith(f"Job {job} has nothing to approve; it waits with: Which edition counts?")
    assert wrong[1].sentence.startswith(f"Job {job} waits for a person: {QUESTION}")
    assert wrong[2].sentence == "The answer is empty."

    answered = with_model.echelon("answer", job, "The second edition.")
    assert answered.code == 4  # the scripted model asks the same again
    assert "The second edition." in json.dumps(server.chat.requests[-1].body)


def test_a_wrong_setting_is_corrected_where_no_finished_step_hangs_on_it(with_model: Shell, server: Server) -> None:
    server.reply[0] = unauthorized()
    failed = with_model.echelon("run", "creator", "a.md")
    assert failed.code == 1
    job = failed.out.split()[1]
    refused, unknown, resumed = with_model.all_of(
        [
            ["resume", job, "--set", "ceilings.rounds=9"],
            ["resume", job, "--set", "model=nobody/knows"],
            ["resume", job, "--set", "model=playbook", "--set", "model_settings.timeout=9"],
        ]
    )
    assert (refused.code, unknown.code) == (2, 2)
    assert refused.sentence.startswith(f"Job {job} stopped in the middle, and ceilings.rounds would change what it did")
    assert "nobody" in unknown.sentence
    assert (resumed.code, resumed.err) == (0, "")
    assert f"Job {job} is completed" in resumed.out


def test_a_reader_that_stops_early_does_not_stop_the_job(with_model: Shell, server: Server) -> None:
    server.reply[0] = ASKS
    with with_model.start("run", "creator", "a.md") as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline().startswith("job creator-")
        process.stdout.close()
        assert (process.wait(timeout=120), process.stderr.read()) == (4, "")
    assert state_of(with_model)["state"] == "needs_input"


def test_nothing_of_a_key_is_shown(with_model: Shell, server: Server) -> None:
    secret = with_model.with_(OPENAI_API_KEY="sk-very-secret-key-1234567890")
    server.reply[0] = unauthorized()
    refused = secret.echelon("run", "creator", "a.md")
    assert refused.code == 1
    assert "OPENAI_API_KEY" in refused.sentence
    doctor = secret.echelon("doctor")
    written = [p.read_bytes() for p in secret.folder.rglob("*") if p.is_file()]
    assert "very-secret" not in refused.out + refused.err + doctor.out
    assert not [content for content in written if b"very-secret" in content]
