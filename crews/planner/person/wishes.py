"""What a person asks for in plain words after the plan was begun, and what a role may make of it."""

from __future__ import annotations

import re

from echelon.crews.planner import files
from echelon.crews.planner.drafts.drafting import is_given, is_unwritten
from echelon.crews.planner.drafts.people import staffed_by_crowd
from echelon.crews.planner.person import changing
from echelon.domains.planning.contracts.plan import AdaptationLogEntry, PatternSpec
from echelon.domains.planning.patterns.select import select_pattern, template_tasks
from echelon.domains.planning.wanted.contracts import Wanted
from echelon.domains.planning.wanted.holding import held, told
from echelon.domains.planning.wanted.reading import read
from echelon.domains.planning.wanted.words import names_any
from echelon.engine.workspace import Workspace

ANEW = re.compile(r"\b(?:start over|begin again|new outline|(?:outline|plan|tasks) (?:anew|afresh))\b", re.IGNORECASE)
_ABOUT = {
    "deadline": r"deadline|due|finish\w*|done|ready|by|until|end\w*|later|late|date|term\w*|frist|bis",
    "start": r"start\w*|begin\w*|earlier|later|wait|not before|from|ab|beginn\w*",
    "people": r"people|persons?|team|help\w*|hands?|who|more|another|second|leute|hilfe",
    "strategy": r"cost\w*|cheap\w*|money|price|level\w*|even\w*|load|calm\w*|stress\w*"
    r"|fast\w*|soon\w*|early|earli\w*|late\w*|buffer|strategy",
}
"""What a person speaks of who wants something of the project changed, by what a clause changes"""


def followed(workspace: Workspace, made: changing.Changed) -> changing.Changed:
    """What is left of an answer may say how work is to be: days, hours, people. That is held from now on."""
    today, is_template = files.today(workspace), is_unwritten(workspace)
    left: list[str] = []
    project, entries = made.project, list(made.entries)
    for clause in made.open:
        found = read(clause, (today or project.start).date())
        if not found.heard:
            left.append(clause)
            continue
        tasks = project.tasks
        project = staffed_by_crowd(held(project, found))
        if is_template:  # its tasks are nobody's yet: a role writes others, or they stay as they are
            project = project.model_copy(update={"tasks": tasks})
        files.put_wanted(workspace, _joined(files.wanted(workspace), found))
        files.assume(workspace, told(project, found))
        entries.append(AdaptationLogEntry(what="it is held", why=clause, before="-", after=clause))
    return changing.Changed(project, tuple(entries), tuple(left))


def _joined(one: Wanted, other: Wanted) -> Wanted:
    """What was asked for before, and what is asked for now; of two the later holds."""
    said = {k: v for k, v in other.model_dump(exclude_defaults=True).items() if k not in ("things", "unread")}
    lists = {k: (*getattr(one, k), *getattr(other, k)) for k in ("away", "dues", "lengths", "heard") if k in said}
    return Wanted.model_validate(one.model_dump() | said | lists)


def begun_anew(workspace: Workspace, text: str) -> str:
    """Where a person wants other tasks altogether the role may write them again; gives what else was said."""
    clauses = changing.clauses(text)
    if is_given(workspace) or not any(ANEW.search(c) for c in clauses):
        return text
    project = files.project(workspace)
    pattern = files.shape(workspace, files.PATTERN, PatternSpec) or select_pattern(files.context(workspace).goal)
    tasks = tuple(template_tasks(pattern, round(project.hours_per_day * 60)))
    before = f"{len(project.tasks)} tasks"
    files.put_change(
        workspace, AdaptationLogEntry(what="the tasks are written anew", why=text[:300], before=before, after="-")
    )
    files.put_again(workspace, project.model_copy(update={"tasks": tasks}), files.PATTERN)
    workspace.path(files.SETTLED).unlink(missing_ok=True)
    return "\n".join(c for c in clauses if not ANEW.search(c))


def beside(workspace: Workspace, said: files.Said, changes: list[str]) -> str:
    """Why changes are not what a person said, in a sentence; '' where each of them is."""
    project = files.project(workspace)
    text = "; ".join(said.open)
    for change in changes:
        about = changing.subject(project, change)
        if about in _ABOUT:
            named = [r.id for r in project.resources] if about == "people" else []
            is_said = re.search(rf"\b(?:{_ABOUT[about]})\b", text, re.IGNORECASE) or any(
                names_any(text, n) for n in named
            )
        else:
            is_said = not about or names_any(about, text) or about.casefold() in text.casefold()
        if not is_said:
            return (f"The person said '{text[:200]}', and nothing of '{change}'; change only what was said, or call "
                    "revise_plan with no changes, and the person is asked how it is meant.")  # fmt: skip
    return ""
