"""`echelon mcp`: jobs for other programs, over standard input and output."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from echelon.faces.cli.grammar import SETTING, Define, count, overrides_of


def add_mcp(define: Define) -> None:
    """Add the command."""
    mcp = define("mcp", mcp_command, "serve jobs to other programs over MCP, on standard input and output")
    mcp.add_argument("--folder", metavar="DIR", type=Path, default=Path(), help="where files of jobs may lie (here)")
    mcp.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help=SETTING)
    workers = mcp.add_mutually_exclusive_group()
    workers.add_argument("--workers", metavar="N", type=count, default=1, help="workers that run with it (1)")
    workers.add_argument("--no-workers", action="store_true", help="run no worker; 'echelon worker' does elsewhere")


def mcp_command(given: argparse.Namespace) -> int:
    """Serve until standard input ends."""
    from echelon.errors import UserError
    from echelon.faces.http.workers import Workers
    from echelon.faces.mcp.server import make_server
    from echelon.service.ordering import finish_orders
    from echelon.service.service import Service

    if not given.folder.is_dir():
        raise UserError(f"There is no folder {given.folder}.")
    service = Service()
    _ = service.store  # what is wrong with the database is said now
    server = make_server(service, folder=given.folder.resolve(), settings=overrides_of(given))
    finish_orders(service)
    with contextlib.nullcontext() if given.no_workers else Workers(service, given.workers):
        server.run("stdio")
    return 0
