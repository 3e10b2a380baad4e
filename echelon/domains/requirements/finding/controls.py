"""Statements of controls: a paragraph, or the items of a list, each with its lead-in and the bullets below it."""

from __future__ import annotations

from collections.abc import Iterator

from echelon.domains.requirements.finding.candidate import ITEM_END, Candidate, joined_with
from echelon.domains.requirements.finding.leads import Leads
from echelon.domains.requirements.finding.numbers import source_id
from echelon.domains.requirements.finding.source import Source
from echelon.domains.requirements.judging.judge import judge_clause
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.numbering import MarkKind
from echelon.domains.requirements.structure.scheme import is_withdrawn

_LEAST_WORDS = 4


class Controls:
    """The requirements that the statements of controls make. Each statement binds, with or without a modal word."""

    def __init__(self, source: Source, leads: Leads) -> None:
        self._source, self._leads = source, leads
        self._bullets: dict[int, list[Block]] = {}
        for block in source.blocks:
            if self._is_bullet_below(block):
                self._bullets.setdefault(block.parent or 0, []).append(block)

    def statement(self, block: Block) -> Iterator[Candidate]:
        """The candidate of a paragraph or item of a statement; none when it leads in, or was withdrawn."""
        if self._is_bullet_below(block) or is_withdrawn(block.text) or block.text.isupper():
            return
        bullets = self._bullets.get(block.index, [])
        if self._leads.leads_in(block) and not bullets:
            return
        lead = self._lead(block)
        own = ITEM_END.sub("", " ".join((block.text.strip(), *(bullet.text.strip() for bullet in bullets))))
        text = joined_with(lead, own) if lead else own
        if len(text.split()) < (_LEAST_WORDS if block.kind is not BlockKind.ITEM else 2):
            return
        language = self._source.language(text)
        judgement = judge_clause(text, language, True)
        if judgement is None:
            return
        parent = self._source.parent(block)
        spans = self._leads.spans(parent) if lead and parent is not None else ()
        for part in (block, *bullets):
            spans += part.flow.spans(0, len(ITEM_END.sub("", part.text)), self._source.page_text)
        yield Candidate.judged(block, text, spans, source_id(self._source, block), judgement, language, bool(lead))

    def _lead(self, block: Block) -> str:
        parent = self._source.parent(block)
        return self._leads.text(parent) if parent is not None and block.kind is BlockKind.ITEM else ""

    def _is_bullet_below(self, block: Block) -> bool:
        """Whether a bullet stands below a statement or a lettered item of it: bullets have no letters to name them, so
        they belong to what leads in to them."""
        parent = self._source.parent(block)
        if block.kind is not BlockKind.ITEM or block.mark is None or parent is None:
            return False
        if block.mark.kind is not MarkKind.BULLET or (parent.mark and parent.mark.kind is MarkKind.BULLET):
            return False
        return self._source.scheme.section_of(parent) is not None
