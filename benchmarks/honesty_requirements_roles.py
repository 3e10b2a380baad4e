"""Roles of a requirement job by script: they follow the rules of the playbook but where a behaviour says otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.honesty_requirements_data import GOLD, Wanted, letters
from echelon.crews.creator.playbook import as_ruled
from echelon.crews.playbooks.model import open_playbook
from echelon.settings import Environment, ModelSettings
from tests.support.scripted import Reply, Script, Seen, call

Own = Callable[[Seen], Reply | None]
Place = dict[str, Any]
How = Callable[[str, Place], dict[str, Any] | None]
"""What is decided about a place: its number in `GOLD` and its data; None where it stays as the rules have it"""
TRIES = 3
"""How often one who is refused tries the same again."""


@dataclass(frozen=True)
class Behaviour:
    """Roles that do what stands in `own` by phase; `wanted` is what has to be there when the job is COMPLETED."""

    name: str
    own: Mapping[str, Own] = field(default_factory=dict)
    request: str | None = None
    wanted: Wanted = field(default_factory=Wanted)
    settings: Mapping[str, Any] = field(default_factory=dict)
    says: tuple[str, ...] = ()
    """What a person says, each time that the job waits: an answer, or 'approved'"""


def by_rules(type_: str, own: Mapping[str, Own]) -> Script:
    """A script: what `own` says in a phase, else the playbook."""
    book = open_playbook(type_, ModelSettings(), Environment({}))  # type: ignore[call-arg]

    def script(seen: Seen) -> Reply:
        reply = own[seen.phase](seen) if seen.phase in own else None
        return book.answer(seen.request) if reply is None else reply

    return script


# deciding and judging


def number_of(shown: str) -> str:
    """The number of the statement between [[ and ]]."""
    inner = letters(shown.partition("[[")[2].partition("]]")[0])
    own = [n for n, s in GOLD.items() if inner == letters(s.text)]
    first = [n for n in own if f"; page 1, {'3' if n == '3.2' else n[0]} " in shown]
    return (first or own or ["?"])[0]


def places(seen: Seen, key: str) -> list[Place]:
    """The places of the prompt, each with the words that it shows."""
    data = seen.last.get("data") if key == "judge" and seen.last_tool == "judge_doubts" else None
    more: list[Place] = (data.get("judge") or []) if isinstance(data, dict) else []
    text = " ".join(seen.last.get("explanations", [])) if more else seen.task
    found: list[Place] = more or seen.values.get(key) or []
    return [{**p, "shown": _shown(text, p["id"])} for p in found]


def _shown(text: str, id_: str) -> str:
    return text.partition(f"{id_} (")[2].partition("]]")[0] + "]]"


def decided(how: How, place: Place) -> dict[str, Any]:
    """One decision: `how` has it, or the rules."""
    own = how(number_of(place["shown"]), place)
    return as_ruled(place) if own is None else {"id": place["id"], **own}


def deciding(how: How) -> Own:
    """An Implementor that decides by `how`; refused three times, it does what the rules say."""

    def implement(seen: Seen) -> Reply | None:
        tried = sum(m.name == "decide_doubts" for m in seen.request.messages if m.role == "tool")
        refused = seen.last_tool == "decide_doubts" and not seen.last.get("ok")
        if seen.todo is None or not seen.values.get("doubts") or not (tried == 0 or refused) or tried >= TRIES:
            return None
        return call("decide_doubts", decisions=[decided(how, p) for p in places(seen, "doubts")])

    return implement


def judging(how: How) -> Own:
    """A QA that judges by `how`, and passes."""

    def qa(seen: Seen) -> Reply | None:
        tried = sum(m.name == "judge_doubts" for m in seen.request.messages if m.role == "tool")
        found = places(seen, "judge")
        more = seen.last_tool == "judge_doubts" and bool(found) and seen.last.get("data", {}).get("judge")
        refused = seen.last_tool == "judge_doubts" and not seen.last.get("ok")
        if found and (tried == 0 or more or (refused and tried < TRIES)):
            return call("judge_doubts", decisions=[decided(how, p) for p in found])
        return None

    return qa


def unison(how: How) -> dict[str, Own]:
    """Implementor and QA that decide alike."""
    return {"implement": deciding(how), "qa": judging(how)}


def on(numbers: tuple[str, ...], **decision: Any) -> How:
    """One decision for some statements."""
    return lambda n, _: decision if n in numbers else None


# planning, working, scoping


SCOPE: dict[str, Any] = {
    "in_scope": ["the requirements of the documents"], "success": ["each is there with its words"], "confidence": 0.9,
    "milestones": [{"outcome": "A reader finds every requirement with its place", "checks": ["each is there"]}],
}  # fmt: skip


def selecting(outcome: str = "", **selection: Any) -> Own:
    """A ScopeAgent that selects, three times where it is refused, and submits."""
    given = {"says": "That is what the request asks for.", **selection}

    def scope(seen: Seen) -> Reply | None:
        tried = sum(m.name == "select_requirements" for m in seen.request.messages if m.role == "tool")
        refused = seen.last_tool == "select_requirements" and not seen.last.get("ok")
        if tried == 0 or (refused and tried < TRIES):
            return call("select_requirements", **given)
        return submitting(outcome)(seen)

    return scope


def submitting(outcome: str = "", checks: tuple[Any, ...] = ("each is there",)) -> Own:
    """A ScopeAgent that submits a scope of one milestone at once."""
    milestone = {"outcome": outcome or SCOPE["milestones"][0]["outcome"], "checks": list(checks)}
    return lambda _: call("submit_scope", **{**SCOPE, "milestones": [milestone]})


def planning(
    *todos: str, title: str = "odds and ends", deliverables: tuple[str, ...] = ("instructions.md",), ids: bool = False
) -> Own:
    """A planner that adds a task of its own once code sees nothing open, or before all else with `ids`."""

    def plan(seen: Seen) -> Reply | None:
        if title in seen.task.partition("Done so far")[2] or (seen.values.get("open") and not ids):
            return None
        if seen.last_tool != "todo_write":
            return call("todo_write", todos=[*todos, *(seen.values.get("open", []) if ids else [])])
        return call("submit_task", title=title, rationale="It is next.", deliverables=list(deliverables))

    return plan


def working(todo: str, *calls: Reply) -> Own:
    """An Implementor that makes these calls for the todo with these words, whatever comes of them, then completes it."""

    def implement(seen: Seen) -> Reply | None:
        if seen.todo is None or todo not in seen.todo[1]:
            return None
        done = sum(m.role == "tool" for m in seen.request.messages)
        return calls[done] if done < len(calls) else call("todo_complete")

    return implement


def writing(path: str, text: str) -> Reply:
    return call("write_file", path=path, text=text)


def looking(seen: Seen) -> Reply | None:
    """QA that opens what it must, and settles and passes whatever stands there."""
    unread = [p for p in seen.values.get("look_at", []) if not seen.has_read(p)]
    if seen.values.get("judge") and seen.last_tool != "judge_doubts" and not unread:
        return None
    if unread:
        return call("read_file", path=unread[0])
    return call("submit_verdict", passed=True, settled=seen.values.get("open_findings", []), confidence=0.9)


def dropping(share: float, reason: str, begins: str = "D-") -> dict[str, Own]:
    """A planner that leaves a share of the open work out, the last first, and an Assessor that agrees to all of it."""

    def plan(seen: Seen) -> Reply | None:
        open_ = [w for w in seen.values.get("open", []) if w.startswith(begins)]
        gone = open_[len(open_) - round(len(open_) * share) :] if reason not in seen.task else []
        done = sum(m.name == "drop_work" for m in seen.request.messages if m.role == "tool")
        if done < len(gone):
            return call("drop_work", id=gone[done], reason=reason)
        rest = [w for w in seen.values.get("open", []) if w not in gone]
        if not gone:
            return None
        if not rest:
            return call("submit_milestone_done", reason="All is done.")
        return call("todo_write", todos=rest) if seen.last_tool == "drop_work" else None

    return {"plan": plan, "assess": agreeing}


def agreeing(seen: Seen) -> Reply | None:
    """An Assessor that lets go what was left out."""
    gone = seen.values.get("dropped") or []
    if not gone:
        return None
    return call("submit_assessment", trajectory="milestone_met", reasons=["All is there."], let_go=gone)
