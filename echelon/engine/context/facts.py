"""What must stay answerable from a context, however much of it is folded or summarised.

Code keeps the facts of a phase as they happen. Before each prompt it looks which of them can still be read there, and
puts back what cannot: a summary may be bad, nothing that matters is lost by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from echelon.engine.context.cut import one_line
from echelon.engine.messages import ToolCall, ToolResult
from echelon.engine.stuck import action_of
from echelon.json_text import is_object

FAILURES = 5
"""Latest failures that are kept."""
DECISION = 300
"""Characters of a decision that are kept; the whole text is in the notes."""


class FactKind(StrEnum):
    TODO = "open todo"
    DECISION = "decided"
    DELIVERABLE = "written"
    FAILURE = "failed"
    LIMIT = "limit"


@dataclass(frozen=True)
class Fact:
    """One thing that must be readable. `text` stands in the context word for word, white space and case aside."""

    kind: FactKind
    text: str


@dataclass
class Facts:
    """The facts of a phase, in the order in which they happened."""

    written: dict[str, None] = field(default_factory=dict)
    decided: dict[str, None] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def add(self, call: ToolCall, result: ToolResult, *, reads: bool = True, decision: str = "") -> None:
        """Take a call in. `decision` is the name of the argument that says what was decided."""
        action = action_of(call.name, call.arguments)
        self.failed.pop(action, None)
        if not result.ok:
            said = result.explanations[0] if result.explanations else "no reason given"
            self.failed[action] = one_line(f"{call.name}: {said}", DECISION)
            return
        path = result.data.get("path") if is_object(result.data) else None
        if isinstance(path, str) and not reads:
            self.written[path] = None
        if decision:
            self.decided[one_line(str(call.parsed().get(decision, "")), DECISION)] = None

    def all(self, todos: Iterable[str] = (), limits: Iterable[str] = ()) -> list[Fact]:
        """Everything that must be answerable now."""
        pairs = (
            (FactKind.LIMIT, limits), (FactKind.TODO, todos), (FactKind.DELIVERABLE, self.written),
            (FactKind.DECISION, self.decided), (FactKind.FAILURE, list(self.failed.values())[-FAILURES:]),
        )  # fmt: skip
        return [Fact(kind, text) for kind, texts in pairs for text in texts if text]


def missing(facts: Iterable[Fact], texts: Iterable[str]) -> list[Fact]:
    """Those of `facts` that cannot be read in `texts`."""
    seen = _folded("\n".join(texts))
    return [fact for fact in facts if _folded(fact.text) not in seen]


def put_back(facts: list[Fact]) -> str:
    """Lines that make `facts` readable again, '' for none."""
    lines: list[str] = []
    for kind in FactKind:
        texts = [f.text for f in facts if f.kind is kind]
        if not texts:
            continue
        if kind is FactKind.DELIVERABLE:
            lines.append(f"Already {kind.value}: {', '.join(texts)}")
        elif kind is FactKind.LIMIT:
            lines += texts
        else:
            lines += [f"- {kind.value}: {text}" for text in texts]
    return "\n".join(lines)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
