"""What a command may take."""

from __future__ import annotations

import resource
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field

MEGABYTE = 1 << 20


class Bounds(BaseModel):
    """Ceilings of one command. What goes beyond ends it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seconds: float = Field(default=120.0, gt=0, description="wall clock")
    cpu_seconds: int = Field(default=120, ge=1, description="processor time of one process")
    memory_mb: int = Field(
        default=2048, ge=64, description="memory of one process, and resident memory of all together"
    )
    file_mb: int = Field(default=256, ge=1, description="size of one file that is written")
    disk_mb: int = Field(default=1024, ge=1, description="growth of the disk that the clone lies on")
    processes: int = Field(default=128, ge=1, description="processes and threads at one time")
    output_kb: int = Field(default=256, ge=1, description="output that is kept: its beginning and its end")


def apply_limits(bounds: Bounds) -> Callable[[], None]:
    """A function for a child process before it executes: the kernel's own limits."""
    memory, size = bounds.memory_mb * MEGABYTE, bounds.file_mb * MEGABYTE

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (bounds.cpu_seconds, bounds.cpu_seconds + 1))
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))  # address space that is only reserved is free
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))

    return limit
