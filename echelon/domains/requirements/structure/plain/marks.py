"""Whether the number, letter or bullet at the beginning of a plain line opens a block or belongs to a sentence."""

from __future__ import annotations

import re

from echelon.domains.requirements.judging.judge import is_normative
from echelon.domains.requirements.structure.block_writer import SENTENCE_END
from echelon.domains.requirements.structure.blocks import BlockKind
from echelon.domains.requirements.structure.lines import Line
from echelon.domains.requirements.structure.numbering import STRONG, Mark, MarkKind, bare_number, opening_mark
from echelon.domains.requirements.structure.outline import follows
from echelon.domains.requirements.structure.plain.state import PlainState

# A number after one of these at the end of the line before is a reference ("as specified in Section / 2.9.3").
_REFERENCE_BEFORE = re.compile(
    r"(?:sections?|clauses?|chapters?|tables?|figures?|appendix|annex|see|in|and|or|to|of|version|step|steps|with|by|from"
    r"|than|the|least|abschnitte?n?|kapitel|siehe|nach|gemäß|vgl\.|und|oder|bis|von|tabelle|abbildung|anhang|art\.|nr\."
    r"|no\.|§|,)$",
    re.IGNORECASE,
)
_CLEAR_BULLETS = "•●▪■◦○‣⁃∙·\uf0b7\uf0a7\uf02d➢➤►▶❖"
_LOOK_AHEAD = 15
_TITLE_MAX = 110


class PlainMarks:
    """Rules for opening marks, on the state of one pass."""

    def __init__(self, state: PlainState) -> None:
        self._state = state

    def opening(self, line: Line) -> Mark | None:
        """The mark that opens a block here, or None when the line goes on with the text before."""
        mark = opening_mark(line.text, self._state.caseless)
        if mark is None:
            bare = bare_number(line.text)
            return bare if bare and self._is_bare_chapter(line, bare) else None
        if mark.kind in STRONG:
            return mark if self._opens_clause(line, mark) else None
        if mark.kind is MarkKind.BULLET:
            return mark if self._opens_bullet(mark) else None
        if mark.kind is MarkKind.ROMAN and len(mark.label) == 1:
            mark = self._letter_or_roman(mark)
        return mark if self._opens_item(mark) else None

    def _opens_item(self, mark: Mark) -> bool:
        state = self._state
        last = state.outline.last_label(mark.style)
        open_sentence = state.block is not None and not state.ended()
        if follows(mark.label, last):
            return not open_sentence or last is not None or state.leads_in() or self._has_successor(mark)
        if mark.kind is MarkKind.INTEGER:
            return not open_sentence
        return state.ended() and (last is not None or mark.label in "abi")

    def _has_successor(self, mark: Mark) -> bool:
        """Whether one of the next lines opens with the mark that comes after this one: then both are list marks."""
        state = self._state
        for line in state.lines[state.index + 1 : state.index + _LOOK_AHEAD]:
            other = opening_mark(line.text, state.caseless)
            if other and other.kind is mark.kind and other.label != mark.label and follows(other.label, mark.label):
                return True
        return False

    def _letter_or_roman(self, mark: Mark) -> Mark:
        """`i)` after `h)` is a letter, after nothing or `(i)` a Roman number."""
        style = mark.style.replace("roman", "letter") + "a"
        last = self._state.outline.last_label(style)
        if last and len(last) == 1 and ord(mark.label) == ord(last) + 1:
            return Mark(MarkKind.LETTER, mark.label, mark.end, style)
        return mark

    def _is_bare_chapter(self, line: Line, mark: Mark) -> bool:
        """Whether "4 Storage" is a chapter title: it stands out, or it is the next number above a short title."""
        state = self._state
        if SENTENCE_END.search(line.text) or len(line.text) > _TITLE_MAX or state.in_table:
            return False
        if state.prints.known:
            return state.prints.is_emphatic(line)
        rest = line.text[mark.end :].strip()
        if not state.ended() or len(rest.split()) > 8:
            return False
        below = state.lines[state.index + 1 : state.index + _LOOK_AHEAD]
        return state.outline.next_chapter(mark.label) or any(x.text.startswith(f"{mark.label}.1") for x in below)

    def _opens_clause(self, line: Line, mark: Mark) -> bool:
        state = self._state
        if state.block is None or state.block.closed or state.block.kind is BlockKind.HEADING or state.last is None:
            return True
        rest = line.text[mark.end :].lstrip()
        if mark.kind is MarkKind.SECTION and mark.style.endswith(":") and rest[:1].isupper():
            return True
        small = state.is_small(rest)
        if state.ended():
            # "HSPD-12 states ..." begins a sentence; "REQ-12: states ..." an entry.
            return not small or (mark.kind is MarkKind.CODE and not mark.style.endswith(":"))
        if _REFERENCE_BEFORE.search(state.last.text) or small or rest[:1] in ",;)":
            return False
        return not state.is_full(state.last, line) or (bool(rest) and is_normative(rest, state.language))

    def _opens_bullet(self, mark: Mark) -> bool:
        state = self._state
        if mark.label in _CLEAR_BULLETS:
            return True
        return state.ended() or (state.outline.in_list and state.item_ended())
