"""How the creator job is done without a language model."""

from __future__ import annotations

from typing import Any

from echelon.crews.playbooks import common
from echelon.crews.playbooks.view import Move, View


def creator(view: View) -> Move:
    """The next tool call of the phase that `view` shows."""
    own = {"submit_scope": _scope, "submit_report": _implement, "submit_verdict": _qa, "submit_answer": _answer}
    return common.play(view, own)


def _scope(view: View) -> Move:
    if (words := view.texts("not_understood")) and not view.settled("ask_person"):
        return "ask_person", {"question": _asked(words)}
    if view.has("list_documents") and not view.settled("list_documents"):
        return "list_documents", {}
    if view.has("ask") and not view.settled("ask"):
        return "ask", {"question": "Which words do the documents use for what must be done?"}
    return common.scope(
        view, "every requirement in {document}", "every requirement is there once, with its page and its exact words"
    )


def _asked(words: list[str]) -> str:
    """What a person is asked about words of the request that no rule understands."""
    named = ", ".join(f"'{w}'" for w in words[:8])
    return (
        f"Without a language model I do not understand {named} in the request. Say it plainly, such as 'only the "
        "prohibitions of section 4, as a table' or 'everything', or name a model with --model."
    )[:400]


RULE = "The rules say so, and a playbook has no other judgement."
"""The reason of every decision without a language model: what the rules say is kept."""


def _implement(view: View) -> Move:
    """Decide the places that the prompt shows, as the rules have it; all else as any type of job does."""
    doubts: list[dict[str, Any]] = view.values.get("doubts") or []
    if view.todo is not None and doubts and not view.settled("decide_doubts"):
        return "decide_doubts", {"decisions": [as_ruled(d) for d in doubts]}
    return common.implement(view)


def as_ruled(doubt: dict[str, Any]) -> dict[str, Any]:
    """The decision that keeps what the rules say about a place."""
    return {"id": doubt["id"], "ruling": "accept" if doubt.get("taken") else "reject", "reason": RULE}


def _qa(view: View) -> Move:
    judge: list[dict[str, Any]] = view.values.get("judge") or []
    if view.last_call and view.last_call[0] == "judge_doubts" and (more := common.data(view).get("judge")):
        judge = more
    elif view.settled("judge_doubts"):
        judge = []
    if judge:
        return "judge_doubts", {"decisions": [as_ruled(d) for d in judge]}
    return common.verdict(view, [])


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
