"""Jobs from Python: `run_job`, `submit_job` and `wait_job`.

    from echelon import run_job
    result = run_job("creator", inputs=["policy.pdf"])
    print(result.state, result.cost, result.outputs)

A job that ended badly raises nothing: its `JobResult` says so. Bad input and bad settings raise `UserError`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from echelon.service.experiments.run import ExperimentResult
    from echelon.service.job_result import JobResult

T = TypeVar("T")


def submit_job(
    type: str,
    *,
    inputs: Sequence[str | Path] | str | Path = (),
    request: str | None = None,
    model: str | None = None,
    overrides: dict[str, Any] | None = None,
) -> str:
    """Check the inputs and settings, make the job, and return its id; nothing runs yet.

    `overrides` are settings by dotted key, such as {"budget.cost": 1.5}. Raises UserError; then nothing is made.
    """
    from echelon.service.service import Service

    files = [inputs] if isinstance(inputs, (str, Path)) else list(inputs)
    service = Service()
    try:
        return service.submit(type, files, request, model, overrides)
    finally:
        service.close()


def wait_job(job: str) -> JobResult:
    """Run a submitted or interrupted job in this process; returns how it ended. Raises UserError (unknown, busy)."""
    from echelon.service.service import Service

    def work() -> JobResult:
        service = Service()
        return service.run(service.resume(job))

    return beside_the_event_loop(work)


def run_job(
    type: str,
    *,
    inputs: Sequence[str | Path] | str | Path = (),
    request: str | None = None,
    model: str | None = None,
    overrides: dict[str, Any] | None = None,
) -> JobResult:
    """`submit_job` and `wait_job` in one."""
    return wait_job(submit_job(type, inputs=inputs, request=request, model=model, overrides=overrides))


def run_experiment(
    file: str | Path, *, resume: bool = False, workers: int = 1, out: str | Path | None = None
) -> ExperimentResult:
    """Run the experiment that a file describes; returns what may be said of it, and every trial.

    `resume` goes on with one that was interrupted. Results are written to `out`, by default `results/<name>`. Raises
    UserError for what is wrong with the file, before anything runs.
    """
    from echelon.service.experiments.run import run_experiment_file

    folder = Path(out) if out is not None else None
    return beside_the_event_loop(lambda: run_experiment_file(Path(file), resume=resume, workers=workers, out=folder))


def beside_the_event_loop(work: Callable[[], T]) -> T:
    """The result of `work`: run here, or in a thread of its own where an event loop runs here (a notebook, a server).

    Durable steps are synchronous and refuse a thread that an event loop owns.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="echelon-job") as one:
        return one.submit(work).result()
