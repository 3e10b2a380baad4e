"""Writes the text of a document that has none of its own (DOCX, HTML) as plain Markdown, and notes its elements."""

from __future__ import annotations

from collections.abc import Sequence

from echelon.domains.documents.elements import Element, ElementKind, Piece

MAX_LEVEL = 9


class TextWriter:
    """Text and elements of one document, written from the top."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self._parts: list[str] = []
        self._size = 0
        self._last: ElementKind | None = None
        self._depth = 0

    @property
    def text(self) -> str:
        """All that was written."""
        return "".join(self._parts)

    def block(
        self, kind: ElementKind, text: str, *, level: int = 0, label: str = "", bold: bool = False, anchor: str = ""
    ) -> None:
        """Write a heading, an item, a paragraph, a note or code. What has no words is left out."""
        text = text.strip("\n") if kind is ElementKind.CODE else _tidy(text)
        if not text.strip():
            return
        level = min(level, MAX_LEVEL)
        before = {ElementKind.HEADING: "#" * max(level, 1) + " ", ElementKind.CODE: "```\n"}.get(kind, "")
        if kind is ElementKind.ITEM:
            before = "  " * max(level - 1, 0) + f"{label or '-'} "
        elif level and kind is not ElementKind.HEADING:
            before += "  " * level
        self._gap(kind, level)
        self._write(before)
        piece = self._write(text)
        self._write("\n```\n" if kind is ElementKind.CODE else "\n")
        self.elements.append(Element(kind=kind, cells=((piece,),), level=level, label=label, bold=bold, anchor=anchor))

    def row(self, cells: Sequence[str], *, titles: bool = False, level: int = 0) -> None:
        """Write a table row; cells without words are kept."""
        if not any(cell.strip() for cell in cells):
            return
        kind = ElementKind.TITLES if titles else ElementKind.ROW
        self._gap(kind, level)
        self._write("|")
        pieces: list[tuple[Piece, ...]] = []
        for cell in cells:
            self._write(" ")
            pieces.append((self._write(" ".join(cell.split()).replace("|", "/")),))
            self._write(" |")
        self._write("\n")
        if titles:
            self._write(f"|{'---|' * min(len(cells), 100)}\n")
        self.elements.append(Element(kind=kind, cells=tuple(pieces), level=min(level, MAX_LEVEL)))

    def end_table(self) -> None:
        """What follows belongs to no table, or to another one."""
        self._last = None if self._last in {ElementKind.ROW, ElementKind.TITLES} else self._last

    def _gap(self, kind: ElementKind, level: int) -> None:
        """An empty line between blocks, but not between items or rows."""
        together = {ElementKind.ROW, ElementKind.TITLES}
        same = kind is ElementKind.ITEM and self._last is ElementKind.ITEM
        if self._parts and not same and not (kind in together and self._last in together):
            self._write("\n")
        self._last = kind

    def _write(self, text: str) -> Piece:
        start = self._size
        self._parts.append(text)
        self._size += len(text)
        return Piece(start=start, end=self._size)


def _tidy(text: str) -> str:
    """Single spaces, and single line ends where a line was broken on purpose."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
