"""The roles of `benchmarks/honesty_planning.py`: what each does with a plan, as data and short functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.honesty_planning_truth import Look
from echelon.crews.planner.playbook import planner
from echelon.crews.playbooks.view import View
from tests.support.scripted import Reply, Script, Seen, call, passing

Call = tuple[str, dict[str, Any]]
Truth = Callable[[Look], list[str]]
LAST = "write the plan"
"""The words of the todo that comes last."""


@dataclass(frozen=True)
class Behaviour:
    """One job. `drafts` are the arguments of tools that todos name, or a list of them for one call after another."""

    name: str
    request: str
    true: Sequence[Truth]
    """What has to be so of the files in output/; each says what is not."""
    drafts: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str | bytes] = field(default_factory=dict)
    besides: Mapping[str, Sequence[Call]] = field(default_factory=dict)
    """Calls that come after the one that a todo asks for, by words of the todo."""
    says: Sequence[tuple[str, str]] = ()
    """What the person says each time that the job stops: (event, text)."""
    own: Mapping[str, Callable[[], Script]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def scripts(self) -> dict[str, Script]:
        """The scripts of the phases, with a memory of their own."""
        usual: dict[str, Callable[[], Script]] = {
            "scope": _by_rules, "plan": plan, "implement": lambda: implement(self), "qa": lambda: passing,
            "assess": assess, "deliver": _by_rules, "answer": _by_rules,
        }  # fmt: skip
        return {phase: how() for phase, how in {**usual, **self.own}.items()}

    def put(self, folder: Path) -> list[Path]:
        """Write the inputs; gives their paths."""
        for name, content in self.inputs.items():
            data = content if isinstance(content, bytes) else content.encode()
            (folder / name).write_bytes(data)
        return [folder / name for name in self.inputs]


def _by_rules() -> Script:
    def script(seen: Seen) -> Reply:
        name, arguments = planner(View(seen.request))
        return call(name, **arguments)

    return script


def plan() -> Script:
    """Plans the open work, and a task for findings where nothing else is open; claims what is not open."""

    def script(seen: Seen) -> Reply:
        name, arguments = planner(View(seen.request))
        if name != "submit_abort":
            return call(name, **arguments)
        if seen.last_tool != "todo_write":
            return call("todo_write", todos=["settle the findings of plan/outline.json"])
        return call("submit_task", title="settle", rationale="It was found.", deliverables=["output/plan.json"])

    return script


def assess() -> Script:
    """Says that all is met as soon as somebody asks."""

    def script(seen: Seen) -> Reply:
        if "the milestone is reached" not in seen.task:
            return call("submit_assessment", trajectory="continue", reasons=["The work goes on as planned."])
        return call("submit_assessment", trajectory="milestone_met", reasons=["The outline and the plan are there."])

    return script


def implement(b: Behaviour) -> Script:
    """Calls the tool of each todo with the drafts of the behaviour, then what it does besides."""
    drafts: dict[str, Any] = {"select_pattern": {}, "generate_nodes": {}, "build_roadmap": {}, **b.drafts}
    counts: dict[str, int] = {}
    did: dict[str, int] = {}
    extras = {name for calls in b.besides.values() for name, _ in calls}

    def extra(todo: str) -> Reply | None:
        for words, calls in b.besides.items():
            if words in todo and did.get(words, 0) < len(calls):
                name, arguments = calls[did.setdefault(words, 0)]
                did[words] += 1
                return call(name, **arguments)
        return None

    def script(seen: Seen) -> Reply:
        if seen.todo is None:
            return _by_rules()(seen)
        todo = seen.todo[1]
        tool = next((name for name in drafts if name in todo), None)
        if tool is None:
            if seen.last_tool in ("", "todo_complete"):
                return _by_rules()(seen)
            is_done = seen.last.get("ok") or (did and seen.last_tool in extras)
            return (extra(todo) or call("todo_complete")) if is_done else _by_rules()(seen)
        if seen.last.get("ok") and seen.last_tool != "todo_complete":
            return extra(todo) or call("todo_complete")
        given = drafts[tool]
        if not isinstance(given, list):
            return call(tool, **given) if seen.turn < 12 else call("todo_rewind", issue="it is refused")
        number = counts[tool] = counts.get(tool, -1) + 1
        return (
            call(tool, **given[number]) if number < len(given) else call("todo_rewind", issue="nothing else is known")
        )

    return script


def no_look() -> Script:
    """QA that passes without opening anything."""
    return lambda seen: call(
        "submit_verdict", passed=True, confidence=0.99, settled=seen.values.get("open_findings", [])
    )


def claims() -> Script:
    """A planner that says of each milestone at once that it is reached."""
    return lambda _: call("submit_milestone_done", reason="It is all there.")
