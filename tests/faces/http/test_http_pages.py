"""What a page costs the database: the ledger is read once, and no event twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from echelon.engine import durable
from echelon.faces.http.page.story import Stories
from echelon.service.cost import KINDS, cost_of, lines_of, sums_of
from echelon.store import tables as t
from echelon.store.records.events import EventRow, event_of
from echelon.store.store import Store
from tests.faces.http.served import Served, add_events, add_job, served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("pages") / "home") as one:
        yield one


@contextmanager
def asked(store: Store) -> Iterator[list[tuple[str, Any]]]:
    """The statements that the database is asked while the block runs, with their values."""
    told: list[tuple[str, Any]] = []

    def take(_connection: Any, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        told.append((statement, values))

    sa.event.listen(store.engine, "before_cursor_execute", take)
    try:
        yield told
    finally:
        sa.event.remove(store.engine, "before_cursor_execute", take)


def of(told: list[tuple[str, Any]], table: sa.Table) -> list[Any]:
    """The values of the statements that read a table whole or by its job."""
    return [values for statement, values in told if statement.startswith(f"SELECT {table.name}.")]


def test_a_job_is_read_once_and_its_events_never_again(server: Served) -> None:
    add_job(server.store, "creator-long", "submitted", events=30)
    with server.client() as client:
        for latest, more in ((0, 0), (30, 3), (33, 0)):
            if more:
                add_events(server.store, "creator-long", 31, 33)
            with asked(server.store) as told:
                assert client.get("/page/jobs/creator-long").status_code == 200
            assert len(of(told, t.steps)) == 1
            (values,) = of(told, t.events)
            assert latest in tuple(values), "only what came since the last look"


def test_the_list_reads_what_came_since_it_was_looked_at(server: Served) -> None:
    for n in range(3):
        add_job(server.store, f"creator-runs-{n}", "running")
    scoped = event_of("scope", {"milestones": ["One.", "Two."]})
    reached = event_of("milestone", {"number": 1, "of": 2, "outcome": "One."})
    with durable.Lease(server.store, "creator-runs-1"), server.client() as client:
        server.store.add_events("creator-runs-1", [EventRow(1, 0.0, scoped)])
        assert 'value="0"' in client.get("/").text
        server.store.add_events("creator-runs-1", [EventRow(2, 0.0, reached)])
        with asked(server.store) as told:
            assert 'value="50"' in client.get("/").text
        assert len(of(told, t.events)) == 1, "of the one that runs"


def test_a_story_in_parts_is_the_story(server: Served) -> None:
    add_job(server.store, "creator-parts", events=0)
    row = server.store.job("creator-parts")
    told = [
        EventRow(1, row.created + 1, event_of("scope", {"milestones": ["One.", "Two."]})),
        EventRow(2, row.created + 2, event_of("phase", {"role": "QA", "phase": "0001-qa", "round": 1})),
        EventRow(3, row.created + 3, event_of("phase_end", {"role": "QA", "phase": "0001-qa", "why": "submitted"})),
        EventRow(4, row.created + 4, event_of("milestone", {"number": 1, "of": 2, "outcome": "One."})),
    ]
    stories = Stories(server.store)
    for one in told:
        server.store.add_events("creator-parts", [one])
        stories.of("creator-parts", row.created)
    in_parts, at_once = stories.of("creator-parts", row.created), Stories(server.store).of("creator-parts", row.created)
    assert in_parts == at_once
    assert [e.kind for e in in_parts.uses] == ["phase_end"] and set(KINDS) >= {"phase_end"}
    mine = sums_of("creator-parts", lines_of(server.store.steps("creator-parts"), in_parts.uses))
    assert mine == cost_of(server.store, "creator-parts")


def test_only_the_latest_stories_are_kept(server: Served) -> None:
    stories = Stories(server.store, most=2)
    for n in range(4):
        add_job(server.store, f"creator-kept-{n}", events=n)
        assert stories.of(f"creator-kept-{n}", 0.0).latest == n
    assert len(stories._known) == 2
    assert stories.of("creator-kept-3", 0.0) is stories.of("creator-kept-3", 0.0)
