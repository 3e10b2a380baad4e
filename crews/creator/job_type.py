"""The creator job: documents in, cited requirements out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from echelon.crews.creator import planting, remit, results, reviewing, working
from echelon.crews.jobtype import JobType, Material, Planting, Survey, Understood
from echelon.digest import digest
from echelon.domains.requirements import Fault, Problem, check_requirements, document_files
from echelon.domains.requirements.selection.describe import described
from echelon.domains.requirements.types import Status
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.tasks.contracts import Finding, Report, Task

_ID = re.compile(r"\bR-\d+\b")


SHOWN = ("doubtful_places_decided", "for_a_person")
"""Figures of the review that are told at the end; all of them stand in the results."""


@dataclass(frozen=True)
class CreatorJob(JobType):
    name: str = "creator"
    outcomes: tuple[str, ...] = (
        "A reader finds every requirement of the documents with its page and its exact words, each doubtful place decided.",
    )
    works_alone = True
    writes: tuple[str, ...] = tuple(results.ALL.values())

    def understand(self, run: Run, workspace: Workspace, request: str, answers: tuple[str, ...]) -> Understood:
        return remit.understand(workspace, request, answers, run.config.language)

    def scope_problems(self, run: Run, workspace: Workspace) -> list[str]:
        return remit.scope_problems(workspace)

    def answered(self, run: Run, workspace: Workspace, text: str) -> str:
        says = remit.answered(workspace, text)
        if says and (workspace.root / results.FILES["json"]).exists():
            working.do(workspace, run.job, run.config.requirements, working.WRITE)
        return says

    def remit(self, workspace: Workspace) -> list[str]:
        return described(remit.remit(workspace).selection)

    def chores(self, run: Run, workspace: Workspace) -> tuple[str, ...]:
        return working.chores(workspace, run.job, run.config.requirements)

    def do(self, run: Run, workspace: Workspace, chore: str) -> str:
        return working.do(workspace, run.job, run.config.requirements, chore)

    def survey(self, run: Run, workspace: Workspace, milestone: int, milestones: int) -> Survey:
        """What is open is to decide doubtful places; all else code does by itself."""
        settings = run.config.requirements.review
        work, asked = reviewing.open_work(workspace, settings), len(reviewing.asked_about(workspace, settings))
        accepted = sum(r.status is Status.ACCEPTED for _, _, r in document_files.all_found(workspace))
        facts = (
            f"{accepted} requirements are accepted",
            f"{asked - len(work)} of {asked} doubtful places are decided",
        )
        return Survey(surveyed=True, open=work, facts=facts, batch=settings.batch)

    def brief(self, run: Run, workspace: Workspace, works: Sequence[str]) -> Material:
        return reviewing.brief(workspace, works)

    def blind(self, run: Run, workspace: Workspace, works: Sequence[str], seed: str) -> Material:
        given = reviewing.blind(workspace, works, seed, run.config.requirements.review.sample)
        return reviewing.about_places(workspace, works, given) if run.config.is_guided else given

    def check_task(self, run: Run, workspace: Workspace, task: Task, report: Report) -> list[Finding]:
        wrong = [Finding(says=str(p), about=p.requirement, code=p.fault.value) for p in self.wrong(workspace)]
        return super().check_task(run, workspace, task, report) + wrong + reviewing.undecided(workspace, task)

    def faults(self) -> tuple[str, ...]:
        return tuple(planting.FAULTS)

    def forms(self) -> tuple[str, ...]:
        return planting.FORMS

    def plant(self, given: Planting, workspace: Workspace) -> str:
        return planting.plant(given, workspace)

    def objections(self, workspace: Workspace) -> tuple[str, ...]:
        return reviewing.objections(workspace)

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
        left = working.chores(workspace, run.job, run.config.requirements)
        return missing + [f"not done: {chore}" for chore in left[:5]] + [str(p) for p in self.wrong(workspace)]

    def finish(self, run: Run, workspace: Workspace) -> None:
        working.mark_repetitions(workspace)
        results.keep_undecided(
            workspace, [w.id for w in reviewing.open_work(workspace, run.config.requirements.review)]
        )
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
            **{k: v for k, v in results.review_figures(workspace).items() if k in SHOWN},
            **({"left_out_by_the_request": len(every) - len(found)} if len(every) > len(found) else {}),
        }


JOB_TYPE = CreatorJob()
