"""The coder job: what is open, and what code can check of a change."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echelon.crews.coder import citing, looking, results, shown, tree
from echelon.crews.coder.proving import milestones_met, proof
from echelon.crews.coder.proving.asked import repairs_asked_for
from echelon.crews.coder.searching import known_search, unsettled
from echelon.crews.jobtype import InputDocument, Intake, JobType, Material, Survey, Understood
from echelon.domains.code.evidence.runs import runs_of
from echelon.domains.code.review.review import review
from echelon.domains.code.running.fence import choose_fence
from echelon.engine.run import Run
from echelon.engine.todos import PlannedCall, Work
from echelon.engine.workspace import Workspace
from echelon.errors import UserError
from echelon.files import write_atomically
from echelon.tasks.checks import is_result
from echelon.tasks.contracts import Finding, Report, Task
from echelon.tasks.results import request_of

PROOF = "a change is proven by a test that fails without it and passes with it, and no test that passed may fail"
NO_TESTS = (
    "The repository has no tests, so nothing shows yet whether '{request}' is done. New tests that fail without the change "
    "and pass with it would be the proof. Shall the job go on like that (yes), or is there a command that tests it "
    "(--set code.tests=...)?"
)
SEARCH = "search_repair"
SEARCHING = Work(
    id="repair", says="search by trial for a small change that makes the failing tests pass",
    call=PlannedCall(tool=SEARCH), deliverable=results.SUMMARY,
)  # fmt: skip
CHANGE = Work(
    id="change",
    says="make the change that the request asks for, with a test that fails without it",
    deliverable=results.PATCH,
)


@dataclass(frozen=True)
class CoderJob(JobType):
    name: str = "coder"
    takes_folders: bool = True
    leaves_out: tuple[str, ...] = (
        "write_file", "append_file", "edit_file", "delete_file", "file_exists", "list_files", "search_files",
    )  # fmt: skip
    outcomes: tuple[str, ...] = (
        "The repository does what the request asks for: a test that failed before passes, and all others still do.",
    )

    can_run = True

    def take_in(self, run: Run, workspace: Workspace, inputs: list[str]) -> Intake:
        """Copy the repository into the workspace, run its tests and rank the places; refused without a fence."""
        try:
            choose_fence(run.config.code.fence)
            if len(inputs) != 1 or not Path(inputs[0]).is_dir():
                raise UserError("The coder job works on one folder; name a git repository or a folder with code.")
            taken = tree.take_in(workspace, Path(inputs[0]), run.config.inputs.max_megabytes)
        except UserError as error:
            return Intake(problems=(f"{error}" if str(error).endswith(".") else f"{error}.",))
        looking.look(run, workspace)
        name = Path(inputs[0]).name
        text = looking.overview(run, workspace, name)
        write_atomically(workspace.root / "documents" / f"{name}.txt", text)
        document = InputDocument(
            file=name,
            sha256=taken.base.tree,
            pages=None,
            language="en",
            parts=len(taken.base.files),
            characters=len(text),
            begins=looking.kind(workspace),
            warnings=(*taken.warnings, *_of_tests(proof.run_before(run, workspace))),
        )
        return Intake(documents=(document,))

    def understand(self, run: Run, workspace: Workspace, request: str, answers: tuple[str, ...]) -> Understood:
        """The tests as they are, the places, and what a change has to prove."""
        asked = repairs_asked_for(request, proof.run_before(run, workspace).report.failed)
        proofs = [PROOF, *([f"these failing tests have to pass: {', '.join(asked[:5])}"] if asked else [])]
        asks = not proof.run_before(run, workspace).ran and not answers and not run.config.isolated
        questions = (NO_TESTS.format(request=request[:80]),) if asks else ()
        return Understood(facts=(*shown.facts(run, workspace)[:-1], *proofs), questions=questions, looked=True)

    def has_run(self, workspace: Workspace, command: str) -> bool | None:
        try:
            words = shlex.split(command)
        except ValueError:
            return False
        return runs_of(workspace.root).succeeded(words, tree.root_of(workspace))

    def look_up(self, workspace: Workspace, answer: str, places: Sequence[str]) -> tuple[list[str], list[str]]:
        return citing.looked_up(tree.root_of(workspace), answer, places)

    def survey(self, run: Run, workspace: Workspace, milestone: int, milestones: int) -> Survey:
        """First a change (or a search for one, where tests fail); what is wrong with a change is open again."""
        looking.look(run, workspace)
        facts = shown.facts(run, workspace)
        changed = tree.changed_paths(workspace, tree.base_of(workspace))
        if not changed:
            return Survey(surveyed=True, open=_first(run, workspace), facts=facts)
        if wrong := self.wrong(run, workspace):
            return Survey(surveyed=True, open=tuple(_mend(n, f) for n, f in enumerate(wrong[:5], 1)), facts=facts)
        if why := milestones_met.nothing_new(run, workspace, milestone):
            work = CHANGE.model_copy(update={"says": f"{CHANGE.says}: {why}"})
            return Survey(surveyed=True, open=(work,), facts=facts)
        if not results.is_current(workspace):
            results.write(run, workspace)
        return Survey(surveyed=True, facts=facts)

    def brief(self, run: Run, workspace: Workspace, works: Sequence[str]) -> Material:
        only = (SEARCH,) if run.config.is_guided and shown.only_searches(works) else ()
        return Material(text=shown.brief(run, workspace, works), tools=only)

    def blind(self, run: Run, workspace: Workspace, works: Sequence[str], seed: str) -> Material:
        """QA is shown the change itself; the patch holds all of it, so that it need not open each file. A guided one that
        finds fault finds it with the change: with what stands around it a small one never ends."""
        changed = tree.changed_paths(workspace, tree.base_of(workspace))
        covers = (*(f"{tree.FOLDER}/{path}" for path in changed), *changed, results.SUMMARY, results.REPORT)
        given = Material(shown=shown.change(run, workspace), covers=covers)
        if not run.config.is_guided:
            return given
        return given.model_copy(update={"tools": ("submit_verdict",), "changed": self.changed_lines(run, workspace)})

    def changed_lines(self, run: Run, workspace: Workspace) -> dict[str, str]:
        if not run.config.is_guided:
            return {}
        return {f"{tree.FOLDER}/{path}": text for path, text in tree.changed_lines(workspace).items()}

    def check_task(self, run: Run, workspace: Workspace, task: Task, report: Report) -> list[Finding]:
        """A task that changed something is proven by tests and reviewed; one that should have and did not is not done."""
        base = tree.base_of(workspace)
        changed = tree.changed_paths(workspace, base)
        if changed or known_search(workspace) is not None:
            results.write(run, workspace)
        else:
            results.clear(workspace)
        kept = [
            p for p in task.deliverables if is_result(p) and p not in results.FILES and not _in_repository(workspace, p)
        ]
        others = task.model_copy(update={"deliverables": tuple(kept)})
        out = super().check_task(run, workspace, others, report) if kept or task.checks else []
        promised = results.PATCH in task.deliverables or any(todo.work == CHANGE.id for todo in task.todos)
        if promised and not changed:
            out.append(Finding(says="Nothing in the repository was changed.", code="nothing-changed"))
        return out + (self.wrong(run, workspace) if changed else [])

    def wrong(self, run: Run, workspace: Workspace) -> list[Finding]:
        """What is wrong with the change: what tests say, then what a review in code finds."""
        out = [Finding(says=fault[:400], code="unproven") for fault in proof.faults(run, workspace)]
        if doubt := unsettled(workspace):
            out.append(Finding(says=doubt, code="disputed"))
        before, after = tree.contents(workspace)
        ran, data = proof.known_of_tests(run, workspace)
        for each in review(before, after, request=request_of(workspace), ran=ran, data=data):
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
        before = proof.run_before(run, workspace)
        changed = tree.changed_paths(workspace, tree.base_of(workspace))
        after = proof.run_after(run, workspace) if changed else None
        return {
            "files_changed": len(changed),
            "tests_before": before.report.sentence(),
            "tests_after": after.report.sentence() if after else "nothing was changed",
            "proven_by": list(proof.proven_by(before, after)[:5]) if after else [],
        }


def _first(run: Run, workspace: Workspace) -> tuple[Work, ...]:
    """What is open before anything was changed. A small model searches first, and changes what a search cannot find; what
    was found and taken back is written again by the same call, at once."""
    if not proof.run_before(run, workspace).report.failed:
        return (CHANGE,)
    known = known_search(workspace)
    if known is not None and (known.disputed or not known.path):
        return (CHANGE.model_copy(update={"says": f"{CHANGE.says}. {known.says}"[:400]}),)
    return (SEARCHING,) if run.config.is_guided else (CHANGE, SEARCHING)


def _in_repository(workspace: Workspace, path: str) -> bool:
    """Whether a deliverable is a file of the repository, as it is or as it was."""
    plain = path.strip().removeprefix("./").removeprefix(f"{tree.FOLDER}/")
    return plain in tree.base_of(workspace).files or (tree.root_of(workspace) / plain).is_file()


def _of_tests(before: proof.SuiteRun) -> tuple[str, ...]:
    """What the user should know of the tests before anything is done."""
    if not before.ran:
        return ("the repository has no tests; new ones have to prove the change",)
    trouble = [f"the tests could not be run to their end: {before.report.trouble}"] if before.report.trouble else []
    failed = before.report.failed
    known = [f"{len(failed)} tests fail before any change; known failures are not counted"] if failed else []
    return (*trouble, *known)


def _mend(number: int, finding: Finding) -> Work:
    return Work(id=f"mend{number}", says=f"mend: {finding.says}"[:300], deliverable=results.PATCH)


JOB_TYPE = CoderJob()
