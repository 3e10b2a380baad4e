"""What a person says about a plan, read by rules: a way out by its number, or changes in plain clauses."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.plan import AdaptationLogEntry
from echelon.domains.planning.contracts.project import Deadline, Link, Project, Resource, TaskSpec
from echelon.domains.planning.contracts.strategy import Strategy
from echelon.domains.planning.importing.values import duration_of, moment_of
from echelon.errors import UserError

FORMS = (
    "'drop TASK', 'add TASK takes 1d', 'TASK takes 3d', 'TASK after OTHER', 'TASK by DATE', 'TASK not before DATE', "
    "'deadline DATE', 'no deadline', 'start DATE', 'one more PERSON', 'people: A, B', 'strategy level_load'"
)
"""The clauses that are understood, for whoever has to write one."""
PREFIX = re.compile(r"^\s*(propose changes|changes?|change)\s*:\s*", re.IGNORECASE)
YES = re.compile(r"^\W*(yes|ok|okay|go on|continue|fine|approve[d]?|ja|weiter|as you like|none|no)\W*$", re.IGNORECASE)
KINDS = {"later": "finish", "finish": "finish", "more": "one more", "second": "one more", "drop": "leave out"}
"""How the ways out begin that a word of an answer means."""


@dataclass(frozen=True)
class Changed:
    """A project after what a person said, what was changed in it, and the clauses that were not understood."""

    project: Project
    entries: tuple[AdaptationLogEntry, ...]
    open: tuple[str, ...] = ()


def chosen_way(text: str, ways: list[str]) -> int | None:
    """Which way out an answer means: by its number alone, or by its first words."""
    if (number := re.fullmatch(r"\W*(?:way|option|number|nr\.?|no\.?)?\s*\(?([1-9])\)?\W*", text.lower())) and int(
        number[1]
    ) <= len(ways):
        return int(number[1]) - 1
    for word, begin in KINDS.items():
        if re.fullmatch(rf"\W*{word}\W*", text.lower()):
            return next((n for n, way in enumerate(ways) if way.lower().startswith(begin)), None)
    return None


def clauses(text: str) -> list[str]:
    """The single changes of a text: lines, or what semicolons part."""
    parts = re.split(r"[;\n]+", PREFIX.sub("", text))
    return [p.strip().rstrip(".") for p in parts if p.strip(" .-")]


def changed(project: Project, said: str) -> Changed:
    """Follow every clause that is understood."""
    entries: list[AdaptationLogEntry] = []
    left: list[str] = []
    for clause in clauses(said):
        if YES.match(clause):
            continue
        try:
            found = _one(project, clause)
        except UserError as error:
            left.append(f"{clause} ({str(error).rstrip('.')})")
            continue
        if found is None:
            left.append(clause)
            continue
        project, what, before, after = found
        entries.append(AdaptationLogEntry(what=what, why=clause, before=before, after=after))
    return Changed(project, tuple(entries), tuple(left))


Found = tuple[Project, str, str, str]
"""The project after a change, what changed, and how it was before and after."""


def _one(project: Project, clause: str) -> Found | None:
    for pattern, follow in RULES:
        if match := re.fullmatch(pattern, clause.strip(), re.IGNORECASE):
            found = follow(project, *(g if g is None else g.strip(" '\"") for g in match.groups()))
            if found is not None:
                return found
    return None


def task_named(project: Project, name: str) -> TaskSpec | None:
    """The task that a person means: by its id, its title, or words that only one title has."""
    wanted = name.strip(" '\"").casefold()
    exact = [t for t in project.tasks if wanted in (t.id.casefold(), t.title.casefold())]
    near = [t for t in project.tasks if wanted and wanted in t.title.casefold()]
    return exact[0] if exact else near[0] if len(near) == 1 else None


def _replaced(project: Project, task: TaskSpec, **values: object) -> Project:
    new = task.model_copy(update=values)
    return project.model_copy(update={"tasks": tuple(new if t.id == task.id else t for t in project.tasks)})


def _drop(project: Project, name: str) -> Found | None:
    task = task_named(project, name)
    if task is None or len(project.tasks) == 1:
        return None
    rest: list[TaskSpec] = []
    for other in project.tasks:
        if other.id == task.id:
            continue
        links = [k for k in other.after if k.after != task.id]
        if len(links) < len(other.after):  # whoever waited for it waits for what it waited for
            links += [k for k in task.after if k.after not in {x.after for x in links}]
        parent = task.parent if other.parent == task.id else other.parent
        rest.append(other.model_copy(update={"after": tuple(links), "parent": parent}))
    return project.model_copy(update={"tasks": tuple(rest)}), f"'{task.title}' is left out", task.title, "-"


def _takes(project: Project, name: str, amount: str) -> Found | None:
    task = task_named(project, name)
    if task is None:
        return None
    minutes = duration_of(amount, project.hours_per_day, f"'{task.title}'")
    before, after = (f"{m / 60 / project.hours_per_day:g} days" for m in (task.duration, minutes))
    changed = _replaced(project, task, duration=minutes, estimate=None)
    return changed, f"'{task.title}' takes {after}", before, after


def _after(project: Project, name: str, other: str) -> Found | None:
    task, source = task_named(project, name), task_named(project, other)
    if task is None or source is None or task.id == source.id:
        return None
    if _waits(project, source.id, task.id):
        raise UserError(f"'{source.title}' waits for '{task.title}' already")
    links = (*(k for k in task.after if k.after != source.id), Link(after=source.id))
    changed = _replaced(project, task, after=links)
    return changed, f"'{task.title}' waits for '{source.title}'", "-", f"after '{source.title}'"


def _waits(project: Project, name: str, other: str) -> bool:
    """Whether a task waits for another, whatever lies between."""
    tasks, seen, todo = {t.id: t for t in project.tasks}, set[str](), [name]
    while todo:
        here = todo.pop()
        if here == other:
            return True
        if here not in seen and here in tasks:
            seen.add(here)
            todo += [k.after for k in tasks[here].after]
    return False


def _not_before(project: Project, name: str, day: str) -> Found | None:
    task = task_named(project, name)
    if task is None:
        return None
    at = moment_of(day, ZoneInfo(project.zone), f"'{task.title}'")
    before = f"{task.release:%Y-%m-%d}" if task.release else "-"
    return _replaced(project, task, release=at), f"'{task.title}' may not start before {day}", before, day


def _by(project: Project, name: str, day: str) -> Found | None:
    task = task_named(project, name)
    if task is None:
        return None
    at = moment_of(day, ZoneInfo(project.zone), f"'{task.title}'", end_of_day=True)
    before = f"{task.deadline.at:%Y-%m-%d}" if task.deadline else "-"
    return _replaced(project, task, deadline=Deadline(at=at)), f"'{task.title}' has to end by {day}", before, day


def _deadline(project: Project, day: str) -> Found | None:
    at = moment_of(day, ZoneInfo(project.zone), "deadline", end_of_day=True)
    before = f"{project.deadline.at:%Y-%m-%d}" if project.deadline else "-"
    return project.model_copy(update={"deadline": Deadline(at=at)}), "the deadline moves", before, day


def _no_deadline(project: Project) -> Found | None:
    before = f"{project.deadline.at:%Y-%m-%d}" if project.deadline else "-"
    return project.model_copy(update={"deadline": None}), "there is no deadline", before, "-"


def _start(project: Project, day: str) -> Found | None:
    at = moment_of(day, ZoneInfo(project.zone), "start")
    return project.model_copy(update={"start": at}), "the start moves", f"{project.start:%Y-%m-%d}", day


def _more(project: Project, name: str) -> Found | None:
    found = next((r for r in project.resources if name.casefold() in (r.id.casefold(), r.title.casefold())), None)
    if found is None:
        return None
    more = found.model_copy(update={"capacity": found.capacity + 1})
    resources = tuple(more if r.id == found.id else r for r in project.resources)
    changed = project.model_copy(update={"resources": resources})
    return changed, f"one more '{found.id}'", str(found.capacity), str(more.capacity)


def _people(project: Project, names: str) -> Found | None:
    there = {r.id.casefold() for r in project.resources}
    new = [n.strip() for n in re.split(r",|\band\b|\bund\b", names) if n.strip()]
    added = tuple(Resource(id=n, title=n) for n in dict.fromkeys(new) if n.casefold() not in there)
    if not added:
        return None
    changed = project.model_copy(update={"resources": (*project.resources, *added)})
    return changed, "people are known", ", ".join(r.id for r in project.resources) or "-", ", ".join(new)


def _strategy(project: Project, name: str) -> Found | None:
    aim = name.strip().lower().replace(" ", "_").replace("-", "_")
    if aim not in list(Strategy):
        return None
    profile = project.strategy.model_copy(update={"aim": Strategy(aim)})
    return project.model_copy(update={"strategy": profile}), "the strategy changes", project.strategy.aim.value, aim


def _add(project: Project, name: str, amount: str | None, other: str | None) -> Found | None:
    source = task_named(project, other) if other else None
    if other and source is None:
        return None
    if amount is None:
        raise UserError(f"say how long '{name}' takes, such as 'add {name} takes 1d'")
    minutes = duration_of(amount, project.hours_per_day, f"'{name}'")
    ids = {t.id for t in project.tasks}
    key = next(k for n in range(1, len(ids) + 2) if (k := f"added{n}") not in ids)
    links = (Link(after=source.id),) if source else ()
    task = TaskSpec(id=key, title=name, duration=minutes, after=links, origin="said")
    return project.model_copy(update={"tasks": (*project.tasks, task)}), f"'{name}' is new", "-", amount


def subject(project: Project, clause: str) -> str:
    """What a clause changes: the title of a task, 'deadline', 'start', 'people' or 'strategy'; '' for what is new, or no
    clause."""
    for pattern, follow in RULES:
        match = re.fullmatch(pattern, clause.strip().rstrip("."), re.IGNORECASE)
        if match is None:
            continue
        if follow in _OF_ALL:
            return _OF_ALL[follow]
        if follow is _add:
            return match[1]
        task = task_named(project, match[1])
        if task is not None:
            return task.title
    return ""


Follow = Callable[..., "Found | None"]
_OF_ALL: dict[Follow, str] = {
    _no_deadline: "deadline", _deadline: "deadline", _start: "start", _people: "people", _more: "people",
    _strategy: "strategy",
}  # fmt: skip

RULES: tuple[tuple[str, Follow], ...] = (
    (
        r"(?:add|also do)\s+(.+?)(?:\s*[,:(]?\s*(?:takes|for)\s+(\d\S*(?:\s(?!after)\w+)?)\)?)?(?:\s+after\s+(.+))?",
        _add,
    ),
    (r"no (?:more )?deadline|drop the deadline", _no_deadline),
    (r"(?:deadline|finish by|done by|until)\s*:?\s*(?:is |to )?(\S+)", _deadline),
    (r"start\s*(?:on|:)?\s*(\S+)", _start),
    (r"(?:people|team|who)\s*:?\s*(.+)", _people),
    (r"(?:one more|another|a second)\s+(.+)", _more),
    (r"strategy\s*:?\s*(.+)", _strategy),
    (r"(?:drop|leave out|remove|without)\s+(.+)", _drop),
    (r"(.+?)\s+(?:takes|lasts|needs)\s+(\d\S*(?:\s\w+)?)", _takes),
    (r"(.+?)\s+(?:comes |waits |starts )?(?:after|for)\s+(.+)", _after),
    (r"(.+?)\s+(?:may )?(?:starts? )?not (?:start )?before\s+(\S+)", _not_before),
    (r"(.+?)\s+(?:has to end |ends |done )?by\s+(\S+)", _by),
)
