"""Lead-ins and their items: what opens a list, what it says of each item, and which lists stay with what opens them."""

from __future__ import annotations

import re

from echelon.domains.requirements.finding.candidate import LEAD_END, OPEN_END, joined_with
from echelon.domains.requirements.finding.source import Source
from echelon.domains.requirements.judging.judge import is_normative
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.flow import Span
from echelon.domains.requirements.structure.numbering import MarkKind

_NO_SUBJECT = re.compile(r"(?:shall|must|should|may|will|can|muss|müssen|soll|sollen|sollte|sollten|darf|dürfen)\b")

_SUBJECT = re.compile(r"(?:the|each|every|an?)\s+(?:[\w-]+\s+){0,4}[\w-]+\s*:", re.I)
# A verb in the third person: "Keeps", "provides".
_DOES = re.compile(r"(?:(?:also|only|then|never|always)\s+)?[A-Za-z]{2,}(?<![su])s\s+\w", re.I)


def _opens_list(text: str) -> bool:
    """Whether a text stops where a list goes on with it."""
    return LEAD_END.search(text) is not None or OPEN_END.search(text) is not None


_HAS_TO = re.compile(r"\b(?:hat|haben|ist|sind)\s*:?\s*$", re.I)


class Leads:
    """Lead-ins of one document."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lists = {b.parent for b in source.blocks if b.parent is not None and not b.informative}

    def leads_in(self, block: Block) -> bool:
        """Whether a block opens the list below it, so that it says nothing without its items."""
        if block.index not in self._lists or self.keeps_its_list(block):
            return False
        text = block.text.rstrip()
        return _opens_list(text)

    def keeps_its_list(self, block: Block) -> bool:
        """Whether an item is a requirement whole, and the list below it only says more about it: a bullet or an item
        below a lead-in, when it does not stop in the middle of a phrase ("a label with:")."""
        if block.kind is not BlockKind.ITEM or block.mark is None or block.index not in self._lists:
            return False
        parent = self._source.parent(block)
        if block.mark.kind is not MarkKind.BULLET and (parent is None or not _opens_list(parent.text.rstrip())):
            return False
        text = block.text.rstrip()
        if self._source.is_law and text.endswith(":") and not is_normative(text, self._source.language(text)):
            # A law cites each point of a list in a list.
            return False
        return len(text.split()) >= 5 and OPEN_END.search(text) is None

    def text(self, block: Block) -> str:
        """The last sentence of the lead-in, with what leads in to it; empty when it binds nobody. In the statement of a
        control each lead-in binds ("The organization:")."""
        if not self.leads_in(block):
            return ""
        text = block.text.rstrip()
        start, end = self._source.sentences(text)[-1]
        lead = text[start:end]
        language = self._source.language(lead)
        parent = self._source.parent(block)
        if block.kind is BlockKind.ITEM and parent is not None:
            above = self.text(parent)
            if above and (lead[:1].islower() or not is_normative(lead, language)):
                return joined_with(above, lead)
        stated = self._source.scheme.section_of(block) is not None or self._lists_functions(block, lead)
        binds = is_normative(joined_with(lead, "do so"), language) or self._source.judge(lead, language) is not None
        # "Der Halter hat: 1. das Seil zu prüfen": whether it binds, the verb of the item tells.
        return lead if stated or binds or (language == "de" and _HAS_TO.search(lead)) else ""

    def _lists_functions(self, block: Block, lead: str) -> bool:
        """Whether a subject alone opens a list of what it does ("The machine:" above "Sells tickets", "Gives change")."""
        if _SUBJECT.fullmatch(lead.strip()) is None:
            return False
        items = [other.text for other in self._source.blocks[block.index + 1 :][:40] if other.parent == block.index]
        return len(items) >= 2 and sum(_DOES.match(item) is not None for item in items) > 0.6 * len(items)

    def functions(self, block: Block) -> bool:
        """Whether this item says what the subject of its lead-in does."""
        parent = self._source.parent(block)
        return parent is not None and _DOES.match(block.text) is not None and self._lists_functions(parent, parent.text)

    def subject_above(self, block: Block) -> str:
        """The lead-in of an item that has a modal verb but no subject ("The image: + shall be stored ...")."""
        parent = self._source.parent(block)
        if parent is None or not _NO_SUBJECT.match(block.text) or not self.leads_in(parent):
            return ""
        text = parent.text.rstrip()
        start, end = self._source.sentences(text)[-1]
        return LEAD_END.sub("", text[start:end]).rstrip()

    def spans(self, lead: Block) -> tuple[Span, ...]:
        """Where the lead-in stands, with what leads in to it."""
        text = lead.text.rstrip()
        start, end = self._source.sentences(text)[-1]
        spans = lead.flow.spans(start, end, self._source.page_text)
        parent = self._source.parent(lead)
        if (
            lead.kind is BlockKind.ITEM
            and parent is not None
            and (text[start].islower() or not is_normative(text[start:end], self._source.document.language))
        ):
            return self.spans(parent) + spans
        return spans
