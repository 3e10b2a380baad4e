"""From blocks to candidates: each piece of text that is a requirement, with its number and its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from echelon.domains.documents.language import detect_language, foreign_language, is_caseless
from echelon.domains.documents.types import Document
from echelon.domains.requirements.judging.judge import Judgement, capitals_bind, is_normative, judge_clause, judge_prose
from echelon.domains.requirements.judging.sentences import split_sentences
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.build import build_structure
from echelon.domains.requirements.structure.cells import without_reference
from echelon.domains.requirements.structure.entries import END_MARK, Entry, title_label
from echelon.domains.requirements.structure.flow import Span
from echelon.domains.requirements.structure.numbering import MarkKind, opening_mark
from echelon.domains.requirements.structure.profile import Profile, Unit, choose_profile
from echelon.domains.requirements.structure.scheme import Scheme, find_scheme, is_gone, is_withdrawn, without_tag
from echelon.domains.requirements.types import Modality

CLAUSE_MAX = 1500
_OPEN_END = re.compile(
    r"(?:\b(?:shall|must|should|may|will|can|to|that|is|are|be|by|of|for|with|not|muss|müssen|sollte|sollten|darf|dürfen|dass|hat|haben|sind|ist))\s*[:—–]?\s*$",
    re.I,
)
# A note that runs on in the line of its entry.
_ASIDE = re.compile(
    r"(?<=[.;!?])\s+(?:Rationale|Note|NOTE|Comment|Example|Begründung|Hinweis|Anmerkung|Beispiel|Priority|Source)\s*:\s"
)
_NO_SUBJECT = re.compile(r"(?:shall|must|should|may|will|can|muss|müssen|soll|sollen|sollte|sollten|darf|dürfen)\b")
_LEAD_END = re.compile(r"[:—–]\s*$")
_ITEM_END = re.compile(r"\s*(?:[;,]\s*(?:and|or|und|oder|sowie)?)\s*$")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A requirement before it gets its id. `block` is the index of the block it begins in; `lead`: it was put together
    of a lead-in and an item."""

    block: int
    text: str
    spans: tuple[Span, ...]
    source_id: str | None
    modality: Modality
    confidence: float
    language: str
    path: tuple[str, ...]
    lead: bool = False


def find_candidates(document: Document, unit: Unit | None = None) -> list[Candidate]:
    """All candidates of `document` in its order. `unit` overrides what the unit of a requirement is."""
    return list(Finder(document, unit).run())


