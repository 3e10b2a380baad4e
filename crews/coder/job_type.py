"""The coder job: what is open, and what code can check of a change."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echelon.crews.coder import proof, results, tree
from echelon.crews.coder.searching import SEARCH, known_search
from echelon.crews.coder.tools import PLACES
from echelon.crews.jobtype import InputDocument, Intake, JobType, Survey
from echelon.domains.code.review.review import review
from echelon.domains.code.running.fence import choose_fence
from echelon.domains.code.running.report import compare
from echelon.engine.run import Run
from echelon.engine.todos import PlannedCall, Work
from echelon.engine.workspace import Workspace
from echelon.errors import UserError
from echelon.files import write_atomically
from echelon.tasks.contracts import Finding, Report, Task

LOOK = (
    Work(id="tests", says="run the tests as they are", call=PlannedCall(tool="run_tests"), deliverable=proof.BEFORE),
    Work(
        id="places",
        says="find the places that the request is about",
        call=PlannedCall(tool="record_places"),
        deliverable=PLACES,
    ),
)
SEARCHING = Work(
    id="repair", says="search for a small change that makes the failing tests pass", call=PlannedCall(tool="search_repair"),
    deliverable=SEARCH,
)  # fmt: skip
CHANGE = Work(id="change", says="make the change that the request asks for, with a test that fails without it")
WRITE = Work(
    id="results",
    says="write the patch and the summary",
    call=PlannedCall(tool="write_results"),
    deliverable=results.PATCH,
)


@dataclass(frozen=True)
class CoderJob(JobType):
    name: str = "coder"
    takes_folders: bool = True
    outcomes: tuple[str, ...] = (
        "The repository does what the request asks for: a test that failed before passes, and all others still do.",
    )

    def take_in(self, run: Run, workspace: Workspace, inputs: list[str]) -> Intake:
        """Copy the repository into the workspace; refused where commands cannot be fenced in."""
        try:
            choose_fence(run.config.code.fence)
            if len(inputs) != 1 or not Path(inputs[0]).is_dir():
                raise UserError("The coder job works on one folder; name a git repository or a folder with code.")
            taken = tree.take_in(workspace, Path(inputs[0]), run.config.inputs.max_megabytes)
        except UserError as error:
            return Intake(problems=(f"{error}" if str(error).endswith(".") else f"{error}.",))
        name = Path(inputs[0]).name
        listing = "\n".join(f"{tree.FOLDER}/{path}" for path in taken.base.files)
        write_atomically(workspace.root / "documents" / f"{name}.txt", f"Files of the repository:\n{listing}\n")
        document = InputDocument(
            file=name,
            sha256=taken.base.tree,
            pages=None,
            language="en",
            parts=len(taken.base.files),
            warnings=taken.warnings,
        )
        return Intake(documents=(document,))

    def survey(self, run: Run, workspace: Workspace, milestone: int, milestones: int) -> Survey:
        """First look, then change (by search where tests fail), then write; what is wrong with a change is open again."""
        missing = tuple(w for w in LOOK if workspace.sha256(w.deliverable or "") is None)
        if missing:
            return Survey(surveyed=True, open=missing, facts=("the repository was taken in",))
        base, before = tree.base_of(workspace), proof.run_before(run, workspace)
        facts: tuple[str, ...] = (f"tests before the change: {before.report.sentence()}",)
        if not tree.changed_paths(workspace, base):
            can_search = bool(before.report.failed) and known_search(workspace) is None
            return Survey(surveyed=True, open=(SEARCHING if can_search else CHANGE,), facts=facts)
        facts = (*facts, f"tests after the change: {proof.run_after(run, workspace).report.sentence()}")
        wrong = self.wrong(run, workspace)
        if wrong:
            return Survey(surveyed=True, open=tuple(_mend(n, f) for n, f in enumerate(wrong[:5], 1)), facts=facts)
        return Survey(surveyed=True, open=() if results.is_current(workspace) else (WRITE,), facts=facts)

    def check_task(self, run: Run, workspace: Workspace, task: Task, report: Report) -> list[Finding]:
        """A task that changed something is proven by tests and reviewed; one that should have and did not is not done."""
        out = super().check_task(run, workspace, task, report)
        changed = tree.changed_paths(workspace, tree.base_of(workspace))
        if any(todo.work == CHANGE.id for todo in task.todos) and not changed:
            out.append(Finding(says="Nothing in the repository was changed.", code="nothing-changed"))
        return out + (self.wrong(run, workspace) if changed else [])

    def wrong(self, run: Run, workspace: Workspace) -> list[Finding]:
        """What is wrong with the change: what tests say, then what a review in code finds."""
        out = [Finding(says=fault[:400], code="unproven") for fault in proof.faults(run, workspace)]
        before, after = tree.contents(workspace)
        request = (workspace.root / "instructions.md").read_text(encoding="utf-8")
        for each in review(before, after, request=request):
            out.append(Finding(says=each.sentence()[:400], about=each.path[:400], code=each.rule))
        return out

    def check_delivery(self, run: Run, workspace: Workspace) -> list[str]:
        return [f.says for f in self.wrong(run, workspace)]

    def finish(self, run: Run, workspace: Workspace) -> None:
        if (workspace.root / tree.BASE).is_file():
            results.write(run, workspace)

    def figures(self, run: Run, workspace: Workspace) -> dict[str, Any]:
        if not (workspace.root / proof.BEFORE).is_file():
            return {}
        before = proof.run_before(run, workspace).report
        changed = tree.changed_paths(workspace, tree.base_of(workspace))
        after = proof.run_after(run, workspace) if changed else None
        found = compare(before, after.report) if after else None
        return {
            "files_changed": len(changed),
            "tests_before": before.sentence(),
            "tests_after": after.report.sentence() if after else "nothing was changed",
            "proven_by": [*(found.repaired if found else ()), *(after.fails_without if after else ())][:5],
        }


def _mend(number: int, finding: Finding) -> Work:
    return Work(id=f"mend{number}", says=f"mend: {finding.says}"[:300])


JOB_TYPE = CoderJob()
