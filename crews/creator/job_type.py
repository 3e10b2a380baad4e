"""The creator job: documents in, cited requirements out."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from echelon.crews.creator import remit, results
from echelon.crews.creator.tools import mark_repetitions, repetitions_are_marked
from echelon.crews.jobtype import JobType, Survey, Understood
from echelon.digest import digest
from echelon.domains.requirements import Fault, Problem, check_requirements, document_files
from echelon.domains.requirements.selection.describe import described
from echelon.domains.requirements.types import Status
from echelon.engine.run import Run
from echelon.engine.todos import PlannedCall, Work
from echelon.engine.workspace import Workspace
from echelon.tasks.contracts import Finding, Report, Task

REPEATS = Work(
    id="repetitions", says="mark requirements that repeat an earlier one", call=PlannedCall(tool="mark_duplicates")
)
CHECK = Work(id="quotes", says="check every quote against its page", call=PlannedCall(tool="check_citations"))


def _writing(kind: str, says: str) -> Work:
    call = PlannedCall(tool="write_requirements", arguments={"kind": kind})
    return Work(id=kind, says=says, call=call, deliverable=results.FILES[kind])


FILES = (
    _writing("json", "write the requirements as json"),
    _writing("markdown", "write the requirements as markdown"),
    _writing("summary", "write the summary"),
)
_ID = re.compile(r"\bR-\d+\b")
RESULTS = (REPEATS, CHECK, *FILES)
"""The work after the extraction."""


def extraction(number: int, document: str, part: int) -> Work:
    """The extraction of a part of the `number`-th document."""
    return Work(
        id=f"d{number}p{part}",
        says=f'extract requirements from part {part} of "{document}"',
        call=PlannedCall(tool="extract_requirements", arguments={"document": document, "part": part}),
        deliverable=document_files.part_path(document, part),
    )


@dataclass(frozen=True)
class CreatorJob(JobType):
    name: str = "creator"
    outcomes: tuple[str, ...] = (
        "A reader finds every requirement of the documents with its page and its exact words.",
        "A reader can use the catalogue: repetitions are marked, and it is there as JSON, Markdown and a summary.",
    )

    def understand(self, run: Run, workspace: Workspace, request: str, answers: tuple[str, ...]) -> Understood:
        return remit.understand(workspace, request, answers, run.config.language)

    def scope_problems(self, run: Run, workspace: Workspace) -> list[str]:
        return remit.scope_problems(workspace)

    def remit(self, workspace: Workspace) -> list[str]:
        return described(remit.remit(workspace).selection)

    def survey(self, run: Run, workspace: Workspace, milestone: int, milestones: int) -> Survey:
        """Open parts belong to every milestone; the results belong to the last one."""
        open_parts, total = self._open_parts(run, workspace)
        is_last = milestone == milestones - 1
        work = (*open_parts, *(self._open_results(run, workspace, bool(open_parts)) if is_last else ()))
        accepted = sum(r.status is Status.ACCEPTED for _, _, r in document_files.all_found(workspace))
        facts = [f"{total - len(open_parts)} of {total} parts are extracted, {accepted} requirements are accepted"]
        return Survey(surveyed=True, open=work, facts=tuple(facts))

    def _open_results(self, run: Run, workspace: Workspace, are_parts_open: bool) -> tuple[Work, ...]:
        """Each result that code does not see: a task that did only some of them leaves the others open."""
        if are_parts_open:
            return RESULTS
        is_current = results.is_current(workspace, run.job)
        files = [w for w in FILES if not is_current or workspace.sha256(w.deliverable or "") is None]
        marks = [] if is_current or repetitions_are_marked(workspace) else [REPEATS]
        return (*marks, *([CHECK] if self.wrong(workspace) else []), *files)

    def _open_parts(self, run: Run, workspace: Workspace) -> tuple[list[Work], int]:
        todo: list[Work] = []
        total = 0
        for number, name in enumerate(document_files.names(workspace), 1):
            done = set(document_files.done_parts(workspace, name))
            parts = document_files.parts(document_files.document(workspace, name), run.config.requirements.part_chars)
            total += len(parts)
            todo += [extraction(number, name, p.number) for p in parts if p.number not in done]
        return todo, total

    def check_task(self, run: Run, workspace: Workspace, task: Task, report: Report) -> list[Finding]:
        wrong = [Finding(says=str(p), about=p.requirement, code=p.fault.value) for p in self.wrong(workspace)]
        return super().check_task(run, workspace, task, report) + wrong

    def objects_of(self, workspace: Workspace, words: str) -> list[str]:
        return list(dict.fromkeys(_ID.findall(words))) or super().objects_of(workspace, words)

    def state_of(self, workspace: Workspace, about: str) -> str:
        if not _ID.fullmatch(about):
            return super().state_of(workspace, about)
        return digest([r.model_dump(mode="json") for _, _, r in document_files.all_found(workspace) if r.id == about])

    def wrong(self, workspace: Workspace) -> list[Problem]:
        """What is wrong with the accepted requirements; repetitions are not, for they are marked at the end."""
        problems: list[Problem] = []
        for name in document_files.names(workspace):
            found = [
                r for n in document_files.done_parts(workspace, name) for r in document_files.load(workspace, name, n)
            ]
            accepted = [r for r in found if r.status is Status.ACCEPTED]
            problems += check_requirements(document_files.document(workspace, name), accepted)
        return [p for p in problems if p.fault is not Fault.REPEATED]

    def check_delivery(self, run: Run, workspace: Workspace) -> list[str]:
        missing = [f"'{f}' is not there" for f in results.ALL.values() if workspace.sha256(f) is None]
        if not results.is_current(workspace, run.job):
            missing.append(f"'{results.FILES['json']}' does not say what was found in the parts")
        open_parts, _ = self._open_parts(run, workspace)
        return missing + [f"not done: {w.says}" for w in open_parts[:5]] + [str(p) for p in self.wrong(workspace)]

    def finish(self, run: Run, workspace: Workspace) -> None:
        mark_repetitions(workspace)  # whether a role did it or only said so
        for kind in results.ALL:
            results.write(workspace, run.job, kind)

    def hand_over(self, run: Run, workspace: Workspace) -> None:
        """Put each document with its requirements where a validator takes it."""
        found = results.asked(workspace)
        for name in document_files.names(workspace):
            own = [r for r in found if r.citations[0].document == name]
            content = document_files.document(workspace, name).model_dump_json()
            run.store.hand_over(run.job, name, content, document_files.as_json(own))

    def figures(self, run: Run, workspace: Workspace) -> dict[str, Any]:
        every, found = results.entries(workspace), results.asked(workspace)
        unique = results.unique(found)
        kinds = Counter(r.modality.value for r in unique)
        return {
            "requirements": len(unique),
            "repetitions": len(found) - len(unique),
            "by_modality": dict(sorted(kinds.items())),
            **({"left_out_by_the_request": len(every) - len(found)} if len(every) > len(found) else {}),
        }


JOB_TYPE = CreatorJob()
