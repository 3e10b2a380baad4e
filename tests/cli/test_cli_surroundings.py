"""What is around a job and can be broken: the database, the folder of the jobs, the disk."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import SHORT_SAMPLE, Shell

PASSWORD = "s3cret-pw"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        (f"postgresql://user:{PASSWORD}@127.0.0.1:9/echelon", "cannot be used: "),
        (f"postgresql://user:{PASSWORD}@127.0.0.1:port/echelon", "ECHELON_DATABASE_URL is no address of a database"),
        (f"mysql://user:{PASSWORD}@127.0.0.1/echelon", "must start with postgresql:// or sqlite:///"),
    ],
    ids=["unreachable", "malformed", "unknown kind"],
)
def test_a_database_that_cannot_be_used(shell: Shell, url: str, says: str) -> None:
    run, jobs, doctor = shell.with_(ECHELON_DATABASE_URL=url).all_of(
        [["run", "creator", str(SHORT_SAMPLE)], ["jobs"], ["doctor"]]
    )
    for outcome in (run, jobs):
        assert (outcome.code, outcome.out) == (2, "")
        assert says in outcome.sentence
    assert doctor.code == 1
    assert "broken   database " in doctor.out
    assert PASSWORD not in run.err + jobs.err + doctor.out + doctor.err
    assert not (shell.folder / ".echelon" / "jobs").exists()


def test_a_damaged_sqlite_file_is_left_as_it_is(shell: Shell) -> None:
    home = shell.folder / ".echelon"
    home.mkdir()
    (home / "echelon.sqlite").write_bytes(bytes(range(256)) * 32)
    run, jobs, doctor = shell.all_of([["run", "creator", str(SHORT_SAMPLE)], ["jobs"], ["doctor"]])
    for outcome in (run, jobs):
        assert (outcome.code, outcome.out) == (2, "")
        assert "echelon.sqlite cannot be used: file is not a database." in outcome.sentence
    assert (doctor.code, doctor.err) == (1, "")
    assert "→ set ECHELON_HOME to a folder that can be written; move a damaged file away" in doctor.out
    assert (home / "echelon.sqlite").read_bytes() == bytes(range(256)) * 32


def test_a_home_that_cannot_be_made(shell: Shell) -> None:
    (shell.folder / "file").write_text("")
    for home in ("file", "file/below"):
        outcome = shell.with_(ECHELON_HOME=home).echelon("run", "creator", SHORT_SAMPLE)
        assert (outcome.code, outcome.out) == (2, "")
        assert str(shell.folder / "file") in outcome.sentence


class Disk:
    """A small file system in memory."""

    def __init__(self, folder: Path, options: str) -> None:
        self.folder = folder
        folder.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")

    def remount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.folder)], check=True)

    def unmount(self) -> None:
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    disk = Disk(tmp_path / "disk", "size=1500k")
    yield disk
    disk.unmount()


def test_a_full_disk_stops_a_job_that_goes_on_when_there_is_space(shell: Shell, disk: Disk) -> None:
    on_disk = shell.with_(ECHELON_HOME=str(disk.folder))
    filler = disk.folder / "filler"
    filler.write_bytes(b"." * 700_000)
    stopped = on_disk.echelon("run", "creator", SHORT_SAMPLE)
    assert stopped.code == 1, stopped
    job = stopped.out.split()[1]
    assert "full" in stopped.sentence or "No space left" in stopped.sentence
    assert stopped.sentence.endswith(f"Go on with: echelon resume {job}")
    filler.unlink()
    disk.remount("size=60m")
    resumed = on_disk.echelon("resume")
    assert (resumed.code, resumed.err) == (0, "")
    assert f"Job {job} is completed" in resumed.out


def test_a_disk_of_any_size_that_is_full_gives_one_sentence(shell: Shell, disk: Disk) -> None:
    """Too small for the tables of DBOS, and for git: each is another place that fails."""
    for kilobytes in (300, 500):
        subprocess.run(["umount", "--lazy", str(disk.folder)], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(disk.folder)], check=True)
        ended = shell.with_(ECHELON_HOME=str(disk.folder)).echelon("run", "creator", SHORT_SAMPLE)
        assert ended.code in (1, 2), f"{kilobytes} KB: {ended}"
        assert "full" in ended.sentence or "No space left" in ended.sentence
        assert "Error:" not in ended.sentence.partition("git ")[0]


def test_a_lost_database_is_no_home_without_jobs(shell: Shell) -> None:
    """The folders of its jobs are there, so every command says what was lost and what to do."""
    home = shell.folder / ".echelon"
    (home / "jobs" / "creator-12345678" / "output").mkdir(parents=True)
    (home / "echelon.sqlite").write_bytes(b"")
    commands = [["jobs"], ["show", "last"], ["resume"], ["cost", "last"], ["run", "creator", str(SHORT_SAMPLE)]]
    *others, doctor, repaired, jobs = shell.all_of([*commands, ["doctor"], ["doctor", "--repair"], ["jobs"]])
    for command, outcome in zip(commands, others, strict=True):
        assert (outcome.code, outcome.out) == (2, ""), command
        assert "echelon.sqlite is empty, but 1 job has folders." in outcome.sentence
        assert outcome.sentence.endswith("echelon doctor --repair")
    assert doctor.code == 1 and "→ Rebuild it from the folders of the jobs with: echelon doctor --repair" in doctor.out
    assert (home / "echelon.sqlite.damaged-1").read_bytes() == b""
    assert "creator-12345678: its folder holds no record of it" in repaired.out and "Lost for good:" in repaired.out
    assert (jobs.code, jobs.err) == (0, "")


def test_a_read_only_home_is_refused(shell: Shell, disk: Disk) -> None:
    disk.remount("ro")
    outcome = shell.with_(ECHELON_HOME=str(disk.folder)).echelon("run", "creator", SHORT_SAMPLE)
    assert (outcome.code, outcome.out) == (2, "")
    assert (
        outcome.sentence
        == f"The folder {disk.folder} cannot be used: Read-only file system; set ECHELON_HOME to another."
    )


THROWING = """
import logging, threading
from echelon.faces.cli.main import to_its_end

class Thrown:
    def __del__(self):
        raise ValueError("in a finaliser")

def throw():
    raise RuntimeError("the disk is full")

def command():
    for _ in range(2):
        thread = threading.Thread(target=throw)
        thread.start()
        thread.join()
    Thrown()
    try:
        throw()
    except RuntimeError:
        logging.getLogger("a.library").exception("it failed")
    throw()

to_its_end(command)
"""


def test_what_threads_finalisers_and_loggers_throw_is_one_sentence(shell: Shell) -> None:
    run = subprocess.run(
        [sys.executable, "-c", THROWING], env=shell.environment, cwd=shell.folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "echelon: RuntimeError: the disk is full.\n"
