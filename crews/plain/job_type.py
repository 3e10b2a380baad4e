"""The plain job: any work on files, with the roles alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from echelon.crews.jobtype import Intake, JobType, Material, Survey
from echelon.crews.plain.beside import beside
from echelon.crews.plain.figures import all_said, unsaid
from echelon.crews.plain.points import out_of_place, points
from echelon.domains.requirements import document_files
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.tasks.contracts import Finding, Report, Task
from echelon.tasks.deliverables import named_in
from echelon.tasks.results import not_as_asked, request_of, text_of
from echelon.tasks.texts.wanted import ROWS, comparison_asked, table_asked

SHORT = 3_000
"""Characters of all inputs together that guided roles are shown whole: opening a file costs a small model a call, and
what it has opened it forgets."""
UNSAID = (
    "No result has the figures of these lines of the inputs. Where the request asks for one of them, the task does not "
    "hold; name it in a finding:"
)

SAID = "Every number, price and time of the inputs stands in the results; code has looked."


@dataclass(frozen=True)
class PlainJob(JobType):
    name: str = "plain"

    def take_in(self, run: Run, workspace: Workspace, inputs: list[str]) -> Intake:
        taken = super().take_in(run, workspace, inputs)
        if not run.config.is_guided or sum(d.characters for d in taken.documents) > SHORT:
            return taken
        texts = self._inputs(workspace)
        whole = (d.model_copy(update={"text": texts[d.file]}) for d in taken.documents)
        return taken.model_copy(update={"documents": tuple(whole)})

    def survey(self, run: Run, workspace: Workspace, milestone: int, milestones: int) -> Survey:
        inputs, results = self._to_hold(run, workspace)
        left = unsaid(inputs, results.values())
        return Survey(facts=tuple(f"no result has the figures of this line of the inputs: {line}" for line in left))

    def shown(self, texts: Mapping[str, str], request: str) -> str:
        """Where a request is to compare, the lines beside each other and not once more one text after the other: a small
        model copied what it was shown first."""
        lines, form = beside(texts), f"The result is a table; {ROWS}." if table_asked(request) else ""
        is_enough = lines and comparison_asked(request) is not None
        return "\n".join(filter(None, ["" if is_enough else super().shown(texts, request), lines, form]))

    def check_task(self, run: Run, workspace: Workspace, task: Task, report: Report) -> list[Finding]:
        """The answer to short inputs is one task of a guided job, so that what a request says in plain words is held here:
        a small QA passes a list for a table, and the job would hear of it four calls later. Who wrote a copy is told, too,
        that there is no table."""
        found, request = super().check_task(run, workspace, task, report), request_of(workspace)
        inputs, results = self._to_hold(run, workspace)
        if not inputs or any(workspace.sha256(path) is None for path in named_in([request])):
            return found
        asked = not_as_asked(workspace, list(results), request)
        for says in out_of_place(inputs, results, request):
            if not any(says.rpartition(": ")[2] in f.says for f in asked):  # one sentence for a line
                asked = [*asked, Finding(says=says[:400], code="asked")]
        return [*found, *asked]

    def blind(self, run: Run, workspace: Workspace, works: Sequence[str], seed: str) -> Material:
        """Who judges short inputs is told what of them no result has: a small model passes what reads well."""
        inputs, results = self._to_hold(run, workspace)
        left = unsaid(inputs, results.values())
        said = SAID if all_said(inputs, results.values()) else ""
        shown = "\n".join([UNSAID, *(f"- {line}" for line in left)]) if left else said
        return Material(
            shown=shown, sources=tuple(inputs.values()), points=points(inputs, results.values(), request_of(workspace))
        )

    def shown_whole(self, run: Run, workspace: Workspace) -> tuple[str, ...]:
        return tuple(self._to_hold(run, workspace)[0].values())

    def _inputs(self, workspace: Workspace) -> dict[str, str]:
        return dict(zip(document_files.names(workspace), self.texts_of_inputs(workspace), strict=True))

    def _to_hold(self, run: Run, workspace: Workspace) -> tuple[dict[str, str], dict[str, str]]:
        """Inputs that guided roles are shown whole, by name, and the results to hold against them, by path; no inputs before
        there is a result."""
        results = {path: text_of(workspace, path) for path in self.deliverables(workspace)}
        inputs = self._inputs(workspace) if run.config.is_guided and any(results.values()) else {}
        return (inputs, results) if sum(map(len, inputs.values())) <= SHORT else ({}, results)


JOB_TYPE = PlainJob()
