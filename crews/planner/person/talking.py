"""Tools that talk with the person: what to ask, what to offer, what was answered, and the plan in a few words."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from echelon.crews.planner import files, results
from echelon.crews.planner.done import done
from echelon.crews.planner.drafts.claims import strange_days
from echelon.crews.planner.drafts.drafting import Nothing
from echelon.crews.planner.person import asking, changing, policy, wishes
from echelon.domains.planning.contracts.plan import PatternSpec, Roadmap
from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.domains.planning.exporting.summary import summary
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Arguments, ToolContext
from echelon.errors import ModelFault


def elicit_context(context: ToolContext, a: Nothing) -> ToolResult:
    """What is not known, as questions: no more of them than the person likes to be asked."""
    found = asking.candidates(context.run, context.workspace)
    most = policy.most_questions(policy.of_run(context.run))
    says = f"{len(found)} things are not known; {most} may be asked, the others are assumed."
    return done(says, 1.0 if not found else 0.6, {"questions": found[:most], "assumed": found[most:]})


class Ideas(Arguments):
    ideas: list[str] = Field(
        default=[], description="ideas that would make the plan better; empty: by rules", max_length=10
    )


def brainstorm(context: ToolContext, a: Ideas) -> ToolResult:
    """Ideas beside the plan; they change nothing by themselves."""
    project, found = files.project(context.workspace), files.schedule(context.workspace)
    assert found is not None
    ideas = [" ".join(i.split())[:300] for i in a.ideas if i.strip()] or by_rules(project, found)
    ideas = [i for i in ideas if not strange_days(context.workspace, i)] or by_rules(project, found)
    files.put(context.workspace, files.IDEAS, ideas)
    return done(f"{len(ideas)} ideas are kept; ideas with days that are not the schedule's are left out.", 0.6,
                {"ideas": ideas})  # fmt: skip


def by_rules(project: Project, found: Schedule) -> list[str]:
    """What the schedule itself suggests to try."""
    critical = sorted((t for t in found.tasks if t.critical and t.end > t.start), key=lambda t: t.start - t.end)
    out = [f"Split '{t.title}' and begin what waits for it with its first part." for t in critical[:1]]
    held = [n.resource for t in critical for n in t.needs]
    if held:
        most = max(dict.fromkeys(held), key=held.count)
        out.append(f"Ask for one more '{most}': it is needed for {held.count(most)} critical tasks.")
    slack = max((t for t in found.tasks if t.end > t.start), key=lambda t: t.slack, default=None)
    if slack is not None and slack.slack:
        out.append(f"Leave '{slack.title}' for quiet days: it may slip without harm.")
    return out or [f"Look at '{project.tasks[0].title}' once more: is it needed?"]


def craft_options(context: ToolContext, a: Nothing) -> ToolResult:
    """The options of the roadmap in a sentence each, two or three of them, with what sets them apart."""
    roadmap = files.shape(context.workspace, files.ROADMAP, Roadmap)
    assert roadmap is not None
    said = [
        f"{o.name.replace('_', ' ')}: ends {o.end:%Y-%m-%d}, costs {o.cost:,.0f}, at most {o.peak} tasks at once"
        for o in roadmap.options_tried
    ]
    return done("; ".join(said), 1.0, {"options": said[: policy.options(policy.of_run(context.run))]})


def summarize(context: ToolContext, a: Nothing) -> ToolResult:
    text = summary(results.plan(context.workspace, context.run), policy.of_run(context.run))
    return done(text, 1.0, {"summary": text})


def probe_preference(context: ToolContext, a: Nothing) -> ToolResult:
    """Whether it is known how the person wants to be spoken to; if not, the one question that settles it."""
    style = context.run.config.planning.policy.get("conversation_style")
    if style is not None:
        return done(f"The person likes it {style}.", 1.0, {"conversation_style": style, "question": ""})
    return done(asking.STYLE, 0.5, {"conversation_style": "", "question": asking.STYLE})


def handle_approval(context: ToolContext, a: Nothing) -> ToolResult:
    """Whether a person has to approve the plan, whether they have, and the one thing they are asked to do."""
    is_needed = results.needs_approval(context.run)
    has = files.get(context.workspace, files.APPROVAL) is not None
    says = "A person approved the plan." if has else results.APPROVE if is_needed else "Nobody has to approve the plan."
    data = {"needed": is_needed, "approved": has, "policy": context.run.config.approvals}
    return done(says, 1.0, data)


class Revision(Arguments):
    number: int = Field(description="number of the answer, from 1", ge=1)
    changes: list[str] = Field(default=[], description=f"lines: {changing.FORMS}", max_length=20)


def revise_plan(context: ToolContext, a: Revision) -> ToolResult:
    """Change the project as a person said, where code did not understand it by itself."""
    workspace = context.workspace
    kept = files.answers(workspace)
    if a.number > len(kept):
        raise ModelFault(f"There are {len(kept)} answers.")
    said = kept[a.number - 1]
    if said.done or not said.open:
        raise ModelFault(
            f"What the person said there is followed already: '{said.text[:100]}'. There is nothing to revise."
        )
    if not a.changes:
        files.put_answers(workspace, [s.model_copy(update={"passed": s.passed or s is said}) for s in kept])
        return done("The person is asked how it is meant.", 0.5, {"changes": 0})
    if problem := wishes.beside(workspace, said, a.changes):
        raise ModelFault(problem)
    made = changing.changed(files.project(workspace), "\n".join(a.changes))
    if made.open:
        raise ModelFault(f"Not understood: {made.open[0]}. Say each change as one of: {changing.FORMS}.")
    for entry in made.entries:
        files.put_change(workspace, entry.model_copy(update={"why": said.text[:300], "origin": "ai_adaptation"}))
    asking.take_over(workspace, made.project)
    files.put_answers(workspace, [s.model_copy(update={"done": s.done or s is said}) for s in kept])
    return done("; ".join(e.what for e in made.entries) or "Nothing changes.", 1.0, {"changes": len(made.entries)})


def pattern_of(context: ToolContext) -> PatternSpec | None:
    """The pattern of the plan, if it is chosen."""
    return files.shape(context.workspace, files.PATTERN, PatternSpec)


def policy_data(context: ToolContext) -> dict[str, Any]:
    """The policy as data, for the stable key of results."""
    return policy.of_run(context.run).model_dump(mode="json")
