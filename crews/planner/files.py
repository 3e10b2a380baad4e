"""What a planner job keeps in its workspace between steps, each piece marked with the project that it was made from."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, TypeAdapter

from echelon.digest import digest
from echelon.domains.planning.contracts.plan import AdaptationLogEntry, PlanContext, PlanOutline, Roadmap
from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.domains.planning.wanted.contracts import Wanted
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically

PROJECT, CONTEXT, PATTERN, OUTLINE = "plan/project.json", "plan/context.json", "plan/pattern.json", "plan/outline.json"
GRAMMAR, ROADMAP, SCHEDULE = "plan/grammar.json", "plan/roadmap.json", "plan/schedule.json"
CHANGES, FEASIBILITY, ANSWERS = "plan/changes.json", "plan/feasibility.json", "plan/answers.json"
ASKED, APPROVAL, PREVIOUS = "plan/asked.json", "plan/approval.json", "plan/previous.json"
IDEAS, PORTFOLIO, PROGRESS = "plan/ideas.json", "plan/portfolio.json", "plan/progress.json"
KEPT, TODAY = "plan/kept.json", "plan/today.txt"
WANTED, SETTLED, REFUSED = "plan/wanted.json", "plan/settled.json", "plan/refused.json"

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


def put_again(workspace: Workspace, value: Project, *paths: str) -> None:
    """Keep a changed project, and what is named of what was made from the one before it."""
    kept = {path: get(workspace, path) for path in paths}
    put_project(workspace, value)
    for path, made in kept.items():
        if made is not None:
            put(workspace, path, made)


def assume(workspace: Workspace, assumptions: list[str], instead_of: tuple[str, ...] = ()) -> None:
    """Add to what the plan assumes; `instead_of` are words of assumptions that do not hold any more."""
    about = context(workspace)
    kept = [a for a in about.assumptions if not any(word in a for word in instead_of)]
    new = about.model_copy(update={"assumptions": tuple(dict.fromkeys([*kept, *assumptions]))})
    if new != about:
        write_atomically(workspace.path(CONTEXT), new.model_dump_json(indent=1))


def wanted(workspace: Workspace) -> Wanted:
    """What the goal and the person ask for in plain words."""
    path = workspace.path(WANTED)
    return Wanted.model_validate_json(path.read_bytes()) if path.exists() else Wanted()


def put_wanted(workspace: Workspace, value: Wanted) -> None:
    """Keep what is asked for."""
    write_atomically(workspace.path(WANTED), value.model_dump_json(indent=1))


def is_settled(workspace: Workspace) -> bool:
    """Whether a person has approved or changed the tasks as they are, so that no role writes others."""
    return workspace.path(SETTLED).exists()


def settle(workspace: Workspace) -> None:
    """Note that the tasks are a person's now, and the strategy too where options were tried."""
    if outline(workspace) is not None:
        write_atomically(
            workspace.path(SETTLED), json.dumps({"strategy": roadmap(workspace) is not None or is_chosen(workspace)})
        )


def is_chosen(workspace: Workspace) -> bool:
    """Whether the strategy is a person's: the inputs, the goal or an approval name it."""
    path = workspace.path(SETTLED)
    return bool(wanted(workspace).strategy) or (path.exists() and bool(json.loads(path.read_bytes())["strategy"]))


def previous(workspace: Workspace) -> Schedule | None:
    """The schedule before the last change of the project, None where there was none."""
    path = workspace.path(PREVIOUS)
    return Schedule.model_validate_json(path.read_bytes()) if path.exists() else None


def put_previous(workspace: Workspace, value: Schedule) -> None:
    """Keep a schedule as the one that a revision should change as little as it can."""
    write_atomically(workspace.path(PREVIOUS), value.model_dump_json(indent=1))


def today(workspace: Workspace) -> datetime | None:
    """Noon of the day on which the plan was made, or made anew."""
    path = workspace.path(TODAY)
    if not path.exists():
        return None
    day = date.fromisoformat(path.read_text(encoding="utf-8").strip())
    return datetime.combine(day, time(12), ZoneInfo(project(workspace).zone))


def put_today(workspace: Workspace, day: date) -> None:
    """Keep the day that counts as today."""
    write_atomically(workspace.path(TODAY), f"{day}\n")


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


class Said(BaseModel):
    """What a person said, and how far it was followed: `open` are the clauses that code did not understand, and `passed`
    says that no role could follow them either."""

    model_config = ConfigDict(extra="forbid")

    text: str
    event: str
    open: tuple[str, ...] = ()
    done: bool = False
    passed: bool = False


class Asked(BaseModel):
    """A question to the person. `kind`: impossible, context, unclear, repairs, cost or time."""

    model_config = ConfigDict(extra="forbid")

    kind: str
    question: str
    answered: bool = False


_SAID: TypeAdapter[list[Said]] = TypeAdapter(list[Said])
_ASKED: TypeAdapter[list[Asked]] = TypeAdapter(list[Asked])


def answers(workspace: Workspace) -> list[Said]:
    """What a person said, in order."""
    path = workspace.path(ANSWERS)
    return _SAID.validate_json(path.read_bytes()) if path.exists() else []


def put_answers(workspace: Workspace, said: list[Said]) -> None:
    """Keep what a person said."""
    write_atomically(workspace.path(ANSWERS), _SAID.dump_json(said, indent=1))


def asked(workspace: Workspace) -> list[Asked]:
    """What code asked, in order."""
    path = workspace.path(ASKED)
    return _ASKED.validate_json(path.read_bytes()) if path.exists() else []


def put_asked(workspace: Workspace, questions: list[Asked]) -> None:
    """Keep what was asked."""
    write_atomically(workspace.path(ASKED), _ASKED.dump_json(questions, indent=1))
