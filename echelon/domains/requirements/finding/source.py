"""What the rules of one document look at: its blocks, how it numbers, what binds in it."""

from __future__ import annotations

from echelon.domains.documents.language import detect_language, is_caseless
from echelon.domains.documents.types import Document
from echelon.domains.requirements.judging.judge import Judgement, capitals_bind, judge_prose
from echelon.domains.requirements.judging.sentences import split_sentences
from echelon.domains.requirements.structure.blocks import Block
from echelon.domains.requirements.structure.build import build_structure
from echelon.domains.requirements.structure.profile import Profile, Unit, choose_profile
from echelon.domains.requirements.structure.scheme import Scheme, find_scheme


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

    def sentences(self, text: str) -> list[tuple[int, int]]:
        """Offsets of the sentences of `text`."""
        return split_sentences(text, self.caseless)

    def language(self, text: str) -> str:
        """The language of `text`; that of the document where it does not tell."""
        return detect_language(text, self.document.language)

    def judge(self, sentence: str, language: str, in_clause: bool = False) -> Judgement | None:
        """Whether a sentence of running text is a requirement."""
        return judge_prose(sentence, language, self.profile.capitals, in_clause)

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
