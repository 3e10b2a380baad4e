"""A server of the tests' own, and a home without jobs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.service.service import Service
from tests.servers.shop import Place
from tests.support.scripted import service


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.tell()
    return made


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path) as there:
        yield there