class Finder:
    """Finds the candidates of one document, once: `Finder(document).run()`; `profile` says how it looks at it."""

    def __init__(self, document: Document, unit: Unit | None = None) -> None:
        self._document = document
        self._blocks = build_structure(document).blocks
        self._caseless = is_caseless(document)
        capitals = capitals_bind(block.text for block in self._blocks)
        self.foreign = foreign_language("\n".join(page.text for page in document.pages[:50]))
        scheme = find_scheme(self._blocks, document.language)
        self.profile: Profile = choose_profile(self._blocks, document.language, capitals, scheme, unit)
        self._capitals = self.profile.capitals
        self._scheme: Scheme = self.profile.scheme
        self._entries = {entry.body[0]: entry for entry in self.profile.entries}
        self._in_entries = {index for entry in self.profile.entries for index in (*entry.body, *entry.cut)}
        self._seen: dict[str, str] = {}
        self._lead_ins = {b.parent for b in self._blocks if b.parent is not None and not b.informative}

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the document."""
        return self._blocks

    @property
    def language(self) -> str:
        """The language of most of the document."""
        return self._document.language

    def run(self) -> Iterator[Candidate]:
        """The candidates in the order of the document; none when it is in a language that is not read."""
        if self.foreign is not None:
            return
        for block in self._blocks:
            if block.index in self._entries:
                yield from self._entry(self._entries[block.index])
            if block.index in self._in_entries or (self.profile.entries and not self._outside(block)):
                continue
            if block.informative or block.kind in {
                BlockKind.HEADING,
                BlockKind.NOTE,
                BlockKind.CAPTION,
                BlockKind.FOOTNOTE,
            }:
                continue
            if block.kind is BlockKind.CLAUSE:
                yield from self._clause(block)
            elif block.kind is BlockKind.ITEM:
                yield from self._item(block)
            elif self._scheme.section_of(block):
                yield from self._statement(block)
            elif not self._scheme.catalogue:
                yield from self._prose(block, before_lead_in=self._leads_in(block))

    def _outside(self, block: Block) -> bool:
        """Whether a block outside of the entries is looked at: numbered rows of tables, and all when the entries are
        not alone."""
        return not self.profile.alone or (block.in_table and block.source_id is not None)

    def _entry(self, entry: Entry) -> Iterator[Candidate]:
        """An entry as one requirement, whole."""
        blocks = [self._blocks[index] for index in entry.body]
        text = END_MARK.sub("", " ".join(block.text.strip() for block in blocks if block.text.strip())).strip()
        if not text or is_withdrawn(text) or any(is_gone(title) for title in (*blocks[0].path, entry.title)):
            return
        language = self._language(text)
        judgement = judge_clause(text, language, True)
        if judgement is None:
            return
        spans: tuple[Span, ...] = ()
        for block in blocks:
            end = len(block.text.rstrip()) if block is not blocks[-1] else len(END_MARK.sub("", block.text).rstrip())
            spans += block.flow.spans(0, end, self._page_text) if end else ()
        yield Candidate(
            blocks[0].index,
            without_reference(text),
            spans,
            entry.label,
            judgement.modality,
            judgement.confidence,
            language,
            blocks[0].path,
        )

    def _sentences(self, text: str) -> list[tuple[int, int]]:
        return split_sentences(text, self._caseless)

    def _language(self, text: str) -> str:
        return detect_language(text, self._document.language)

    def _judge(self, sentence: str, language: str, in_clause: bool = False) -> Judgement | None:
        return judge_prose(sentence, language, self._capitals, in_clause)

    def _clause(self, block: Block) -> Iterator[Candidate]:
        text = block.text.rstrip()
        in_scheme = self._scheme.holds(block)
        if is_withdrawn(text) or not text or (self._scheme.catalogue and not in_scheme and not block.required):
            return
        if self._leads_in(block):
            yield from self._prose(block, before_lead_in=True)
            return
        text = self._without_commentary(block, text)
        language = self._language(text)
        if len(text) > CLAUSE_MAX or not self._is_unit(block):
            yield from self._prose(block)
            return
        stated = block.required or (in_scheme and self._scheme.catalogue)
        judgement = judge_clause(text, language, stated)
        if judgement is not None and not self._repeats(block, text):
            yield self._candidate(block, without_tag(text), len(text), judgement, language)

    def _statement(self, block: Block) -> Iterator[Candidate]:
        """The statement of a control in a paragraph: one requirement, or the lead-in of its items."""
        text = block.text.rstrip()
        if self._leads_in(block) or is_withdrawn(text) or len(text.split()) < 4:
            return
        language = self._language(text)
        judgement = judge_clause(text, language, True)
        if judgement is not None:
            yield self._candidate(block, 0, len(_ITEM_END.sub("", text)), judgement, language)

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
        aside = _ASIDE.search(text)
        if aside is not None:
            text = text[: aside.start()].rstrip()
        for offset in [offset for offset in block.breaks if offset < len(text)]:
            rest = text[offset:]
            start, end = self._sentences(rest)[0] if rest.strip() else (0, 0)
            if self._judge(rest[start:end], self._language(rest[start:end])) is None:
                text = text[:offset]
                break
        if self._capitals:
            binding = [
                end for start, end in self._sentences(text) if self._judge(text[start:end], self._document.language)
            ]
            return text[: binding[-1]] if binding else text
        return text

    def _repeats(self, block: Block, text: str) -> bool:
        """Whether an entry with this number came before (mapping tables and indexes repeat the catalogue)."""
        if block.source_id is None or not self._scheme.holds(block):
            return False
        return self._seen.setdefault(block.source_id, text) is not text

    def _leads_in(self, block: Block) -> bool:
        if block.index not in self._lead_ins:
            return False
        text = block.text.rstrip()
        if self._keeps_its_list(block):
            return False
        return _LEAD_END.search(text) is not None or _OPEN_END.search(text) is not None

    def _keeps_its_list(self, block: Block) -> bool:
        """Whether an item is a requirement whole, and the list below it only says more about it: a bullet or an item
        below a lead-in, when it does not stop in the middle of a phrase ("a label with:")."""
        if block.kind is not BlockKind.ITEM or block.mark is None or block.index not in self._lead_ins:
            return False
        if block.mark.kind is not MarkKind.BULLET and block.parent is None:
            return False
        text = block.text.rstrip()
        return len(text.split()) >= 5 and _OPEN_END.search(text) is None

    def _item(self, block: Block) -> Iterator[Candidate]:
        parent = self._blocks[block.parent] if block.parent is not None else None
        if self._scheme.catalogue and not self._in_entry(block):
            return
        if parent is not None and self._keeps_its_list(parent) and not self._stands(block):
            return
        if self._leads_in(block):
            yield from self._prose(block, before_lead_in=True)
            return
        lead = self._subject_above(block, block.text) or (self._lead_in_text(parent) if parent is not None else "")
        if not lead and self._scheme.section_of(block):
            yield from self._statement(block)
            return
        if not lead:
            yield from self._prose(block)
            return
        text = block.text
        language = self._language(f"{lead} {text}")
        sentences = self._sentences(text)
        if not sentences:
            return
        start, end = sentences[0]
        own = self._judge(text[start:end], language)
        joined = _join(lead, text[start:end])
        judgement = own or self._judge(f"{joined.rstrip('.')}.", language)
        if judgement is not None:
            standing = own is not None and _stands_alone(text[start:end])
            yield self._candidate(
                block, start, end, judgement, language, None if standing else joined, None if standing else parent
            )
        for a, b in sentences[1:]:
            judgement = self._judge(text[a:b], language)
            if judgement is not None:
                yield self._candidate(block, a, b, judgement, language)

    def _stands(self, block: Block) -> bool:
        """Whether a block binds by itself."""
        text = block.text
        return any(self._judge(text[a:b], self._language(text[a:b])) for a, b in self._sentences(text))

    def _in_entry(self, block: Block) -> bool:
        """Whether this item stands below a numbered entry of the scheme or states a control."""
        if self._scheme.section_of(block):
            return True
        while block.parent is not None:
            block = self._blocks[block.parent]
        return self._scheme.holds(block)

    def _lead_in_text(self, block: Block) -> str:
        """The last sentence of the lead-in, with what leads in to it; empty when it binds nobody."""
        if not self._leads_in(block):
            return ""
        text = block.text.rstrip()
        start, end = self._sentences(text)[-1]
        lead = text[start:end]
        if block.kind is BlockKind.ITEM and block.parent is not None:
            above = self._lead_in_text(self._blocks[block.parent])
            if above and not is_normative(lead, self._language(lead)):
                return _join(above, lead)
        return lead if is_normative(_join(lead, "do so"), self._language(lead)) else ""

    def _subject_above(self, block: Block, text: str) -> str:
        """The lead-in of an item that has a modal verb but no subject ("The image: + shall be stored ...")."""
        parent = self._blocks[block.parent] if block.parent is not None else None
        if parent is None or not _NO_SUBJECT.match(text) or not self._leads_in(parent):
            return ""
        start, end = self._sentences(parent.text.rstrip())[-1]
        return _LEAD_END.sub("", parent.text.rstrip()[start:end]).rstrip()

    def _prose(self, block: Block, before_lead_in: bool = False) -> Iterator[Candidate]:
        text = block.text
        sentences = self._sentences(text)
        for a, b in sentences[:-1] if before_lead_in else sentences:
            sentence = text[a:b]
            language = self._language(sentence)
            judgement = self._judge(sentence, language, self._scheme.holds(block))
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
        spans = block.flow.spans(start, end, self._page_text)
        if lead is not None:
            spans = self._lead_spans(lead) + spans
        text = joined if joined is not None else block.text[start:end].strip()
        return Candidate(
            block=block.index,
            text=without_reference(text),
            spans=spans,
            source_id=self._source_id(block),
            modality=judgement.modality,
            confidence=judgement.confidence,
            language=language,
            path=block.path,
            lead=lead is not None,
        )

    def _lead_spans(self, lead: Block) -> tuple[Span, ...]:
        text = lead.text.rstrip()
        start, end = self._sentences(text)[-1]
        spans = lead.flow.spans(start, end, self._page_text)
        if (
            lead.kind is BlockKind.ITEM
            and lead.parent is not None
            and not is_normative(text[start:end], self._document.language)
        ):
            return self._lead_spans(self._blocks[lead.parent]) + spans
        return spans

    def _page_text(self, number: int) -> str:
        return self._document.pages[number - 1].text

    def _source_id(self, block: Block) -> str | None:
        if block.kind is BlockKind.CLAUSE:
            return block.source_id
        numbered = self._scheme.section_of(block) or _lone_number(block)
        section = numbered or _number_above(block)
        if block.kind is not BlockKind.ITEM or block.mark is None:
            return section
        parent = self._blocks[block.parent] if block.parent is not None else None
        above = self._source_id(parent) if parent is not None else section
        counted = above is not None and (above != _number_above(block) or numbered or not above[0].isdigit())
        if block.mark.kind is MarkKind.BULLET or not counted:
            return above
        return f"{above} {block.mark.label})"


def _lone_number(block: Block) -> str | None:
    """The number above a block whose title is nothing but that number."""
    mark = opening_mark(block.path[-1]) if block.path else None
    lone = mark is not None and mark.end == len(block.path[-1]) and mark.kind in {MarkKind.CODE, MarkKind.DECIMAL}
    return mark.label if mark is not None and lone else None


def _number_above(block: Block) -> str | None:
    """The identifier or number of the nearest title above a block that has one."""
    for title in reversed(block.path):
        label = title_label(title)
        mark = opening_mark(title)
        if mark is not None and mark.kind in {MarkKind.CODE, MarkKind.DECIMAL, MarkKind.SECTION}:
            return label if label and label.startswith(mark.label) and mark.kind is MarkKind.CODE else mark.label
        if mark is not None and mark.kind is MarkKind.INTEGER and mark.end < len(title):
            return mark.label
        if label:
            return label
    return None


def _stands_alone(sentence: str) -> bool:
    return sentence[:1].isupper() and sentence.rstrip()[-1:] in ".!"


def _join(lead: str, item: str) -> str:
    """A lead-in and its item as one sentence."""
    item = _ITEM_END.sub("", item.strip())
    lead = lead.strip()
    if _OPEN_END.search(lead):
        return f"{_LEAD_END.sub('', lead).rstrip()} {item}"
    return f"{lead} {item}"
