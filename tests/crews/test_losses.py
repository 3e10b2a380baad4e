"""What happens to a job's folder while nobody looks: the job goes on with what it had, or says what is missing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.store import files as noted
from tests.support.scripted import Seen, contents, register, service, submit_plain, willing


class Interruption(Exception):
    pass


def interrupted(jobs: Service, *, after: int = 6) -> JobResult:
    """A job that stopped in its first task, at a model call, after it wrote a part of a file."""

    def implement(seen: Seen) -> Any:
        return Interruption("somebody switched it off") if seen.number > after else willing(seen)

    stopped = jobs.run(submit_plain(jobs, {"implement": implement}))
    assert stopped.state == "failed" and "switched it off" in stopped.reason
    register(willing)
    return stopped


def ended(jobs: Service, job: str) -> JobResult:
    return jobs.run(jobs.resume(job))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The results of a job that nothing happened to."""
    with service(tmp_path_factory.mktemp("whole")) as jobs:
        done = ended(jobs, interrupted(jobs).job)
        assert done.state == "completed"
        return contents(done)


def remove_documents(folder: Path) -> None:
    shutil.rmtree(folder / "documents")


def empty_document(folder: Path) -> None:
    (folder / "documents" / "input.md.read.json").write_text("")


def change_document(folder: Path) -> None:
    path = folder / "documents" / "input.md.txt"
    path.write_text(path.read_text().replace("two", "three"))


def remove_plan(folder: Path) -> None:
    (folder / "instructions.md").unlink()


@pytest.mark.parametrize("loss", [remove_documents, empty_document, change_document, remove_plan])
def test_what_was_committed_is_put_back(tmp_path: Path, whole: dict[str, bytes], loss: Callable[[Path], None]) -> None:
    with service(tmp_path) as jobs:
        stopped = interrupted(jobs)
        before = noted.known(jobs.store.engine, stopped.job)
        assert {"documents/input.md", "documents/input.md.txt", "instructions.md"} <= set(before)
        loss(stopped.folder)
        done = ended(jobs, stopped.job)
        assert done.state == "completed" and contents(done) == whole


def empty_result(folder: Path) -> None:
    (folder / "output" / "result-1.md").write_text("")


def change_result(folder: Path) -> None:
    path = folder / "output" / "result-1.md"
    path.write_text(path.read_text().upper())


def remove_result(folder: Path) -> None:
    (folder / "output" / "result-1.md").unlink()


def remove_everything(folder: Path) -> None:
    shutil.rmtree(folder)


@pytest.mark.parametrize("loss", [empty_result, change_result, remove_result, remove_everything])
def test_what_nobody_has_any_more_ends_the_job_until_it_is_back(
    tmp_path: Path, whole: dict[str, bytes], loss: Callable[[Path], None]
) -> None:
    with service(tmp_path) as jobs:
        stopped = interrupted(jobs)
        shutil.copytree(stopped.folder, tmp_path / "backup")
        loss(stopped.folder)
        refused = ended(jobs, stopped.job)
        assert (refused.state, refused.outputs) == ("failed", ())
        assert "no longer finds what it left in" in refused.reason and "\n" not in refused.reason
        shutil.copytree(tmp_path / "backup", stopped.folder, dirs_exist_ok=True)
        done = ended(jobs, stopped.job)
        assert done.state == "completed" and contents(done) == whole


def test_a_lost_history_begins_anew(tmp_path: Path, whole: dict[str, bytes]) -> None:
    with service(tmp_path) as jobs:
        stopped = interrupted(jobs)
        shutil.rmtree(stopped.folder / ".git")
        done = ended(jobs, stopped.job)
        assert done.state == "completed" and contents(done) == whole


def test_a_result_too_large_for_the_record_is_checked_as_well(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        long = "word " * 30_000

        def implement(seen: Seen) -> Any:
            if seen.number > 12:
                return Interruption("somebody switched it off")
            return willing(seen)

        stopped = jobs.run(submit_plain(jobs, {"implement": implement}, text=long))
        large = [p for p in (stopped.folder / "trace").glob("0*.json") if p.stat().st_size > 70_000]
        for path in large:
            path.write_text(path.read_text().replace("word", "sword"))
        register(willing)
        done = ended(jobs, stopped.job)
        assert (done.state == "failed" and "was changed" in done.reason) == bool(large)


def test_a_moved_home_goes_on_where_it_is_now(tmp_path: Path, whole: dict[str, bytes]) -> None:
    with service(tmp_path) as jobs:
        stopped = interrupted(jobs)
    (tmp_path / "home").rename(tmp_path / "elsewhere")
    (tmp_path / "new").mkdir()
    (tmp_path / "elsewhere").rename(tmp_path / "new" / "home")
    with service(tmp_path / "new") as jobs:
        done = ended(jobs, stopped.job)
        assert done.state == "completed" and contents(done) == whole
        assert done.folder == tmp_path / "new" / "home" / "jobs" / stopped.job
    assert not (tmp_path / "home").exists(), "nothing is made where the home was"


def test_a_copied_home_never_writes_into_the_original(tmp_path: Path, whole: dict[str, bytes]) -> None:
    with service(tmp_path) as jobs:
        stopped = interrupted(jobs)
        with jobs.store.engine.begin() as c:  # as the version before wrote it
            c.exec_driver_sql("UPDATE echelon_jobs SET folder = ?", (str(stopped.folder),))
    shutil.copytree(tmp_path / "home", tmp_path / "copy" / "home", symlinks=True)
    original = {p: p.stat().st_mtime_ns for p in sorted((tmp_path / "home").rglob("*"))}
    with service(tmp_path / "copy") as jobs:
        done = ended(jobs, stopped.job)
        assert done.state == "completed" and contents(done) == whole
        assert done.folder.is_relative_to(tmp_path / "copy")
    assert {p: p.stat().st_mtime_ns for p in sorted((tmp_path / "home").rglob("*"))} == original
