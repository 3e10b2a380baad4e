"""The headings above a block, the list it stands in, and whether that part of the document binds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from echelon.domains.requirements.structure import roles
from echelon.domains.requirements.structure.blocks import Block
from echelon.domains.requirements.structure.numbering import Mark, MarkKind, bare_number, depth, opening_mark

UNNUMBERED = 50
_LAW = re.compile(r"§|Art(?:\.|icle|ikel)")


@dataclass(slots=True)
class _Heading:
    level: int
    title: str
    label: str | None
    informative: bool


class Outline:
    """Follows headings and lists while the blocks of a document come in order."""

    def __init__(self) -> None:
        self._headings: list[_Heading] = []
        self._lists: list[tuple[str, str, int]] = []  # style, label of the last item, block index
        self._lead: int | None = None
        self._left_open: list[tuple[str, str, int]] = []  # the list in which a label opened
        self._named_informative: set[str] = set()
        self._paragraph: str | None = None  # the last numbered paragraph of an article
        self._chapter = 0
        self._appendix = False
        self._recitals = False
        self.untitled = False
        """Whether the heading above is only the number of an article, whose title follows."""

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(heading.title for heading in self._headings)

    @property
    def informative(self) -> bool:
        return self._recitals or any(heading.informative for heading in self._headings)

    def heading(self, title: str, mark: Mark | None, level: int | None = None) -> None:
        """A heading begins a section: same or deeper ones end."""
        if level is None:
            level = _level(mark) if mark else UNNUMBERED
        while self._headings and (self._headings[-1].level >= level or _elsewhere(self._headings[-1], mark)):
            self._headings.pop()
        label = mark.label.upper() if mark else None
        if mark and mark.kind is MarkKind.INTEGER and level == 1:
            self._chapter = int(mark.label) if mark.label.isdigit() else self._chapter
        elif mark and mark.kind is MarkKind.SECTION and label and label.startswith(("APP", "ANN", "ANH")):
            self._appendix = True
        opening = mark or opening_mark(title) or bare_number(title)
        bare = title[opening.end :].strip(" .:—–-") if opening and title.startswith(opening.label) else title
        numbered = opening is not None
        informative = roles.informs(bare, numbered) or roles.informs(title) or self._is_named(title, label)
        if mark is not None and mark.kind is MarkKind.SECTION:
            self._recitals = False
        self._headings.append(_Heading(level, title, label, informative))
        self._left_open = []
        self._paragraph = None
        self.end_list()

    def subtitle(self, title: str) -> None:
        """The title of an article whose number stands above it."""
        above = self._headings[-1]
        above.informative = above.informative or roles.informs(title)
        above.title = f"{above.title} {title}"

    @property
    def in_law(self) -> bool:
        """Whether the text stands in an article or paragraph of a law."""
        return any(is_law(heading.title) for heading in self._headings)

    def awaits(self, mark: Mark) -> bool:
        """Whether a list mark opens a list here or comes next in the open one, or is the next paragraph of an article."""
        if mark.style == "integer:." and self.in_law and self._paragraph is not None and not self._lists:
            return follows_on(mark.label, self._paragraph)
        return follows(mark.label, self.last_label(mark.style)) or any(
            style == mark.style and follows_on(mark.label, label) for style, label, _ in self._left_open
        )

    def label(self, title: str) -> None:
        """A label that runs into its text ("Guidance: ..."). Within a list it covers what follows up to the next item."""
        lists = list(self._lists) or self._left_open
        self.heading(title, None)
        self._left_open = lists

    def resume(self, mark: Mark) -> None:
        """The next item of the list in which a label opened ends what the label covers."""
        if any(style == mark.style and follows_on(mark.label, label) for style, label, _ in self._left_open):
            self._lists, self._lead = self._left_open, None
            self._headings.pop()
            self._left_open = []

    def _is_named(self, title: str, label: str | None) -> bool:
        if not self._named_informative:
            return False
        words = title.replace("—", " ").replace(":", " ").split()
        names: set[str] = {label} if label else set()
        if len(words) > 1 and words[0].lower() in {"appendix", "annex", "anhang", "section", "chapter", "kapitel"}:
            names.add(words[1].upper().rstrip("."))
        return bool(names & self._named_informative)

    def next_chapter(self, label: str) -> bool:
        """Whether a plain number can be the next chapter: chapters count up from 1 and end where appendices begin."""
        return (
            not self._appendix
            and label.isdigit()
            and int(label) in {self._chapter + 1, 0 if self._chapter == 0 else self._chapter + 1}
        )

    def clause(self) -> None:
        """A numbered clause ends the unnumbered label above it ("DISCUSSION") and deeper lists."""
        while self._headings and self._headings[-1].level >= UNNUMBERED and self._headings[-1].informative:
            self._headings.pop()
        self._left_open = []
        self.end_list()

    def settle(self, blocks: list[Block]) -> None:
        """Sections that a later sentence called informative ("Section 1, Introduction, ... is informative."), and the
        formula that closes an act."""
        for block in blocks:
            block.informative = block.informative or roles.closes_act(block.text)
            if not block.informative:
                block.informative = any(self._is_named(title, _label(title)) for title in block.path)

    def paragraph(self, text: str) -> None:
        """Statements about the document itself: which section only informs."""
        if roles.opens_recitals(text):
            self._recitals = True
        elif roles.closes_recitals(text):
            self._recitals = False
        if roles.says_informative(text) and self._headings:
            named = roles.named_informative(text)
            if named:
                self._named_informative.add(named)
            else:
                self._headings[-1].informative = True

    def leads_in(self, block: Block) -> None:
        """`block` may lead in to the list that follows."""
        self._lead = block.index

    def item(self, block: Block, mark: Mark) -> None:
        """Set the parent and level of a list item and remember it."""
        for position, (style, _, _) in enumerate(self._lists):
            if style == mark.style:
                del self._lists[position:]
                break
        block.parent = self._lists[-1][2] if self._lists else self._lead
        block.level = len(self._lists)
        self._lists.append((mark.style, mark.label, block.index))
        if block.level == 0 and mark.kind is MarkKind.INTEGER:
            self._paragraph = mark.label

    def last_label(self, style: str) -> str | None:
        """The label of the last item of this style in the open list, or None."""
        return next((label for s, label, _ in reversed(self._lists) if s == style), None)

    @property
    def in_list(self) -> bool:
        return bool(self._lists)

    def end_list(self) -> None:
        self._lists.clear()
        self._lead = None


def _elsewhere(above: _Heading, mark: Mark | None) -> bool:
    """Whether a decimal number cannot stand below this heading: `2.1` is not part of chapter 1."""
    if mark is None or mark.kind is not MarkKind.DECIMAL or above.label is None or above.level >= UNNUMBERED:
        return False
    if not above.label[0].isdigit() and not re.fullmatch(r"[A-Z](?:\.\d+)*", above.label):
        return False
    return not mark.label.upper().startswith(above.label.rstrip(".") + ".")


def is_law(title: str) -> bool:
    """Whether a title is that of a paragraph or article of a law."""
    mark = opening_mark(title)
    return mark is not None and mark.kind is MarkKind.SECTION and _LAW.match(mark.label) is not None


def _label(title: str) -> str | None:
    mark = opening_mark(title)
    return mark.label.upper() if mark else None


def _level(mark: Mark) -> int:
    if mark.kind is MarkKind.SECTION:
        return 1
    if mark.kind is MarkKind.INTEGER:
        # "(1) TITLE" is an entry below a coded control.
        return UNNUMBERED if mark.style == "integer:()" else 1
    return depth(mark.label)


def follows_on(label: str, last: str) -> bool:
    """Whether `label` comes next after `last` and opens no list of its own."""
    return follows(label, last) and label.lower() not in {"1", "a", "i", "aa", "0"}


def follows(label: str, last: str | None) -> bool:
    """Whether `label` opens a list (1, a, i) or comes next after `last`."""
    first = label.lower() in {"1", "a", "i", "aa", "0"}
    if last is None:
        return first
    if label.isdigit() and last.isdigit():
        return int(label) == int(last) + 1 or first
    if len(label) == len(last) == 1 and label.isalpha() and last.isalpha():
        return ord(label) == ord(last) + 1 or first
    return first or (label.isalpha() and last.isalpha())
