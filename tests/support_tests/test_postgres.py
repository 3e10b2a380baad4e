"""The PostgreSQL of the tests is a real one, and the two libraries that reach it do so with the same URL."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import psycopg
import pytest
import sqlalchemy

from tests.support.postgres import running_postgres

WORKFLOW = """
import os, sys
from dbos import DBOS

log = sys.argv[2]

def note(word):
    with open(log, "a") as file:
        file.write(word + "\\n")

@DBOS.step()
def first():
    note("first")
    return 20

@DBOS.step()
def second(number):
    note("second")
    if sys.argv[3] == "die":
        os._exit(9)
    return number + 1

@DBOS.workflow()
def both():
    return second(first())

DBOS(config={
    "name": "postgres-test", "system_database_url": sys.argv[1], "executor_id": "one", "application_version": "1",
})
DBOS.launch()
if sys.argv[3] == "die":
    both()
else:
    (status,) = DBOS.list_workflows()
    print(DBOS.retrieve_workflow(status.workflow_id).get_result())
DBOS.destroy()
"""


def test_the_database_is_empty_and_new(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        version = connection.execute("SHOW server_version_num").fetchone()
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert version is not None and int(version[0]) >= 160_000
    assert tables == (0,)


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_a_database_of_its_own(postgres_url: str, turn: int) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE turns (turn integer)")


def test_sqlalchemy_reaches_it_through_psycopg(postgres_url: str) -> None:
    url = sqlalchemy.make_url(postgres_url).set(drivername="postgresql+psycopg")
    engine = sqlalchemy.create_engine(url)
    try:
        with engine.begin() as connection:
            assert connection.execute(sqlalchemy.text("SELECT 6 * 7")).scalar_one() == 42
        assert engine.dialect.driver == "psycopg"
    finally:
        engine.dispose()


def test_pgvector_is_there(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE EXTENSION vector")
        assert connection.execute("SELECT '[1,2]'::vector <-> '[4,6]'::vector").fetchone() == (5.0,)


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg"])
def test_a_workflow_goes_on_after_its_process_died(postgres_url: str, tmp_path: Path, scheme: str) -> None:
    """DBOS takes the URL with and without a driver, makes its tables, and does not repeat the step that was done."""
    url = postgres_url.replace("postgresql", scheme, 1)
    log = tmp_path / "log"

    def run(mode: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", WORKFLOW, url, str(log), mode]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    assert run("die").returncode == 9
    finished = run("go on")
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines()[-1] == "21"
    assert log.read_text().split() == ["first", "second", "second"]


def test_a_dropped_database_is_gone_even_when_it_is_in_use() -> None:
    server = running_postgres()
    name = server.create()
    with psycopg.connect(server.url(name)) as connection:
        server.drop(name)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(server.url(name))


def test_the_server_ends_with_the_process_and_leaves_nothing() -> None:
    program = (
        "from tests.support.postgres import running_postgres as run\nprint(run().folder, run()._server.get_pid())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    folder, pid = done.stdout.split()
    assert not Path(folder).exists()
    # In a container nobody may collect a process that has ended: it stays as a zombie.
    assert not psutil.pid_exists(int(pid)) or psutil.Process(int(pid)).status() == psutil.STATUS_ZOMBIE
