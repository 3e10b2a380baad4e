"""The creator job: documents in, cited requirements out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from echelon.crews.creator import results
from echelon.crews.creator.tools import mark_repetitions, part_named, repetitions_are_marked
from echelon.crews.jobtype import JobType, Survey, Work
from echelon.domains.requirements import check_requirements, document_files
from echelon.domains.requirements.types import Status
from echelon.engine.run import Run
from echelon.engine.toolbox import Call
from echelon.engine.workspace import Workspace
from echelon.tasks.contracts import Report, Task

MARK = Work(todo="mark requirements that repeat an earlier one")
CHECK = Work(todo="check every quote against its page")
FILES = {
    "json": Work(todo="write the requirements as json", deliverable=results.FILES["json"]),
    "markdown": Work(todo="write the requirements as markdown", deliverable=results.FILES["markdown"]),
    "summary": Work(todo="write the summary", deliverable=results.FILES["summary"]),
}
RESULTS = (MARK, CHECK, *FILES.values())
"""The work after the extraction."""
CALLS: dict[str, Call] = {
    MARK.todo: ("mark_duplicates", {}),
    CHECK.todo: ("check_citations", {}),
    **{work.todo: ("write_requirements", {"kind": kind}) for kind, work in FILES.items()},
}


@dataclass(frozen=True)
class CreatorJob(JobType):
    name: str = "creator"
    outcomes: tuple[str, ...] = (
        "A reader finds every requirement of the documents with its page and its exact words.",
        "A reader can use the catalogue: repetitions are marked, and it is there as JSON, Markdown and a summary.",
    )

    def survey(self, run: Run, workspace: Workspace, milestone: int, milestones: int) -> Survey:
        """Open parts belong to every milestone; the results belong to the last one."""
        open_parts, total = self._open_parts(run, workspace)
        is_last = milestone == milestones - 1
        work = (*open_parts, *(self._open_results(run, workspace, bool(open_parts)) if is_last else ()))
        accepted = sum(r.status is Status.ACCEPTED for _, _, r in document_files.all_found(workspace))
        facts = [f"{total - len(open_parts)} of {total} parts are extracted, {accepted} requirements are accepted"]
        facts += [f"open: {w.todo}" for w in work[:3]] or ["nothing is open for this milestone"]
        return Survey(surveyed=True, open=work, facts=tuple(facts))

    def _open_results(self, run: Run, workspace: Workspace, are_parts_open: bool) -> tuple[Work, ...]:
        """Each result that code does not see: a task that did only some of them leaves the others open."""
        if are_parts_open:
            return RESULTS
        is_current = results.is_current(workspace, run.job)
        files = [w for w in FILES.values() if not is_current or workspace.sha256(w.deliverable or "") is None]
        marks = [] if is_current or repetitions_are_marked(workspace) else [MARK]
        return (*marks, *([CHECK] if self._wrong_requirements(workspace) else []), *files)

    def _open_parts(self, run: Run, workspace: Workspace) -> tuple[list[Work], int]:
        todo, total = [], 0
        for name in document_files.names(workspace):
            done = set(document_files.done_parts(workspace, name))
            parts = document_files.parts(document_files.document(workspace, name), run.config.requirements.part_chars)
            total += len(parts)
            todo += [
                Work(
                    todo=f'extract requirements from part {p.number} of "{name}"',
                    deliverable=document_files.part_path(name, p.number),
                )
                for p in parts
                if p.number not in done
            ]
        return todo, total

    def call_for(self, todo: str) -> Call | None:
        if named := part_named(todo):
            return "extract_requirements", {"document": named[0], "part": named[1]}
        return CALLS.get(todo)

    def check_task(self, run: Run, workspace: Workspace, task: Task, report: Report) -> list[str]:
        return super().check_task(run, workspace, task, report) + self._wrong_requirements(workspace)

    def _wrong_requirements(self, workspace: Workspace) -> list[str]:
        problems: list[str] = []
        for name in document_files.names(workspace):
            found = [
                r for n in document_files.done_parts(workspace, name) for r in document_files.load(workspace, name, n)
            ]
            accepted = [r for r in found if r.status is Status.ACCEPTED]
            problems += check_requirements(document_files.document(workspace, name), accepted)
        return [p for p in problems if "word for word" not in p]

    def check_delivery(self, run: Run, workspace: Workspace) -> list[str]:
        missing = [f"'{f}' is not there" for f in results.ALL.values() if workspace.sha256(f) is None]
        if not results.is_current(workspace, run.job):
            missing.append(f"'{results.FILES['json']}' does not say what was found in the parts")
        open_parts, _ = self._open_parts(run, workspace)
        return missing + [f"not done: {w.todo}" for w in open_parts[:5]] + self._wrong_requirements(workspace)

    def finish(self, run: Run, workspace: Workspace) -> None:
        mark_repetitions(workspace)  # whether a role did it or only said so
        for kind in results.ALL:
            results.write(workspace, run.job, kind)

    def hand_over(self, run: Run, workspace: Workspace) -> None:
        """Put each document with its requirements where a validator takes it."""
        found = results.entries(workspace)
        for name in document_files.names(workspace):
            own = [r for r in found if r.citations[0].document == name]
            content = document_files.document(workspace, name).model_dump_json()
            run.store.hand_over(run.job, name, content, document_files.as_json(own))

    def figures(self, run: Run, workspace: Workspace) -> dict[str, Any]:
        found = results.entries(workspace)
        unique = results.unique(found)
        kinds = Counter(r.modality.value for r in unique)
        return {
            "requirements": len(unique),
            "repetitions": len(found) - len(unique),
            "by_modality": dict(sorted(kinds.items())),
        }


JOB_TYPE = CreatorJob()
