"""The plain job: any work on files, with the roles alone."""

from __future__ import annotations

from echelon.crews.jobtype import JobType

JOB_TYPE = JobType(name="plain")
