"""Jobs, steps and events outlive a process, on SQLite and on PostgreSQL."""

from __future__ import annotations

import sqlite3
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine.interfaces import CacheStats

from echelon.errors import UnknownName, UserError
from echelon.store import tables as t
from echelon.store.engines import open_engine
from echelon.store.files import known
from echelon.store.records.events import CallRefused, Compacted, Event, EventRow, Scoped
from echelon.store.records.jobs import Result, Settings
from echelon.store.records.steps import Begun, Ended
from echelon.store.store import MIGRATIONS, Store, first_line
from tests.support.forked import started

REPOSITORY = Path(__file__).parents[2]
CONFIG = Settings(config={"job": "reader", "budget": {"cost": 1.5}}, inputs=("/tmp/Prüfplan.pdf",))
STOPPED = Result(reason="budget.cost", snapshot={"a": [1, None, "ü"]})
COMPACTED: dict[str, Any] = {"role": "QA", "phase": "1-qa", "turns": 2, "before": 9, "after": 5}
STEP: dict[str, Any] = {
    "kind": "model", "name": "ask", "role": "QA", "phase": "0003-qa", "round": 2, "milestone": 1, "asked": "abc",
}  # fmt: skip


def told(number: int, event: Event) -> EventRow:
    return EventRow(number, time.time(), event)


def add(store: Store, job: str = "reader-1") -> None:
    store.add_job(job, "reader", "Find it.\nÄ 😀", CONFIG, f"/tmp/{job}")


def test_sqlite_knows_the_time_in_milliseconds_whichever_version_it_is(tmp_path: Path) -> None:
    """Old ones have no `unixepoch('subsec')`, and DBOS asks for it also where a column has it as its default."""
    engine = open_engine(f"sqlite:///{tmp_path / 'x.sqlite'}")
    before = time.time() - 0.01
    with engine.begin() as c:
        c.execute(sa.text("create table x (n integer, at integer not null default (unixepoch('subsec') * 1000))"))
        c.execute(sa.text("insert into x (n) values (1)"))
        at = c.execute(sa.text("select at from x")).scalar_one()
    engine.dispose()
    assert before <= at / 1000 <= time.time() + 0.01


def test_a_statement_is_compiled_once_for_all_homes(tmp_path: Path) -> None:
    ask = sa.select(t.jobs.c.id).where(t.jobs.c.id == sa.bindparam("wanted"))
    for name, answers in (("first", ["reader-1"]), ("second", [])):
        store = Store(open_engine(f"sqlite:///{tmp_path / name}.sqlite"))
        store.migrate()
        if answers:
            add(store)
        with store.engine.connect() as c:
            result = c.execute(ask, {"wanted": "reader-1"})
            compiled_anew = result.context.cache_hit is CacheStats.CACHE_MISS
            assert list(result.scalars()) == answers
        store.engine.dispose()
        assert compiled_anew == (name == "first")


# migrations


def test_migrating_twice_changes_nothing(store: Store) -> None:
    add(store)
    store.migrate()
    assert [j.id for j in store.all_jobs()] == ["reader-1"]
    with store.engine.connect() as c:
        names = list(c.execute(sa.select(t.migrations.c.name)).scalars())
    assert names == [m.__name__ for m in MIGRATIONS]


def test_migrations_are_numbered_in_order() -> None:
    assert [m.__name__[:5] for m in MIGRATIONS] == [f"m{n:03d}_" for n in range(1, len(MIGRATIONS) + 1)]


def test_every_table_is_made_by_some_migration(store: Store) -> None:
    assert set(t.metadata.tables) <= set(sa.inspect(store.engine).get_table_names())


def test_processes_that_start_together_make_the_tables_once(url: str) -> None:
    code = (
        "import sys; from echelon.store.engines import open_engine; from echelon.store.store import Store\n"
        "s = Store(open_engine(sys.argv[1])); sys.stdin.readline(); s.migrate(); print(len(s.all_jobs()))"
    )
    starters = [
        started(code, url, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)
    ]
    for starter in starters:
        assert starter.stdin is not None
        starter.stdin.write("go\n")
        starter.stdin.flush()
    for starter in starters:
        said, wrong = starter.communicate(timeout=120)
        assert (said.strip(), wrong) == ("0", "")


# jobs


