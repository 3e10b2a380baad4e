"""Which plain lines are titles: by their print where it is known, else by their words and what follows them."""

from __future__ import annotations

import re

from echelon.domains.requirements.judging.judge import is_normative
from echelon.domains.requirements.structure import roles
from echelon.domains.requirements.structure.block_writer import SENTENCE_END
from echelon.domains.requirements.structure.lines import Line
from echelon.domains.requirements.structure.numbering import STRONG, Mark, MarkKind, bare_number, opening_mark
from echelon.domains.requirements.structure.plain.printed import Relation
from echelon.domains.requirements.structure.plain.state import TERMINAL, PlainState

_LONGEST = 110
_STATUS = re.compile(r"\((?:informative?|normative?|informativ|normativ|non-normative)\)\s*:?", re.I)
_LONGEST_CLAUSE = 12  # lines
_TITLE_WORDS = 6


class PlainTitles:
    """Rules for titles, on the state of one pass."""

    def __init__(self, state: PlainState) -> None:
        self._state = state
        self._print = state.prints
        self._stand_out = sum(map(self._is_standing_title, state.lines)) >= 2

    def _is_standing_title(self, line: Line) -> bool:
        mark = opening_mark(line.text, self._state.caseless) or bare_number(line.text)
        numbered = mark is not None and mark.kind in STRONG | {MarkKind.INTEGER}
        return numbered and self._print.is_emphatic(line) and not SENTENCE_END.search(line.text)

    def stands_out(self, line: Line) -> bool:
        """Whether the print lets a line stand out as a title: emphatic, or all capitals and set apart."""
        if self._print.is_emphatic(line):
            return True
        return line.text.isupper() and len(line.text) > 3 and self._state.relation is Relation.APART

    def plain(self, line: Line, following: Line | None) -> bool:
        """Whether a line without number is a title: short, no end mark, and something new begins after it."""
        state, text = self._state, line.text
        if roles.informs(text) or roles.binds(text):
            return True
        if self._print.known and not self.stands_out(line):
            return False
        if len(text) > min(80, 0.75 * state.page_width(line.page)) or TERMINAL.search(text):
            return False
        if (not text[0].isupper() and not state.caseless) or is_normative(text, state.language):
            return False
        return following is None or not state.is_small(following.text)

    def goes_on(self, line: Line) -> bool:
        """Whether `line` is the second line of the title before it."""
        state = self._state
        assert state.block is not None and state.last is not None
        if len(state.block.flow) >= _LONGEST:
            return False
        small, full = state.is_small(line.text), state.is_full(state.last, line)
        if self._print.is_emphatic(state.last) and self._print.is_emphatic(line):
            return state.relation is not Relation.APART and (full or small)
        return small and full

    def numbered(self, line: Line, mark: Mark, following: Line | None) -> bool:
        """Whether a number opens a title: short, without end mark, not a command, not carried on by the next line."""
        if mark.kind in {MarkKind.BULLET, MarkKind.LETTER, MarkKind.ROMAN}:
            return False
        if (self._state.in_table and mark.kind in STRONG) or self._is_bold_clause(line):
            return False
        rest = line.text[mark.end :].strip()
        if mark.kind is MarkKind.SECTION and _STATUS.fullmatch(rest):
            return True
        if mark.style == "integer:()" and rest.isupper() and len(rest.split()) > 1:
            return True
        if mark.kind is MarkKind.INTEGER:
            if not self._is_chapter(line, mark, rest):
                return False
            rest = rest.rstrip(".")
        if not rest:
            titled = following is not None and not SENTENCE_END.search(following.text) and len(following.text) < 60
            return titled or self._print.is_emphatic(line)
        if len(rest) > _LONGEST or SENTENCE_END.search(rest) or rest.endswith((":", ";", ",")):
            return False
        return self._by_print(line, rest, following) if self._stand_out else self._by_words(line, rest, following)

    def _is_bold_clause(self, line: Line) -> bool:
        """Whether a bold line begins a sentence that runs on to a stop: an entry that is set in bold throughout."""
        if not self._print.is_emphatic(line) or _is_title_case(line.text):
            return False
        before = line
        for count, after in enumerate(self._state.lines[self._state.index + 1 :][:_LONGEST_CLAUSE]):
            if TERMINAL.search(before.text):
                return count > 0 or len(line.text.split()) > _TITLE_WORDS
            opens = opening_mark(after.text, self._state.caseless) is not None
            if opens or not self._print.is_emphatic(after) or roles.run_in_label(after.text) is not None:
                return False
            before = after
        return False

    def _by_print(self, line: Line, rest: str, following: Line | None) -> bool:
        """In a document whose numbered titles stand out: this one does, or it is short and set apart from the text."""
        if self._print.is_emphatic(line) or (rest.isupper() and len(rest) > 3):
            return True
        if following is None or len(rest.split()) > 8 or not rest[0].isupper():
            return False
        apart = self._print.relation(line, following) is Relation.APART
        return apart and not is_normative(rest, self._state.language)

    def _by_words(self, line: Line, rest: str, following: Line | None) -> bool:
        state = self._state
        if is_normative(rest, state.language):
            return False
        if not (rest[0].isupper() or rest[0].isdigit() or rest[0] in '"“„(' or state.caseless):
            return False
        long = len(line.text) > 0.6 * state.page_width(line.page)
        if following is not None and state.is_small(following.text) and long and opening_mark(following.text) is None:
            return _is_title_case(rest)
        return True

    def _is_chapter(self, line: Line, mark: Mark, rest: str) -> bool:
        state = self._state
        words = rest.rstrip(".").split()
        titled = bool(words) and (len(words) <= 2 or sum(word[0].isupper() for word in words) >= 0.5 * len(words))
        if mark.style == "integer:bare":
            # Whether this opens a chapter was asked before; a sentence is longer or ends with a stop.
            return "://" not in rest
        emphatic = self._print.is_emphatic(line)
        if (state.outline.in_list and not emphatic) or len(words) > 12 or not (titled or emphatic) or "://" in rest:
            return False
        return self.stands_out(line) if self._print.known else state.outline.next_chapter(mark.label)


def _is_title_case(text: str) -> bool:
    words = [word for word in text.split() if word[0].isalpha()]
    return sum(word[0].isupper() for word in words) > 0.6 * len(words)
