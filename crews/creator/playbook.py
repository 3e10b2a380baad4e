"""How the creator job is done without a language model."""

from __future__ import annotations

from echelon.crews.playbooks import common
from echelon.crews.playbooks.view import Move, View


def creator(view: View) -> Move:
    """The next tool call of the phase that `view` shows."""
    own = {"submit_scope": _scope, "submit_verdict": _qa, "submit_answer": _answer}
    return common.play(view, own)


def _scope(view: View) -> Move:
    if not view.settled("list_documents"):
        return "list_documents", {}
    if not view.settled("ask"):
        return "ask", {"question": "Which words do the documents use for what must be done?"}
    return common.scope(
        view, "every requirement in {document}", "every requirement is there once, with its page and its exact words"
    )


def _qa(view: View) -> Move:
    if not view.settled("check_citations"):
        return "check_citations", {}
    problems = common.data(view).get("problems", [])
    return "submit_verdict", {
        "passed": not problems,
        "findings": problems[:5],
        "evidence": view.texts("deliverables"),
        "confidence": 0.9,
    }


def _answer(view: View) -> Move:
    if not view.settled("search_files"):
        return "search_files", {"words": "must shall required muss hat", "folder": "documents"}
    hits = common.data(view).get("hits", [])
    if not hits:
        return "submit_answer", {"answer": "The documents use none of the usual words for what must be done."}
    return "submit_answer", {
        "answer": f"For example: {hits[0]['line']}"[:1000],
        "evidence": [h["where"] for h in hits[:3]],
    }


PLAYBOOK = creator