def test_a_job_is_kept_as_it_was_given(store: Store) -> None:
    before = time.time()
    add(store)
    row = store.job("reader-1")
    assert (row.type, row.state, row.segment, row.result) == ("reader", "submitted", 1, None)
    assert (row.request, row.config, row.folder) == ("Find it.\nÄ 😀", CONFIG, Path("/tmp/reader-1"))
    assert before <= row.created == row.updated <= time.time()


def test_columns_of_a_job_can_be_changed(store: Store) -> None:
    add(store)
    created = store.job("reader-1").created
    store.set_job("reader-1", state="limit", result=STOPPED)
    row = store.job("reader-1")
    assert row.state == "limit"
    assert row.result == STOPPED
    assert row.created == created <= row.updated


def test_an_unknown_job_comes_with_the_nearest_one(store: Store) -> None:
    add(store, "reader-12345678")
    with pytest.raises(UnknownName) as caught:
        store.job("reader-12345679")
    assert caught.value.nearest == "reader-12345678"


def test_the_states_of_many_jobs_are_read_at_once(store: Store) -> None:
    for n in range(3):
        add(store, f"reader-{n}")
    store.set_job("reader-1", state="completed")
    before = store.job("reader-0").state
    assert store.states(["reader-0", "reader-1", "reader-9"]) == {"reader-0": before, "reader-1": "completed"}
    assert store.states([]) == {}


def test_jobs_are_listed_with_the_newest_first(store: Store) -> None:
    for n in range(3):
        add(store, f"reader-{n}")
        time.sleep(0.002)
    assert [j.id for j in store.all_jobs()] == ["reader-2", "reader-1", "reader-0"]


def test_a_job_is_not_added_twice(store: Store) -> None:
    add(store)
    with pytest.raises(sa.exc.IntegrityError):
        add(store)


# steps


def test_what_a_job_did_since_its_segment_began_is_forgotten_but_for_what_was_paid(store: Store) -> None:
    for job in ("reader-1", "reader-2"):
        for number, kind in enumerate(("model", "tool", "model", "tool", "code"), 1):
            store.begin_step(job, number, Begun(**{**STEP, "kind": kind}))
            store.end_step(job, number, Ended(True, answered="x", cost=0.5), {f"{number}.md": "abc"})
        store.add_events(job, [told(number, Compacted(**COMPACTED)) for number in (1, 2, 3)])
    store.begin_again("reader-1", 2, 1)
    assert [(s.number, s.kind) for s in store.steps("reader-1")] == [(1, "model"), (2, "tool"), (3, "model")]
    assert [e.number for e in store.events("reader-1")] == [1] and known(store.engine, "reader-1") == {}
    assert len(store.steps("reader-2")) == 5 and len(store.events("reader-2")) == 3
    assert len(known(store.engine, "reader-2")) == 5
    assert store.totals()["reader-1"][2] == 1.0, "what was paid is not forgotten"


def test_a_step_is_one_row_however_often_it_starts(store: Store) -> None:
    store.begin_step("reader-1", 1, Begun(**STEP))
    first = store.steps("reader-1")
    assert [(s.starts, s.ok, s.cost) for s in first] == [(1, None, 0)]
    store.begin_step("reader-1", 1, Begun(**STEP))
    store.begin_step("reader-1", 1, Begun(**{**STEP, "asked": "def"}))
    again = store.steps("reader-1")
    assert [(s.starts, s.asked) for s in again] == [(3, "def")]
    assert again[0].started >= first[0].started


def test_a_finished_step_knows_what_it_cost(store: Store) -> None:
    store.begin_step("reader-1", 1, Begun(**STEP))
    store.end_step("reader-1", 1, Ended(True, 12.5, "xyz", prompt_tokens=900, cost=0.25))
    [row] = store.steps("reader-1")
    assert {k: getattr(row, k) for k in STEP} == STEP
    assert (row.ok, row.milliseconds, row.answered) == (True, 12.5, "xyz")
    assert (row.prompt_tokens, row.completion_tokens, row.cached_tokens, row.cost) == (900, 0, 0, 0.25)


def test_a_step_that_starts_again_keeps_what_is_known_of_its_end(store: Store) -> None:
    store.begin_step("reader-1", 1, Begun(**STEP))
    store.end_step("reader-1", 1, Ended(True, prompt_tokens=900))
    store.begin_step("reader-1", 1, Begun(**STEP))
    [row] = store.steps("reader-1")
    assert (row.starts, row.ok, row.prompt_tokens) == (2, True, 900)


