"""The plain job: any work on files, with the roles alone."""

from __future__ import annotations

from dataclasses import dataclass

from echelon.crews.jobtype import Intake, JobType
from echelon.domains.requirements import document_files
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace

SHORT = 3_000
"""Characters of all inputs together that guided roles are shown whole: opening a file costs a small model a call, and
what it has opened it forgets."""


@dataclass(frozen=True)
class PlainJob(JobType):
    name: str = "plain"

    def take_in(self, run: Run, workspace: Workspace, inputs: list[str]) -> Intake:
        taken = super().take_in(run, workspace, inputs)
        if not run.config.is_guided or sum(d.characters for d in taken.documents) > SHORT:
            return taken
        texts = dict(zip(document_files.names(workspace), self.texts_of_inputs(workspace), strict=True))
        whole = (d.model_copy(update={"text": texts[d.file]}) for d in taken.documents)
        return taken.model_copy(update={"documents": tuple(whole)})


JOB_TYPE = PlainJob()
