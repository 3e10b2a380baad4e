"""The attacks of docs/security.md against the server, each tried. The names of the tests stand there."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from echelon.faces.http.command import check_address
from echelon.faces.http.desk import Options
from echelon.faces.http.guard.front import Patience
from echelon.faces.http.guard.places import Names
from echelon.faces.http.guard.rates import Rate
from echelon.faces.http.guard.who import COOKIE, Gate, Role
from echelon.service.service import CONFIGS
from echelon.settings import Environment
from tests.cli.command import Shell
from tests.faces.http.served import ADMIN, OPERATOR, READER, TOKENS, Served, add_job, served, upload


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with tokens."""
    with served(
        tmp_path_factory.mktemp("closed") / "home", {**TOKENS, "TAVILY_API_KEY": "tvly-very-secret-1"}, wrong=1_000
    ) as one:
        yield one


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server without tokens, with a small patience and small bounds."""
    patience = Patience(body=20_000, upload=300_000, pause=1.0, slowest=2_000.0)
    with served(tmp_path_factory.mktemp("free") / "home", patience=patience, files=3) as one:
        yield one


def session_of(server: Served) -> tuple[httpx.Client, str]:
    """A browser with a session, and the CSRF token of its pages."""
    client = server.client()
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/page/new", headers={"Accept": "text/html"}).text)
    assert found
    return client, found[1]


# who comes in


def test_an_address_that_others_reach_needs_a_token(tmp_path: Path) -> None:
    outcome = Shell(tmp_path).echelon("serve", "--host", "0.0.0.0", "--port", "0")
    assert outcome.code == 2
    assert "ECHELON_TOKEN" in outcome.sentence
    check_address(Options(host="0.0.0.0"), Environment({"ECHELON_TOKEN": ADMIN}))
    check_address(Options(host="127.0.0.1"), Environment({}))


@pytest.mark.parametrize(
    "path", ["/jobs", "/metrics", "/status", "/openapi.json", "/jobs/x/events", "/jobs/x/files/plan.md", "/"]
)
def test_nothing_is_said_without_a_right_token(closed: Served, path: str) -> None:
    for token in (None, "x", "wrong", ADMIN[:-1], ADMIN + "x"):
        with closed.client() as client:
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            answer = client.get(path, headers=headers)
        assert answer.status_code in (401, 429), (path, token)
    with closed.client() as client:
        assert client.get("/health").status_code == 200


def test_wrong_tokens_are_slowed_down(tmp_path: Path) -> None:
    with served(tmp_path / "home", TOKENS) as server:
        with server.client("wrong") as client:
            statuses = [client.get("/jobs").status_code for _ in range(14)]
        assert statuses.count(401) == 10
        assert statuses[-1] == 429
        with server.client() as client:
            tries = [client.post("/login", data={"token": "wrong"}).status_code for _ in range(3)]
        assert set(tries) == {429}


def test_a_token_is_compared_whole_and_the_role_is_its_own() -> None:
    gate = Gate({"a" * 20: Role.READER, "b" * 20: Role.OPERATOR, "c" * 20: Role.ADMIN}, b"k" * 32)
    assert [gate.role_of(c * 20) for c in "abcd"] == [Role.READER, Role.OPERATOR, Role.ADMIN, None]
    assert gate.role_of("a" * 19) is None
    assert gate.role_of("") is None


def test_roles_do_what_they_may_and_no_more(closed: Served) -> None:
    add_job(closed.store, "creator-roles")
    form = {"type": "creator"}
    with closed.client(READER) as reader, closed.client(OPERATOR) as operator, closed.client(ADMIN) as admin:
        assert reader.get("/jobs").status_code == 200
        assert reader.post("/jobs", data=form, files=upload()).status_code == 403
        assert reader.post("/jobs/creator-roles/cancel").status_code == 403
        assert operator.post("/jobs", data=form, files=upload()).status_code == 201
        ceiling = {**form, "set": "budget.cost=100"}
        assert operator.post("/jobs", data=ceiling, files=upload()).status_code == 403
        assert operator.post("/jobs/creator-roles/resume", json={"set": ["ceilings.rounds=9"]}).status_code == 403
        assert admin.post("/jobs", data=ceiling, files=upload()).status_code == 201
        for at_the_machine in (
            "code.fence=none",
            "graph.url=bolt://10.0.0.1",
            "role_folder=/tmp",
            "own_tools.x=/tmp/x.py",
            "mcp.x.command=[sh]",
            "instructions=/etc/passwd",
        ):
            assert admin.post("/jobs", data={**form, "set": at_the_machine}, files=upload()).status_code == 403


@pytest.mark.parametrize("token", [OPERATOR, ADMIN])
def test_a_file_of_settings_is_no_type_of_job(closed: Served, token: str) -> None:
    """What was sent before, or lies on the machine, would set what nobody may set over HTTP."""
    home = closed.desk.service.environment.home
    settings = b"extends: creator\njob: creator\ncode:\n  fence: none\n"
    with closed.client(token) as client:
        sent = client.post("/uploads", files={"files": ("x.yaml", settings, "text/yaml")}).json()["uploads"][0]["id"]
        path = home / "uploads" / sent / "x.yaml"
        assert path.is_file()
        before = len(closed.store.all_jobs())
        for name in (
            str(path),
            os.path.relpath(path),
            str(path)[:-5],
            os.path.relpath(path, CONFIGS)[:-5],
            "./creator",
        ):
            for made in (
                client.post("/jobs", data={"type": name}, files=upload()),
                client.post("/jobs", json={"type": name, "uploads": [sent]}),
            ):
                assert made.status_code == 404, (name, made.text)
                assert "fence" not in made.text
    assert len(closed.store.all_jobs()) == before


BASH = """exec 3<>/dev/tcp/127.0.0.1/{port}
printf '{method} {path} HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n' >&3
cat <&3"""


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("bash") is None, reason="only root can ask as another user")
def test_another_user_of_the_machine_is_nobody_without_a_token(free: Served, closed: Served) -> None:
    add_job(free.store, "creator-of-mine")

    def other(server: Served, method: str, path: str, user: int = 65534) -> str:
        text = BASH.format(port=server.port, method=method, path=path)
        ran = subprocess.run(["bash", "-c", text], user=user, capture_output=True, text=True, timeout=60, check=False)
        return ran.stdout.partition("\r\n\r\n")[0] + ran.stdout.partition("\r\n\r\n")[2]

    for method, path in (("GET", "/jobs"), ("GET", "/"), ("POST", "/jobs/creator-of-mine/cancel"), ("POST", "/mcp")):
        answer = other(free, method, path)
        assert answer.startswith("HTTP/1.1 403") and "Another user of this machine" in answer, answer
        assert "set-cookie" not in answer.lower()
    assert other(free, "GET", "/health").startswith("HTTP/1.1 200")
    login = other(free, "GET", "/login")
    assert login.startswith("HTTP/1.1 200") and "set-cookie" not in login.lower(), "no session of an admin for anybody"
    assert free.store.job("creator-of-mine").state == "submitted"
    assert other(free, "GET", "/jobs", user=0).startswith("HTTP/1.1 200"), "root may do everything anyway"
    assert other(closed, "GET", "/jobs").startswith("HTTP/1.1 401"), "with tokens, a token says who somebody is"


# sessions and forms


def test_a_session_is_a_cookie_that_no_script_and_no_other_site_gets(closed: Served) -> None:
    with closed.client() as client:
        page = client.get("/", headers={"Accept": "text/html"})
        assert (page.status_code, page.headers["location"]) == (303, "/login?to=/")
        assert client.post("/login", data={"token": "wrong"}).status_code == 401
        answer = client.post("/login", data={"token": OPERATOR, "to": "/page/new"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/page/new")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert OPERATOR not in cookie
        assert client.get("/", headers={"Accept": "text/html"}).status_code == 200
        value = client.cookies[COOKIE]
        for forged in (value[:-2] + "aa", "e30." + value.partition(".")[2], "x", value.replace(".", "")):
            with closed.client(Cookie=f"{COOKIE}={forged}") as other:
                assert other.get("/jobs").status_code == 401
    gate = closed.desk.gate
    old, _ = gate.new_session(Role.ADMIN, now=time.time() - 13 * 3600)
    assert gate.session(old) is None
    other = Gate({"another-token-of-20-chars": Role.ADMIN}, b"k" * 32)
    assert other.session(gate.new_session(Role.ADMIN)[0]) is None


@pytest.mark.parametrize("to", ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"])
def test_signing_in_leads_to_no_other_site(closed: Served, to: str) -> None:
    with closed.client() as client:
        assert client.post("/login", data={"token": READER, "to": to}).headers["location"] == "/"


def test_a_changing_form_needs_the_token_of_its_session(free: Served) -> None:
    add_job(free.store, "creator-csrf")
    client, csrf = session_of(free)
    other, _ = session_of(free)
    with closing(client), closing(other):
        for given in ({}, {"csrf": ""}, {"csrf": "x"}):
            assert client.post("/page/jobs/creator-csrf/cancel", data=given).status_code == 403
        assert other.post("/page/jobs/creator-csrf/cancel", data={"csrf": csrf}).status_code == 403
        assert client.post("/jobs/creator-csrf/cancel").status_code == 403, "a cookie alone changes nothing"
        assert free.store.job("creator-csrf").state == "submitted"
        assert client.post("/page/jobs/creator-csrf/cancel", data={"csrf": csrf}).status_code == 303
        assert free.store.job("creator-csrf").state == "cancelled"


@pytest.mark.parametrize("header", [
    {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"},
    {"Sec-Fetch-Site": "cross-site"},
])  # fmt: skip
def test_pages_of_other_sites_change_nothing(free: Served, header: dict[str, str]) -> None:
    with free.client(**header) as client:
        assert client.post("/jobs", data={"type": "creator"}, files=upload()).status_code == 403
        assert client.post("/page/new", data={"type": "creator"}).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8600", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "", "a b"]
)
def test_a_name_that_is_not_ours_is_not_answered_to(free: Served, host: str) -> None:
    """DNS rebinding: the page of another site, whose name has come to point here."""
    request = f"GET /jobs HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
    assert said(free, request).startswith((b"HTTP/1.1 421", b"HTTP/1.1 400"))
    names = Names("127.0.0.1", ("jobs.example",))
    assert names.answers_to("jobs.example:443")
    assert not names.answers_to("192.168.0.7"), "a server of the loopback is not reached by another address"
    assert Names("0.0.0.0").answers_to("192.168.0.7:8600")


def said(server: Served, request: bytes, pause: float = 0.0) -> bytes:
    """What the server answers to these bytes, until it closes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as sock:
        sock.sendall(request)
        time.sleep(pause)
        out = b""
        while piece := sock.recv(65_536):
            out += piece
        return out


