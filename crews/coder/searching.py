"""The repair by search, on a copy of the repository; what it finds is written into the repository."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from echelon.crews.coder import tree
from echelon.crews.coder.proving import proof, runs
from echelon.domains.code.repair.search import SearchBounds, search_repair
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically

SEARCH = "trace/search.json"
"""Where the record lies: it outlasts a task that is taken back, as the same search finds the same again"""
DISPUTED = (
    "{count} small changes make the tests pass and behave differently on other values, none of them like most: "
    "add a test that tells which is meant."
)


class SearchRecord(BaseModel):
    """What a search did, and the repair that it wrote into the repository."""

    model_config = ConfigDict(extra="forbid")

    version: int = 1
    path: str = ""
    kind: str = ""
    line: int = 0
    tried: int = 0
    plausible: int = 0
    disputed: bool = False
    text: str = ""
    says: str = ""


def search(run: Run, workspace: Workspace) -> SearchRecord:
    """Search once; the same call again writes the same repair."""
    record = known_search(workspace)
    if record is None:
        record = _searched(run, workspace)
        write_atomically(workspace.root / SEARCH, record.model_dump_json(indent=1))
    if record.path:
        write_atomically(tree.root_of(workspace) / record.path, record.text)
    return record


def known_search(workspace: Workspace) -> SearchRecord | None:
    """The search that was made; None before there was one."""
    file = workspace.root / SEARCH
    return SearchRecord.model_validate_json(file.read_bytes()) if file.is_file() else None


def unsettled(workspace: Workspace) -> str:
    """Why a repair that was found is not proven by the tests alone; '' when it is, or when something else stands there."""
    record = known_search(workspace)
    if record is None or not record.disputed:
        return ""
    only_it = tree.changed_paths(workspace, tree.base_of(workspace)) == [record.path]
    return DISPUTED.format(count=record.plausible) if _stands(workspace, record) and only_it else ""


def search_told(workspace: Workspace) -> SearchRecord | None:
    """The search of which the results speak: one that found nothing, or whose repair stands in the repository."""
    record = known_search(workspace)
    return record if record is not None and (not record.path or _stands(workspace, record)) else None


def _stands(workspace: Workspace, record: SearchRecord) -> bool:
    file = tree.root_of(workspace) / record.path
    return file.is_file() and file.read_bytes() == record.text.encode("utf-8")


def _searched(run: Run, workspace: Workspace) -> SearchRecord:
    settings, report = run.config.code, proof.run_before(run, workspace).report
    bounds = SearchBounds(seconds=settings.search_seconds, mutants=settings.search_changes)
    before, _ = tree.contents(workspace)
    with runs.copied(before, settings) as where:
        found = search_repair(where, report.failed, report.passed, bounds)
    if not found.repairs:
        lines = ", ".join(f"{s.path}:{s.line}" for s in found.suspicions[:5])
        where_ = f"; the most suspicious lines are {lines}" if lines else ""
        return SearchRecord(tried=found.tried, says=f"No repair was found: {found.why}{where_}.")
    best = found.repairs[0]
    says = f"With a small change at {best.path}:{best.line} ({best.kind}) the tests pass; {found.tried} were tried."
    if disputed := not best.behaviour.is_most:
        says += f" {DISPUTED.format(count=len(found.repairs))}"
    return SearchRecord(
        path=best.path,
        kind=best.kind,
        line=best.line,
        tried=found.tried,
        plausible=len(found.repairs),
        disputed=disputed,
        text=best.text,
        says=says,
    )
