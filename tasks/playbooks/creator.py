"""How the creator job is done without a language model."""

from __future__ import annotations

import re
from typing import Any

from tasks.playbooks.view import View

Move = tuple[str, dict[str, Any]]

_EXTRACT = re.compile(r'extract requirements from part (?P<part>\d+) of "(?P<document>.+)"')
_WRITE = {
    "json": "write the requirements as json",
    "markdown": "write the requirements as markdown",
    "summary": "write the summary",
}


def creator(view: View) -> Move:
    """The next tool call of the phase that `view` shows."""
    for submit, play in _PHASES.items():
        if view.has(submit):
            return play(view)
    raise ValueError("this is no phase of the creator job")


def _scope(view: View) -> Move:
    if not view.called("list_documents"):
        return "list_documents", {}
    if not view.called("ask"):
        return "ask", {"question": "Which words do the documents use for what must be done?"}
    outcomes = view.lines("Milestones that this type of job usually has")
    documents = [d.partition(":")[0].strip('"') for d in view.lines("Documents:")]
    return "submit_scope", {
        "in_scope": [f"every requirement in {d}" for d in documents],
        "out_of_scope": ["what the documents only explain, define or illustrate"],
        "success": ["every requirement is there once, with its page and its exact words"],
        "milestones": [
            {"outcome": o, "checks": ["a reader opens the page and finds the words"], "areas": ["documents"]}
            for o in outcomes
        ],
        "confidence": 0.9,
    }


def _plan(view: View) -> Move:
    work = view.lines("Open work of this milestone, the first")
    if not work and "The last attempt failed:" not in view.task:
        return "submit_milestone_done", {"reason": "No work is open for this milestone."}
    todos = work or ["check every quote against its page"]
    if not view.called("todo_write"):
        return "todo_write", {"todos": todos}
    return "submit_task", {
        "title": todos[0] if len(todos) == 1 else f"{todos[0]}, and {len(todos) - 1} more",
        "rationale": "It is the next open work of the milestone, in the order of the documents.",
        "deliverables": view.quoted("Call submit_task with a title") or ["instructions.md"],
        "checks": ["every quote stands on its page"],
        "notes": [f"next: {todos[-1]}"[:100]],
    }


def _implement(view: View) -> Move:
    todo = view.todo
    if todo is None:
        return "submit_report", {"summary": "All todos are done.", "deliverables": view.quoted("Deliverables:")}
    tool, arguments = _tool_of(todo)
    last = view.last_call
    if last is not None and last[0] == tool and last[1].get("ok"):
        return "todo_complete", {}
    if last is not None and last[0] == tool:
        return "todo_rewind", {"issue": f"{tool} failed: {' '.join(last[1].get('explanations', []))}"[:500]}
    return tool, arguments


def _tool_of(todo: str) -> Move:
    if found := _EXTRACT.search(todo):
        return "extract_requirements", {"document": found["document"], "part": int(found["part"])}
    if "repeat an earlier one" in todo:
        return "mark_duplicates", {}
    for kind, words in _WRITE.items():
        if words in todo:
            return "write_requirements", {"kind": kind}
    return "check_citations", {}


def _qa(view: View) -> Move:
    if not view.called("check_citations"):
        return "check_citations", {}
    problems = ((view.last_call or ("", {}))[1].get("data") or {}).get("problems", [])
    return "submit_verdict", {
        "passed": not problems,
        "findings": problems[:5],
        "evidence": view.quoted("Deliverables:"),
        "confidence": 0.9,
    }


def _assess(view: View) -> Move:
    facts = view.lines("What code found:")
    met = "nothing is open for this milestone" in facts
    return "submit_assessment", {
        "trajectory": "milestone_met" if met else "continue",
        "reasons": facts or ["code cannot tell"],
        "advice": "" if met else "Go on with the open work.",
        "confidence": 0.9,
    }


def _deliver(view: View) -> Move:
    return "job_complete", {
        "summary": "The requirements of the documents, each with its page and its exact words.",
        "deliverables": [d.strip('"') for d in view.lines("Deliverables:")],
        "confidence": 0.9,
    }


def _answer(view: View) -> Move:
    if not view.called("search_files"):
        return "search_files", {"words": "must shall required muss hat", "folder": "documents"}
    hits = ((view.last_call or ("", {}))[1].get("data") or {}).get("hits", [])
    if not hits:
        return "submit_answer", {"answer": "The documents use none of the usual words for what must be done."}
    return "submit_answer", {
        "answer": f"For example: {hits[0]['line']}"[:1000],
        "evidence": [h["where"] for h in hits[:3]],
    }


_PHASES = {
    "submit_scope": _scope,
    "submit_task": _plan,
    "submit_report": _implement,
    "submit_verdict": _qa,
    "submit_assessment": _assess,
    "job_complete": _deliver,
    "submit_answer": _answer,
}
