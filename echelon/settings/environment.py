"""What belongs to the machine instead of the job: where state lives, keys, addresses; from variables and `.env`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from echelon.addresses import escaped_password, without_password
from echelon.errors import UserError

KNOWN = (
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "TAVILY_API_KEY", "TAVILY_BASE_URL", "NEO4J_URI", "NEO4J_USERNAME",
    "NEO4J_PASSWORD",
)  # fmt: skip
OWN = "ECHELON_"
"""A `.env` may set these and what begins with `OWN`. Anything else in it would reach git, the linker, and every program
that is run, so it is left alone; and nothing of it is put into the environment of the process."""
TOGETHER = (
    ("OPENAI_BASE_URL", "OPENAI_API_KEY"), ("NEO4J_URI", "NEO4J_PASSWORD"), ("TAVILY_BASE_URL", "TAVILY_API_KEY"),
)  # fmt: skip
"""(address, key): a key of one place is not sent to an address of another."""
CONFIRM = "ECHELON_CONFIRM_ADDRESS"
"""Holds an address to which a key of another place may go. Counts in the shell only, not in a `.env`."""


def known(name: str) -> bool:
    """Whether a `.env` may set this variable."""
    return name in KNOWN or name.startswith(OWN)


class Environment:
    """What belongs to the machine: where state lives and which keys there are. Read from the environment when asked.

    `from_file` names the variables that come from a `.env`, not from the process's own environment.
    """

    def __init__(self, values: dict[str, str] | None = None, from_file: frozenset[str] = frozenset()) -> None:
        self._values = dict(os.environ) if values is None else values
        self.from_file = from_file

    @property
    def values(self) -> Mapping[str, str]:
        """All variables, so that secrets among them can be found and taken out of texts."""
        return self._values

    def get(self, name: str) -> str | None:
        """A variable's value, or None when it is missing or empty."""
        return self._values.get(name) or None

    def check_together(self, address: str) -> None:
        """Raises UserError when the key for `address` (a name in `TOGETHER`) comes from another place than it."""
        key = dict(TOGETHER)[address]
        where = self.get(address)
        if where is None or self.get(key) is None or (address in self.from_file) == (key in self.from_file):
            return
        if CONFIRM not in self.from_file and self.get(CONFIRM) == where:
            return
        places = (".env", "the environment") if address in self.from_file else ("the environment", ".env")
        raise UserError(
            f"{address} comes from {places[0]} and {key} from {places[1]}, so the key is not sent there: put both in "
            f"one place, or confirm the address with {CONFIRM}={without_password(where)}."
        )

    @cached_property
    def home(self) -> Path:
        """Folder of the jobs and of the SQLite database."""
        return Path(self.get("ECHELON_HOME") or ".echelon").expanduser().resolve()

    @cached_property
    def database_url(self) -> str:
        """SQLAlchemy URL of the database that holds all state."""
        url = self.get("ECHELON_DATABASE_URL")
        if url is None:
            return f"sqlite:///{self.home / 'echelon.sqlite'}"
        if url.startswith(("postgresql://", "postgres://")):
            return escaped_password("postgresql+psycopg://" + url.split("://", 1)[1])
        if url.startswith("postgresql+psycopg://"):
            return escaped_password(url)
        if url.startswith("sqlite:///"):
            return url
        raise UserError("ECHELON_DATABASE_URL must start with postgresql:// or sqlite:///.")


def read_environment() -> Environment:
    """The environment with `.env` of the current folder under it: the names that are `known`; variables that are set win."""
    from dotenv import dotenv_values

    there = dotenv_values(".env", interpolate=False)
    from_file = {n: value for n, value in there.items() if known(n) and value and n not in os.environ}
    return Environment({**os.environ, **from_file}, frozenset(from_file))
