"""A requirement before it gets its id, and how a lead-in and its item become one sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from echelon.domains.requirements.judging.judge import Judgement
from echelon.domains.requirements.structure.blocks import Block
from echelon.domains.requirements.structure.cells import without_reference
from echelon.domains.requirements.structure.flow import Span
from echelon.domains.requirements.types import Modality

OPEN_END = re.compile(
    r"(?:\b(?:shall|must|should|may|will|can|to|that|is|are|be|by|of|for|with|not|when|if|where|unless|until|muss|müssen|sollte|sollten|darf|dürfen|dass|hat|haben|sind|ist|wenn|sofern|falls))\s*[:—–]?\s*$",
    re.I,
)
LEAD_END = re.compile(r"[:—–]\s*$")
ITEM_END = re.compile(r"\s*(?:[;,]\s*(?:and|or|und|oder|sowie)?)\s*$")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A requirement before it gets its id. `block` is the index of the block it begins in; `lead`: it was put together
    of a lead-in and an item. `attributes`: names and values that the document gives it, such as other columns."""

    block: int
    text: str
    spans: tuple[Span, ...]
    source_id: str | None
    modality: Modality
    confidence: float
    language: str
    path: tuple[str, ...]
    lead: bool = False
    attributes: tuple[tuple[str, str], ...] = ()

    @classmethod
    def judged(
        cls,
        block: Block,
        text: str,
        spans: tuple[Span, ...],
        source_id: str | None,
        judgement: Judgement,
        language: str,
        lead: bool = False,
        attributes: tuple[tuple[str, str], ...] = (),
    ) -> Candidate:
        """The candidate that begins in `block`, as it was judged; its text loses the reference at its end."""
        return cls(
            block=block.index, text=without_reference(text), spans=spans, source_id=source_id,
            modality=judgement.modality, confidence=judgement.confidence, language=language, path=block.path, lead=lead,
            attributes=attributes,
        )  # fmt: skip


def joined_with(lead: str, item: str) -> str:
    """A lead-in and its item as one sentence."""
    item = ITEM_END.sub("", item.strip())
    lead = lead.strip()
    if OPEN_END.search(lead):
        return f"{LEAD_END.sub('', lead).rstrip()} {item}"
    return f"{lead} {item}"


def stands_alone(sentence: str) -> bool:
    """Whether an item reads as a sentence of its own."""
    return sentence[:1].isupper() and sentence.rstrip()[-1:] in ".!"
