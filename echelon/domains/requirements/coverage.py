"""What the extraction of a document cannot vouch for: its profile, the places it left out, and how much that is.

`examine(document)` gives the profile with its reasons, figures of coverage, and the doubtful places one by one, so that a
report can show them and a role can look at them.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

from pydantic import Field

from echelon.domains.documents.types import Document, Frozen
from echelon.domains.requirements.candidates import Candidate, Finder
from echelon.domains.requirements.structure.blocks import Block
from echelon.domains.requirements.structure.build import DocumentKey
from echelon.domains.requirements.structure.profile import Binding, Unit

CLOSE = 0.7
"""A requirement below this confidence is a close call."""


class DoubtKind(StrEnum):
    """Why a place is doubtful."""

    CLOSE_CALL = "close_call"
    LEFT_OUT = "left_out"
    CUT = "cut"
    LEAD_IN = "lead_in"


class Doubt(Frozen):
    """One doubtful place of a document."""

    kind: DoubtKind
    page: int = Field(ge=1)
    section: str | None = Field(default=None, description="heading path, ' > ' between levels")
    text: str
    why: str


class ProfileReport(Frozen):
    """What the unit of a requirement was taken to be, and why."""

    unit: Unit
    certain: bool
    reasons: tuple[str, ...]


class Coverage(Frozen):
    """How much of what may bind is in the result. Sections and pages count when a sentence that binds stands there."""

    language: str | None = Field(default=None, description="name of a language that is not read; then nothing is found")
    sections_without: tuple[str, ...] = Field(description="sections with sentences that bind and no requirement")
    pages_without: tuple[int, ...] = Field(description="the same of pages; formats without pages have one")
    left_out: int = Field(ge=0, description="sentences that bind outside of the entries of the profile")
    cut: int = Field(ge=0, description="blocks that were cut off entries as commentary and bind by their words")

    def told(self) -> str:
        """What is covered, in one sentence without its full stop."""
        if self.language:
            return f"nothing was looked for, because {self.language} is not read"
        sections, pages = len(self.sections_without), len(self.pages_without)
        missing = [
            *([_counted(sections, "section") + f" and {_counted(pages, 'page')} that bind without a requirement"]
              if sections or pages else []),
            *([f"{_counted(self.left_out, 'sentence')} that may bind in no requirement"] if self.left_out else []),
            *([f"{_counted(self.cut, 'paragraph')} cut off as commentary"] if self.cut else []),
        ]  # fmt: skip
        return "; ".join(missing) or "all sentences that bind by their words are in requirements"


class Examination(Frozen):
    """Profile, coverage and doubtful places of one document."""

    profile: ProfileReport
    coverage: Coverage
    doubts: tuple[Doubt, ...]

    def told(self) -> tuple[str, str]:
        """Two sentences, also when all is well: what its requirements were taken to be and why, and what they cover."""
        reasons = "; ".join(self.profile.reasons)
        unsure = "" if self.profile.certain else ", which is uncertain"
        return f"Read as {self.profile.unit.value}{unsure}: {reasons}.", f"Coverage: {self.coverage.told()}."

    def warnings(self) -> tuple[str, ...]:
        """One sentence with figures for each thing that a reader should know first; none when all is well."""
        found: list[str] = []
        if self.coverage.language:
            found.append(f"the document is in {self.coverage.language}, which is not read: nothing was looked for")
        if not self.profile.certain:
            found.append(
                f"it is uncertain that {self.profile.unit.value} are its requirements: {self.profile.reasons[-1]}"
            )
        if self.coverage.sections_without:
            count = len(self.coverage.sections_without)
            found.append(
                f"{count} sections have sentences that bind and no requirement, {self.coverage.left_out} sentences"
            )
        if self.coverage.cut:
            found.append(f"{self.coverage.cut} paragraphs that bind by their words were cut off entries as commentary")
        return tuple(found)


def examine(document: Document, unit: Unit | None = None) -> Examination:
    """What to know of the extraction of `document`; `unit` overrides the profile as it does for the extraction."""
    return _examined(DocumentKey(document), unit)


@lru_cache(maxsize=4)
def _examined(key: DocumentKey, unit: Unit | None) -> Examination:
    finder = Finder(key.document, unit)
    candidates = list(finder.run())
    profile = finder.profile
    report = ProfileReport(unit=profile.unit, certain=profile.certain, reasons=profile.reasons)
    if finder.foreign is not None:
        coverage = Coverage(language=finder.foreign, sections_without=(), pages_without=(), left_out=0, cut=0)
        return Examination(profile=report, coverage=coverage, doubts=())
    places = _Places(finder, candidates)
    return Examination(profile=report, coverage=places.coverage(), doubts=tuple(places.doubts()))


class _Places:
    """Compares the sentences of a document that bind with what was found."""

    def __init__(self, finder: Finder, candidates: list[Candidate]) -> None:
        self._blocks = finder.blocks
        self._candidates = candidates
        binding = Binding(finder.blocks, finder.language, finder.profile.capitals)
        self._cut = {index for entry in finder.profile.entries for index in entry.cut}
        inside = {index for entry in finder.profile.entries for index in entry.body}
        found = {candidate.block for candidate in candidates} | inside
        binds = [b for b in finder.blocks if binding.counts(b) and binding.in_block(b.index) and b.index not in found]
        self._missed = [block for block in binds if block.index not in self._cut]
        self._cut_binding = [block for block in binds if block.index in self._cut]
        self._sentences = sum(binding.in_block(block.index) for block in self._missed)

    def coverage(self) -> Coverage:
        """The figures."""
        sections = {_section(self._blocks[candidate.block]) for candidate in self._candidates}
        pages = {span.page for candidate in self._candidates for span in candidate.spans}
        without = dict.fromkeys(_section(block) or "" for block in self._missed if _section(block) not in sections)
        return Coverage(
            sections_without=tuple(without),
            pages_without=tuple(sorted({block.page for block in self._missed} - pages)),
            left_out=self._sentences,
            cut=len(self._cut_binding),
        )

    def doubts(self) -> Iterator[Doubt]:
        """The places in the order of their kinds."""
        for candidate in self._candidates:
            if candidate.confidence < CLOSE:
                block = self._blocks[candidate.block]
                yield _doubt(DoubtKind.CLOSE_CALL, block, candidate.text, f"confidence {candidate.confidence}")
        for block in self._missed:
            yield _doubt(DoubtKind.LEFT_OUT, block, block.text, "binds by its words and is in no requirement")
        for block in self._cut_binding:
            yield _doubt(DoubtKind.CUT, block, block.text, "cut off the entry above as commentary")
        for candidate in self._candidates:
            if candidate.lead:
                block = self._blocks[candidate.block]
                yield _doubt(
                    DoubtKind.LEAD_IN, block, candidate.text, "put together of a lead-in and an item of its list"
                )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _section(block: Block) -> str | None:
    return " > ".join(block.path) or None


def _doubt(kind: DoubtKind, block: Block, text: str, why: str) -> Doubt:
    return Doubt(kind=kind, page=block.page, section=_section(block), text=text.strip(), why=why)
