"""An entry that a document sets apart, as one requirement: whole, without its end mark."""

from __future__ import annotations

from collections.abc import Iterator

from echelon.domains.requirements.finding.attributes import of_entry
from echelon.domains.requirements.finding.candidate import Candidate
from echelon.domains.requirements.finding.source import Source
from echelon.domains.requirements.judging.judge import judge_clause
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.entries import END_MARK
from echelon.domains.requirements.structure.entry import Entry
from echelon.domains.requirements.structure.flow import Span
from echelon.domains.requirements.structure.scheme import is_gone, is_withdrawn


def whole_entry(source: Source, entry: Entry) -> Iterator[Candidate]:
    """The candidate of one entry; none when it was withdrawn."""
    blocks = [source.blocks[index] for index in entry.body]
    text = END_MARK.sub(
        "", " ".join(text for block in blocks if (text := block.text[_begin(entry, block) :].strip()))
    ).strip()
    if not text or is_withdrawn(text) or any(is_gone(title) for title in (*blocks[0].path, entry.title)):
        return
    language = source.language(text)
    judgement = judge_clause(text, language, True)
    if judgement is None:
        return
    told = of_entry(entry, source.blocks)
    yield Candidate.judged(blocks[0], text, _spans(source, entry), entry.label, judgement, language, attributes=told)


def _spans(source: Source, entry: Entry) -> tuple[Span, ...]:
    spans: tuple[Span, ...] = ()
    for index in entry.body:
        text = source.blocks[index].text.rstrip()
        end = len(text) if index != entry.body[-1] else len(END_MARK.sub("", text).rstrip())
        begin = _begin(entry, source.blocks[index])
        spans += source.blocks[index].flow.spans(begin, end, source.page_text) if end else ()
    return spans


def _begin(entry: Entry, block: Block) -> int:
    """Where the text of a block begins: a title has its number before it, a described entry the label of its field."""
    if entry.skip and block.index == entry.body[0]:
        return entry.skip
    return block.mark.end if block.kind is BlockKind.HEADING and block.mark is not None else 0
