"""A real Bolt server for the tests: ArcadeDB from the `arcadedb-embedded` wheel, with the Java that it brings.

Run as a program in a folder of its own; prints the Bolt port as its last line and serves until its input ends. There
are two databases: `graph` has a full text index over `Requirement.text`, `plain` has none.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

USER = "root"
PASSWORD = "only-on-loopback"


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
        return port


def main() -> None:
    import arcadedb_embedded

    bolt, http = free_port(), free_port()
    server = arcadedb_embedded.create_server(
        root_path=str(Path.cwd() / "server"),
        root_password=PASSWORD,
        config={
            "host": "127.0.0.1",
            "http_port": http,
            "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "bolt_port": bolt,
        },
    )
    server.start()
    server.create_database("plain")
    database = server.create_database("graph")
    with database.transaction():
        database.command("sql", "CREATE VERTEX TYPE Requirement")
        database.command("sql", "CREATE PROPERTY Requirement.text STRING")
        database.command("sql", "CREATE INDEX requirement_text ON Requirement (text) FULL_TEXT")
    print(f"\nbolt port {bolt}", flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main()
