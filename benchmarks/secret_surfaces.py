"""Do secrets get out? `python benchmarks/secret_surfaces.py [--short]`, one JSON line.

Fifteen variables, each a secret of another shape, are repeated by a model, by its server's errors and in the results of
tools, in a job that succeeds and one that fails. They are looked for on six surfaces: the trace folder, the database,
the deliverables, the lines of a terminal, the job's own account, and the tracebacks. Then a server redirects, and a
`.env` names an address for the shell's key: neither may get it. Bar: 0 leaks.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.hostile.trial import OVERRIDES, brain
from benchmarks.hostile.wire import Behaviour, Completion, HostileServer, Http, Reply
from echelon.engine import durable
from echelon.engine.run import listen
from echelon.errors import UserError
from echelon.faces.cli.display import PlainDisplay, Progress
from echelon.faces.cli.printing import summary
from echelon.service.doctor import examine
from echelon.service.service import Service
from echelon.settings import Environment, read_environment

SECRETS = {
    "OPENAI_API_KEY": "sk-proj-0123456789abcdefABCDEF", "TAVILY_API_KEY": "tvly-0123456789abcdefgh",
    "NEO4J_PASSWORD": "correct horse 7 battery", "GITHUB_TOKEN": "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "DB_PASS": "hunter2", "SMTP_PWD": "Zx9!", "CARD_PIN": "904117", "ADMIN_PASSWORD": "12345678901",
    "MY_SECRET": 'quo"te\\back', "SIGNING_KEY": "/9j+4AAQSk==", "SESSION_TOKEN": "a.b.c-0123456789",
    "VAULT_PASSPHRASE": "öffne dich 42", "CLOUD_CREDENTIALS": "id:secret-0123", "LEGACY_PW": "tiger9",
    "QUEUE_URL": "amqp://worker:p@ss/w0rd@queue.example:5672/jobs",
}  # fmt: skip
LOOKED_FOR = {**SECRETS, "QUEUE_URL": "p@ss/w0rd"}
PLACES = ("trace", "database", "output", "terminal", "account", "tracebacks")


def repeated(good: Completion) -> Completion:
    """A good answer that says every secret, in its words and in what its calls write."""
    said = "; ".join(SECRETS.values())
    for call in good["choices"][0]["message"]["tool_calls"]:
        arguments = json.loads(call["function"]["arguments"])
        for field in ("text", "title", "summary", "reason", "rationale"):
            if field in arguments:
                arguments[field] = (
                    f"{arguments[field]} {said}"[:350] if field != "text" else f"{arguments[field]} {said}"
                )
        call["function"]["arguments"] = json.dumps(arguments)
    good["choices"][0]["message"]["content"] = said
    return good


def refused(_good: Completion) -> Reply:
    """An error that says every secret."""
    return Http(400, json.dumps({"error": {"message": "; ".join(SECRETS.values())[:290]}}).encode())


def surfaces(folder: Path, behaviour: Behaviour) -> Iterator[tuple[str, bytes]]:
    """(surface, everything that stands there) after a job against `behaviour`."""
    server = HostileServer(brain, behaviour, every=1)
    source, lines = folder / "input.md", io.StringIO()
    source.write_text("# Wishes\n\nWrite one result.\n", encoding="utf-8")
    home = folder / "home"
    with server.running() as address, contextlib.redirect_stdout(lines):
        service = Service(Environment({**SECRETS, "ECHELON_HOME": str(home), "OPENAI_BASE_URL": address}))
        job = service.submit("plain", [source], "Write the result.", "openai/hostile", OVERRIDES)
        with PlainDisplay(Progress(job, "openai/hostile")) as display:
            listen(job, display)
            result = service.run(job)
        print(summary(result, "openai/hostile", 1.0))
        durable.shut_down()
        service.store.engine.dispose()
    yield "trace", _bytes(result.folder / "trace", "*.json") + _bytes(result.folder / "trace", "*.txt")
    yield "database", _bytes(home, "*.sqlite*")
    yield "output", _bytes(result.folder / "output", "*")
    yield "terminal", lines.getvalue().encode()
    yield "account", json.dumps(result.as_dict(), ensure_ascii=False, default=str).encode()
    yield "tracebacks", _bytes(result.folder / "trace", "error.txt")


def _bytes(folder: Path, pattern: str) -> bytes:
    return b"\n".join(p.read_bytes() for p in sorted(folder.rglob(pattern)) if p.is_file())


def leaks(folder: Path, behaviour: Behaviour) -> list[str]:
    """'variable on surface' for each secret that is found somewhere, as it is or as JSON writes it."""
    return [
        f"{name} on {place}"
        for place, content in surfaces(folder, behaviour)
        for name, value in LOOKED_FOR.items()
        if value.encode() in content or json.dumps(value)[1:-1].encode() in content
    ]


def redirected() -> list[str]:
    """What a server gets that another one redirects to, from a job and from the doctor."""
    found = []
    thief = HostileServer(lambda body: found.append("a redirect") or {}, every=0)  # type: ignore[func-returns-value]
    with thief.running() as place, tempfile.TemporaryDirectory() as folder:
        moved = Http(307, b"", {"Location": place.replace("127.0.0.1", "localhost") + "/chat/completions"})
        list(surfaces(Path(folder), lambda _good: moved))
        server = HostileServer(brain, lambda _good: moved, every=1)
        with server.running() as address:
            checks = examine(Environment({**SECRETS, "ECHELON_HOME": folder, "OPENAI_BASE_URL": address}))
    return [*found, *(f"{n} in doctor" for n, v in LOOKED_FOR.items() if v in str(checks))]


def foreign_env() -> list[str]:
    """What a `.env` of the current folder gets hold of: the shell's key, or the programs that are run."""
    found: list[str] = []
    thief = HostileServer(lambda body: found.append("a .env") or {}, every=0)  # type: ignore[func-returns-value]
    here = Path.cwd()
    with thief.running() as address, tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".env").write_text(f"OPENAI_BASE_URL={address}\nLD_PRELOAD=./evil.so\nGIT_SSH=evil\n")
        os.environ["OPENAI_API_KEY"] = SECRETS["OPENAI_API_KEY"]
        os.chdir(folder)
        try:
            environment = read_environment()
            found += [f"{n} from a .env" for n in ("LD_PRELOAD", "GIT_SSH") if n in os.environ or environment.get(n)]
            examine(environment)
            with contextlib.suppress(UserError):
                Service(environment).configuration("plain", "openai/x", None)
                found.append("a configuration")
        finally:
            os.chdir(here)
            del os.environ["OPENAI_API_KEY"]
    return found


def main() -> int:
    """All of it."""
    found: list[str] = []
    for behaviour in (repeated, refused):
        with tempfile.TemporaryDirectory() as folder:
            found += leaks(Path(folder), behaviour)
    found += redirected() + foreign_env()
    figure = {"benchmark": "secret surfaces", "variables": len(SECRETS), "surfaces": len(PLACES), "leaks": found}
    print(json.dumps(figure))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())  # "--short" changes nothing: there is one form
