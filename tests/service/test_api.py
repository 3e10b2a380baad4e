"""Jobs from Python: through the one import name, also where an event loop runs."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

import echelon
import tests.support.scripted  # noqa: F401  # imports crewai, which warns about its own packages
from echelon.service.api import beside_the_event_loop


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ECHELON_HOME", str(tmp_path / "home"))
    return tmp_path


def rules(folder: Path) -> Path:
    path = folder / "rules.md"
    path.write_text("# 1 Rules\n\n1.1 The unit shall keep an inventory.\n", encoding="utf-8")
    return path


def test_a_job_runs_where_an_event_loop_runs(home: Path) -> None:
    async def in_a_notebook() -> echelon.JobResult:
        return echelon.run_job("creator", inputs=[rules(home)])

    result = asyncio.run(in_a_notebook())
    assert (result.state, result.figures.get("requirements")) == ("completed", 1), result.reason


def test_one_input_need_not_stand_in_a_list(home: Path) -> None:
    result = echelon.run_job("creator", inputs=str(rules(home)))
    assert (result.state, result.figures.get("requirements")) == ("completed", 1), result.reason


def test_without_an_event_loop_work_stays_in_its_thread() -> None:
    assert beside_the_event_loop(threading.get_ident) == threading.get_ident()


def test_what_work_raises_comes_through_an_event_loop() -> None:
    async def fails() -> None:
        beside_the_event_loop(lambda: (_ for _ in ()).throw(echelon.UserError("No.")))

    with pytest.raises(echelon.UserError, match="No"):
        asyncio.run(fails())


def test_every_public_name_is_there() -> None:
    assert all(getattr(echelon, name) is not None for name in echelon.__all__)
    with pytest.raises(AttributeError, match="no attribute 'run_jobs'"):
        _ = echelon.run_jobs  # type: ignore[attr-defined]
