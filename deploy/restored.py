"""Makes an empty database beside the one of a URL, for `try.sh`, and prints its URL."""

from __future__ import annotations

import sys
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql


def made(url: str) -> str:
    """The URL of a new, empty database on the same server. Raises psycopg.Error."""
    parts = urlsplit(url)
    name = parts.path.strip("/") + "_restored"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return urlunsplit(parts._replace(path=f"/{name}"))


if __name__ == "__main__":
    print(made(sys.argv[1]))
