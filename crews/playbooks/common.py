"""What playbooks have in common: plan the open work word for word, work through it, judge by what code found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from echelon.crews.playbooks.view import TRIES, Move, View
from echelon.json_text import is_object

Play = Callable[[View], Move]


def play(view: View, own: Mapping[str, Play]) -> Move:
    """The next tool call of a phase, which its submit tool names; `own` has what a type of job does differently."""
    for submit, how in {**_COMMON, **own}.items():
        if view.has(submit):
            return how(view)
    raise ValueError("this is no phase that a playbook knows")


def scope(view: View, in_scope: str, success: str) -> Move:
    """Submit the usual milestones; `in_scope` is said of each document."""
    return "submit_scope", {
        "in_scope": [in_scope.format(document=d) for d in view.texts("documents")],
        "out_of_scope": ["what the documents only explain, define or illustrate"],
        "success": [success],
        "milestones": [{"outcome": o, "checks": [success], "areas": ["documents"]} for o in view.texts("outcomes")],
        "confidence": 0.9,
    }


def plan(view: View) -> Move:
    """Plan the first open work, or say that none is left."""
    work, has_failed = view.texts("open"), bool(view.values.get("failed"))
    wanted = [*view.texts("open_findings"), *(["the Assessor's advice"] if view.values.get("advice") else [])]
    if not work and wanted:
        reason = f"The rules of a playbook cannot follow {', '.join(wanted)}; a model or a person can."
        return "submit_abort", {"reason": reason}
    if not work and not has_failed:
        return "submit_milestone_done", {"reason": "No work is open for this milestone."}
    if not view.succeeded("todo_write"):
        return "todo_write", {"todos": work or ["check what is there"]}
    return "submit_task", {
        "title": view.values.get("title") or "check what is there",
        "rationale": "It is the next open work of the milestone, in the order of the documents.",
        "deliverables": view.texts("deliverables") or ["todos.yaml"],
        "checks": ["the checks in code find nothing wrong"],
        "notes": [f"next after {work[-1]}"[:100]] if work else [],
    }


def implement(view: View) -> Move:
    """Do the current todo with the call that the prompt names for it, then complete it."""
    if view.todo is None:
        return "submit_report", {"summary": "All todos are done.", "deliverables": view.texts("deliverables")}
    tool, arguments = _call_for(view, view.todo)
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


def _call_for(view: View, todo: int) -> Move:
    """The call that the prompt names for a todo; looking around where it names none."""
    call = view.values.get("calls", {}).get(str(todo))
    return (call["tool"], call["arguments"]) if call else ("list_files", {})


def assess(view: View) -> Move:
    """The milestone is met when code sees nothing open."""
    count = int(view.values.get("open", 0))
    is_met = bool(view.values.get("surveyed")) and count == 0
    reason = "Code sees nothing open." if is_met else f"Code sees {count} pieces of open work."
    return "submit_assessment", {
        "trajectory": "milestone_met" if is_met else "continue",
        "reasons": [reason],
        "confidence": 0.9,
    }


def verdict(view: View, problems: list[str], has_seen_all: bool = False) -> Move:
    """Pass what the rules find nothing wrong with; a finding that names its object is beyond them and stays open."""
    unread = [] if has_seen_all else [p for p in view.texts("look_at") if p not in view.opened]
    if unread:
        return "read_file", {"path": unread[0]}
    left = [f for f in view.texts("open_findings") if f not in view.texts("vague")]
    findings = [*problems, *(f"The rules cannot tell whether {f} is settled." for f in left)]
    return "submit_verdict", {
        "passed": not findings,
        "findings": findings[:5],
        "settled": [] if findings else view.texts("vague"),
        "evidence": view.texts("deliverables"),
        "confidence": 0.9,
    }


def deliver(view: View) -> Move:
    """Hand over everything that is there."""
    return "job_complete", {
        "summary": "What was asked for is done; each result says where it stands.",
        "deliverables": view.texts("deliverables"),
        "confidence": 0.9,
    }


def data(view: View) -> dict[str, Any]:
    """The data of the latest tool result."""
    value = (view.last_call or ("", {}))[1].get("data")
    return value if is_object(value) else {}


_COMMON: dict[str, Play] = {
    "submit_task": plan,
    "submit_report": implement,
    "submit_assessment": assess,
    "job_complete": deliver,
}
