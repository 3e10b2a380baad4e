"""HTML in: headings, lists, tables and paragraphs in their order, as plain Markdown with its elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from echelon.domains.documents.elements import Element, ElementKind
from echelon.domains.documents.html.lists import ListCounter, is_footnote_mark
from echelon.domains.documents.html.visible import Visibility
from echelon.domains.documents.tables import LIST_MARK, Grid, are_titles
from echelon.domains.documents.writing import TextWriter

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_BLOCKS = frozenset(
    """p div section article main header footer blockquote pre dl dt dd ul ol li table thead tbody tfoot tr td th
    caption form figure figcaption address hr h1 h2 h3 h4 h5 h6 body html details summary fieldset legend aside
    center hgroup menu dir search""".split()  # noqa: SIM905
)
_STOPPED = re.compile(r"excessive depth", re.I)
_BOLD = frozenset({"b", "strong", "th"})
_NOTE = frozenset({"note", "example", "informative", "non-normative"})
_LEAST_CODE = 0.6
"""Share of the letters in `pre` from which a page is a plain text in a frame."""
TOO_DEEP = "elements are nested more than 2,000 deep: what stands below was not read"


@dataclass(frozen=True)
class HtmlText:
    """What an HTML page says. `plain`: nearly all of it is preformatted, so its lines and not its elements tell."""

    text: str
    title: str | None
    elements: tuple[Element, ...]
    warnings: tuple[str, ...] = ()
    plain: bool = False


def read_html(text: str) -> HtmlText:
    """Text, title and elements of an HTML page. What a reader does not see is left out. Raises nothing."""
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    parser = HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True)
    # Control characters stand in no HTML; the parser would end at the first NUL.
    clean = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", " ", text)
    try:
        root = document_fromstring(clean.encode("utf-8", "replace").decode("utf-8"), parser=parser)
    except (etree.ParserError, ValueError):
        return HtmlText("", None, ())
    deep = any(_STOPPED.search(entry.message) for entry in parser.error_log)
    title = " ".join((root.findtext(".//title") or "").split()) or None
    reader = _Reader(Visibility.of(style.text or "" for style in root.iter("style")))
    reader.read(root)
    preformatted = reader.code > _LEAST_CODE * max(1, reader.letters)
    return HtmlText(
        reader.plain_text if preformatted else reader.writer.text,
        title,
        () if preformatted else tuple(reader.writer.elements),
        (TOO_DEEP,) if deep else (),
        preformatted,
    )


class _Reader:
    """Walks the tree without recursion: a page may be nested deeper than a program may call."""

    def __init__(self, visibility: Visibility) -> None:
        self.writer = TextWriter()
        self.letters = self.code = 0
        self._visibility = visibility
        self._parts: list[str] = []
        self._plain: list[str] = []
        self._bold_letters = self._block_letters = 0
        self._bold = self._pre = self._note = self._cells = 0
        self._lists: list[ListCounter] = []
        self._heading = 0
        self._label: str | None = None
        self._anchor = ""
        self._term = False

    @property
    def plain_text(self) -> str:
        """The whole page as lines, for one that is preformatted."""
        return "\n".join(self._plain)

    def read(self, root: HtmlElement) -> None:
        """Write all that is seen of the page."""
        stack: list[tuple[HtmlElement, bool]] = [(root, True)]
        while stack:
            element, opening = stack.pop()
            if not opening:
                self._close(element)
                self._take(element.tail)
                continue
            if not isinstance(element.tag, str) or self._visibility.hides(element) or is_footnote_mark(element):
                self._take(element.tail)
                continue
            if element.tag == "table" and (rows := _data_rows(element, self._visibility)) is not None:
                self._table(element, rows)
                self._take(element.tail)
                continue
            self._open(element)
            self._take(element.text)
            stack.append((element, False))
            stack.extend((child, True) for child in reversed(element))
        self._end()

    def _open(self, element: HtmlElement) -> None:
        tag = str(element.tag)
        if tag in _BLOCKS:
            self._end()
            self._anchor = element.get("id") or (self._anchor if tag not in {"section", "li", "tr"} else "")
        if tag in {"ul", "ol", "menu", "dir"}:
            self._lists.append(ListCounter.of(element))
        elif tag == "li":
            self._label = self._lists[-1].next(element) if self._lists else "-"
        elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self._heading = int(tag[1])
        elif tag == "pre":
            self._pre += 1
        elif tag == "dt":
            self._term = True
        elif tag == "td":
            self._cells += 1
        elif tag == "br":
            self._parts.append("\n")
        elif tag == "a" and not self._anchor and not "".join(self._parts).strip():
            self._anchor = element.get("id") or element.get("name") or ""
        self._bold += tag in _BOLD
        self._note += bool(_NOTE & set(element.get("class", "").lower().split()))

    def _close(self, element: HtmlElement) -> None:
        tag = str(element.tag)
        if tag in _BLOCKS:
            self._cells = 0 if tag == "tr" else self._cells
            self._end()
        if tag in {"ul", "ol", "menu", "dir"} and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._label = None
        elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self._heading = 0
        elif tag == "pre":
            self._pre -= 1
        elif tag == "dt":
            self._term = False
        self._bold -= tag in _BOLD
        self._note -= bool(_NOTE & set(element.get("class", "").lower().split()))

    def _take(self, text: str | None) -> None:
        if not text:
            return
        if self._parts and self._anchor and text[:1].isalpha() and self._parts[-1].strip() == self._anchor:
            self._parts.append(" ")  # the name of the element stands before its text, told apart by the print alone
        self._parts.append(text if self._pre else text.replace("\n", " "))
        letters = len(text) - text.count(" ")
        self._block_letters += letters
        self._bold_letters += letters if self._bold else 0

    def _end(self) -> None:
        """Write what was collected as one element; a mark in a cell of its own waits for the text of the next cell."""
        text, bold = "".join(self._parts), self._bold_letters > 0.8 * self._block_letters
        if self._cells and LIST_MARK.fullmatch(text.strip()):
            self._parts.append(" ")
            return
        self._parts, self._bold_letters, self._block_letters = [], 0, 0
        if not text.strip():
            return
        self.letters += len(text)
        self._plain.append(text if self._pre else text.strip() + "\n")
        kind, level, label = ElementKind.PARAGRAPH, len(self._lists), ""
        if self._pre:
            self.code += len(text)
            kind = ElementKind.CODE
        elif self._heading:
            kind, level = ElementKind.HEADING, self._heading
        elif self._note:
            kind = ElementKind.NOTE
        elif self._label is not None:
            kind, label, self._label = ElementKind.ITEM, self._label, None
        self.writer.block(kind, text, level=level, label=label, bold=bold or self._term, anchor=self._anchor)
        self._anchor = ""

    def _table(self, table: HtmlElement, rows: list[HtmlElement]) -> None:
        self._end()
        self.writer.end_table()
        for caption in table.findall("caption"):
            self.writer.block(ElementKind.PARAGRAPH, _inline(caption, self._visibility))
        grid = Grid()
        for number, row in enumerate(rows):
            cells = [cell for cell in row if cell.tag in {"td", "th"} and not self._visibility.hides(cell)]
            texts = grid.row([(_inline(c, self._visibility), c.get("colspan"), c.get("rowspan")) for c in cells])
            parent = row.getparent()
            titles = all(cell.tag == "th" for cell in cells) or (parent is not None and parent.tag == "thead")
            self.letters += sum(map(len, texts))
            self._plain.extend(texts)
            self.writer.row(texts, titles=titles or (number == 0 and are_titles(texts)), level=len(self._lists))
        self.writer.end_table()


def _data_rows(table: HtmlElement, visibility: Visibility) -> list[HtmlElement] | None:
    """The rows of a table of data; None for one that only lays the page out: one column, or other tables in it."""
    rows: list[HtmlElement] = []
    widest = 0
    for inner in table.iter("table", "tr", "h1", "h2", "h3", "h4"):
        if inner is table:
            continue
        if inner.tag != "tr":
            return None
        if not visibility.hides(inner):
            rows.append(inner)
            widest = max(widest, sum(cell.tag in {"td", "th"} for cell in inner))
    return rows if widest > 1 else None


def _inline(element: HtmlElement, visibility: Visibility) -> str:
    """The words of a cell on one line."""
    return "".join(_words(element, visibility))


def _words(root: HtmlElement, visibility: Visibility) -> Iterator[str]:
    stack: list[HtmlElement | str] = [root]
    while stack:
        element = stack.pop()
        if isinstance(element, str):
            yield element
            continue
        if element is not root:
            stack.append(element.tail or "")
        if not isinstance(element.tag, str) or visibility.hides(element) or is_footnote_mark(element):
            continue
        apart = " " if element.tag in _BLOCKS or element.tag == "br" else ""
        stack.append(apart)
        stack.extend(reversed(element))
        stack.extend((element.text or "", apart))
