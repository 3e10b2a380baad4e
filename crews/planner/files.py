"""What a planner job keeps in its workspace between steps, each piece marked with the project that it was made from."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel

from echelon.digest import digest
from echelon.domains.planning.contracts.plan import AdaptationLogEntry, PlanContext, PlanOutline, Roadmap
from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically

PROJECT, CONTEXT, PATTERN, OUTLINE = "plan/project.json", "plan/context.json", "plan/pattern.json", "plan/outline.json"
GRAMMAR, ROADMAP, SCHEDULE = "plan/grammar.json", "plan/roadmap.json", "plan/schedule.json"
CHANGES, FEASIBILITY, ANSWERS = "plan/changes.json", "notes/feasibility.json", "notes/answers.json"

M = TypeVar("M", bound=BaseModel)


def project(workspace: Workspace) -> Project:
    """The project as it is now."""
    return Project.model_validate_json(workspace.path(PROJECT).read_bytes())


def context(workspace: Workspace) -> PlanContext:
    """What the plan is for."""
    return PlanContext.model_validate_json(workspace.path(CONTEXT).read_bytes())


def put_project(workspace: Workspace, value: Project) -> None:
    """Keep a project; what was made from another one is out of date with that."""
    write_atomically(workspace.path(PROJECT), value.model_dump_json(indent=1))


def key(workspace: Workspace) -> str:
    """The name of the project as it is now."""
    return digest(json.loads(workspace.path(PROJECT).read_bytes()))


def put(workspace: Workspace, path: str, value: Any) -> None:
    """Keep what was made from the project as it is now."""
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    write_atomically(workspace.path(path), json.dumps({"key": key(workspace), "value": plain}, indent=1))


def get(workspace: Workspace, path: str) -> Any:
    """What was made from the project as it is now; None where there is none, or it is out of date."""
    real = workspace.path(path)
    if not real.exists() or not workspace.path(PROJECT).exists():
        return None
    kept = json.loads(real.read_bytes())
    return kept["value"] if kept.get("key") == key(workspace) else None


def shape(workspace: Workspace, path: str, kind: type[M]) -> M | None:
    """The same as a value of a type."""
    value = get(workspace, path)
    return None if value is None else kind.model_validate(value)


def outline(workspace: Workspace) -> PlanOutline | None:
    """The outline, when it is up to date."""
    return shape(workspace, OUTLINE, PlanOutline)


def roadmap(workspace: Workspace) -> Roadmap | None:
    """The roadmap, when it is up to date."""
    return shape(workspace, ROADMAP, Roadmap)


def schedule(workspace: Workspace) -> Schedule | None:
    """The schedule, when it is up to date."""
    return shape(workspace, SCHEDULE, Schedule)


def changes(workspace: Workspace) -> list[AdaptationLogEntry]:
    """What was changed, in order."""
    path = workspace.path(CHANGES)
    return [AdaptationLogEntry.model_validate(e) for e in json.loads(path.read_bytes())] if path.exists() else []


def put_change(workspace: Workspace, entry: AdaptationLogEntry) -> None:
    """Add to what was changed; the same change again is the same one."""
    kept = changes(workspace)
    if entry not in kept:
        write_atomically(
            workspace.path(CHANGES), json.dumps([e.model_dump(mode="json") for e in (*kept, entry)], indent=1)
        )


def answers(workspace: Workspace) -> list[dict[str, Any]]:
    """What a person said, each with whether it was applied."""
    path = workspace.path(ANSWERS)
    kept: list[dict[str, Any]] = json.loads(path.read_bytes()) if path.exists() else []
    return kept
