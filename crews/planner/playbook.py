"""How the planner job is done without a language model. What has to be asked, code asks."""

from __future__ import annotations

from echelon.crews.playbooks import common
from echelon.crews.playbooks.view import Move, View

SUCCESS = "the schedule breaks no rule, and every task is in it"


def planner(view: View) -> Move:
    """The next tool call of the phase that `view` shows."""
    return common.play(view, {"submit_scope": _scope, "submit_verdict": _qa, "submit_answer": _answer})


def _scope(view: View) -> Move:
    return common.scope(view, "the plan of {document}", SUCCESS)


def _qa(view: View) -> Move:
    if not view.settled("check_plan"):
        return "check_plan", {}
    return common.verdict(view, [])


def _answer(view: View) -> Move:
    return "submit_answer", {"answer": "The inputs say what is known.", "evidence": []}


PLAYBOOK = planner
