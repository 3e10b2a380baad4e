"""How the validator job is done without a language model."""

from __future__ import annotations

from echelon.crews.playbooks import common
from echelon.crews.playbooks.view import Move, View


def validator(view: View) -> Move:
    """The next tool call of the phase that `view` shows."""
    return common.play(view, {"submit_scope": _scope, "submit_verdict": _qa, "submit_answer": _answer})


def _scope(view: View) -> Move:
    if not view.settled("ask"):
        return "ask", {"question": "Which documents were handed over?"}
    return common.scope(
        view, "the requirements of {document}", "every requirement is in the graph once, or its refusal is explained"
    )


def _answer(view: View) -> Move:
    if not view.settled("list_documents"):
        return "list_documents", {}
    documents = common.data(view).get("documents", [])
    return "submit_answer", {
        "answer": f"{len(documents)} documents.",
        "evidence": [d["document"] for d in documents[:5]],
    }


def _qa(view: View) -> Move:
    if not view.settled("check_graph"):
        return "check_graph", {}
    violations = common.data(view).get("violations", [])
    findings = [str(v)[:300] for v in violations[:5]]
    return common.verdict(view, findings, has_seen_all=True)


PLAYBOOK = validator
