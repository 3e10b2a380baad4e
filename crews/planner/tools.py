"""Tools of the planner job: each says what it needs and what it makes, and is refused until that is there.

What an expensive one answered is kept for the job under a key of its arguments, the project, the policy and the model.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from echelon.crews.planner import files, led, results, solving, standing
from echelon.crews.planner.drafts import drafting
from echelon.crews.planner.drafts.drafting import Nothing
from echelon.crews.planner.person import talking
from echelon.digest import digest
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Arguments, Effect, PhaseState, Tool, ToolContext
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from echelon.files import write_atomically

Work = Callable[[ToolContext, Any], ToolResult]
MOST_KEPT = 20

MADE_BY = {
    "pattern": "select_pattern",
    "outline": "generate_nodes",
    "roadmap": "build_roadmap",
    "schedule": "generate_schedule",
}
"""What tools need from each other, and the tool that makes it."""
PATHS = {"pattern": files.PATTERN, "outline": files.OUTLINE, "roadmap": files.ROADMAP, "schedule": files.SCHEDULE}


@dataclass(frozen=True)
class Step:
    """A tool with what it needs and what it makes, by the names in `MADE_BY`; `kept`: whether its answer is kept."""

    work: Work
    says: str
    arguments: type[Arguments] = Nothing
    prerequisites: tuple[str, ...] = ()
    produces: tuple[str, ...] = ()
    effect: Effect = Effect.IDEMPOTENT
    kept: bool = False
    held: Callable[[PhaseState, dict[str, Any]], dict[str, Any]] | None = None

    @property
    def name(self) -> str:
        return self.work.__name__

    def tool(self) -> Tool:
        """The tool as roles get it: refused where something is missing."""
        needs = f" Needs: {', '.join(self.prerequisites)}." if self.prerequisites else ""
        makes = f" Makes: {', '.join(self.produces)}." if self.produces else ""
        return Tool(
            self.name, f"{self.says}{needs}{makes}", self.arguments, functools.partial(_run, self), self.effect,
            ready=lambda state: led.has_turn(self.name, MAKES, state), held=self.held,
        )  # fmt: skip


def _run(step: Step, context: ToolContext, arguments: Arguments) -> ToolResult:
    for needed in step.prerequisites:
        if (why := missing(context.workspace, needed)) is not None:
            raise ModelFault(f"{step.name} needs {why}; call {MADE_BY[needed]} first.")
    retries = context.run.config.planning.retries
    if step.produces and any(count > retries for _, count in standing.repairs(standing.moves(context.workspace))):
        raise ModelFault(f"{retries + 1} drafts broke a rule, so a person is asked; call todo_rewind.")
    known: dict[str, Any] = files.get(context.workspace, files.FEASIBILITY) or {}
    if step.produces and known.get("feasible") is False:
        raise ModelFault("No schedule keeps all constraints, so a person is asked what gives; call todo_rewind.")
    if not step.kept:
        return _drafted(step, context, arguments) if step.produces else step.work(context, arguments)
    key = key_of(step, context, arguments)
    if (found := _known(context.workspace).get(key)) is not None and _is_current(step, context.workspace):
        return ToolResult.model_validate(found)
    result = step.work(context, arguments)
    if result.ok:
        key = key_of(step, context, arguments)  # what it made is of the project as it is now
        known = {**_known(context.workspace), key: result.model_dump(mode="json")}
        write_atomically(
            context.workspace.path(files.KEPT), json.dumps(dict(list(known.items())[-MOST_KEPT:]), indent=1)
        )
    return result


def _drafted(step: Step, context: ToolContext, arguments: Arguments) -> ToolResult:
    """The work, unless a small model writes the very draft that was refused last: that is no other try."""
    path = context.workspace.path(files.REFUSED)
    made = digest([step.name, arguments.model_dump(mode="json")])
    last: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
    if context.run.config.is_guided and last.get("made") == made and last["of"] == files.key(context.workspace):
        raise ModelFault(f"This is the very draft that was refused. {' '.join(last['why'])}")
    result = step.work(context, arguments)
    if not result.ok:
        said = {"made": made, "of": files.key(context.workspace), "why": list(result.explanations)}
        write_atomically(path, json.dumps(said))
    return result


def missing(workspace: Workspace, needed: str) -> str | None:
    """Why a prerequisite is not there, None where it is: an outline, a roadmap and a schedule have to be valid, too."""
    if files.get(workspace, PATHS[needed]) is None:
        return f"'{PATHS[needed]}', which is not there or out of date"
    seen = standing.standing(workspace)
    if {"outline": seen.outline, "roadmap": seen.roadmap, "schedule": seen.schedule}.get(needed) == "bad":
        return f"'{PATHS[needed]}' to keep the rules"
    return None


def key_of(step: Step, context: ToolContext, arguments: Arguments) -> str:
    """The stable key of an answer: of what it is made from, for whom, and by which model."""
    model = context.run.config.model_of("implementor")
    policy = talking.policy_data(context)
    return digest([step.name, arguments.model_dump(mode="json"), files.key(context.workspace), policy, model])


def _known(workspace: Workspace) -> dict[str, Any]:
    path = workspace.path(files.KEPT)
    found: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
    return found


def _is_current(step: Step, workspace: Workspace) -> bool:
    return all(missing(workspace, made) is None for made in step.produces)


STEPS = (
    Step(
        drafting.select_pattern, "Choose which of the five patterns the plan has.", drafting.Pattern, (), ("pattern",),
        held=led.pattern,
    ),
    Step(
        drafting.generate_nodes, "Make the outline: phases, milestones and tasks with how long they take.",
        drafting.Nodes, ("pattern",), ("outline",), held=led.nodes,
    ),
    Step(
        drafting.resolve_dependencies, "Say which task waits for which, with lag or overlap.", drafting.Dependencies,
        ("outline",), ("outline",),
    ),
    Step(drafting.validate_grammar, "Check the outline against the rules of plans.", Nothing, ("pattern",)),
    Step(
        solving.build_roadmap, "Try two or three options with the solver and take one.", solving.Choice, ("outline",),
        ("roadmap",), kept=True, held=led.choice,
    ),
    Step(
        solving.generate_schedule, "Make the schedule with the solver.", Nothing, ("outline", "roadmap"), ("schedule",),
        kept=True,
    ),
    Step(
        solving.write_plan, "Write the plan: JSON, Markdown, page, calendar, tables and MSPDI.", Nothing, ("schedule",)
    ),
    Step(solving.check_plan, "Check the schedule against every rule of the project.", effect=Effect.READ),
    Step(solving.check_feasibility, "Say whether a schedule is possible, and if not, why and what would help."),
    Step(solving.probe_portfolio, "Look for conflicts with the other plans of this home.", Nothing, ("schedule",)),
    Step(talking.elicit_context, "Say what is not known, as questions to the person.", effect=Effect.READ),
    Step(talking.brainstorm, "Keep ideas that would make the plan better.", talking.Ideas, ("schedule",)),
    Step(talking.craft_options, "Put the options that were tried into words.", Nothing, ("roadmap",), effect=Effect.READ),
    Step(talking.summarize, "Put the plan into words, as the person likes it.", effect=Effect.READ),
    Step(talking.probe_preference, "Say how the person likes to be spoken to.", effect=Effect.READ),
    Step(talking.handle_approval, "Say whether a person has to approve, and what they are asked to do.", effect=Effect.READ),
    Step(talking.revise_plan, "Change the project as a person answered.", talking.Revision),
)  # fmt: skip

TOOLS = tuple(step.tool() for step in STEPS)
PRODUCES = {
    "select_pattern": files.PATTERN,
    "generate_nodes": files.OUTLINE,
    "build_roadmap": files.ROADMAP,
    "generate_schedule": files.SCHEDULE,
    "write_plan": results.PLAN,
}
"""The file that each tool makes, in the order in which they need each other."""
MAKES = {step.name: PRODUCES.get(step.name, "") for step in STEPS}
