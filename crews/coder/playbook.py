"""How the coder job is done without a language model: look, run the tests, repair what a search finds, say the rest."""

from __future__ import annotations

from echelon.crews.playbooks import common
from echelon.crews.playbooks.view import Move, View

BEYOND = (
    "Rules can find the places, run the tests and repair what a search finds; this request needs a language model "
    "(--model), or a person."
)


def coder(view: View) -> Move:
    """The next tool call of the phase that `view` shows."""
    own = {
        "submit_scope": _scope,
        "submit_task": _plan,
        "submit_verdict": _qa,
        "submit_assessment": _assess,
        "submit_answer": _answer,
        "job_complete": _deliver,
    }
    return common.play(view, own)


def _scope(view: View) -> Move:
    return common.scope(view, "the request, in {document}", "a test that failed before passes, and no other test fails")


def _plan(view: View) -> Move:
    """Search where that is open; nothing else can be done by rules."""
    work = view.texts("open")
    if "repair" in work:
        if not view.succeeded("todo_write"):
            return "todo_write", {"todos": ["repair"]}
        return "submit_task", {
            "title": "search for a repair", "rationale": "Tests fail, and a small change may mend them.",
            "deliverables": ["output/summary.md"], "checks": ["the tests pass, and none fails that passed"],
        }  # fmt: skip
    if any(each == "change" or each.startswith("mend") for each in work):
        return "submit_abort", {"reason": BEYOND}
    return common.plan(view)


def _qa(view: View) -> Move:
    if not view.settled("review_change"):
        return "review_change", {}
    return common.verdict(view, common.data(view).get("problems", []), has_seen_all=True)


def _assess(view: View) -> Move:
    name, values = common.assess(view)
    if view.values.get("gave_up"):
        values |= {"trajectory": "hopeless", "reasons": [BEYOND], "advice": ""}
    return name, values


def _answer(view: View) -> Move:
    if not view.settled("find_places"):
        return "find_places", {"about": str(view.values.get("question", ""))[:4000]}
    files = common.data(view).get("files", [])
    return "submit_answer", {"answer": f"Probably in {', '.join(files[:3]) or 'no file'}.", "evidence": files[:3]}


def _deliver(view: View) -> Move:
    return "job_complete", {
        "summary": "The change is made and the tests prove it; summary.md says how.",
        "deliverables": view.texts("deliverables"),
        "confidence": 0.9,
    }


PLAYBOOK = coder
