"""Jobs from Python: `run_job`, `submit_job` and `wait_job`.

    from crews import run_job
    result = run_job("creator", inputs=["policy.pdf"])
    print(result.state, result.cost, result.outputs)

A job that ended badly raises nothing: its `JobResult` says so. Bad input and bad settings raise `UserError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crews.service import JobResult

__all__ = ["run_job", "submit_job", "wait_job"]


def submit_job(
    type: str,
    *,
    inputs: Sequence[str | Path],
    request: str | None = None,
    model: str | None = None,
    overrides: dict[str, Any] | None = None,
) -> str:
    """Check the inputs and settings, make the job, and return its id; nothing runs yet.

    `overrides` are settings by dotted key, such as {"budget.cost": 1.5}. Raises UserError; then nothing is made.
    """
    from crews.service import Service

    service = Service()
    try:
        return service.submit(type, list(inputs), request, model, overrides)
    finally:
        service.close()


def wait_job(job: str) -> JobResult:
    """Run a submitted or interrupted job in this process; returns how it ended. Raises UserError (unknown, busy)."""
    from crews.service import Service

    service = Service()
    return service.run(service.resume(job))


def run_job(
    type: str,
    *,
    inputs: Sequence[str | Path],
    request: str | None = None,
    model: str | None = None,
    overrides: dict[str, Any] | None = None,
) -> JobResult:
    """`submit_job` and `wait_job` in one."""
    return wait_job(submit_job(type, inputs=inputs, request=request, model=model, overrides=overrides))
