"""The body of a DOCX, written as text with its elements: paragraphs, list items, tables, boxes, notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from echelon.domains.documents.docx.names import attribute, child, children, is_on, local
from echelon.domains.documents.docx.notes import Notes
from echelon.domains.documents.docx.numbers import Numbers, list_of
from echelon.domains.documents.docx.runs import words_of
from echelon.domains.documents.docx.styles import Style, Styles
from echelon.domains.documents.elements import ElementKind
from echelon.domains.documents.tables import Grid, are_titles
from echelon.domains.documents.writing import TextWriter

if TYPE_CHECKING:
    from echelon.domains.documents.docx.names import XmlElement

_AROUND = frozenset({"sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "AlternateContent", "Choice"})
_DEPTH = 40
_DECIMAL = re.compile(r"\d{1,4}(?:\.\d{1,4})+\.?|[A-Z](?:\.\d{1,4})+")
_CLAUSE = re.compile(r"§\s?\d|(?:Art|Article|Artikel|Section|Clause)\b", re.I)


class Body:
    """Writes a body. Use once."""

    def __init__(self, styles: Styles, numbers: Numbers, notes: Notes) -> None:
        self.writer = TextWriter()
        self._styles, self._numbers, self._notes = styles, numbers, notes

    def read(self, body: XmlElement) -> None:
        """Write everything that stands in `body`, notes at the end of their section."""
        self._content(body, 0)
        self._write_notes()

    def _content(self, parent: XmlElement, depth: int) -> None:
        for element in _blocks(parent):
            if local(element) == "p":
                self._paragraph(element, depth)
            else:
                self._table(element, depth)

    def _paragraph(self, paragraph: XmlElement, depth: int) -> None:
        properties = child(paragraph, "pPr")
        style = self._styles.of(properties)
        words = words_of(paragraph)
        if style.is_contents:
            return
        if words.text.strip():
            self._write(words.text, words.bold or style.bold, style, list_of(properties))
        for note in words.notes:
            self._notes.call(*note)
        for box in words.boxes if depth < _DEPTH else ():
            self._content(box, depth + 1)

    def _write(self, text: str, bold: bool, style: Style, own: tuple[str, int] | None) -> None:
        listed = own or style.list
        label = self._numbers.next(*listed) if listed else None
        if style.heading:
            self._write_notes()
            numbered = f"{label} {text}" if label not in {None, "-"} else text
            self.writer.block(ElementKind.HEADING, numbered, level=style.heading, bold=bold)
        elif style.is_code:
            self.writer.block(ElementKind.CODE, text)
        elif label is not None and (_DECIMAL.fullmatch(label) or _CLAUSE.match(label)):
            # A clause with a number of its own, as if somebody had typed it.
            self.writer.block(ElementKind.PARAGRAPH, f"{label} {text}", bold=bold)
        elif label is not None or (listed is None and style.is_list):
            level = listed[1] + 1 if listed else 1
            self.writer.block(ElementKind.ITEM, text, level=level, label=label or "-", bold=bold)
        else:
            self.writer.block(ElementKind.PARAGRAPH, text, bold=bold)

    def _write_notes(self) -> None:
        for note in self._notes.take():
            for paragraph in children(note, "p"):
                self.writer.block(ElementKind.FOOTNOTE, words_of(paragraph).text)

    def _table(self, table: XmlElement, depth: int) -> None:
        rows = list(_rows(table))
        cells = [[c for c in _unwrapped(row) if local(c) == "tc"] for row in rows]
        if max(map(len, cells), default=0) < 2 or depth >= _DEPTH:
            for column in cells:
                for cell in column if depth < _DEPTH else ():
                    self._content(cell, depth + 1)
            return
        self.writer.end_table()
        grid = Grid()
        for number, (row, own) in enumerate(zip(rows, cells, strict=True)):
            texts = grid.row([(self._cell(cell), _covers(cell), None) for cell in own])
            titles = is_on(child(row, "trPr"), "tblHeader") or (number == 0 and are_titles(texts))
            self.writer.row(texts, titles=titles)
        self.writer.end_table()

    def _cell(self, cell: XmlElement) -> str:
        """All words of a cell, paragraph after paragraph, with Word's numbers."""
        texts: list[str] = []
        stack = list(reversed(list(_blocks(cell))))
        while stack:
            element = stack.pop()
            if local(element) == "tbl":
                inner = [p for row in _rows(element) for c in _unwrapped(row) for p in _blocks(c)]
                stack.extend(reversed(inner))
                continue
            properties = child(element, "pPr")
            words = words_of(element)
            for note in words.notes:
                self._notes.call(*note)
            if words.text.strip():
                listed = list_of(properties) or self._styles.of(properties).list
                label = self._numbers.next(*listed) if listed else None
                texts.append(f"{label} {words.text}" if label not in {None, "-"} else words.text)
            for box in words.boxes:
                stack.extend(reversed(list(_blocks(box))))
        return " ".join(texts)


def _blocks(parent: XmlElement) -> Iterator[XmlElement]:
    """Paragraphs and tables of a body, a cell or a box, in order."""
    return (element for element in _unwrapped(parent) if local(element) in {"p", "tbl"})


def _rows(table: XmlElement) -> Iterator[XmlElement]:
    """Rows that were not deleted under revision."""
    for row in _unwrapped(table):
        if local(row) == "tr" and child(child(row, "trPr"), "del") is None:
            yield row


def _unwrapped(parent: XmlElement) -> Iterator[XmlElement]:
    """Children, looking through content controls and what was inserted under revision."""
    stack = list(reversed(parent))
    while stack:
        element = stack.pop()
        if local(element) in _AROUND:
            if not _is_contents(element):
                stack.extend(reversed(element))
        else:
            yield element


def _is_contents(control: XmlElement) -> bool:
    """Whether a content control holds the table of contents."""
    gallery = child(child(child(control, "sdtPr"), "docPartObj"), "docPartGallery")
    return attribute(gallery, "val").lower() == "table of contents"


def _covers(cell: XmlElement) -> str:
    return attribute(child(child(cell, "tcPr"), "gridSpan"), "val") or "1"
