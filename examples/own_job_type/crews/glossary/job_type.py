"""The glossary job: documents in, the terms that they define out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from echelon.crews.jobtype import JobType, Survey
from echelon.engine.run import Run
from echelon.engine.todos import PlannedCall, Work
from echelon.engine.workspace import Workspace

GLOSSARY = "output/glossary.md"
COLLECT = Work(
    id="terms", says="collect the defined terms", call=PlannedCall(tool="collect_terms"), deliverable=GLOSSARY
)


@dataclass(frozen=True)
class GlossaryJob(JobType):
    name: str = "glossary"
    outcomes: tuple[str, ...] = ("A reader finds every defined term with the words that define it.",)

    def survey(self, run: Run, workspace: Workspace, milestone: int, milestones: int) -> Survey:
        is_there = workspace.sha256(GLOSSARY) is not None
        return Survey(surveyed=True, open=() if is_there else (COLLECT,), facts=("the glossary is there",) * is_there)

    def figures(self, run: Run, workspace: Workspace) -> dict[str, Any]:
        path = workspace.root / GLOSSARY
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        return {"terms": sum(line.startswith("- ") for line in text.splitlines())}


JOB_TYPE = GlossaryJob()
