"""The review of a job: its queue, what was decided, what was judged without knowing that, and how far the two agree."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from pydantic import Field

from echelon.domains.documents.types import Frozen
from echelon.domains.requirements.document_files import Rooted
from echelon.domains.requirements.review.kappa import cohens_kappa
from echelon.domains.requirements.review.types import Decision, Queue, ReviewItem
from echelon.files import write_atomically

QUEUE = "requirements/queue.json"
DECISIONS = "requirements/decisions.json"
"""Where both are kept in a workspace; no role can write there but through its tools."""


class Standing(StrEnum):
    """How a doubtful place stands."""

    OPEN = "open"
    DECIDED = "decided"
    AGREED = "agreed"
    CONTESTED = "contested"
    FOR_PERSON = "for_person"


class Entry(Frozen):
    """What was said about one place: first, by who judged it without knowing that, and again where the two differed."""

    first: Decision
    judged: Decision | None = None
    again: Decision | None = None

    @property
    def now(self) -> Decision:
        """The decision in force."""
        return self.again or self.first

    @property
    def standing(self) -> Standing:
        """Contested is what differs and was not decided again yet; what still differs then is for a person, and so is
        what code does not carry out."""
        if self.judged is None:
            return Standing.DECIDED
        if self.judged.agrees_with(self.now):
            return Standing.FOR_PERSON if self.now.held else Standing.AGREED
        return Standing.CONTESTED if self.again is None else Standing.FOR_PERSON


class Ledger(Frozen):
    """All that was said, by the id of the place."""

    schema_version: int = 1
    entries: dict[str, Entry] = Field(default_factory=dict)

    def standing(self, id_: str) -> Standing:
        """How a place stands."""
        return self.entries[id_].standing if id_ in self.entries else Standing.OPEN

    def decided(self, decision: Decision) -> Ledger:
        """With a decision of who works; on a contested place it is the second and last one, before that the first."""
        before = self.entries.get(decision.id)
        if before is None or before.judged is None:
            return self._with(Entry(first=decision))
        return self._with(before.model_copy(update={"again": decision}))

    def judged(self, decision: Decision) -> Ledger:
        """With the judgement of who checks; what nobody decided cannot be judged. Raises KeyError."""
        return self._with(self.entries[decision.id].model_copy(update={"judged": decision}))

    def _with(self, entry: Entry) -> Ledger:
        return self.model_copy(update={"entries": {**self.entries, entry.first.id: entry}})

    @property
    def read_twice(self) -> list[Entry]:
        """The entries with two independent readings."""
        return [e for e in self.entries.values() if e.judged is not None]

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of first decisions and blind judgements; None where it is not defined."""
        pairs = [(e.first.essence, e.judged.essence) for e in self.read_twice if e.judged is not None]
        return cohens_kappa([a for a, _ in pairs], [b for _, b in pairs])

    @property
    def agreement(self) -> float | None:
        """Share of the places read twice on which the first readings agree."""
        twice = self.read_twice
        same = sum(e.judged is not None and e.judged.agrees_with(e.first) for e in twice)
        return same / len(twice) if twice else None


def load_queue(workspace: Rooted) -> Queue | None:
    """The queue of a job, None before it was made."""
    path = workspace.root / QUEUE
    return Queue.model_validate_json(path.read_bytes()) if path.exists() else None


def load_ledger(workspace: Rooted) -> Ledger:
    """What was decided so far."""
    path = workspace.root / DECISIONS
    return Ledger.model_validate_json(path.read_bytes()) if path.exists() else Ledger()


def save(workspace: Rooted, value: Queue | Ledger) -> Path:
    """Keep a queue or what was decided; returns the path."""
    path = workspace.root / (QUEUE if isinstance(value, Queue) else DECISIONS)
    write_atomically(path, value.model_dump_json(indent=1, exclude_defaults=True))
    return path


def merged(queues: list[Queue]) -> Queue:
    """One queue of several documents, in turns: the most doubtful place of each, then the second of each."""
    depth = max((len(q.items) for q in queues), default=0)
    items: list[ReviewItem] = [q.items[n] for n in range(depth) for q in queues if n < len(q.items)]
    numbered = (item.model_copy(update={"id": f"D-{n:04d}"}) for n, item in enumerate(items, 1))
    return Queue(sentences=sum(q.sentences for q in queues), items=tuple(numbered))
