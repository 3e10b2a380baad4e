"""Tools of the planner job: each says what it needs and what it makes, and is refused until that is there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from pydantic import Field

from echelon.crews.planner import files, results
from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.plan import AdaptationLogEntry, PatternSpec, Roadmap, RoadmapNode, TriedOption
from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.domains.planning.contracts.strategy import Strategy, StrategyProfile
from echelon.domains.planning.infeasible.conflict import find_conflict, is_possible
from echelon.domains.planning.infeasible.facts import sentence
from echelon.domains.planning.infeasible.ways_out import ways_out
from echelon.domains.planning.patterns.grammar import outline_of, violations
from echelon.domains.planning.patterns.select import select_pattern
from echelon.domains.planning.risk.simulation import with_confidence
from echelon.domains.planning.scheduling.scheduler import Limits, schedule
from echelon.domains.planning.solver.process import SolverProcess
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Arguments, Effect, Tool, ToolContext
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from echelon.files import write_atomically

PRODUCES = {
    "choose_pattern": files.PATTERN,
    "generate_nodes": files.OUTLINE,
    "validate_grammar": files.GRAMMAR,
    "build_roadmap": files.ROADMAP,
    "generate_schedule": files.SCHEDULE,
    "write_plan": results.PLAN,
}
"""The file that each tool makes, in the order in which they need each other."""


class Nothing(Arguments):
    pass


def needs_what_comes_before(context: ToolContext, tool: str) -> None:
    """Raises ModelFault that names the first tool whose result is missing."""
    for name, path in PRODUCES.items():
        if name == tool:
            return
        if files.get(context.workspace, path) is None:
            raise ModelFault(f"{tool} needs '{path}'; call {name} first.")


def limits(context: ToolContext, share: float = 1.0) -> Limits:
    """Time for one scheduling."""
    return Limits(seconds=context.run.config.planning.seconds * share)


def choose_pattern(context: ToolContext, a: Nothing) -> ToolResult:
    project, about = files.project(context.workspace), files.context(context.workspace)
    given = not any("template" in x for x in about.assumptions)
    pattern = select_pattern(about.goal, any(t.origin.startswith("habit") for t in project.tasks), given)
    files.put(context.workspace, files.PATTERN, pattern)
    return _done(f"The pattern is {pattern.pattern_type}.", pattern.confidence or 0.5, pattern.model_dump(mode="json"))


def generate_nodes(context: ToolContext, a: Nothing) -> ToolResult:
    needs_what_comes_before(context, "generate_nodes")
    pattern = files.shape(context.workspace, files.PATTERN, PatternSpec)
    project = files.project(context.workspace)
    outline = outline_of(project, files.context(context.workspace).goal, pattern)
    files.put(context.workspace, files.OUTLINE, outline)
    return _done(f"The outline has {len(outline.nodes)} nodes.", 1.0, {"nodes": len(outline.nodes)})


def validate_grammar(context: ToolContext, a: Nothing) -> ToolResult:
    needs_what_comes_before(context, "validate_grammar")
    outline = files.outline(context.workspace)
    assert outline is not None
    found = violations(outline, files.project(context.workspace))
    files.put(context.workspace, files.GRAMMAR, [asdict(v) for v in found])
    data = {
        "valid": not found,
        "violations": [v.says for v in found][:20],
        "suggested_fixes": [v.fix for v in found][:20],
    }
    if found:
        return ToolResult(ok=False, confidence=0.3, explanations=(found[0].says, found[0].fix), data=data)
    return _done("The outline keeps all rules.", 1.0, data)


TRIED = (Strategy.EARLIEST_END, Strategy.LEVEL_LOAD, Strategy.LEAST_COST)


def build_roadmap(context: ToolContext, a: Nothing) -> ToolResult:
    needs_what_comes_before(context, "build_roadmap")
    project = files.project(context.workspace)
    aims = list(dict.fromkeys((project.strategy.aim, *TRIED)))[:3]
    tried: list[TriedOption] = []
    with SolverProcess() as solver:
        for aim in aims:
            option = project.model_copy(update={"strategy": project.strategy.model_copy(update={"aim": aim})})
            found = schedule(option, limits(context, 0.3), solver).schedule
            if found is not None:
                tried.append(_tried(project, aim, found))
    if not tried:
        return ToolResult.failure("No option has a schedule; call check_feasibility to learn why.")
    roadmap = Roadmap(
        nodes=tuple(
            RoadmapNode(id=t.id, title=t.title, level="task" if t.duration else "milestone", after=t.after)
            for t in project.tasks
        ),
        options_tried=tuple(tried),
        pattern=files.shape(context.workspace, files.PATTERN, PatternSpec),
    )
    files.put(context.workspace, files.ROADMAP, roadmap)
    chosen = next((o for o in tried if o.chosen), tried[0])
    return _done(f"{len(tried)} options were tried; {chosen.name} is taken.", 1.0, {"options": [o.name for o in tried]})


def _tried(project: Project, aim: Strategy, found: Schedule) -> TriedOption:
    chosen = aim is project.strategy.aim
    why = "This is the strategy that the project names, or the usual one." if chosen else "Tried for comparison."
    return TriedOption(name=aim.value, end=found.end, cost=found.cost, peak=_peak(found), chosen=chosen, why=why)


def _peak(found: Schedule) -> int:
    """Tasks that run at the same time at most."""
    working = [t for t in found.tasks if t.end > t.start]
    moments = sorted([(t.start, 1) for t in working] + [(t.end, -1) for t in working])
    level = peak = 0
    for _, change in moments:
        level += change
        peak = max(peak, level)
    return peak


def generate_schedule(context: ToolContext, a: Nothing) -> ToolResult:
    needs_what_comes_before(context, "generate_schedule")
    project = files.project(context.workspace)
    outcome = schedule(project, limits(context))
    if outcome.schedule is None:
        return ToolResult.failure("There is no schedule that keeps everything; call check_feasibility to learn why.")
    broken = check(project, outcome.schedule)
    if broken:
        return ToolResult.failure(f"The schedule breaks a rule: {broken[0].says}.")
    found = with_confidence(project, outcome.schedule)
    files.put(context.workspace, files.SCHEDULE, found)
    data = {"end": f"{found.end:%Y-%m-%d}", "quality": found.quality, "gap": found.gap}
    return _done(f"The schedule ends on {found.end:%Y-%m-%d} and keeps every rule.", 1.0, data)


def write_plan(context: ToolContext, a: Nothing) -> ToolResult:
    needs_what_comes_before(context, "write_plan")
    paths = results.write(context.workspace)
    return _done(f"Wrote {', '.join(paths)}.", 1.0, {"paths": paths})


def check_plan(context: ToolContext, a: Nothing) -> ToolResult:
    problems = results.wrong(context.workspace)
    return ToolResult(ok=True, explanations=(problems[0] if problems else "The plan keeps every rule.",),
                      data={"problems": problems[:20]})  # fmt: skip


def check_feasibility(context: ToolContext, a: Nothing) -> ToolResult:
    """Whether any schedule exists; if not, which constraints are impossible together, and what would help."""
    kept = files.get(context.workspace, files.FEASIBILITY)
    if kept is None:
        kept = _feasibility(files.project(context.workspace), limits(context, 0.3))
        files.put(context.workspace, files.FEASIBILITY, kept)
    first = "A schedule is possible." if kept["feasible"] else "No schedule keeps all constraints."
    return ToolResult(ok=True, explanations=(first, *kept.get("ways", ())), data=kept)


def _feasibility(project: Project, given: Limits) -> dict[str, Any]:
    with SolverProcess() as solver:
        if is_possible(project, solver):
            return {"feasible": True}
        if schedule(project.model_copy(update={"strategy": StrategyProfile()}), given, solver).schedule is not None:
            return {"feasible": True}
        conflict = find_conflict(project, solver)
        if conflict is None:
            return {"feasible": False, "conflict": [], "ways": [], "proven": False}
        ways = ways_out(project, conflict.facts, solver, given)
    return {
        "feasible": False,
        "conflict": [sentence(project, f) for f in conflict.facts],
        "proven": conflict.proven,
        "ways": [w.says for w in ways],
        "projects": [w.project.model_dump(mode="json") for w in ways],
    }


class Answer(Arguments):
    text: str = Field(description="what the person said, word for word", max_length=2000)


def note_answer(context: ToolContext, a: Answer) -> ToolResult:
    """Keep what a person said until it is applied."""
    kept = files.answers(context.workspace)
    if not any(e["text"] == a.text for e in kept):
        kept.append({"text": a.text})
        write_atomically(context.workspace.path(files.ANSWERS), json.dumps(kept, indent=1))
    return _done("The answer is kept.", 1.0, {"answers": len(kept)})


class Numbered(Arguments):
    number: int = Field(description="number of the answer, from 1", ge=1)


def apply_answer(context: ToolContext, a: Numbered) -> ToolResult:
    """Change the project as a person said: a way out by its number."""
    kept = files.answers(context.workspace)
    if a.number > len(kept):
        raise ModelFault(f"There are {len(kept)} answers.")
    text = kept[a.number - 1]["text"]
    if any(c.why == text for c in files.changes(context.workspace)):
        return _done("This answer is applied already.", 1.0, {})
    infeasible: dict[str, Any] = files.get(context.workspace, files.FEASIBILITY) or {}
    choice = chosen_way(text, infeasible.get("ways", []))
    if choice is None:
        entry = AdaptationLogEntry(what="answer", why=text, before="-", after="nothing to change in the project")
    else:
        before = "; ".join(infeasible.get("conflict", ["-"])) or "-"
        entry = AdaptationLogEntry(what="way out", why=text, before=before, after=infeasible["ways"][choice])
        files.put_project(context.workspace, Project.model_validate(infeasible["projects"][choice]))
    files.put_change(context.workspace, entry)
    return _done(entry.after, 1.0, {"applied": choice is not None})


KINDS = {"later": "finish", "finish": "finish", "more": "one more", "second": "one more", "drop": "leave out"}
"""How the ways out begin that a word of an answer means."""


def chosen_way(text: str, ways: list[str]) -> int | None:
    """Which way out an answer means: by its number, or by its first words."""
    if (number := re.search(r"\b([1-9])\b", text)) and int(number[1]) <= len(ways):
        return int(number[1]) - 1
    for word, begin in KINDS.items():
        if re.search(rf"\b{word}\b", text.lower()):
            return next((n for n, way in enumerate(ways) if way.lower().startswith(begin)), None)
    return None


def open_answers(workspace: Workspace) -> list[tuple[int, str]]:
    """Answers that no change names yet, with their numbers."""
    applied = {c.why for c in files.changes(workspace)}
    return [(n, e["text"]) for n, e in enumerate(files.answers(workspace), 1) if e["text"] not in applied]


def _done(says: str, confidence: float, data: Any) -> ToolResult:
    return ToolResult(ok=True, confidence=confidence, explanations=(says,), data=data)


Made = Callable[[ToolContext, Any], ToolResult]


def _tool(work: Made, says: str, arguments: type[Arguments] = Nothing, effect: Effect = Effect.IDEMPOTENT) -> Tool:
    return Tool(work.__name__, says, arguments, work, effect)


TOOLS = (
    _tool(choose_pattern, "Choose which of the five patterns the plan has."),
    _tool(generate_nodes, "Make the outline: goal, phases, milestones and tasks."),
    _tool(validate_grammar, "Check the outline against the rules of plans."),
    _tool(build_roadmap, "Try two or three options with the solver and keep the comparison."),
    _tool(generate_schedule, "Make the schedule with the solver."),
    _tool(write_plan, "Write the plan: JSON, Markdown, page, calendar, tables and MSPDI."),
    _tool(check_plan, "Check the schedule against every rule of the project.", effect=Effect.READ),
    _tool(check_feasibility, "Say whether a schedule is possible, and if not, why and what would help."),
    _tool(note_answer, "Keep what a person answered, until it is applied.", Answer),
    _tool(apply_answer, "Change the project as a person answered.", Numbered),
)
