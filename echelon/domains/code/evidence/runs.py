"""Runs of commands as evidence: verified while the tree is the same, stale as soon as a file has changed."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from echelon.domains.code.evidence.tree_hash import tree_hash
from echelon.domains.code.running.command import CommandResult
from echelon.domains.code.running.report import TestReport
from echelon.files import write_atomically

RUNS, TREE = "code/runs.json", "repository"
"""Where a job keeps its runs, and the files that they ran on."""
KEPT = 200
"""Runs that are kept: the latest."""


class Standing(StrEnum):
    VERIFIED = "verified"
    STALE = "stale"
    UNKNOWN = "unknown"


class RunRecord(BaseModel):
    """One run that somebody may cite. `tree` is the hash of the files it ran on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(description="run-1, run-2, ...")
    command: tuple[str, ...]
    exit_status: int
    tree: str
    output_hash: str
    stopped: str = ""
    report: TestReport | None = Field(default=None, description="what the tests said, when it was a test run")

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with status 0, and no test failed."""
        return self.exit_status == 0 and not self.stopped and (self.report is None or self.report.ok)


class RunLog(BaseModel):
    """The runs of a job, in order."""

    model_config = ConfigDict(extra="forbid")

    version: int = 1
    runs: list[RunRecord] = Field(default_factory=list)

    def add(self, root: Path, done: CommandResult, report: TestReport | None = None, *, before: str = "") -> RunRecord:
        """Record a run on the tree `root`; `before` is the tree's hash from before it, when that is known.

        A run that changed the files it ran on proves nothing about them: its tree is then the one before.
        """
        record = RunRecord(
            id=f"run-{self._next()}",
            command=done.command,
            exit_status=done.exit_status,
            tree=before or tree_hash(root),
            output_hash=done.output_hash,
            stopped=done.stopped,
            report=report,
        )
        self.runs = [*self.runs, record][-KEPT:]
        return record

    def _next(self) -> int:
        return int(self.runs[-1].id.rpartition("-")[2]) + 1 if self.runs else 1

    def standing(self, run: str, root: Path) -> Standing:
        """Whether the run that is cited took place, on the files as they are now."""
        record = self.find(run)
        if record is None:
            return Standing.UNKNOWN
        return Standing.VERIFIED if record.tree == tree_hash(root) else Standing.STALE

    def find(self, run: str) -> RunRecord | None:
        """The run of that id."""
        return next((record for record in self.runs if record.id == run), None)

    def succeeded(self, command: Sequence[str], root: Path) -> bool:
        """Whether a command ran with success on the files as they are now."""
        now = tree_hash(root)
        return any(r.ok and r.command == tuple(command) and r.tree == now for r in self.runs)


def runs_of(job: Path) -> RunLog:
    """The runs of a job by its folder; none before the first."""
    file = job / RUNS
    return RunLog.model_validate_json(file.read_bytes()) if file.is_file() else RunLog()


def keep_run(job: Path, done: CommandResult, report: TestReport | None = None) -> RunRecord:
    """Record a run on the files of a job as they are now. The same command on the same files is the same run."""
    log = runs_of(job)
    tree = tree_hash(job / TREE)
    known = next((r for r in reversed(log.runs) if r.command == done.command and r.tree == tree), None)
    record = log.add(job / TREE, done, report, before=tree)
    if known is not None:  # a call that was cut off and made again
        record = record.model_copy(update={"id": known.id})
        log.runs = [record if r is known else r for r in log.runs[:-1]]
    write_atomically(job / RUNS, log.model_dump_json(indent=1))
    return record
