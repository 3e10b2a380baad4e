"""Long jobs with a three-tier hierarchy of roles. From Python:

    from echelon import run_job
    result = run_job("creator", inputs=["policy.pdf"])
    print(result.state, result.cost, result.outputs)

The names below are imported when they are first used, so that importing this package costs nothing.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from echelon.errors import UserError
    from echelon.service.api import run_experiment, run_job, submit_job, wait_job
    from echelon.service.experiments.run import ExperimentResult
    from echelon.service.job_result import JobResult

__version__ = "0.2.0"

# Confidential documents are read here: nothing is reported to anybody unless the user turns it on. Here, since crewai asks
# when it is imported, and nothing of ours is imported before this.
for _name, _value in (
    ("CREWAI_DISABLE_TELEMETRY", "true"),
    ("CREWAI_TRACING_ENABLED", "false"),
    ("CREWAI_DISABLE_VERSION_CHECK", "true"),
):
    os.environ.setdefault(_name, _value)

_MODULE_OF = {
    "run_experiment": "echelon.service.api",
    "run_job": "echelon.service.api",
    "submit_job": "echelon.service.api",
    "wait_job": "echelon.service.api",
    "ExperimentResult": "echelon.service.experiments.run",
    "JobResult": "echelon.service.service",
    "UserError": "echelon.errors",
}

__all__ = [
    "ExperimentResult",
    "JobResult",
    "UserError",
    "__version__",
    "run_experiment",
    "run_job",
    "submit_job",
    "wait_job",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)