# files


@pytest.fixture(scope="module")
def with_files(free: Served) -> Path:
    """The folder of a job with results, secrets, and links that lead out."""
    add_job(free.store, "creator-files", "completed")
    folder = free.store.job("creator-files").folder
    for name in ("output/sub", "documents", "trace"):
        (folder / name).mkdir(parents=True)
    (folder / "output/report.html").write_text("<script>alert(1)</script>")
    (folder / "output/sub/a b.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    (folder / "documents/<b>x.html").write_text("<script>alert(1)</script>")
    (folder / "plan.md").write_text("# Plan")
    (folder / "trace/job.json").write_text("secret")
    (folder.parent.parent / "secret.txt").write_text("secret")
    (folder / "output/out").symlink_to("/etc")
    (folder / "output/passwd").symlink_to("/etc/passwd")
    os.mkfifo(folder / "output/pipe")
    return folder


@pytest.mark.parametrize("path", [
    "trace/job.json", "output/../trace/job.json", "output/%2e%2e/trace/job.json", "output/..%2ftrace/job.json",
    "../../secret.txt", "%2e%2e/%2e%2e/secret.txt", "/etc/passwd", "output//etc/passwd", "output/out/passwd",
    "output/passwd", "output/..%5ctrace", "output/pipe", "output", "output/", "output/sub", ".git/config", "output/x%00",
    "plan.md/x", "instructions.md",
])  # fmt: skip
def test_no_path_leads_out_of_what_may_be_fetched(free: Served, with_files: Path, path: str) -> None:
    request = f"GET /jobs/creator-files/files/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()
    answer = said(free, request)
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 405", b"HTTP/1.1 422")), answer[:300]
    assert b"root:" not in answer
    assert b"\r\n\r\nsecret" not in answer


def test_only_files_are_listed_and_no_links(free: Served, with_files: Path) -> None:
    with free.client() as client:
        listed = [f["path"] for f in client.get("/jobs/creator-files/files").json()["files"]]
        assert listed == ["output/report.html", "output/sub/a b.svg", "documents/<b>x.html", "plan.md"]
        assert client.get("/jobs/creator-files/files/output/sub/a%20b.svg").status_code == 200


def test_a_report_is_shown_without_a_right_to_anything(free: Served, with_files: Path) -> None:
    with free.client() as client:
        for path in ("output/report.html", "documents/%3Cb%3Ex.html", "output/sub/a%20b.svg"):
            answer = client.get(f"/jobs/creator-files/files/{path}")
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("sandbox")
            assert "allow-same-origin" not in policy
            assert "default-src 'none'" in policy
            assert "script-src 'unsafe-inline'" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            if not path.endswith(".html"):
                assert answer.headers["content-disposition"].startswith("attachment")


def test_markup_in_names_and_texts_is_shown_and_does_not_act(free: Served, with_files: Path) -> None:
    evil = "<img src=x onerror=alert(1)>\u202egnp"
    free.store.add_job("creator-markup", "creator", evil, free.store.job("creator-files").config, "jobs/creator-markup")
    with free.client(Accept="text/html") as client:
        for path in (
            "/",
            "/page/jobs/creator-markup",
            "/page/jobs/creator-files",
            f"/page/jobs/{'<script>'}",
            "/page/new",
        ):
            answer = client.get(path)
            assert "<img src=x" not in answer.text
            assert "<script>" not in answer.text
            assert "\u202e" not in answer.text
            assert "<b>x" not in answer.text


def test_pages_have_no_inline_script_and_ask_nobody_else(free: Served) -> None:
    with free.client(Accept="text/html") as client:
        for path in ("/", "/page/new", "/page/settings", "/page/experiments", "/page/api", "/login"):
            answer = client.get(path)
            assert answer.status_code == 200, path
            policy = answer.headers["content-security-policy"]
            assert "unsafe" not in policy
            assert "default-src 'none'" in policy
            assert answer.headers["x-frame-options"] == "DENY"
            assert answer.headers["referrer-policy"] == "same-origin", (
                "with no-referrer a form of ours comes with Origin null"
            )
            assert not re.search(r"<script(?![^>]* src=)|\son\w+=|style=|javascript:", answer.text), path
            assert not re.search(r"""(src|href|action)=["'](https?:)?//""", answer.text), path


# uploads


@pytest.mark.parametrize(
    "name", ["../../evil.pdf", "..\\..\\evil.pdf", "/etc/evil.pdf", "..", ".", "a/../../b.pdf", "x" * 300 + ".pdf"]
)
def test_a_name_of_an_upload_is_a_name_and_no_path(free: Served, name: str) -> None:
    folder = free.desk.service.environment.home / "uploads"
    with free.client() as client:
        answer = client.post("/uploads", files={"files": (name, b"%PDF-1.4 x")})
    assert answer.status_code == 201, answer.text
    one = answer.json()["uploads"][0]
    path = folder / one["id"] / one["name"]
    assert path.read_bytes() == b"%PDF-1.4 x"
    assert path.stat().st_mode & 0o777 == 0o400, "nobody runs it, nobody else reads it"
    assert path.resolve().parent.parent == folder.resolve()
    known = {"jobs", "uploads", "server.key", ".gitignore", "secret.txt"}
    assert {p.name for p in folder.parent.iterdir() if ".sqlite" not in p.name} <= known


def test_uploads_are_bounded_in_size_and_number(free: Served) -> None:
    with free.client() as client:
        assert client.post("/uploads", files={"files": ("a", b"x" * 400_000)}).status_code == 413
        many = [("files", (f"{n}.md", b"x")) for n in range(5)]
        assert client.post("/uploads", files=many).status_code == 422
        assert client.post("/jobs", json={"type": "creator", "request": "x" * 30_000}).status_code == 413


def test_an_upload_without_an_end_is_ended(free: Served) -> None:
    """Chunked, so that no length says how much will come."""
    head = (
        b"POST /uploads HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
        b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"
    )
    start = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'
    with socket.create_connection(("127.0.0.1", free.port), timeout=20) as sock:
        sock.sendall(head + b"%x\r\n%s\r\n" % (len(start), start))
        try:
            for _ in range(40):
                sock.sendall(b"4e20\r\n" + b"x" * 20_000 + b"\r\n")
            answer = sock.recv(4_096)
        except (BrokenPipeError, ConnectionResetError):
            return
    assert answer.startswith(b"HTTP/1.1 413"), answer


@pytest.mark.parametrize("request_", [
    b"POST /jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{",
])  # fmt: skip
def test_a_client_that_sends_slowly_is_let_go(free: Served, request_: bytes) -> None:
    began = time.monotonic()
    assert said(free, request_).startswith(b"HTTP/1.1 408")
    assert time.monotonic() - began < 10


def test_a_client_that_never_says_what_it_wants_is_let_go(free: Served) -> None:
    from echelon.faces.http import serving

    assert serving.HEAD_SECONDS <= 15
    with socket.create_connection(("127.0.0.1", free.port), timeout=20) as sock:
        sock.sendall(b"GET /jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        began = time.monotonic()
        assert sock.recv(100) == b""
        assert time.monotonic() - began < serving.HEAD_SECONDS + 5


def test_a_request_flood_is_refused(tmp_path: Path) -> None:
    with served(tmp_path / "home", rate=1.0) as server, server.client() as client:
        answers = [client.get("/health") for _ in range(20)]
    assert answers[0].status_code == 200
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) >= 1
    rate = Rate(1.0, 2.0)
    assert [rate.take("a", 0.0), rate.take("a", 0.0), rate.take("b", 0.0)] == [0, 0, 0]
    assert rate.take("a", 0.0) == 1.0
    assert rate.take("a", 1.0) == 0


# secrets


def test_no_answer_holds_a_secret(closed: Served) -> None:
    add_job(closed.store, "creator-secret", "completed", events=2)
    paths = (
        "/jobs", "/jobs/creator-secret", "/jobs/creator-secret/events", "/status", "/metrics", "/openapi.json",
        "/page/settings", "/page/jobs/creator-secret", "/", "/page/new", "/jobs/creator-secret/steps", "/jobs/none",
    )  # fmt: skip
    with closed.client(ADMIN, Accept="text/html") as client:
        for path in paths:
            text = client.get(path).text
            for secret in (ADMIN, OPERATOR, READER, "tvly-very-secret-1"):
                assert secret not in text, path


def test_a_webhook_reaches_no_host_that_was_not_named(free: Served) -> None:
    with free.client() as client:
        for url in (
            "http://169.254.169.254/latest",
            "http://127.0.0.1:1/x",
            "http://localhost/",
            "https://evil.example/",
        ):
            data = {"type": "creator", "webhook": url}
            assert client.post("/jobs", data=data, files=upload()).status_code == 403
