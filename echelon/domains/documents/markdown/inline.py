"""The words of a Markdown paragraph with the place of each: emphasis, links and footnote marks left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from echelon.domains.documents.elements import Piece
from echelon.domains.documents.markdown.html_blocks import is_tag

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST = 8_000
"""Characters of a paragraph whose markup is parsed: the cost can grow with the square. A longer one is read as it is."""
LONGEST_LINE = 50_000
"""Characters of a line that is parsed at all."""
_NOTE = re.compile(r"\[\^[^\]\s]{1,60}\]")
_MARK = re.compile(r"\s*\[?(?:\d{1,3}|[*†‡]{1,3})\]?\s*")
_TAG_NAME = re.compile(r"</?\s*([A-Za-z][\w:.-]*)")


@dataclass(frozen=True)
class Stretch:
    """What a paragraph shows: its pieces, and how many of its letters are bold."""

    pieces: tuple[Piece, ...]
    letters: int = 0
    bold: int = 0


def is_bold(stretch: Stretch) -> bool:
    """Whether nearly all of it is bold."""
    return stretch.letters > 0 and stretch.bold > 0.8 * stretch.letters


@dataclass(frozen=True)
class _Shown:
    start: int
    end: int
    shown: str | None
    bold: bool


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": 20}).enable("strikethrough")


class Inline:
    """Reads inline tokens of one text, whose lines begin at `starts`."""

    def __init__(self, text: str, starts: Sequence[int]) -> None:
        self._text = text
        self._starts = starts

    def stretches(self, token: Token, env: dict[str, object]) -> Stretch:
        """What a paragraph or a heading shows."""
        if token.map is None:
            return Stretch(())
        lines = list(self._lines(token))
        if any(at < 0 for at, _ in lines) or len(token.content) > LONGEST:
            return Stretch(tuple(self._raw(token)))
        return self._aligned(token.content, lines, env)

    def cell(self, token: Token, cursor: int, env: dict[str, object]) -> tuple[tuple[Piece, ...], int]:
        """What a cell shows whose row is read up to `cursor`, and how far it is read then."""
        end = self._text.find("\n", cursor)
        end = len(self._text) if end < 0 else end
        content = token.content
        at = self._text.find(content, cursor, end)
        if at >= 0 and content:
            return self._aligned(content, [(at, content)], env).pieces, at + len(content)
        if not content:
            bar = self._text.find("|", cursor, end)
            return (), cursor if bar < 0 else bar + 1
        # A bar inside the cell is escaped on the page.
        at = self._text.find(content.replace("|", "\\|"), cursor, end)
        if at < 0:
            return (), cursor
        stop = at + len(content.replace("|", "\\|"))
        return (Piece(start=at, end=stop, shown=content),), stop

    def _lines(self, token: Token) -> Iterator[tuple[int, str]]:
        """(offset on the page, text) of each line of a token; -1 where it does not stand there."""
        assert token.map is not None
        for number, line in enumerate(token.content.split("\n"), start=token.map[0]):
            if number + 1 >= len(self._starts):
                yield -1, line
                return
            if self._starts[number + 1] - self._starts[number] > LONGEST_LINE:
                yield -1, line
                continue
            yield self._text.find(line.strip(), self._starts[number], self._starts[number + 1]), line.strip()

    def _raw(self, token: Token) -> Iterator[Piece]:
        """The lines of a token as they stand."""
        assert token.map is not None
        for number in range(token.map[0], max(token.map[0] + 1, token.map[1])):
            start, end = self._starts[number], self._starts[number + 1]
            if end > start:
                yield Piece(start=start, end=end)

    def _aligned(self, content: str, lines: list[tuple[int, str]], env: dict[str, object]) -> Stretch:
        joined = "\n".join(line for _, line in lines)
        children: list[Token] = []
        _parser().inline.parse(joined, _parser(), env, children)
        pieces: list[Piece] = []
        letters = bold = 0
        for shown in _without_notes(joined, _Walk(joined).run(children)):
            count = shown.end - shown.start if shown.shown is None else len(shown.shown)
            letters += count
            bold += count if shown.bold else 0
            pieces.extend(_placed(shown, lines, joined))
        return Stretch(tuple(pieces), letters, bold)


def _placed(shown: _Shown, lines: list[tuple[int, str]], joined: str) -> Iterator[Piece]:
    """Pieces of the page for a stretch of the joined lines, which does not go over a line end but may be one."""
    begin = 0
    for at, line in lines:
        if shown.start <= begin + len(line):
            offset = at + shown.start - begin
            yield Piece(start=offset, end=offset + shown.end - shown.start, shown=shown.shown)
            return
        begin += len(line) + 1


def _without_notes(content: str, shown: Iterator[_Shown]) -> Iterator[_Shown]:
    """Text without marks of footnotes (`[^1]`)."""
    for item in shown:
        at = item.start
        if item.shown is None:
            for note in _NOTE.finditer(content, item.start, item.end):
                if note.start() > at:
                    yield _Shown(at, note.start(), None, item.bold)
                at = note.end()
        if at < item.end:
            yield _Shown(at, item.end, item.shown, item.bold)


class _Walk:
    """Finds what each inline token shows in the text that it was parsed from."""

    def __init__(self, content: str) -> None:
        self._content = content
        self._at = 0
        self._bold = self._gone = 0
        self._raised = False

    def run(self, children: Sequence[Token]) -> Iterator[_Shown]:
        """What is shown, in order."""
        for child in children:
            kind = child.type
            if kind == "text":
                yield from self._show(child.content, None)
            elif kind == "text_special":
                yield from self._show(child.markup, child.content)
            elif kind in {"softbreak", "hardbreak"}:
                yield from self._show("\n", None)
            elif kind == "code_inline":
                yield from self._code(child)
            elif kind == "html_inline":
                yield from self._markup(child.content)
            elif kind == "image":
                self._skip_to("!")
                self._at = _after_link(self._content, _closing(self._content, self._at))
            elif kind == "link_open":
                self._skip_to("<" if child.markup == "autolink" else "[")
            elif kind == "link_close":
                if self._content.startswith("]", self._at):
                    self._at = _after_link(self._content, self._at + 1)
            else:
                self._emphasis(child)

    def _emphasis(self, child: Token) -> None:
        self._bold += {"strong_open": 1, "strong_close": -1}.get(child.type, 0)
        self._gone += {"s_open": 1, "s_close": -1}.get(child.type, 0)
        if child.markup and self._content.startswith(child.markup, self._at):
            self._at += len(child.markup)

    def _skip_to(self, mark: str) -> None:
        at = self._content.find(mark, self._at)
        self._at = at + 1 if at >= 0 else self._at

    def _show(self, raw: str, shown: str | None) -> Iterator[_Shown]:
        if not raw:
            return
        at = self._content.find(raw, self._at)
        if at < 0:
            return
        self._at = at + len(raw)
        if not self._gone and not (self._raised and _MARK.fullmatch(raw)):
            yield _Shown(at, self._at, shown, self._bold > 0)

    def _code(self, child: Token) -> Iterator[_Shown]:
        self._skip_to(child.markup)
        self._at += len(child.markup) - 1
        end = self._content.find(child.markup, self._at)
        lines = self._content[self._at : max(end, self._at)].split("\n")
        for number, line in enumerate(lines):
            if number:
                yield from self._show("\n", None)
            yield from self._show(line, None)
        self._at = max(end, self._at) + len(child.markup)

    def _markup(self, raw: str) -> Iterator[_Shown]:
        """A tag is no text, unless it is none: `<get-config>` stays."""
        name = _TAG_NAME.match(raw)
        if name is not None and not is_tag(name[1]):
            yield from self._show(raw, None)
            return
        at = self._content.find(raw, self._at)
        if at < 0:
            return
        self._at = at + len(raw)
        tag = name[1].lower() if name else ""
        if tag == "br":
            yield _Shown(at, self._at, "\n", False)
        elif tag in {"del", "s", "strike"}:
            self._gone = max(0, self._gone + (-1 if raw.startswith("</") else 1))
        elif tag == "sup":
            self._raised = not raw.startswith("</")
        elif tag in {"b", "strong"}:
            self._bold = max(0, self._bold + (-1 if raw.startswith("</") else 1))


def _closing(content: str, at: int) -> int:
    """After the bracket that closes the one at `at`."""
    depth = 0
    for position in range(at, len(content)):
        if content[position] == "[":
            depth += 1
        elif content[position] == "]":
            depth -= 1
            if depth <= 0:
                return position + 1
    return len(content)


def _after_link(content: str, at: int) -> int:
    """After the destination `(...)` or the name `[...]` of a link."""
    if content.startswith("[", at):
        end = content.find("]", at)
        return end + 1 if end >= 0 else at
    if not content.startswith("(", at):
        return at
    depth, quote = 0, ""
    for position in range(at, len(content)):
        c = content[position]
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'" and content[position - 1].isspace():
            quote = c
        elif c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
            if depth == 0:
                return position + 1
    return at
