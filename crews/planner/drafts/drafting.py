"""Tools that draft the outline. Each draft goes to its validation at once, and what breaks a rule is not kept."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from echelon.crews.planner import files, standing
from echelon.crews.planner.done import done, log
from echelon.crews.planner.drafts.nodes import SELF, AnyNode, Node, is_nobody, once, written
from echelon.crews.planner.drafts.order import linked_by_goal
from echelon.crews.planner.drafts.patterns import known_subtypes, mirror, refuse_subtype
from echelon.crews.planner.drafts.people import peopled, staffed
from echelon.crews.planner.drafts.rules import broken, without_goal
from echelon.crews.planner.stages import Event, Stage
from echelon.domains.planning.contracts.plan import PROPOSED, WORK, PatternSpec, PatternType
from echelon.domains.planning.contracts.project import Link, LinkKind, Project
from echelon.domains.planning.importing.values import minutes_of
from echelon.domains.planning.patterns.grammar import Violation, outline_of, violations
from echelon.domains.planning.patterns.select import select_pattern as by_words
from echelon.domains.planning.patterns.select import template_tasks, templates
from echelon.domains.planning.wanted.holding import NOT_HELD, held, told
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Arguments, ToolContext
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault, UserError

MOST_NODES = 200
MOST_TOLD = 4
"""Rules that are said to be broken at once: who hears of one alone mends that one alone"""
SETTLED = (
    "A person approved or changed these tasks, so no role writes others; what a person said is done with revise_plan."
)


class Pattern(Arguments):
    pattern_type: PatternType | None = Field(
        default=None, description="the nearest pattern; empty: by the goal's words"
    )
    subtype: str = Field(default="", description=f"a known subtype, or '{PROPOSED}<name>' with its reasons in rfc")
    variant: str = Field(default="", description="a variant, in a word")
    rfc: str = Field(default="", description="for a proposed subtype: why no known one fits", max_length=2000)
    confidence: float = Field(default=0.8, description="how sure you are, from 0 to 1", ge=0, le=1)


ALL_THE_SAME = Violation(
    "doubled_title", "goal", "All tasks have the same title.", "Say of each task what is done in it."
)
UNWRITTEN = Violation(
    "unwritten", "goal", "Nobody wrote the tasks of this goal yet.",
    "Call generate_nodes with nodes: what people do for the goal, each with title and takes.",
)  # fmt: skip


def is_given(workspace: Workspace) -> bool:
    """Whether the inputs name the tasks, so that nobody has to think of them."""
    return not any(t.origin in ("template", SELF) or t.origin.startswith("ai ") for t in files.project(workspace).tasks)


def is_unwritten(workspace: Workspace) -> bool:
    """Whether the tasks are still those of a template, so that a role may think of better ones."""
    project = files.project(workspace)
    minutes = round(project.hours_per_day * 60)
    return any(project.tasks == tuple(template_tasks(PatternSpec(pattern_type=k), minutes)) for k in templates())


def select_pattern(context: ToolContext, a: Pattern) -> ToolResult:
    workspace, settings = context.workspace, context.run.config.planning
    project, about = files.project(workspace), files.context(workspace)
    has_habits = any(t.origin.startswith("habit") for t in project.tasks)
    pattern = by_words(about.goal, has_habits, is_given(workspace))
    if a.pattern_type is not None or a.subtype:
        kind = a.pattern_type or pattern.pattern_type
        refuse_subtype(context, kind, a.subtype, a.rfc, settings.allow_new_subtypes)
        pattern = PatternSpec(
            pattern_type=kind, subtype=a.subtype or None, variant=a.variant or None, confidence=a.confidence,
            introduced_by="ai_adaptation" if a.subtype.startswith(PROPOSED) else "system",
            source_pattern=pattern.pattern_type if a.subtype.startswith(PROPOSED) else None, rfc=a.rfc or None,
        )  # fmt: skip
    mirror(workspace, pattern)
    data = pattern.model_dump(mode="json") | {"known_subtypes": known_subtypes(context, pattern.pattern_type)}
    return done(f"The pattern is {pattern.pattern_type}.", pattern.confidence or 0.5, data)


class Nodes(Arguments):
    nodes: list[AnyNode] = Field(
        default=[],
        description="phases, tasks and milestones of the goal; empty: the tasks there",
        max_length=MOST_NODES,
    )


def generate_nodes(context: ToolContext, a: Nodes) -> ToolResult:
    workspace = context.workspace
    project, about = files.project(workspace), files.context(workspace)
    if a.nodes and is_given(workspace):
        raise ModelFault("The inputs name the tasks already; call generate_nodes without nodes.")
    if a.nodes and files.is_settled(workspace):
        raise ModelFault(f"{SETTLED} Call generate_nodes without nodes.")
    if (
        not a.nodes
        and is_unwritten(workspace)
        and not context.run.config.model_of("implementor").startswith("playbook")
    ):
        return refused(context, "generate_nodes", Stage.VALIDATE_OUTLINE, [UNWRITTEN])
    pattern = files.shape(workspace, files.PATTERN, PatternSpec)
    assumptions: list[str] = []
    found: list[Violation] = []
    if a.nodes:
        project, assumptions, found = drafted(workspace, project, a.nodes)
    elif is_unwritten(workspace) and pattern is not None:
        project = project.model_copy(
            update={"tasks": tuple(template_tasks(pattern, round(project.hours_per_day * 60)))}
        )
    outline = outline_of(project, about.goal, pattern)
    found += violations(outline, project)
    if found:
        return refused(context, "generate_nodes", Stage.VALIDATE_OUTLINE, found)
    files.put_again(workspace, project, files.PATTERN)
    files.put(workspace, files.OUTLINE, outline)
    files.put(workspace, files.GRAMMAR, [])
    files.assume(workspace, assumptions, instead_of=("template", NOT_HELD) if a.nodes else ())
    log(context, Stage.VALIDATE_OUTLINE, Event.VALID, "generate_nodes", 1.0)
    return done(f"The outline has {len(outline.nodes)} nodes and keeps all rules.", 1.0, {"nodes": len(outline.nodes)})


def drafted(workspace: Workspace, project: Project, nodes: list[Node]) -> tuple[Project, list[str], list[Violation]]:
    """The project with what a role wrote, what had to be assumed, and the rules that it breaks. Raises ModelFault."""
    wanted, about = files.wanted(workspace), files.context(workspace)
    nodes, merged = once(nodes)
    again = [ALL_THE_SAME] if merged and sum(n.level in WORK for n in nodes) < 2 else []
    nodes, root = without_goal(nodes, about.goal)
    project, people = peopled(project, nodes)
    project, order = written(project, nodes, wanted)
    project, staff = staffed(project, {n.id for n in nodes if n.needs and all(map(is_nobody, n.needs))})
    project = held(project, wanted)
    now = files.today(workspace)
    found = again + list(broken(nodes, project, about.goal, wanted, now.date() if now else project.start.date()))
    return project, [*merged, *root, *people, *order, *staff, *told(project, wanted)], found


def refused(context: ToolContext, tool: str, stage: Stage, found: list[Violation]) -> ToolResult:
    """A draft that breaks a rule: what and how to mend it; it is not kept."""
    says = tuple(v.says for v in found)
    confidence = round(max(0.0, 0.6 - 0.1 * len(found)), 2)
    log(context, stage, Event.INVALID, tool, confidence, says[:5])
    data = {"valid": False, "violations": list(says[:20]), "suggested_fixes": [v.fix for v in found][:20]}
    told = dict.fromkeys(line for v in found[:MOST_TOLD] for line in (v.says, v.fix))
    return ToolResult(ok=False, confidence=confidence, explanations=tuple(told), data=data)


class Dependency(BaseModel):
    model_config = ConfigDict(extra="forbid")

    task: str = Field(description="id of the task that waits")
    after: str = Field(description="id of the task that it waits for")
    kind: LinkKind = Field(default="FS", description="FS finish-to-start, SS start-to-start, FF finish-to-finish, SF")
    lag: str = Field(default="", description="time between, such as '2d', or '-4h' for an overlap")


class Dependencies(Arguments):
    links: list[Dependency] = Field(description="all dependencies of the tasks that they name", min_length=1)


def resolve_dependencies(context: ToolContext, a: Dependencies) -> ToolResult:
    workspace = context.workspace
    project = files.project(workspace)
    if is_given(workspace):
        raise ModelFault("The inputs name the dependencies already; a person can change them.")
    if files.is_settled(workspace):
        raise ModelFault(SETTLED)
    links: dict[str, list[Link]] = {}
    for d in a.links:
        links.setdefault(d.task, []).append(Link(after=d.after, kind=d.kind, lag=_lag(d, project.hours_per_day)))
    unknown = set(links) - {t.id for t in project.tasks}
    if unknown:
        raise ModelFault(f"There is no task '{min(unknown)}'; there are: {', '.join(t.id for t in project.tasks)}.")
    tasks = tuple(t.model_copy(update={"after": tuple(links.get(t.id, t.after))}) for t in project.tasks)
    tasks = tuple(linked_by_goal(list(tasks), files.wanted(workspace)))
    new = project.model_copy(update={"tasks": tasks})
    outline = outline_of(new, files.context(workspace).goal, files.shape(workspace, files.PATTERN, PatternSpec))
    if found := violations(outline, new):
        return refused(context, "resolve_dependencies", Stage.VALIDATE_OUTLINE, found)
    files.put_again(workspace, new, files.PATTERN, files.OUTLINE, files.GRAMMAR)
    return done(f"{len(a.links)} dependencies are kept.", 1.0, {"links": len(a.links)})


def _lag(d: Dependency, hours: float) -> int:
    if not d.lag.strip():
        return 0
    try:
        return minutes_of(d.lag, hours, f"{d.task} after {d.after}")[0]
    except UserError as error:
        raise ModelFault(str(error)) from error


class Nothing(Arguments):
    pass


def validate_grammar(context: ToolContext, a: Nothing) -> ToolResult:
    """Look at the outline as it is kept: the rules that it breaks, how sure that is, and what would mend them."""
    outline = files.outline(context.workspace)
    if outline is None:
        raise ModelFault("There is no outline that was made from the project as it is now; call generate_nodes.")
    found = violations(outline, files.project(context.workspace))
    says = [v.says for v in found]
    files.put(context.workspace, files.GRAMMAR, says)
    data = {"valid": not found, "violations": says[:20], "suggested_fixes": [v.fix for v in found][:20],
            "stage": standing.stage(context.workspace).value}  # fmt: skip
    if found:
        return ToolResult(ok=False, confidence=0.3, explanations=(says[0], found[0].fix), data=data)
    return done("The outline keeps all rules.", 1.0, data)
