"""The validator job: what a creator handed over goes into the graph, checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echelon.crews.jobtype import InputDocument, Intake, JobType, Survey
from echelon.crews.validator import handed_over, narrowing, results
from echelon.crews.validator.graph_of_job import graph
from echelon.domains.requirements import document_files
from echelon.engine.run import Run
from echelon.engine.todos import PlannedCall, Work
from echelon.engine.workspace import Workspace
from echelon.errors import UserError
from echelon.tasks.results import request_of

CHECK = Work(id="metamodel", says="check the graph against its metamodel", call=PlannedCall(tool="check_graph"))
REPORT = Work(
    id="report", says="write the validation report", call=PlannedCall(tool="write_validation"),
    deliverable=results.FILES["json"],
)  # fmt: skip
RESULTS = (CHECK, REPORT)


def integration(number: int, document: str, batch: int) -> Work:
    """The integration of a batch of the `number`-th document."""
    return Work(
        id=f"d{number}b{batch}",
        says=f'integrate batch {batch} of "{document}"',
        call=PlannedCall(tool="integrate_batch", arguments={"document": document, "batch": batch}),
        deliverable=handed_over.report_path(document, batch),
    )


@dataclass(frozen=True)
class ValidatorJob(JobType):
    name: str = "validator"
    outcomes: tuple[str, ...] = (
        "A user finds every requirement that was handed over in the graph, or the reason why it is not there.",
        "A user can trust the graph: it fits its metamodel, and a report names duplicates, conflicts and refusals.",
    )

    writes: tuple[str, ...] = tuple(results.FILES.values())

    def take_in(self, run: Run, workspace: Workspace, inputs: list[str]) -> Intake:
        """Documents with their requirements: from the files that are named, else from what creators handed over."""
        if inputs:
            try:
                given = [pair for path in inputs for pair in handed_over.from_file(Path(path))]
            except UserError as error:
                return Intake(problems=(str(error),))
        else:
            rows = [] if run.config.isolated else run.store.take_over(run.job)
            given = [(row.content, row.requirements) for row in rows]
        names = [handed_over.put(workspace, content, requirements) for content, requirements in given]
        try:
            warnings = narrowing.narrow(workspace, names, request_of(workspace))
        except UserError as error:
            return Intake(problems=(str(error),))
        documents: list[InputDocument] = []
        for name in names:
            document = document_files.document(workspace, name)
            parts = -(-len(handed_over.requirements(workspace, name)) // run.config.graph.batch)
            documents.append(InputDocument(
                file=name, sha256=document.sha256, pages=document.page_count, language=document.language, parts=parts,
                warnings=warnings.get(name, ()),
            ))  # fmt: skip
        nothing = "Nothing was handed over that nobody has taken; run a creator first, or name its requirements.json."
        return Intake(documents=tuple(documents), problems=() if documents else (nothing,))

    def survey(self, run: Run, workspace: Workspace, milestone: int, milestones: int) -> Survey:
        batches = handed_over.batches(run, workspace)
        numbers = {name: n for n, name in enumerate(document_files.names(workspace), 1)}
        todo = [
            integration(numbers[name], name, n)
            for name, n in batches
            if workspace.sha256(handed_over.report_path(name, n)) is None
        ]
        is_last = milestone == milestones - 1
        closing = RESULTS if is_last and (todo or workspace.sha256(results.FILES["json"]) is None) else ()
        work = (*todo, *closing)
        facts = [f"{len(batches) - len(todo)} of {len(batches)} batches are integrated"]
        return Survey(surveyed=True, open=work, facts=tuple(facts))

    def check_delivery(self, run: Run, workspace: Workspace) -> list[str]:
        open_work = self.survey(run, workspace, 0, 2).open
        with graph(run) as store:
            unlike = results.unlike_given(run, workspace, store)
        return [f"not done: {w.says}" for w in open_work[:5]] + unlike[:5]

    def finish(self, run: Run, workspace: Workspace) -> None:
        with graph(run) as store:
            results.write(run, workspace, store)

    def figures(self, run: Run, workspace: Workspace) -> dict[str, Any]:
        return results.totals(run, workspace)


JOB_TYPE = ValidatorJob()
