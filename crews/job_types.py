"""The types of job that there are: one folder each, found by what stands in it.

`crews/<name>/` holds `job_type.py` (`JOB_TYPE`), and where it needs them `playbook.py` (`PLAYBOOK`), `tools.py`
(`TOOLS`) and `settings.yaml`. A type of job is added by its folder alone. A user's own joins them once it is loaded.
"""

from __future__ import annotations

import functools
from importlib import import_module
from pathlib import Path
from typing import Any

from echelon import own
from echelon.crews.jobtype import JobType
from echelon.errors import UnknownName

FOLDER = Path(__file__).parent


def folders_with(module: str) -> list[str]:
    """Names of the folders of `crews/` that hold a module, sorted."""
    return sorted(path.parent.name for path in FOLDER.glob(f"*/{module}.py"))


def of_each(module: str, name: str) -> dict[str, Any]:
    """What is called `name` in a module of each folder that has it, by folder."""
    ours = {folder: import_module(f"echelon.crews.{folder}.{module}") for folder in folders_with(module)}
    return {folder: getattr(there, name) for folder, there in (ours | own.modules(module)).items()}


def job_types() -> dict[str, JobType]:
    """All types of job by name."""
    return _job_types(own.loaded())


@functools.cache
def _job_types(_own: tuple[str, ...]) -> dict[str, JobType]:
    return {t.name: t for t in of_each("job_type", "JOB_TYPE").values()}


def job_type(name: str) -> JobType:
    """A type of job. Raises UnknownName."""
    if name not in job_types():
        raise UnknownName("job type", name, list(job_types()))
    return job_types()[name]
