"""From blocks to candidates: each piece of text that is a requirement, with its number and its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from echelon.domains.documents.language import foreign_language
from echelon.domains.documents.types import Document
from echelon.domains.requirements.finding.attributes import of_row
from echelon.domains.requirements.finding.candidate import (
    Candidate,
    joined_with,
    stands_alone,
)
from echelon.domains.requirements.finding.controls import Controls
from echelon.domains.requirements.finding.leads import Leads
from echelon.domains.requirements.finding.numbers import source_id
from echelon.domains.requirements.finding.source import Source
from echelon.domains.requirements.finding.whole_entries import whole_entry
from echelon.domains.requirements.judging.judge import Judgement, is_normative, judge_clause
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.numbering import MarkKind
from echelon.domains.requirements.structure.profile import Profile, Unit
from echelon.domains.requirements.structure.roles import demanded_by
from echelon.domains.requirements.structure.scheme import is_withdrawn, without_tag
from echelon.domains.requirements.types import Modality

__all__ = ["Candidate", "Finder", "find_candidates"]

CLAUSE_MAX = 1500
_LISTED = 0.75  # confidence in an item that only the title above it makes a requirement
_DEMANDED = {"must": Modality.OBLIGATION, "should": Modality.RECOMMENDATION, "may": Modality.PERMISSION}
# A note that runs on in the line of its entry.
_ASIDE = re.compile(
    r"(?<=[.;!?])\s+(?:Rationale|Note|NOTE|Comment|Example|Begründung|Hinweis|Anmerkung|Beispiel|Priority|Source)\s*:\s"
)
_NO_REQUIREMENT = frozenset({BlockKind.HEADING, BlockKind.NOTE, BlockKind.CAPTION, BlockKind.FOOTNOTE})


def find_candidates(document: Document, unit: Unit | None = None) -> list[Candidate]:
    """All candidates of `document` in its order. `unit` overrides what the unit of a requirement is."""
    return list(Finder(document, unit).run())


def _is_label(sentence: str) -> bool:
    """Whether the first sentence of an item only names it ("Risk analysis (Required). Conduct ...")."""
    words = sentence.split()
    return len(words) <= 5 and not is_normative(sentence, "en") and not is_normative(sentence, "de")


class Finder:
    """Finds the candidates of one document, once: `Finder(document).run()`; `profile` says how it looks at it."""

    def __init__(self, document: Document, unit: Unit | None = None) -> None:
        self._source = Source(document, unit)
        self._scheme = self._source.scheme
        self._leads = Leads(self._source)
        self._controls = Controls(self._source, self._leads)
        self.foreign = foreign_language("\n".join(page.text for page in document.pages[:50]))
        self._entries = {entry.body[0]: entry for entry in self.profile.entries}
        self._in_entries = {index for entry in self.profile.entries for index in (*entry.body, *entry.cut)}
        self._labels = {entry.label for entry in self.profile.entries}
        self._seen: dict[str, str] = {}

    @property
    def profile(self) -> Profile:
        """What the unit of a requirement is, with the reasons."""
        return self._source.profile

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the document."""
        return self._source.blocks

    @property
    def language(self) -> str:
        """The language of most of the document."""
        return self._source.document.language

    def run(self) -> Iterator[Candidate]:
        """The candidates in the order of the document; none when it is in a language that is not read."""
        if self.foreign is not None:
            return
        for block in self.blocks:
            if block.index in self._entries:
                yield from whole_entry(self._source, self._entries[block.index])
            if block.index in self._in_entries or (self.profile.entries and not self._outside(block)):
                continue
            if self.profile.unit is Unit.ROWS and self.profile.alone and not block.required:
                continue
            if not block.informative and block.kind not in _NO_REQUIREMENT:
                yield from self._in_block(block)

    def _in_block(self, block: Block) -> Iterator[Candidate]:
        if block.kind is BlockKind.CLAUSE:
            yield from self._clause(block)
        elif self._scheme.section_of(block):
            yield from self._controls.statement(block)
        elif block.kind is BlockKind.ITEM:
            yield from self._item(block)
        elif not self._scheme.catalogue:
            yield from self._prose(block, before_lead_in=self._leads.leads_in(block))

    def _outside(self, block: Block) -> bool:
        """Whether a block outside of the entries is looked at: numbered rows of tables, and all when the entries are
        not alone."""
        if block.source_id in self._labels:
            return False
        return not self.profile.alone or (block.in_table and block.source_id is not None)

    # numbered clauses and rows

    def _clause(self, block: Block) -> Iterator[Candidate]:
        text = block.text.rstrip()
        in_scheme = self._scheme.holds(block)
        if is_withdrawn(text) or not text or (self._scheme.catalogue and not in_scheme and not block.required):
            return
        if self._leads.leads_in(block):
            yield from self._prose(block, before_lead_in=True)
            return
        text = self._without_commentary(block, text)
        language = self._source.language(text)
        if len(text) > CLAUSE_MAX or not self._is_unit(block):
            yield from self._prose(block)
            return
        stated = block.required or (in_scheme and self._scheme.catalogue) or self._scheme.states(block)
        judgement = judge_clause(text, language, stated)
        if judgement is not None and not self._repeats(block, text):
            yield self._candidate(block, without_tag(text), len(text), judgement, language)

    def _is_unit(self, block: Block) -> bool:
        """Whether an entry is one requirement however many sentences it has: in a catalogue, in a table, or with a code
        of its own. Other clauses may hold several, one a sentence."""
        if self._scheme.catalogue or block.in_table:
            return True
        return block.mark is not None and block.mark.kind is MarkKind.CODE

    def _without_commentary(self, block: Block, text: str) -> str:
        """Cut what follows an entry and binds nobody.

        In a table the cell is the entry. Elsewhere an entry ends where another paragraph may begin with a sentence that
        does not bind; and where capitals bind, after the last sentence that has them.
        """
        if block.in_table:
            return text
        source = self._source
        aside = _ASIDE.search(text)
        if aside is not None:
            text = text[: aside.start()].rstrip()
        for offset in [offset for offset in block.breaks if offset < len(text)]:
            rest = text[offset:]
            start, end = source.sentences(rest)[0] if rest.strip() else (0, 0)
            if source.judge(rest[start:end], source.language(rest[start:end])) is None:
                text = text[:offset]
                break
        if self.profile.capitals:
            binding = [end for start, end in source.sentences(text) if source.judge(text[start:end], self.language)]
            return text[: binding[-1]] if binding else text
        return text

    def _repeats(self, block: Block, text: str) -> bool:
        """Whether an entry with this number came before (mapping tables and indexes repeat the catalogue)."""
        if block.source_id is None or not self._scheme.holds(block):
            return False
        return self._seen.setdefault(block.source_id, text) is not text

    # lists

    def _item(self, block: Block) -> Iterator[Candidate]:
        source, parent = self._source, self._source.parent(block)
        if (self._scheme.catalogue and not self._in_entry(block)) or is_withdrawn(block.text):
            return
        if parent is not None and self._leads.keeps_its_list(parent) and not source.binds(block):
            return
        if self._leads.leads_in(block):
            yield from self._prose(block, before_lead_in=True)
            return
        demanded = demanded_by(block.path[-1]) if block.path and parent is None else None
        if demanded is not None:
            text = block.text.rstrip()
            language = source.language(text)
            judgement = Judgement(_DEMANDED[demanded], _LISTED)
            yield self._candidate(block, 0, len(text), judge_clause(text, language, False) or judgement, language)
            return
        lead = self._leads.subject_above(block) or (self._leads.text(parent) if parent is not None else "")
        if lead and parent is not None:
            yield from self._led(block, lead, parent)
        else:
            yield from self._prose(block)

    def _led(self, block: Block, lead: str, parent: Block) -> Iterator[Candidate]:
        """An item below a lead-in: both in one text, unless its first sentence stands alone."""
        source, text = self._source, block.text
        language = source.language(f"{lead} {text}")
        sentences = source.sentences(text)
        if len(sentences) > 1 and _is_label(text[slice(*sentences[0])]):
            sentences = sentences[1:]
        if not sentences:
            return
        start, end = sentences[0]
        own = source.judge(text[start:end], language)
        joined = joined_with(lead, text[start:end])
        judgement = own or source.judge(f"{joined.rstrip('.')}.", language)
        if judgement is None and self._leads.functions(block):
            judgement = judge_clause(joined, language, True)
        if judgement is not None:
            if own is not None and stands_alone(text[start:end]):
                yield self._candidate(block, start, end, judgement, language)
            else:
                yield self._candidate(block, start, end, judgement, language, joined, parent)
        for a, b in sentences[1:]:
            judgement = source.judge(text[a:b], language)
            if judgement is not None:
                yield self._candidate(block, a, b, judgement, language)

    def _in_entry(self, block: Block) -> bool:
        """Whether this item stands below a numbered entry of the scheme."""
        while block.parent is not None:
            block = self.blocks[block.parent]
        return self._scheme.holds(block)

    # prose

    def _prose(self, block: Block, before_lead_in: bool = False) -> Iterator[Candidate]:
        text = block.text
        sentences = self._source.sentences(text)
        for a, b in sentences[:-1] if before_lead_in else sentences:
            language = self._source.language(text[a:b])
            judgement = self._source.judge(text[a:b], language, self._scheme.holds(block))
            if judgement is not None:
                yield self._candidate(block, a, b, judgement, language)

    def _candidate(
        self,
        block: Block,
        start: int,
        end: int,
        judgement: Judgement,
        language: str,
        joined: str | None = None,
        lead: Block | None = None,
    ) -> Candidate:
        spans = block.flow.spans(start, end, self._source.page_text)
        if lead is not None:
            spans = self._leads.spans(lead) + spans
        text = joined if joined is not None else block.text[start:end].strip()
        id_ = source_id(self._source, block)
        told = of_row(block, id_)
        return Candidate.judged(block, text, spans, id_, judgement, language, lead is not None, told)
