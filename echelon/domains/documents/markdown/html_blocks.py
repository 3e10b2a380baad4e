"""Blocks of HTML inside Markdown: what they show, with the place of each word. In linear time, whatever they hold."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from echelon.domains.documents.elements import Element, ElementKind, Piece

_TAGS = frozenset(
    """a abbr acronym address area article aside audio b base bdi bdo big blockquote body br button canvas caption
    center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset
    figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img
    input ins kbd label legend li link main map mark menu meta meter nav noscript object ol optgroup option
    output p param picture pre progress q rp rt ruby s samp script search section select slot small source span
    strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track
    tt u ul var video wbr""".split()  # noqa: SIM905
)
_INLINE = frozenset(
    """a abbr acronym b bdi bdo big cite code data dfn em font i img ins kbd label mark q samp small span strong
    sub sup time tt u var wbr meter progress picture source input""".split()  # noqa: SIM905
)
_HIDDEN = frozenset({"script", "style", "template", "noscript", "svg", "nav", "head", "title", "del", "s", "strike"})
_EMPTY = frozenset(
    {"br", "hr", "img", "input", "col", "link", "meta", "source", "wbr", "area", "embed", "param", "track"}
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_NAME = re.compile(r"/?\s*([A-Za-z][\w-]*)")
_ID = re.compile(r"\s(?:id|name)\s*=\s*[\"']?([^\s\"'>]{1,200})")
_HIDES = re.compile(r"\shidden(?=[\s>=/]|$)|display\s*:\s*none", re.I)
_LONGEST_TAG = 4_000
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


def is_tag(name: str) -> bool:
    """Whether this is an element of HTML: `<get-config>` and `<id>` are words of a text."""
    return name.lower() in _TAGS


class HtmlBlocks:
    """Reads the blocks of HTML of one Markdown text, in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._anchor = ""
        self._reset()

    def _reset(self) -> None:
        self._pieces: list[Piece] = []
        self._cells: list[tuple[Piece, ...]] | None = None
        self._kind, self._level = ElementKind.PARAGRAPH, 0
        self._heads = self._hidden = 0
        self._hider = ""
        self._bold = False
        self._anchors: list[str] = []

    def take_anchor(self) -> str:
        """The name of the element that was opened last, once."""
        anchor, self._anchor = self._anchor, ""
        return anchor

    def read(self, start: int, end: int, depth: int) -> Iterator[Element]:
        """The elements of the block `text[start:end]`, which stands `depth` deep in lists."""
        self._reset()
        for tag, begin, stop in _tokens(self._text, start, end):
            if not tag:
                if not self._hidden:
                    self._take(begin, stop)
                continue
            name = _NAME.match(tag)
            if name is None:
                continue
            if not is_tag(name[1]):
                self._take(begin, stop)
            else:
                yield from self._tag(name[1].lower(), tag, depth)
        yield from self._end(depth)

    def _tag(self, name: str, tag: str, depth: int) -> Iterator[Element]:
        closes = tag.startswith("/")
        if self._hidden:
            self._hidden += (-1 if closes else 1) if name == self._hider and not tag.endswith("/") else 0
            return
        if name in _HIDDEN or (not closes and _HIDES.search(tag)):
            hides = not closes and not tag.endswith("/") and name not in _EMPTY
            self._hidden, self._hider = int(hides), name
            return
        if not closes and (found := _ID.search(tag)):
            self._anchor = found[1]
        if name in _INLINE:
            self._bold = self._bold or name in {"b", "strong"}
            if self._pieces and self._anchor and self._words() == self._anchor:
                self._pieces.append(Piece(start=self._pieces[-1].end, end=self._pieces[-1].end, shown=" "))
            return
        if self._cells is not None and name not in {"td", "th", "tr", "table"}:
            self._space()
            return
        yield from self._block(name, closes, depth)

    def _block(self, name: str, closes: bool, depth: int) -> Iterator[Element]:
        if name in {"td", "th"} and self._cells is not None:
            if closes:
                self._cells.append(tuple(self._pieces))
            self._heads += name == "th" and not closes
            self._pieces = []
            return
        yield from self._end(depth)
        if name == "tr" and not closes:
            self._cells, self._heads = [], 0
        elif name in _HEADINGS and not closes:
            self._kind, self._level = ElementKind.HEADING, _HEADINGS[name]
        elif name == "li" and not closes:
            self._kind = ElementKind.ITEM

    def _end(self, depth: int) -> Iterator[Element]:
        cells, pieces = self._cells, tuple(self._pieces)
        kind, level, bold = self._kind, self._level, self._bold
        self._pieces, self._cells, self._bold = [], None, False
        self._kind, self._level = ElementKind.PARAGRAPH, 0
        if cells:
            titles = self._heads == len(cells)
            yield Element(kind=ElementKind.TITLES if titles else ElementKind.ROW, cells=tuple(cells), level=depth)
        elif any(self._shown(piece).strip() for piece in pieces):
            label, level = ("-", depth + 1) if kind is ElementKind.ITEM else ("", level or depth)
            yield Element(kind=kind, cells=(pieces,), level=level, label=label, bold=bold, anchor=self.take_anchor())

    def _take(self, start: int, end: int) -> None:
        at = start
        for entity in _ENTITY.finditer(self._text, start, end):
            shown = html.unescape(entity.group())
            if shown != entity.group():
                if entity.start() > at:
                    self._pieces.append(Piece(start=at, end=entity.start()))
                self._pieces.append(Piece(start=entity.start(), end=entity.end(), shown=shown))
                at = entity.end()
        if at < end:
            self._pieces.append(Piece(start=at, end=end))

    def _space(self) -> None:
        if self._pieces:
            at = self._pieces[-1].end
            self._pieces.append(Piece(start=at, end=at, shown=" "))

    def _words(self) -> str:
        return "".join(self._shown(piece) for piece in self._pieces[:8]).strip()

    def _shown(self, piece: Piece) -> str:
        return self._text[piece.start : piece.end] if piece.shown is None else piece.shown


def _tokens(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """(inside of a tag, begin, end) for each tag and ('', begin, end) for each stretch of text; comments left out."""
    at = written = start
    while at < end:
        opening = text.find("<", at, end)
        if opening < 0:
            break
        if text.startswith("<!--", opening):
            close = text.find("-->", opening + 4, end)
            stop = end if close < 0 else close + 3
        else:
            close = text.find(">", opening + 1, min(end, opening + _LONGEST_TAG))
            if close < 0 or text.find("<", opening + 1, close) >= 0 or not _is_tag_start(text, opening):
                at = opening + 1
                continue
            stop = close + 1
        if opening > written:
            yield "", written, opening
        if not text.startswith("<!--", opening):
            yield text[opening + 1 : stop - 1] or "!", opening, stop
        at = written = stop
    if written < end:
        yield "", written, end


def _is_tag_start(text: str, opening: int) -> bool:
    return text[opening + 1 : opening + 2].isalpha() or text[opening + 1 : opening + 2] in {"/", "!", "?"}
