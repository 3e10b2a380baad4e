"""Relevance and fulfilment: does a requirement matter to what the graph is about, and does something in it meet it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from pydantic import Field

from echelon.domains.graph.entities import Entity
from echelon.domains.graph.stores.port import Label, Value
from echelon.domains.likeness.near_text import NearText
from echelon.domains.likeness.words import STOPWORDS
from echelon.domains.requirements.types import Modality, Requirement

COVERAGE = 0.8
"""Share of a requirement's words that a capability has to name."""


GENERIC = frozenset({"system", "application", "anwendung"})
"""Words that requirements call anything by that a capability calls by its name."""


class Relevance(StrEnum):
    """How much a requirement matters here."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class RelevanceJudgement(Value):
    """How much a requirement matters, and why."""

    relevance: Relevance
    reasons: tuple[str, ...]


class Fulfilment(Value):
    """A claim that something in the graph does what a requirement asks for; a person or a role verifies it."""

    label: Label
    key: str
    confidence: float = Field(ge=0, le=1, description="share of the requirement's words that the evidence names")
    evidence: str = Field(description="the capability, verbatim")


def judge_relevance(requirement: Requirement, mentions: Sequence[Entity]) -> RelevanceJudgement:
    """High: it has a category and names something the graph knows. Medium: one of the two. Low: neither."""
    reasons: list[str] = []
    if requirement.categories:
        reasons.append(f"in the category {', '.join(requirement.categories)}")
    if mentions:
        reasons.append(f"names {', '.join(entity.name for entity in mentions)}")
    relevance = (Relevance.LOW, Relevance.MEDIUM, Relevance.HIGH)[len(reasons)]
    return RelevanceJudgement(relevance=relevance, reasons=tuple(reasons))


def find_fulfilments(requirement: Requirement, entities: Sequence[Entity]) -> Iterator[Fulfilment]:
    """The entities of which one capability does what the requirement asks for, with the best capability of each.

    A capability does so when it names at least `COVERAGE` of the requirement's content words and all of its numbers,
    and says no as often as the requirement does. Permissions ask for nothing, so nothing fulfils them.
    """
    asked = NearText.of(requirement.text)
    needed = _content(asked)
    if requirement.modality is Modality.PERMISSION or not needed:
        return
    for entity in entities:
        best: tuple[float, str] | None = None
        for capability in entity.capabilities:
            offered = NearText.of(capability)
            share = len(needed & (_content(offered) | set(offered.numbers))) / len(needed)
            fits = offered.negations % 2 == asked.negations % 2 and set(asked.numbers) <= set(offered.numbers)
            if fits and share >= COVERAGE and (best is None or share > best[0]):
                best = share, capability
        if best is not None:
            yield Fulfilment(label=entity.label, key=entity.key, confidence=round(best[0], 4), evidence=best[1])


def _content(text: NearText) -> set[str]:
    return {word for word in text.words if word not in STOPWORDS and word not in GENERIC}
