"""The sweep: it kills where it says, finds nothing on a job that holds, and finds what differs on one that does not."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.errors import UserError
from echelon.service.trials.sweep import Kill, KillingStore, Record, Sweep, forked, kills_of, record, sqlite_home
from echelon.store.engines import open_engine
from echelon.store.records.steps import Begun
from tests.support.forked import ran

ROOT = Path(__file__).parents[2]
TEXT = "# Rules\n\n1.1 The operator shall keep records for ten years.\n\n1.2 Nobody may delete records before that.\n"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_the_command_kills_resumes_and_finds_everything_identical(rules: Path, tmp_path: Path) -> None:
    command = ["sweep", "creator", str(rules), "--kills", "2", "--seed", "3"]
    done = ran("import main; main.cli()", *command, cwd=tmp_path, env=_environment(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line.endswith("identical") for line in lines[:2]] == [True, True]
    assert lines[-1].startswith("2 kills over ") and lines[-1].endswith("every one identical")
    assert not (tmp_path / ".echelon").exists(), "a sweep leaves the user's own jobs alone"


def _environment(home: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ECHELON_")}
    return {**kept, "PYTHONPATH": str(ROOT), "HOME": str(home)}


def test_a_job_that_does_not_complete_is_not_swept(rules: Path) -> None:
    limited = Sweep("creator", (rules,), overrides={"budget.model_calls": 1})
    script = (
        "from pathlib import Path; from echelon.service.trials.sweep import Sweep; "
        f"Sweep('creator', (Path({str(rules)!r}),), overrides={limited.overrides!r}).whole()"
    )
    done = ran(script, cwd=rules.parent, env=_environment(rules.parent))
    assert UserError.__name__ in done.stderr and "exit code 3" in done.stderr


def test_a_history_that_had_not_begun_is_not_lost(rules: Path) -> None:
    """A job that was killed before its first commit began its history with one more."""
    script = (
        "from pathlib import Path; from echelon.service.trials.sweep import Kill, Sweep; "
        f"one = Sweep('creator', (Path({str(rules)!r}),)); whole = one.whole(); print(whole.commits[0]); "
        "print([found['held'] for found in (one.killed(Kill(n), whole) for n in (1, 2, 3))])"
    )
    done = ran(script, cwd=rules.parent, env=_environment(rules.parent))
    assert done.stdout.splitlines() == ["Take the inputs in", "[True, True, True]"], done.stderr


@pytest.mark.parametrize(("inside", "begun"), [(False, 2), (True, 3)])
def test_the_store_dies_at_or_inside_its_step(tmp_path: Path, inside: bool, begun: int) -> None:
    url = f"sqlite:///{tmp_path / 'x.sqlite'}"

    def work() -> int:
        store = KillingStore(open_engine(url))
        store.kill = Kill(3, inside)
        store.migrate()
        for number in range(1, 6):
            store.begin_step("sweep", number, Begun("code", "x"))
        return 0

    assert forked(work) == -signal.SIGKILL
    store = KillingStore(open_engine(url))
    assert [s.number for s in store.steps("sweep")] == list(range(1, begun + 1))
    store.engine.dispose()


def test_a_process_that_ends_by_itself_says_how(capfd: pytest.CaptureFixture[str]) -> None:
    def refuse() -> int:
        raise UserError("There is no such thing.")

    assert [forked(lambda: 0), forked(lambda: 3), forked(refuse)] == [0, 3, 1]
    assert "There is no such thing." in capfd.readouterr().err


def test_an_empty_home_has_an_empty_record_and_is_gone_afterwards() -> None:
    with sqlite_home() as environment:
        assert record(environment) == Record((), (), {}, {})
        folder = Path(environment["ECHELON_HOME"])
        assert folder.is_dir()
    assert not folder.exists()


def test_records_differ_in_what_counts_and_not_in_how_often_a_step_ran() -> None:
    one = Record(((1, "model"),), (), {"a": "0"}, {1: 1})
    assert one == Record(((1, "model"),), (), {"a": "0"}, {1: 2})
    assert one != Record(((1, "tool"),), (), {"a": "0"}, {1: 1})
    assert one != Record(((1, "model"),), ((1, "send", "{}", "done"),), {"a": "0"}, {1: 1})
    assert one != Record(((1, "model"),), (), {"a": "1"}, {1: 1})


@given(st.integers(1, 200), st.integers(1, 500), st.integers())
def test_kills_are_places_of_the_job_each_once_and_the_same_for_the_same_seed(
    steps: int, number: int, seed: int
) -> None:
    picked = kills_of(steps, False, number, seed)
    assert picked == kills_of(steps, False, number, seed)
    assert len(set(picked)) == len(picked) == min(number, 2 * steps)
    assert all(1 <= k.number <= steps for k in picked)
    every = kills_of(steps, True, number, seed)
    assert [k.number for k in every if not k.inside] == list(range(1, steps + 1))
    assert any(k.inside for k in every) and len(set(every)) == len(every)
