"""The plan in a few sentences, as long and in the tone that a person likes."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.plan import InteractionPolicy, Plan
from echelon.domains.planning.contracts.schedule import Schedule

LONGEST = 7
OPENINGS = {
    "neutral": "The plan ends on {end}.",
    "friendly": "Good news: everything can be done by {end}.",
    "clinical": "End: {end}.",
}
IMPOSSIBLE = {
    "neutral": "No schedule keeps all constraints.",
    "friendly": "I am sorry, this does not fit together yet: no schedule keeps all constraints.",
    "clinical": "Status: infeasible.",
}
MISSING = {
    "neutral": "There is no schedule yet.",
    "friendly": "We are not there yet: there is no schedule so far.",
    "clinical": "Status: incomplete.",
}


def sentences_wanted(policy: InteractionPolicy) -> int:
    """How many sentences a summary has at most: from talkativeness, two for whoever likes it concise."""
    wanted = 1 + round(policy.talkativeness * (LONGEST - 1))
    return min(2, wanted) if policy.conversation_style == "concise" else wanted


def summary(plan: Plan, policy: InteractionPolicy) -> str:
    """The plan in sentences, the most important first."""
    said = _facts(plan, policy)[: sentences_wanted(policy)]
    if policy.conversation_style == "coach" and plan.schedule is not None:
        said.append(_next_step(plan.schedule))
    if policy.conversation_style == "conversational":
        said.append("Does that suit you?")
    return " ".join(said)


def _facts(plan: Plan, policy: InteractionPolicy) -> list[str]:
    found = plan.schedule
    if found is None:
        if plan.planning_status == "needs_scheduling_escalation":
            return [IMPOSSIBLE[policy.tone], *(f"{c[:1].upper()}{c[1:]}." for c in plan.conflict), *plan.ways_out]
        return [MISSING[policy.tone], *([plan.escalate_reason] if plan.escalate_reason else [])]
    zone = ZoneInfo(found.zone)
    working = [t for t in found.tasks if t.end > t.start]
    critical = [t for t in working if t.critical]
    out = [OPENINGS[policy.tone].format(end=f"{found.end.astimezone(zone):%Y-%m-%d}")]
    out.append(f"It has {len(working)} tasks, {len(critical)} of them critical.")
    if found.buffer_end is not None:
        out.append(f"The time until {found.buffer_end.astimezone(zone):%Y-%m-%d} is kept free as a buffer.")
    if found.confidence is not None:
        out.append(f"With 80 per cent it is kept by {found.confidence.p80.astimezone(zone):%Y-%m-%d}.")
    if plan.context.assumptions:
        out.append(f"{len(plan.context.assumptions)} things were assumed, the first: {plan.context.assumptions[0]}")
    if critical:
        longest = max(critical, key=lambda t: t.end - t.start)
        out.append(f"The longest critical task is '{longest.title}'.")
    if plan.roadmap is not None:
        out.append(f"{len(plan.roadmap.options_tried)} options were tried.")
    out.append("It is proven to be the best." if found.quality == "optimal" else f"It is at most {found.gap:.1%} off.")
    return out


def _next_step(found: Schedule) -> str:
    first = min((t for t in found.tasks if t.end > t.start and not t.done), key=lambda t: t.start, default=None)
    return "Nothing is left to do." if first is None else f"Your next step: '{first.title}' on {first.start:%Y-%m-%d}."
