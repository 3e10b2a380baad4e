"""What a type of job adds to the hierarchy: what work is open, and what code can check without a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from echelon.domains.documents.types import ReadError
from echelon.domains.requirements import document_files
from echelon.engine.run import Run
from echelon.engine.toolbox import Call
from echelon.engine.workspace import Workspace
from echelon.files import unique_names
from echelon.tasks.contracts import Report, Task


class Work(BaseModel):
    """One piece of open work: a todo, word for word, and the file that shows that it is done."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    todo: str
    deliverable: str | None = None


class Survey(BaseModel):
    """What is open, as code sees it. `surveyed` is False where code cannot tell."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    surveyed: bool = False
    open: tuple[Work, ...] = ()
    facts: tuple[str, ...] = ()


@dataclass(frozen=True)
class JobType:
    """Base of all types of job: nothing is known but files. Methods that look at files are called inside steps."""

    name: str
    outcomes: tuple[str, ...] = ()
    """Milestones that this type of job usually has."""

    def take_in(self, run: Run, workspace: Workspace, inputs: list[str]) -> dict[str, Any]:
        """Bring the inputs in: `documents` that could be read, and `problems`, one sentence for each that could not."""
        documents, problems = [], []
        for source, name in zip(map(Path, inputs), unique_names(inputs), strict=True):
            try:
                d = document_files.bring_in(workspace, source, name, run.config.inputs.max_megabytes * 1_000_000)
            except ReadError as error:
                problems.append(f"{error}" if str(error).endswith(".") else f"{error}.")
                continue
            parts = len(document_files.parts(d, run.config.requirements.part_chars))
            documents.append({
                "file": d.file, "sha256": d.sha256, "pages": d.page_count, "language": d.language, "parts": parts,
                "warnings": list(d.warnings),
            })  # fmt: skip
        return {"documents": documents, "problems": problems}

    def survey(self, run: Run, workspace: Workspace, milestone: int, milestones: int) -> Survey:
        """What is open for a milestone (counted from 0)."""
        return Survey()

    def call_for(self, todo: str) -> Call | None:
        """The tool call that does a todo, None where code does not know it."""
        return None

    def check_task(self, run: Run, workspace: Workspace, task: Task, report: Report) -> list[str]:
        """What is wrong with a task that was reported done, one sentence each."""
        return [
            f"'{path}' was promised and is not there" for path in task.deliverables if workspace.sha256(path) is None
        ]

    def check_delivery(self, run: Run, workspace: Workspace) -> list[str]:
        """What is wrong with the results as a whole, one sentence each."""
        return []

    def deliverables(self, workspace: Workspace) -> list[str]:
        """Paths of the results."""
        return workspace.files("output")

    def finish(self, run: Run, workspace: Workspace) -> None:
        """Bring the results up to date with what was found so far; also when a job ends early."""

    def hand_over(self, run: Run, workspace: Workspace) -> None:
        """Offer the results to other jobs, once they are delivered. Runs again without harm."""

    def figures(self, run: Run, workspace: Workspace) -> dict[str, Any]:
        """Figures for the summary at the end, by name."""
        return {"files": len(self.deliverables(workspace))}
