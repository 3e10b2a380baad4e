"""What the tests of the command line share: a folder to run commands in, and one job that is completed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.command import SHORT_SAMPLE, Outcome, Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """An empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    return Shell(folder)


@dataclass(frozen=True)
class Finished:
    """A completed job of the short sample. Tests look at it and change nothing."""

    shell: Shell
    outcome: Outcome
    job: str
    out: Path


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """One creator job, run to its end inside somebody's git repository, with its results copied to `results`."""
    import subprocess

    folder = tmp_path_factory.mktemp("finished")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    shell = Shell(folder)
    source = folder / "Über Fristen, Teil 1.pdf"
    source.write_bytes(SHORT_SAMPLE.read_bytes())
    outcome = shell.echelon("run", "creator", source.name, "--out", "results")
    assert outcome.code == 0, outcome
    return Finished(shell, outcome, outcome.out.split()[1], folder / "results")