def test_the_ledger_of_a_job_is_in_order_and_its_own(store: Store) -> None:
    for number in (3, 1, 2):
        store.begin_step("reader-1", number, Begun(**STEP))
    store.begin_step("reader-2", 1, Begun(**STEP))
    assert [s.number for s in store.steps("reader-1")] == [1, 2, 3]
    assert store.steps("reader-9") == []


# events


def test_the_same_event_again_changes_nothing(store: Store) -> None:
    scoped = Scoped(milestones=("one",), calls_so_far=3)
    store.add_events("reader-1", [told(1, scoped)])
    first = store.events("reader-1")
    store.add_events("reader-1", [told(1, Scoped(milestones=("another",)))])
    assert store.events("reader-1") == first
    assert first[0].event == scoped and first[0].at > 0


def test_events_are_read_on_from_a_number(store: Store) -> None:
    for number in (2, 1, 4, 3):
        store.add_events("reader-1", [told(number, Compacted(**COMPACTED, lost={f"Ä{number}": number}))])
    store.add_events("reader-2", [told(1, Scoped())])
    assert [row.number for row in store.events("reader-1")] == [1, 2, 3, 4]
    later = [row.event for row in store.events("reader-1", after=2)]
    assert later == [Compacted(**COMPACTED, lost={"Ä3": 3}), Compacted(**COMPACTED, lost={"Ä4": 4})]
    assert store.events("reader-1", after=4) == []


@pytest.mark.parametrize("said", ["a\0b", "half \ud800", "😀", "\u2028"], ids=ascii)
def test_whatever_a_model_says_can_be_an_event(store: Store, said: str) -> None:
    event = CallRefused(role="QA", tool="t", why=said)
    store.add_events("reader-1", [told(1, event)])
    assert store.events("reader-1")[0].event == event


def test_threads_share_a_store(store: Store) -> None:
    def work(thread: int) -> None:
        for number in range(1, 21):
            store.begin_step(f"reader-{thread}", number, Begun(**STEP))
            store.add_events(f"reader-{thread}", [told(number, Scoped(calls_so_far=number))])
            store.end_step(f"reader-{thread}", number, Ended(True))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n in range(4):
        assert [s.starts for s in store.steps(f"reader-{n}")] == [1] * 20
        assert len(store.events(f"reader-{n}")) == 20


# databases that cannot be used


def refused(url: str) -> str:
    with pytest.raises(UserError) as caught:
        Store(open_engine(url)).migrate()
    text = str(caught.value)
    assert "\n" not in text and text.count(". ") == 0 and text.endswith(".")
    assert "hunter2" not in text
    return text


@pytest.mark.parametrize(
    "address", ["me:hunter2@127.0.0.1:9/db", "me@127.0.0.1:9/db?password=hunter2", "/db?host=/nowhere&password=hunter2"]
)
def test_a_server_that_is_not_there_is_one_sentence_without_the_password(address: str) -> None:
    assert "cannot be used" in refused(f"postgresql+psycopg://{address}")


@pytest.mark.parametrize("address", ["me:hunter2@h:port/db", "me:hunter2@[::1/db"])
def test_an_address_that_is_none_is_one_sentence_without_the_password(address: str) -> None:
    assert "ECHELON_DATABASE_URL" in refused(f"postgresql+psycopg://{address}")


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert str(tmp_path / "file") in refused(f"sqlite:///{tmp_path}/file/echelon.sqlite")


def test_a_file_that_is_no_database_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "echelon.sqlite").write_bytes(b"not a database " * 100)
    assert "not a database" in refused(f"sqlite:///{tmp_path}/echelon.sqlite")


def test_a_new_sqlite_database_that_somebody_writes_to_is_waited_for(tmp_path: Path) -> None:
    """SQLite does not wait by itself where it is to become a database in WAL mode."""
    path = tmp_path / "echelon.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE other (number INTEGER)")
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.3, lambda: other.execute("COMMIT"))
    timer.start()
    store = Store(open_engine(f"sqlite:///{path}"))
    store.migrate()
    assert store.all_jobs() == []
    timer.join()
    store.engine.dispose()
    other.close()


def test_sqlite_is_set_up_for_several_processes(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/echelon.sqlite")
    with engine.connect() as c:
        asked = ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")
        found = [c.exec_driver_sql(f"PRAGMA {name}").scalar() for name in asked]
    assert found == ["wal", 1, 30_000, 1]
    engine.dispose()


def test_the_first_line_of_an_error_is_all_that_is_told() -> None:
    assert first_line(ValueError("what is wrong.\nand the SQL")) == "what is wrong"
    assert first_line(ValueError()) == "ValueError"
