"""How the planner job is done without a language model."""

from __future__ import annotations

from typing import Any

from echelon.crews.playbooks import common
from echelon.crews.playbooks.view import Move, View

SUCCESS = "the schedule breaks no rule, and every task is in it"


def planner(view: View) -> Move:
    """The next tool call of the phase that `view` shows."""
    return common.play(view, {"submit_scope": _scope, "submit_verdict": _qa, "submit_answer": _answer})


def _scope(view: View) -> Move:
    """Ask the person where no schedule is possible and nobody has answered yet; else go on."""
    answers = view.texts("answers")
    if answers and not view.settled("note_answer"):
        return "note_answer", {"text": answers[-1]}
    if not answers:
        if not view.settled("check_feasibility"):
            return "check_feasibility", {}
        found = common.data(view)
        if view.last_call and view.last_call[0] == "check_feasibility" and found.get("feasible") is False:
            return "ask_person", {"question": _question(found)}
    return common.scope(view, "the plan of {document}", SUCCESS)


def _question(found: dict[str, Any]) -> str:
    why = "; ".join(found.get("conflict", [])) or "the constraints contradict each other"
    ways = " ".join(f"({n}) {way}" for n, way in enumerate(found.get("ways", []), 1)) or "Change the inputs."
    return f"No schedule is possible, since together: {why}. Ways out: {ways} Reply with a number."[:1500]


def _qa(view: View) -> Move:
    if not view.settled("check_plan"):
        return "check_plan", {}
    return common.verdict(view, [])


def _answer(view: View) -> Move:
    return "submit_answer", {"answer": "The inputs say what is known.", "evidence": []}


PLAYBOOK = planner
