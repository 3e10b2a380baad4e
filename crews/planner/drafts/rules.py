"""What an outline that a role wrote has to be: work for the goal, each part that the goal lists, lengths that can be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from echelon.crews.planner.drafts.nodes import Node, is_nobody
from echelon.domains.planning.contracts.plan import WORK
from echelon.domains.planning.contracts.project import Project, TaskSpec
from echelon.domains.planning.patterns.grammar import Violation
from echelon.domains.planning.wanted.contracts import Wanted
from echelon.domains.planning.wanted.dates import days_in
from echelon.domains.planning.wanted.words import names_any, says_nothing, words_of

PLANS = ("select_pattern", "generate_nodes", "build_roadmap", "generate_schedule", "todo_complete")
"""Tools whose names no task of a goal has."""
BEGINS = 30
"""Characters of a goal that tell it from the title of a task"""
SHORTEST = 5
"""Minutes of a task at least"""
LONGEST = 260
"""Working days of a task at most: a year"""
PARTS_OF_ONE = 2
"""Parts of a goal that one task may do; a task for all of them is no plan"""
ABOUT = 0.75
"""The share of a stated length that tasks take at least: goals say 'about'"""
MOST_WORDS = 4
"""Words of the goal that a fix names"""
FEWEST = 2
"""Tasks beside one that says the goal, so that it can be left out"""


def without_goal(nodes: Sequence[Node], goal: str) -> tuple[list[Node], list[str]]:
    """The nodes without tasks that only say the goal, where enough others say what is done; with what was left out.

    Such a task is the plan itself. Who waited for it waits for what it waited for.
    """
    root = {
        n.id: n for n in nodes if _is_work(n) and not _has_parts(n, nodes) and _says_goal(n.title, goal, len(nodes))
    }
    kept = [n for n in nodes if n.id not in root]
    if not root or sum(map(_is_work, kept)) < FEWEST:
        return list(nodes), []
    freed = [n.model_copy(update={"after": [a for a in _behind(n.after, root) if a != n.id]}) for n in kept]
    return freed, [f"'{n.title[:60]}' says the goal, so it is no task of its own." for n in root.values()]


def _behind(after: Sequence[str], gone: Mapping[str, Node]) -> list[str]:
    """Predecessors with those that are gone replaced by their own."""
    seen: list[str] = []
    left = list(after)
    while left:
        name = left.pop(0)
        if name in seen:
            continue
        seen.append(name)
        left += gone[name].after if name in gone else ()
    return [name for name in seen if name not in gone]


def _is_work(node: Node) -> bool:
    return node.level in WORK


def _has_parts(node: Node, nodes: Sequence[Node]) -> bool:
    return any(n.parent in (node.id, node.title) for n in nodes if n is not node)


def broken(nodes: Sequence[Node], project: Project, goal: str, wanted: Wanted, today: date) -> Iterator[Violation]:
    """The rules that nodes break, and the tasks that were made of them."""
    work = [n for n in nodes if _is_work(n)]
    yield from (_no_estimate(n) for n in work if not n.takes)
    yield from _no_work(work, nodes, goal)
    yield from _dated(nodes, goal, today)
    tasks = [t for t in project.tasks if t.duration]
    lengths = {t.id: t.duration for t in project.tasks}
    yield from _lengths(work, lengths, project)
    yield from _left_to_nobody(work, project)
    yield from _missing(nodes, tasks, wanted)
    yield from _too_short(tasks, wanted)


def _no_estimate(node: Node) -> Violation:
    return Violation("no_estimate", node.id, f"'{node.title}' has no estimate.", "Say how long it takes, such as '3d'.")


def _no_work(work: Sequence[Node], nodes: Sequence[Node], goal: str) -> Iterator[Violation]:
    """Nodes that say what the role was asked to do, the goal again, or nothing at all."""
    words = sorted(dict.fromkeys(w for w in _words(goal) if w in words_of(goal)), key=len, reverse=True)[:MOST_WORDS]
    fix = f"Leave it out, or say what people do, in words of the goal: {', '.join(words)}."
    for node in nodes:
        title = node.title
        if any(name in title for name in PLANS):
            says = f"'{title[:60]}' is about the planning, not about the goal."
            yield Violation("about_planning", node.id, says, fix)
        elif node in work and says_nothing(title):
            yield Violation("says_nothing", node.id, f"'{title[:60]}' does not say what is done.", fix)
        elif node in work and _says_goal(title, goal, len(nodes)):
            yield Violation("goal_again", node.id, f"'{title[:60]}' says the goal again.", fix)


def _says_goal(title: str, goal: str, of: int) -> bool:
    """Whether a title is the goal, or holds its beginning beside others."""
    start = " ".join(goal.lower().split())[:BEGINS]
    whole = _words(re.split(r"[.:;!?\n]", goal.strip().lstrip("# "))[0])
    return (of > 1 and len(start) == BEGINS and start in title.lower()) or (len(whole) > 2 and _words(title) == whole)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _dated(nodes: Sequence[Node], goal: str, today: date) -> Iterator[Violation]:
    """Titles with days that the goal does not name: the dates of a plan are the solver's."""
    known = {(d.first, d.last) for d in days_in(goal, today)}
    for node in nodes:
        if any((d.first, d.last) not in known for d in days_in(node.title, today)):
            fix = "Leave the date out of the title; the solver makes the dates."
            yield Violation("date_in_title", node.id, f"'{node.title[:60]}' promises a date.", fix)


