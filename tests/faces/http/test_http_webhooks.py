"""Webhooks: signed, tried again, once for each end, and not lost with the server that was to send them."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from echelon.errors import UserError
from echelon.faces.http.command import check_address
from echelon.faces.http.desk import Options
from echelon.service.webhooks import PAUSES, SIGNATURE, deliveries, note, send_due, subscribe
from echelon.settings import Environment
from echelon.store.engines import open_engine
from echelon.store.store import Store
from tests.faces.http.served import add_job, served, upload

SECRET = "a-secret-of-the-tests"


@dataclass
class Receiver:
    """Somebody who is told; answers with these statuses, the last of them for ever."""

    url: str = ""
    statuses: list[int] = field(default_factory=lambda: [204])
    got: list[tuple[dict[str, str], str]] = field(default_factory=list)

    @property
    def bodies(self) -> list[dict[str, object]]:
        return [json.loads(body) for _, body in self.got]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            found.got.append((dict(self.headers), body))
            status = found.statuses.pop(0) if len(found.statuses) > 1 else found.statuses[0]
            self.send_response(status)
            if status == 302:
                self.send_header("Location", found.url + "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    found.url = f"http://127.0.0.1:{server.server_port}/told"
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(open_engine(f"sqlite:///{tmp_path / 'home' / 'echelon.sqlite'}"), tmp_path / "home")
    made.migrate()
    yield made
    made.engine.dispose()


def test_an_end_is_told_once_and_signed(store: Store, receiver: Receiver) -> None:
    subscribe(store, "", receiver.url, since=time.time() - 1)
    add_job(store, "creator-1", "completed")
    add_job(store, "creator-2", "running")
    assert note(store) == 1
    assert note(store) == 0
    assert [d.done for d in send_due(store, SECRET)] == [True]
    assert send_due(store, SECRET) == []
    headers, body = receiver.got[0]
    at, _, mac = headers[SIGNATURE].removeprefix("t=").partition(",v1=")
    assert mac == hmac.new(SECRET.encode(), f"{at}.{body}".encode(), hashlib.sha256).hexdigest()
    assert abs(int(at) - time.time()) < 60
    assert receiver.bodies[0]["job"] == "creator-1"
    assert receiver.bodies[0]["state"] == "completed"
    store.set_job("creator-2", state="needs_input")
    assert note(store) == 1


def test_what_ended_before_somebody_asked_is_not_told(store: Store, receiver: Receiver) -> None:
    add_job(store, "creator-old", "completed")
    time.sleep(0.01)
    subscribe(store, "", receiver.url)
    assert note(store) == 0


def test_a_receiver_that_is_away_is_tried_again_and_in_the_end_given_up(store: Store, receiver: Receiver) -> None:
    receiver.statuses = [500, 302, 204]
    subscribe(store, "creator-1", receiver.url, since=time.time() - 1)
    add_job(store, "creator-1", "failed")
    add_job(store, "creator-other", "failed")
    assert note(store) == 1, "only the job that was named"
    now = time.time()
    tried = [send_due(store, SECRET, lambda at=at: now + at) for at in (0, 1, 6, 7, 600)]  # type: ignore[misc]
    assert [[(d.attempts, d.done, d.said) for d in some] for some in tried] == [
        [(1, False, "status 500")], [], [(2, False, "status 302")], [], [(3, True, "status 204")],
    ]  # fmt: skip
    assert len({json.dumps(b) for b in receiver.bodies}) == 1, "the same message each time"
    receiver.statuses = [500]
    add_job(store, "creator-2", "limit")
    subscribe(store, "creator-2", receiver.url, since=now - 5)
    assert note(store) == 1
    for number in range(len(PAUSES) + 1):
        send_due(store, SECRET, lambda at=1e6 * (number + 2): now + at)  # type: ignore[misc]
    assert send_due(store, SECRET, lambda: now + 1e9) == []
    assert deliveries(store, "creator-2")[0].said == "gave up: status 500"


def test_an_end_while_no_server_ran_is_told_by_the_next(tmp_path: Path, receiver: Receiver) -> None:
    variables = {"ECHELON_WEBHOOK_SECRET": SECRET}
    with served(tmp_path / "home", variables, webhook=receiver.url) as server:
        add_job(server.store, "creator-1", "submitted")
        time.sleep(1.5)
        store = server.store
    store.set_job("creator-1", state="cancelled")
    assert receiver.got == []
    with served(tmp_path / "home", variables, webhook=receiver.url) as server, server.client() as client:
        job = client.post("/jobs", data={"type": "creator", "webhook": receiver.url}, files=upload()).json()["job"]
        client.post(f"/jobs/{job}/cancel")
        end = time.monotonic() + 20
        while len(receiver.got) < 2 and time.monotonic() < end:
            time.sleep(0.1)
    assert sorted(str(b["job"]) for b in receiver.bodies) == sorted(["creator-1", job])


def test_a_webhook_needs_a_secret() -> None:
    with pytest.raises(UserError, match="ECHELON_WEBHOOK_SECRET"):
        check_address(Options(webhook="https://jobs.example/told"), Environment({}))
    with pytest.raises(UserError, match="without a password"):
        check_address(Options(webhook="https://me:pw@jobs.example/"), Environment({"ECHELON_WEBHOOK_SECRET": "x"}))
