"""One store on SQLite and one on PostgreSQL: every test of a store runs on both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.settings import Environment
from echelon.store.engines import open_engine
from echelon.store.store import Store
from tests.support.postgres import postgres_url  # noqa: F401


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'home' / 'echelon.sqlite'}"
    given: str = request.getfixturevalue("postgres_url")
    return Environment({"ECHELON_DATABASE_URL": given}).database_url


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """A store with its tables."""
    made = Store(open_engine(url))
    made.migrate()
    yield made
    made.engine.dispose()
