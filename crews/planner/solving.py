"""Tools that ask the solver: options, the schedule, whether one exists at all, and other plans."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from echelon.crews.planner import files, results
from echelon.crews.planner.done import done, log
from echelon.crews.planner.drafts.claims import contradicted
from echelon.crews.planner.drafts.drafting import Nothing, refused
from echelon.crews.planner.person import policy
from echelon.crews.planner.portfolio import probed
from echelon.crews.planner.stages import Event, Stage
from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.plan import AdaptationLogEntry, PatternSpec, Roadmap, RoadmapNode, TriedOption
from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.domains.planning.contracts.strategy import Strategy, StrategyProfile
from echelon.domains.planning.infeasible.conflict import find_conflict, is_possible
from echelon.domains.planning.infeasible.facts import sentence
from echelon.domains.planning.infeasible.ways_out import ways_out
from echelon.domains.planning.patterns.grammar import Violation
from echelon.domains.planning.patterns.roadmaps import roadmap_violations
from echelon.domains.planning.replanning.progress import moves
from echelon.domains.planning.risk.simulation import with_confidence
from echelon.domains.planning.scheduling.scheduler import Limits, schedule
from echelon.domains.planning.solver.process import SolverProcess
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Arguments, ToolContext
from echelon.engine.workspace import Workspace

TRIED = (Strategy.EARLIEST_END, Strategy.LEVEL_LOAD, Strategy.LEAST_COST)


class Choice(Arguments):
    choose: Strategy | None = Field(default=None, description="the option to take; empty: the project's own")
    why: str = Field(default="", description="the reason for the choice, in a sentence", max_length=300)


def limits(context: ToolContext, share: float = 1.0) -> Limits:
    """Time for one scheduling."""
    return Limits(seconds=context.run.config.planning.seconds * share)


def build_roadmap(context: ToolContext, a: Choice) -> ToolResult:
    workspace = context.workspace
    project = files.project(workspace)
    aim, why, note = _choice(workspace, project, a)
    tried = _options(context, project, aim, why)
    if not any(o.chosen for o in tried):
        return _no_schedule(context, project, "build_roadmap", Stage.DRAFT_ROADMAP)
    if found := _too_dear(workspace, tried):
        return refused(context, "build_roadmap", Stage.VALIDATE_ROADMAP, found)
    tried, more = _borne_out(tried)
    if aim is not project.strategy.aim:
        project = project.model_copy(update={"strategy": project.strategy.model_copy(update={"aim": aim})})
        files.put_again(workspace, project, files.PATTERN, files.OUTLINE, files.GRAMMAR)
    roadmap = Roadmap(
        nodes=tuple(
            RoadmapNode(id=t.id, title=t.title, level="task" if t.duration else "milestone", after=t.after)
            for t in project.tasks
        ),
        options_tried=tuple(tried),
        pattern=files.shape(workspace, files.PATTERN, PatternSpec),
    )
    if found := roadmap_violations(roadmap, project):
        return refused(context, "build_roadmap", Stage.VALIDATE_ROADMAP, found)
    files.put(workspace, files.ROADMAP, roadmap)
    log(context, Stage.VALIDATE_ROADMAP, Event.VALID, "build_roadmap", 1.0)
    said = [{"option": o.name, "end": f"{o.end:%Y-%m-%d}", "cost": o.cost, "peak": o.peak} for o in tried]
    says = " ".join(s for s in (f"{len(tried)} options were tried; {aim.value} is taken.", note, more) if s)
    return done(says, 1.0, {"options": said})


def _choice(workspace: Workspace, project: Project, a: Choice) -> tuple[Strategy, str, str]:
    """The option to take and why, and a note where it is a person's choice: then a role's counts for nothing."""
    own = project.strategy.aim
    if files.is_chosen(workspace) and a.choose not in (None, own):
        return own, "", f"A person asked for {own.value}, so that stays."
    return a.choose or own, a.why, ""


def _too_dear(workspace: Workspace, tried: list[TriedOption]) -> list[Violation]:
    chosen = next(o for o in tried if o.chosen)
    says = results.over_budget(workspace, chosen.cost)
    cheaper = [o.name for o in tried if not results.over_budget(workspace, o.cost)]
    fix = f"Choose {cheaper[0]}." if cheaper else "A person has to say what gives; call todo_rewind."
    return [Violation("over_budget", chosen.name, f"{chosen.name}: {s}.", fix) for s in says]


def _borne_out(tried: list[TriedOption]) -> tuple[list[TriedOption], str]:
    """The options without a reason that their figures contradict: they speak for themselves then."""
    chosen = next(o for o in tried if o.chosen)
    problem = contradicted(chosen.why, chosen, tried)
    if not problem:
        return tried, ""
    why = compared(chosen, tried)
    kept = [o.model_copy(update={"why": why}) if o.chosen else o for o in tried]
    return kept, f"The reason was left out, since {problem}."


def _options(context: ToolContext, project: Project, aim: Strategy, why: str) -> list[TriedOption]:
    """The options that have a schedule, as many as the person likes to see."""
    aims = list(dict.fromkeys((aim, *TRIED)))[: policy.options(policy.of_run(context.run))]
    out: list[TriedOption] = []
    with SolverProcess() as solver:
        for one in aims:
            option = project.model_copy(update={"strategy": project.strategy.model_copy(update={"aim": one})})
            found = schedule(option, limits(context, 0.3), solver).schedule
            if found is not None:
                out.append(TriedOption(
                    name=one.value, end=found.end, cost=found.cost, peak=peak(found), chosen=one is aim,
                    why=why if one is aim else "Tried for comparison.",
                ))  # fmt: skip
    return out if why else [o.model_copy(update={"why": compared(o, out)}) if o.chosen else o for o in out]


def compared(chosen: TriedOption, tried: list[TriedOption]) -> str:
    """The reason of a choice for which nobody gave one: what the solver found for each option."""
    figures = (f"{o.name} ends on {o.end:%Y-%m-%d}, costs {o.cost:g}, peak {o.peak:g}" for o in tried)
    return f"It is the strategy of the project, or was chosen by these figures: {'; '.join(figures)}."


def peak(found: Schedule) -> int:
    """Tasks that run at the same time at most."""
    working = [t for t in found.tasks if t.end > t.start]
    moments = sorted([(t.start, 1) for t in working] + [(t.end, -1) for t in working])
    level = most = 0
    for _, change in moments:
        level += change
        most = max(most, level)
    return most


def generate_schedule(context: ToolContext, a: Nothing) -> ToolResult:
    workspace = context.workspace
    project, before = files.project(workspace), files.previous(workspace)
    outcome = schedule(project, limits(context), previous=before)
    if outcome.schedule is None:
        return _no_schedule(context, project, "generate_schedule", Stage.DRAFT_SCHEDULE)
    broken = [Violation("broken_rule", b.subject, f"{b.says}.", "Make the schedule again.")
              for b in check(project, outcome.schedule)]  # fmt: skip
    if broken:
        return refused(context, "generate_schedule", Stage.VALIDATE_SCHEDULE, broken)
    found = with_confidence(project, outcome.schedule)
    files.put(workspace, files.SCHEDULE, found)
    if before is not None:
        _list_moves(workspace, before, found)
    log(context, Stage.VALIDATE_SCHEDULE, Event.VALID, "generate_schedule", 1.0)
    data = {"end": f"{found.end:%Y-%m-%d}", "quality": found.quality, "gap": found.gap}
    return done(f"The schedule ends on {found.end:%Y-%m-%d} and keeps every rule.", 1.0, data)


def _list_moves(workspace: Workspace, before: Schedule, after: Schedule) -> None:
    """What a revision moved, and what came and went with it."""
    old, new = {t.id: t.title for t in before.tasks}, {t.id: t.title for t in after.tasks}
    entries = [e.model_copy(update={"why": "the plan was revised"}) for e in moves(before, after, set())]
    for name in sorted(set(new) - set(old)):
        entries.append(
            AdaptationLogEntry(
                what=f"'{new[name]}' is new",
                why="the plan was revised",
                before="-",
                after=f"{after.task(name).start:%Y-%m-%d %H:%M}",
                origin="ai_adaptation",
            )
        )
    for entry in entries:
        files.put_change(workspace, entry)


def _no_schedule(context: ToolContext, project: Project, tool: str, stage: Stage) -> ToolResult:
    """Say why: what contradicts each other, or that the time was not enough to tell."""
    found = feasibility(context.workspace, project, limits(context, 0.3))
    if found["feasible"]:
        seconds = context.run.config.planning.seconds
        says = f"No schedule was found in {seconds:g} seconds, and none is ruled out."
        log(context, stage, Event.FATAL, tool, 0.0, (says,))
        return ToolResult.failure(f"{says} A person is asked; rewind the todo.")
    says = "There is no schedule that keeps everything."
    log(context, stage, Event.INFEASIBLE, tool, 1.0, tuple(found["conflict"][:5]))
    return ToolResult.failure(f"{says} A person is asked what gives; rewind the todo.")


def check_feasibility(context: ToolContext, a: Nothing) -> ToolResult:
    """Whether any schedule exists; if not, which constraints are impossible together, and what would help."""
    kept = feasibility(context.workspace, files.project(context.workspace), limits(context, 0.3))
    first = "A schedule is possible." if kept["feasible"] else "No schedule keeps all constraints."
    shown = {k: v for k, v in kept.items() if k != "projects"}
    return ToolResult(ok=True, explanations=(first, *kept.get("ways", ())), data=shown)


def feasibility(workspace: Workspace, project: Project, given: Limits) -> dict[str, Any]:
    """The same for code: found out once for a project as it is."""
    kept: dict[str, Any] | None = files.get(workspace, files.FEASIBILITY)
    if kept is None:
        kept = _feasibility(project, given)
        files.put(workspace, files.FEASIBILITY, kept)
    return kept


def _feasibility(project: Project, given: Limits) -> dict[str, Any]:
    with SolverProcess() as solver:
        if is_possible(project, solver):
            return {"feasible": True}
        if schedule(project.model_copy(update={"strategy": StrategyProfile()}), given, solver).schedule is not None:
            return {"feasible": True}
        conflict = find_conflict(project, solver)
        if conflict is None:
            return {"feasible": False, "conflict": [], "ways": [], "proven": False, "projects": []}
        ways = ways_out(project, conflict.facts, solver, given)
    return {
        "feasible": False,
        "conflict": [sentence(project, f) for f in conflict.facts],
        "proven": conflict.proven,
        "ways": [w.says for w in ways],
        "projects": [w.project.model_dump(mode="json") for w in ways],
    }


def impossible(project: Project, seconds: float) -> list[str]:
    """Which constraints of a project are impossible together, in sentences."""
    found = _feasibility(project, Limits(seconds=seconds))
    return [str(c) for c in found.get("conflict", [])]


def write_plan(context: ToolContext, a: Nothing) -> ToolResult:
    paths = results.write(context.workspace, context.run)
    return done(f"Wrote {', '.join(paths)}.", 1.0, {"paths": paths})


def check_plan(context: ToolContext, a: Nothing) -> ToolResult:
    """Of a plan that is not written yet only what is there is checked: that the rest is missing is no fault of it."""
    if is_written := context.workspace.sha256(results.PLAN) is not None:
        problems = results.wrong(context.workspace, context.run)
    else:
        problems = results.wrong_so_far(context.workspace)
    says = "The plan keeps every rule." if is_written else "What was made of the plan so far keeps every rule."
    return ToolResult(ok=True, explanations=(problems[0] if problems else says,),
                      data={"problems": problems[:20]})  # fmt: skip


def probe_portfolio(context: ToolContext, a: Nothing) -> ToolResult:
    """Other plans of this home: who is wanted twice at the same time, how busy everybody is, and what could shift."""
    found = files.schedule(context.workspace)
    assert found is not None
    data = probed(context.run, files.project(context.workspace), found)
    files.put(context.workspace, files.PORTFOLIO, data)
    conflicts = data["conflicts"]
    says = conflicts[0] if conflicts else "No other plan of this home wants the same people at the same time."
    return done(says, 1.0, data)
