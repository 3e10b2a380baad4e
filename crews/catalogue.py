"""The types of job that there are, and the playbooks that do them without a language model."""

from __future__ import annotations

import functools

from crews.jobtype import JobType
from echelon.engine.errors import UnknownName
from echelon.engine.models import register_model


@functools.cache
def job_types() -> dict[str, JobType]:
    """All types of job by name."""
    from crews.creator import CreatorJob
    from crews.validator import ValidatorJob

    types: list[JobType] = [CreatorJob(), ValidatorJob(), JobType(name="plain")]
    return {t.name: t for t in types}


def job_type(name: str) -> JobType:
    """A type of job. Raises UnknownName."""
    if name not in job_types():
        raise UnknownName("job type", name, list(job_types()))
    return job_types()[name]


@functools.cache
def playbooks_are_registered() -> None:
    """Make `playbook/<name>` a model name."""
    from tasks.playbooks import open_playbook

    register_model("playbook", open_playbook)
