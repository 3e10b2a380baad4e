"""What the rules of one document look at: its blocks, how it numbers, what binds in it."""

from __future__ import annotations

import re

from echelon.domains.documents.language import detect_language, is_caseless
from echelon.domains.documents.types import Document
from echelon.domains.requirements.judging.binding_de import acts_in_law
from echelon.domains.requirements.judging.judge import Judgement, capitals_bind, judge_prose
from echelon.domains.requirements.judging.sentences import split_sentences
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.build import build_structure
from echelon.domains.requirements.structure.numbering import MarkKind, bare_number, opening_mark
from echelon.domains.requirements.structure.outline import is_law
from echelon.domains.requirements.structure.profile import Profile, Unit, choose_profile
from echelon.domains.requirements.structure.scheme import Scheme, find_scheme
from echelon.domains.requirements.structure.trailing import trailing_makes
from echelon.domains.requirements.types import Modality

_LEAST = 3
_ACTS = 0.7  # confidence in a duty that stands in the plain present
_ACT = re.compile(r"\bsub-?section\s+\(\d|\bthis\s+(?:Act|Ordinance|Part|Schedule)\b")


def _is_subsection(block: Block) -> bool:
    """Whether a block is "(1) ..." below the numbered title of a section, and no item of a list."""
    if block.kind is not BlockKind.ITEM or block.mark is None or block.parent is not None or not block.path:
        return False
    above = opening_mark(block.path[-1]) or bare_number(block.path[-1])
    return block.mark.style == "integer:()" and above is not None and above.kind is MarkKind.INTEGER


def _refers_to_act(block: Block) -> bool:
    return _ACT.search(block.text) is not None


class Source:
    """One document with its blocks, its profile, and judgement on its sentences."""

    def __init__(self, document: Document, unit: Unit | None = None) -> None:
        self.document = document
        self.blocks: tuple[Block, ...] = build_structure(document).blocks
        self.caseless = is_caseless(document)
        capitals = capitals_bind(block.text for block in self.blocks)
        scheme = find_scheme(self.blocks, document.language)
        self.profile: Profile = choose_profile(self.blocks, document.language, capitals, scheme, unit)
        self.scheme: Scheme = self.profile.scheme
        self.trailing = trailing_makes(self.blocks)
        self.is_law = sum(block.kind is BlockKind.HEADING and is_law(block.text) for block in self.blocks) >= _LEAST
        self.is_act = sum(map(_is_subsection, self.blocks)) >= _LEAST and any(map(_refers_to_act, self.blocks))

    def sentences(self, text: str) -> list[tuple[int, int]]:
        """Offsets of the sentences of `text`."""
        return split_sentences(text, self.caseless)

    def language(self, text: str) -> str:
        """The language of `text`; that of the document where it does not tell."""
        return detect_language(text, self.document.language)

    def judge(self, sentence: str, language: str, in_clause: bool = False) -> Judgement | None:
        """Whether a sentence of running text is a requirement."""
        found = judge_prose(sentence, language, self.profile.capitals, in_clause)
        if found is None and language == "de" and self.is_law and acts_in_law(sentence):
            return Judgement(Modality.OBLIGATION, _ACTS)
        return found

    def binds(self, block: Block) -> bool:
        """Whether a block binds by itself."""
        text = block.text
        return any(self.judge(text[a:b], self.language(text[a:b])) for a, b in self.sentences(text))

    def parent(self, block: Block) -> Block | None:
        """The block that leads in to this item."""
        return self.blocks[block.parent] if block.parent is not None else None

    def page_text(self, number: int) -> str:
        """The text of page `number`."""
        return self.document.pages[number - 1].text
