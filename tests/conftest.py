"""What all tests share: nothing is sent home; development data beside the repository is found if it is there."""

from __future__ import annotations

import gc
import os
import shlex
import sys
from pathlib import Path
from typing import Any

os.environ.update(
    CREWAI_DISABLE_TELEMETRY="true",
    CREWAI_TRACING_ENABLED="false",
    CREWAI_DISABLE_VERSION_CHECK="true",
)  # crewai reads them when it is imported

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from echelon.garbage import collect_seldom
from tests.support import forked
from tests.support.scratch import Scratch

scratch = Scratch.made()  # workers inherit it

# Many tests start processes of their own, and each would compile all of our modules where Python writes no bytecode.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Machines here are shared and noisy: how long an example takes says nothing.
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")

# crewai and six thousand tests are a million objects, and each full collection would walk through them again.
collect_seldom()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Workers that run everything are forks of a process that has crewai imported, and so is what they start."""
    config = session.config
    workers = config.getoption("tx", [])
    if set(workers) == {"popen"} and config.args_source is config.ArgsSource.TESTPATHS:
        forked.share()
        launcher = [sys.executable, str(Path(forked.__file__).with_name("forked_worker.py"))]
        config.option.tx = [f"popen//python={shlex.join(launcher)}"] * len(workers)


def pytest_collection_finish() -> None:
    """What is there before the first test stays to the end."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(exitstatus: int) -> None:
    if scratch is not None and exitstatus == pytest.ExitCode.OK:  # what failed is there to be looked at
        scratch.is_needed = False


class _WholeFiles(LoadFileScheduling):
    """Each file to one process, and those about graphs to the same one: they share a server that is slow to start."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return "tests/graph" if file.startswith("tests/graph/") else file


@pytest.hookimpl(optionalhook=True)  # there may be no xdist in use
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _WholeFiles | None:
    return _WholeFiles(config, log) if config.getoption("dist") == "loadfile" else None


REPOSITORY = Path(__file__).parents[1]
SHARED = REPOSITORY / ".." / "shared"


@pytest.fixture
def shared() -> Path:
    """The folder of the development data beside the repository; the test is skipped where there is none."""
    if not SHARED.is_dir():
        pytest.skip("the development data is not beside the repository")
    return SHARED
