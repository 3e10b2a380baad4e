"""Runs of commands as evidence: verified while the tree is the same, stale as soon as a file has changed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from echelon.domains.code.evidence.tree_hash import tree_hash
from echelon.domains.code.running.command import CommandResult
from echelon.domains.code.running.report import TestReport


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
            id=f"run-{len(self.runs) + 1}",
            command=done.command,
            exit_status=done.exit_status,
            tree=before or tree_hash(root),
            output_hash=done.output_hash,
            stopped=done.stopped,
            report=report,
        )
        self.runs.append(record)
        return record

    def standing(self, run: str, root: Path) -> Standing:
        """Whether the run that is cited took place, on the files as they are now."""
        record = self.find(run)
        if record is None:
            return Standing.UNKNOWN
        return Standing.VERIFIED if record.tree == tree_hash(root) else Standing.STALE

    def find(self, run: str) -> RunRecord | None:
        """The run of that id."""
        return next((record for record in self.runs if record.id == run), None)