def _lengths(work: Sequence[Node], lengths: dict[str, int], project: Project) -> Iterator[Violation]:
    most = round(LONGEST * project.hours_per_day * 60)
    for node in work:
        minutes = lengths.get(node.id)
        if not node.takes or minutes is None or SHORTEST <= minutes <= most:
            continue
        says = f"'{node.title}' takes {'no time' if minutes < SHORTEST else 'longer than a year'}."
        fix = "Say how long it really takes, such as '2h'." if minutes < SHORTEST else "Part it into shorter tasks."
        yield Violation("no_length", node.id, says, fix)


def _left_to_nobody(work: Sequence[Node], project: Project) -> Iterator[Violation]:
    free = [n for n in work if n.needs and all(map(is_nobody, n.needs))]
    if project.resources and len(free) * 2 > len(work):
        fix = f"Say with 'needs' who does it: {', '.join(r.id for r in project.resources)}."
        yield Violation("nobody", free[0].id, f"Nobody does {len(free)} of {len(work)} tasks.", fix)


def _missing(nodes: Sequence[Node], tasks: Sequence[TaskSpec], wanted: Wanted) -> Iterator[Violation]:
    """Parts that the goal lists and no task names; a phase names its parts where it holds tasks that say something."""
    if not tasks:
        return
    titles = [t.title for t in tasks]
    if len(wanted.things) > PARTS_OF_ONE:
        titles = [t for t in titles if sum(names_any(t, thing) for thing in wanted.things) <= PARTS_OF_ONE]
    held = {n.parent for n in nodes if _is_work(n) and not says_nothing(n.title)}
    titles += [n.title for n in nodes if n.level == "phase" and held & {n.id, n.title}]
    left = [thing for thing in wanted.things if not any(names_any(t, thing) for t in titles)]
    if left:
        named = ", ".join(f"'{thing}'" for thing in left)
        fix = f"Add a task for each of them, with that word in its title: {named}."
        yield Violation("part_missing", "goal", f"The goal lists {named}, and no task of its own names that.", fix)


def _too_short(tasks: Sequence[TaskSpec], wanted: Wanted) -> Iterator[Violation]:
    """Tasks that take less time than the goal says."""
    for said in wanted.lengths:
        about = [t for t in tasks if names_any(t.title, said.what)]
        took = sum(t.duration for t in about)
        if about and took < ABOUT * said.minutes:
            says = f"The goal says '{said.says}', and '{about[0].title}' takes {took / 60:g} hours."
            yield Violation("too_short", about[0].id, says, f"Let it take {said.minutes / 60:g} hours.")
