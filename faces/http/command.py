"""`echelon serve`."""

from __future__ import annotations

import argparse
import contextlib
import json
from typing import TYPE_CHECKING

from echelon.faces.cli.grammar import Define, count, say
from echelon.shown import show

if TYPE_CHECKING:
    from echelon.faces.http.desk import Options
    from echelon.service.service import Service
    from echelon.settings import Environment

EXTRA = "The server needs more packages; install them with: pip install 'echelon[server]'"
TOKEN = "ECHELON_TOKEN"
PORT = 8600


def add_serving(define: Define) -> None:
    """Add the command."""
    serve = define("serve", serve_command, "answer over HTTP: an API for programs and a page for people")
    serve.add_argument("--host", metavar="HOST", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    serve.add_argument("--port", metavar="PORT", type=_port, default=PORT, help=f"port to listen on ({PORT})")
    workers = serve.add_mutually_exclusive_group()
    workers.add_argument("--workers", metavar="N", type=count, default=1, help="workers that run with the server (1)")
    workers.add_argument("--no-workers", action="store_true", help="run no worker; 'echelon worker' does elsewhere")
    serve.add_argument("--concurrency", metavar="N", type=count, default=1, help="jobs at once in each worker (1)")
    serve.add_argument(
        "--name",
        metavar="NAME",
        action="append",
        default=[],
        help="a name that the server is reached by, as of a proxy",
    )
    serve.add_argument("--webhook", metavar="URL", help="who is told when a job ends or waits for a person")
    serve.add_argument(
        "--webhook-host",
        metavar="HOST",
        action="append",
        default=[],
        help="a host that webhooks of single jobs may name",
    )
    serve.add_argument(
        "--max-upload", metavar="MB", type=count, default=200, help="size of what one request sends (200)"
    )
    serve.add_argument("--rate", metavar="N", type=count, default=50, help="requests a second of one client (50)")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is no port")
    return int(text)


def serve_command(given: argparse.Namespace) -> int:
    """`echelon serve`."""
    from echelon.service.service import Service

    check_installed()
    from echelon.faces.http.desk import Options

    options = Options(
        host=given.host, port=given.port, workers=0 if given.no_workers else given.workers,
        concurrency=given.concurrency, names=tuple(given.name), webhook=given.webhook,
        webhook_hosts=tuple(given.webhook_host), upload_megabytes=given.max_upload, rate=float(given.rate),
    )  # fmt: skip
    service = Service()
    check_address(options, service.environment)
    return _serve(service, options, given.json)


def _serve(service: Service, options: Options, as_json: bool) -> int:
    from echelon.faces.http.app import make_app
    from echelon.faces.http.desk import open_desk
    from echelon.faces.http.serving import listening, serve
    from echelon.faces.http.workers import Workers

    sock = listening(options.host, options.port)
    host = f"[{options.host}]" if ":" in options.host else options.host
    url = f"http://{host}:{sock.getsockname()[1]}"
    desk = open_desk(service, options)
    app = make_app(desk)

    def began() -> None:
        where = service.store.where
        workers = f"{options.workers} worker{'' if options.workers == 1 else 's'}"
        text = f"Echelon answers at {url} ({workers}, {where}); Ctrl-C ends it."
        show(
            json.dumps({"event": "serving", "url": url, "workers": options.workers, "database": where})
            if as_json
            else text
        )

    told_to_end = contextlib.suppress(KeyboardInterrupt)  # everything is in the database
    with Workers(service, options.workers, options.concurrency), told_to_end:
        serve(app, desk, sock, began)
    return 0


def check_installed() -> None:
    """Raises UserError where what the server stands on is not installed."""
    from importlib.util import find_spec

    from echelon.errors import UserError

    if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "prometheus_client", "multipart", "jinja2")):
        raise UserError(EXTRA)


def check_address(options: Options, environment: Environment) -> None:
    """Raises UserError for an address that others reach without a token, and for webhooks that cannot be signed."""
    from echelon.errors import UserError
    from echelon.faces.http.guard.places import is_loopback
    from echelon.faces.http.guard.who import SHORT, tokens_of
    from echelon.faces.http.hooks import check_options

    if not is_loopback(options.host) and environment.get(TOKEN) is None:
        raise UserError(f"Others reach {options.host}, so the server needs a token: set {TOKEN}, or leave out --host.")
    for token in tokens_of(environment):
        if len(token) < SHORT:
            say(f"a token of {len(token)} characters can be guessed; take {SHORT} or more, as of: openssl rand -hex 24")
    check_options(options, environment)
