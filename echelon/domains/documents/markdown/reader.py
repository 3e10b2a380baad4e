"""Markdown in: the text as it stands in the file, with the elements that markdown-it finds in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from echelon.domains.documents.elements import Element, ElementKind, Piece, raw_of
from echelon.domains.documents.markdown.html_blocks import HtmlBlocks
from echelon.domains.documents.markdown.inline import LONGEST_LINE, Inline, Stretch, is_bold

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_ALERT = re.compile(r"\s*\[!(?:NOTE|TIP)\]", re.I)
_TASK = re.compile(r"\[[ xX]\]\s+")
_OWN_ANCHOR = re.compile(r"#([\w.:-]{1,80})")
_ATTRIBUTES = re.compile(r"\s*\{:?\s*(?:[#.][\w:.-]+\s*|\w+=(?:\"[^\"]*\"|\S+)\s*)+\}\s*$")
_NESTED = 40


def markdown_elements(text: str) -> tuple[Element, ...]:
    """The elements of a Markdown text, in order. Raises nothing."""
    return tuple(_Reader(text).run())


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    parser = MarkdownIt("commonmark", {"maxNesting": _NESTED}).enable(["table", "strikethrough"])
    parser.use(front_matter_plugin).use(footnote_plugin, inline=False, move_to_end=False).use(deflist_plugin)
    # Inline text is read by `Inline`, which needs to know where each piece stands.
    return parser.disable(["inline"], ignoreInvalid=True)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = _line_starts(text)
        self._inline = Inline(text, self._starts)
        self._html = HtmlBlocks(text)
        self._env: dict[str, object] = {}
        self._lists: list[tuple[str, int]] = []
        self._label: str | None = None
        self._note = self._footnote = 0
        self._heading = 0
        self._cells: list[tuple[Piece, ...]] | None = None
        self._row_cursor = 0
        self._titles = self._term = False

    def run(self) -> Iterator[Element]:
        """All elements. Very long lines are not parsed: what they hold is read as it stands."""
        for token in _parser().parse(_with_short_lines(self._text), self._env):
            yield from self._take(token)

    def _take(self, token: Token) -> Iterator[Element]:
        kind = token.type
        if kind == "inline":
            yield from self._words(token)
        elif kind in {"fence", "code_block"}:
            yield from self._code(token)
        elif kind == "html_block":
            yield from self._markup(token)
        elif kind == "tr_close":
            if self._cells and any(self._cells):
                yield Element(
                    kind=ElementKind.TITLES if self._titles else ElementKind.ROW,
                    cells=tuple(self._cells),
                    level=len(self._lists),
                )
            self._cells = None
        else:
            self._structure(token)

    def _structure(self, token: Token) -> None:
        kind = token.type
        if kind in {"bullet_list_open", "ordered_list_open"}:
            start = token.attrGet("start")
            self._lists.append((token.markup if kind.startswith("o") else "-", int(start) if start is not None else 1))
        elif kind in {"bullet_list_close", "ordered_list_close"}:
            self._lists.pop()
        elif kind == "list_item_open":
            # Lists are often typed as "1." throughout; what counts is what is shown.
            mark, number = self._lists.pop()
            self._lists.append((mark, number + 1))
            self._label = f"{number}{token.markup}" if token.info else "-"
        elif kind == "list_item_close":
            self._label = None
        elif kind == "heading_open":
            self._heading = int(token.tag[1])
        elif kind == "heading_close":
            self._heading = 0
        elif kind in {"footnote_reference_open"}:
            self._footnote += 1
        elif kind in {"footnote_reference_close"}:
            self._footnote -= 1
        elif kind in {"thead_open", "thead_close"}:
            self._titles = kind == "thead_open"
        elif kind in {"dt_open", "dt_close"}:
            self._term = kind == "dt_open"
        elif kind == "blockquote_close":
            self._note = 0
        elif kind == "tr_open":
            self._cells = []
            self._row_cursor = self._starts[token.map[0]] if token.map else 0

    def _words(self, token: Token) -> Iterator[Element]:
        if self._cells is not None:
            pieces, self._row_cursor = self._inline.cell(token, self._row_cursor, self._env)
            self._cells.append(pieces)
            return
        yield from self._element(self._inline.stretches(token, self._env))

    def _element(self, stretch: Stretch) -> Iterator[Element]:
        pieces = stretch.pieces
        text = "".join(raw_of(self._text, pieces))
        if alert := _ALERT.match(text):
            self._note = 1
            pieces = _without(pieces, alert.end())
        elif self._label is not None and (task := _TASK.match(text)):
            pieces = _without(pieces, task.end())
        attributes = _ATTRIBUTES.search(text)
        if attributes:
            pieces = _upto(pieces, attributes.start())
        anchor = self._html.take_anchor() or (_own_anchor(attributes[0]) if attributes else "")
        if not "".join(raw_of(self._text, pieces)).strip():
            return
        kind, level, label = ElementKind.PARAGRAPH, len(self._lists), ""
        if self._heading:
            kind, level = ElementKind.HEADING, self._heading
        elif self._footnote:
            kind = ElementKind.FOOTNOTE
        elif self._note:
            kind = ElementKind.NOTE
        elif self._label is not None:
            kind, label, self._label = ElementKind.ITEM, self._label, None
        bold = self._term or is_bold(stretch)
        yield Element(kind=kind, cells=(pieces,), level=level, label=label, bold=bold, anchor=anchor)

    def _code(self, token: Token) -> Iterator[Element]:
        if token.map is None:
            return
        start, end = self._starts[token.map[0]], self._starts[token.map[1]]
        yield Element(kind=ElementKind.CODE, cells=((Piece(start=start, end=end),),), level=len(self._lists))

    def _markup(self, token: Token) -> Iterator[Element]:
        """A block of HTML: its text, where it shows any."""
        if token.map is None:
            return
        start, end = self._starts[token.map[0]], self._starts[token.map[1]]
        yield from self._html.read(start, end, len(self._lists))


def _line_starts(text: str) -> list[int]:
    """Offsets of the lines, and one more for the end of the text, whatever line a token ends at."""
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return [*starts, len(text), len(text)]


def _with_short_lines(text: str) -> str:
    """The text for the parser, which needs time with the square of what it finds in a line: a line longer than any
    document has is told to it as one word."""
    if all(len(line) <= LONGEST_LINE for line in text.split("\n")):
        return text
    return "\n".join(line if len(line) <= LONGEST_LINE else "x" for line in text.split("\n"))


def _without(pieces: Sequence[Piece], count: int) -> tuple[Piece, ...]:
    """`pieces` without their first `count` characters."""
    kept: list[Piece] = []
    for piece in pieces:
        size = piece.end - piece.start if piece.shown is None else len(piece.shown)
        if count >= size:
            count -= size
            continue
        kept.append(piece.model_copy(update={"start": piece.start + count}) if piece.shown is None else piece)
        count = 0
    return tuple(kept)


def _upto(pieces: Sequence[Piece], count: int) -> tuple[Piece, ...]:
    """The first `count` characters of `pieces`."""
    kept: list[Piece] = []
    for piece in pieces:
        size = piece.end - piece.start if piece.shown is None else len(piece.shown)
        if count <= 0:
            break
        cut = piece.shown is None and count < size
        kept.append(piece.model_copy(update={"end": piece.start + count}) if cut else piece)
        count -= size
    return tuple(kept)


def _own_anchor(attributes: str) -> str:
    """The name in the attributes of a title: `BELL003` of "{#BELL003 .quiet}"."""
    match = _OWN_ANCHOR.search(attributes)
    return match[1] if match else ""
