"""What playbooks have in common: plan the open work word for word, work through it, judge by what code found."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from echelon.crews.playbooks.view import TRIES, Move, View

Play = Callable[[View], Move]


def play(view: View, own: Mapping[str, Play]) -> Move:
    """The next tool call of a phase, which its submit tool names; `own` has what a type of job does differently."""
    for submit, how in {**_COMMON, **own}.items():
        if view.has(submit):
            return how(view)
    raise ValueError("this is no phase that a playbook knows")


def scope(view: View, in_scope: str, success: str) -> Move:
    """Submit the usual milestones; `in_scope` is said of each document."""
    documents = [d.partition('":')[0].strip('"') for d in view.lines("Documents:")]
    outcomes = view.lines("Milestones that this type of job usually has")
    return "submit_scope", {
        "in_scope": [in_scope.format(document=d) for d in documents],
        "out_of_scope": ["what the documents only explain, define or illustrate"],
        "success": [success],
        "milestones": [{"outcome": o, "checks": [success], "areas": ["documents"]} for o in outcomes],
        "confidence": 0.9,
    }


def plan(view: View) -> Move:
    """Plan the first open work, or say that none is left."""
    work = view.lines("Open work of this milestone, the first")
    if not work and "The last attempt failed:" not in view.task:
        return "submit_milestone_done", {"reason": "No work is open for this milestone."}
    todos = work or ["check what is there"]
    if not view.succeeded("todo_write"):
        return "todo_write", {"todos": todos}
    return "submit_task", {
        "title": todos[0] if len(todos) == 1 else f"{todos[0]}, and {len(todos) - 1} more",
        "rationale": "It is the next open work of the milestone, in the order of the documents.",
        "deliverables": view.quoted("Call submit_task with a title") or ["instructions.md"],
        "checks": ["the checks in code find nothing wrong"],
        "notes": [f"next: {todos[-1]}"[:100]],
    }


def implement(view: View) -> Move:
    """Do the current todo with the call that the prompt names for it, then complete it."""
    todo = view.todo
    if todo is None:
        return "submit_report", {"summary": "All todos are done.", "deliverables": view.quoted("Deliverables:")}
    tool, arguments = _call_for(view, todo)
    last = view.last_call
    if last is not None and last[0] == "todo_complete" and not last[1].get("ok"):
        return "todo_complete", {}
    if last is None or last[0] != tool:
        return tool, arguments
    if last[1].get("ok"):
        return "todo_complete", {}
    if view.failures < TRIES:
        return tool, arguments
    return "todo_rewind", {"issue": f"{tool} failed: {' '.join(last[1].get('explanations', []))}"[:500]}


def _call_for(view: View, todo: str) -> Move:
    """What the prompt says of a todo; looking around where it says nothing."""
    for line in view.lines("The calls that do the todos:"):
        if line.startswith(f"{todo}: "):
            tool, _, arguments = line.removeprefix(f"{todo}: ").partition(" ")
            return tool, json.loads(arguments)
    return "list_files", {}


def assess(view: View) -> Move:
    """The milestone is met when code sees nothing open."""
    facts = view.lines("What code found:")
    met = "nothing is open for this milestone" in facts
    return "submit_assessment", {
        "trajectory": "milestone_met" if met else "continue",
        "reasons": facts or ["code cannot tell"],
        "advice": "" if met else "Go on with the open work.",
        "confidence": 0.9,
    }


def deliver(view: View) -> Move:
    """Hand over everything that is there."""
    return "job_complete", {
        "summary": "What was asked for is done; each result says where it stands.",
        "deliverables": [d.strip('"') for d in view.lines("Deliverables:")],
        "confidence": 0.9,
    }


def data(view: View) -> dict[str, Any]:
    """The data of the latest tool result."""
    value = (view.last_call or ("", {}))[1].get("data")
    return value if isinstance(value, dict) else {}


_COMMON: dict[str, Play] = {
    "submit_task": plan,
    "submit_report": implement,
    "submit_assessment": assess,
    "job_complete": deliver,
}
