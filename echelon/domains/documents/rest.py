"""reStructuredText in: the text as it stands in the file, with its titles, lists, field lists and directives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from echelon.domains.documents.elements import Element, ElementKind, Piece
from echelon.domains.documents.rest_tables import BORDER, RestRow, TextLine, grid_rows, list_rows

_ADORNED = re.compile(r"([=\-`:.'\"~^_*+#<>])\1{2,}\s*")
_DIRECTIVE = re.compile(r"\.\.\s+(?:\|[^|]+\|\s+)?([\w:+.-]+?)::(?:\s+|$)")
_FIELD = re.compile(r":([^:\n`]{1,60}):(?:\s+|$)")
_BULLET = re.compile(r"([-*+•]|\(?(?:\d{1,3}|[a-zA-Z#]|[ivx]{1,5})[.)])\s+(?=\S)")
_ROLE = re.compile(r":[\w:+.-]{1,40}:`([^`<]{1,400}?)(?:\s*<[^`>]{1,400}>)?`|`([^`<]{1,400}?)\s*<[^`>]{1,400}>`__?")
_MARKS = re.compile(
    r"\*\*(?=\S)|(?<=\S)\*\*|``|(?<!\w)\*(?=[^\s*])|(?<=[^\s*])\*(?!\w)"
    r"|(?<=\w)__?(?=[\s.,;:)]|$)|\[#?\w{0,30}\]_|\|(?=\w)|(?<=\w)\|"
)
_NOTES = frozenset({"note", "tip", "hint", "seealso", "todo", "example"})
_CODES = frozenset(
    """code code-block sourcecode highlight literalinclude parsed-literal math image figure raw toctree graphviz
    index include contents csv-table uml plantuml mermaid meta only::html""".split()  # noqa: SIM905
)


def is_rest(text: str) -> bool:
    """Whether a text without a telling name is reStructuredText: directives on lines of their own, and titles
    underlined."""
    lines = text[:200_000].split("\n")
    directives = sum(_DIRECTIVE.match(line.strip()) is not None for line in lines)
    titles = sum(_ADORNED.fullmatch(line) is not None for line in lines)
    return directives >= 2 and titles >= 1


def rest_elements(text: str) -> tuple[Element, ...]:
    """The elements of a text, in order. Comments and directives without text for a reader are left out."""
    return tuple(_Reader(text).run())


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    indent: int
    text: str


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = list(_lines(text))
        self._adornments: list[str] = []
        self._at = 0
        self._skipped: int | None = None  # what stands deeper than this is no text for a reader
        self._note: int | None = None
        self._lists: list[int] = []
        self._anchor = ""

    def run(self) -> Iterator[Element]:
        """All elements."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.text:
                self._at += 1
                continue
            if self._skipped is not None:
                if line.indent > self._skipped:
                    self._at += 1
                    continue
                self._skipped = None
            if self._note is not None and line.indent <= self._note:
                self._note = None
            yield from self._element(line)

    def _element(self, line: _Line) -> Iterator[Element]:
        if (level := self._title(line)) is not None:
            yield from self._heading(level)
        elif line.text.startswith("..") and (line.text == ".." or line.text[2:3].isspace()):
            yield from self._explicit(line)
        elif field := _FIELD.match(line.text):
            yield from self._field(line, field)
        elif BORDER.fullmatch(line.text) and self._drawn() > 2:
            yield from self._drawn_table()
        elif line.text.startswith("|  ") or _is_grid(line.text):
            self._at += 1
        elif line.text.startswith("| "):
            self._at += 1
            yield self._made(ElementKind.PARAGRAPH, [self._cut(line, 2)], level=len(self._lists))
        else:
            yield from self._paragraph(line)

    def _following(self, number: int = 1) -> _Line | None:
        at = self._at + number
        return self._lines[at] if at < len(self._lines) else None

    def _title(self, line: _Line) -> int | None:
        """The level of the title that begins here; None when none does."""
        after = self._following()
        if after is None or line.indent:
            return None
        if _ADORNED.fullmatch(line.text):
            under = self._following(2)
            over = under is not None and under.text[:1] == line.text[:1] and _ADORNED.fullmatch(under.text) is not None
            return self._level(line.text[0] * 2) if over and after.text else None
        if not _ADORNED.fullmatch(after.text) or len(after.text) < min(4, len(line.text)):
            return None
        return self._level(after.text[0])

    def _level(self, adornment: str) -> int:
        if adornment not in self._adornments:
            self._adornments.append(adornment)
        return self._adornments.index(adornment) + 1

    def _heading(self, level: int) -> Iterator[Element]:
        line = self._lines[self._at]
        over = _ADORNED.fullmatch(line.text) is not None
        title = self._lines[self._at + over]
        self._lists.clear()
        self._at += 2 + over
        yield self._made(ElementKind.HEADING, [title], level=min(level, 9))

    def _explicit(self, line: _Line) -> Iterator[Element]:
        """A directive, a target, a footnote or a comment."""
        self._at += 1
        target = re.match(r"\.\.\s+_([^:]{1,200}):", line.text)
        footnote = re.match(r"\.\.\s+\[[#\w*-]{1,40}\]\s+", line.text)
        directive = _DIRECTIVE.match(line.text)
        if target is not None:
            self._anchor = target[1]
        elif footnote is not None:
            lines = [self._cut(line, footnote.end()), *self._indented(line.indent)]
            yield self._made(ElementKind.FOOTNOTE, lines)
        elif directive is not None and directive[1].lower() == "list-table":
            yield from self._listed_table(line)
        elif directive is None or directive[1].lower() in _CODES:
            self._skipped = line.indent
        else:
            name = directive[1].lower()
            if name in _NOTES:
                self._note = line.indent
            rest = self._cut(line, directive.end())
            if rest.text:
                yield self._made(ElementKind.NOTE if name in _NOTES else ElementKind.PARAGRAPH, [rest])

    def _drawn(self) -> int:
        """How many lines of a drawn table stand here."""
        count = 0
        while (line := self._following(count)) is not None and line.text[:1] in {"+", "|"}:
            count += 1
        return count

    def _drawn_table(self) -> Iterator[Element]:
        count = self._drawn()
        lines = self._lines[self._at : self._at + count]
        self._at += count
        yield from self._rows(grid_rows([TextLine(line.start, line.indent, line.text) for line in lines]))

    def _listed_table(self, line: _Line) -> Iterator[Element]:
        """The rows of a table that is written as a list of lists."""
        begin = self._at
        while (below := self._following(0)) is not None and (not below.text or below.indent > line.indent):
            self._at += 1
        lines = [TextLine(x.start, x.indent, x.text) for x in self._lines[begin : self._at] if x.text]
        yield from self._rows(list_rows(lines))

    def _rows(self, rows: list[RestRow]) -> Iterator[Element]:
        for row in rows:
            cells = [[_Line(start, end, 0, self._text[start:end]) for start, end in cell] for cell in row.cells]
            kind = ElementKind.TITLES if row.titles else ElementKind.ROW
            yield Element(kind=kind, cells=tuple(tuple(self._pieces(cell)) for cell in cells), level=len(self._lists))

    def _field(self, line: _Line, field: re.Match[str]) -> Iterator[Element]:
        """One field of a list or an option of a directive: a row of its name and its value."""
        value = self._cut(line, field.end())
        self._at += 1
        name = Piece(start=line.start + field.start(1), end=line.start + field.end(1))
        lines = [value, *self._indented(line.indent)]
        yield Element(kind=ElementKind.ROW, cells=((name,), tuple(self._pieces(lines))), level=len(self._lists))

    def _indented(self, indent: int) -> list[_Line]:
        """The lines that follow at once and stand deeper."""
        found: list[_Line] = []
        while self._at < len(self._lines) and self._lines[self._at].text and self._lines[self._at].indent > indent:
            found.append(self._lines[self._at])
            self._at += 1
        return found

    def _paragraph(self, line: _Line) -> Iterator[Element]:
        while self._lists and line.indent < self._lists[-1]:
            self._lists.pop()
        bullet = _BULLET.match(line.text)
        label, first = "", line
        if bullet is not None:
            label, first = bullet[1], self._cut(line, bullet.end())
            body = line.indent + bullet.end()
            if not self._lists or body > self._lists[-1]:
                self._lists.append(body)
        lines = [first]
        self._at += 1
        while (after := self._lines[self._at] if self._at < len(self._lines) else None) is not None and after.text:
            if _BULLET.match(after.text) or after.text.startswith(".. ") or _FIELD.match(after.text):
                break
            if bullet is None and after.indent != line.indent:
                break
            lines.append(after)
            self._at += 1
        kind = ElementKind.NOTE if self._note is not None else ElementKind.ITEM if label else ElementKind.PARAGRAPH
        if lines[-1].text.endswith("::"):
            self._skipped = line.indent
        yield self._made(kind, lines, level=len(self._lists), label=label)

    def _made(self, kind: ElementKind, lines: list[_Line], level: int = 0, label: str = "") -> Element:
        anchor, self._anchor = self._anchor, ""
        texts = [line.text for line in lines if line.text]
        bold = bool(texts) and texts[0].startswith("**") and texts[-1].endswith("**")
        pieces = tuple(self._pieces(lines))
        return Element(kind=kind, cells=(pieces,), level=level, label=label, bold=bold, anchor=anchor)

    def _pieces(self, lines: list[_Line]) -> Iterator[Piece]:
        for number, line in enumerate(line for line in lines if line.text):
            if number:
                yield Piece(start=line.start, end=line.start, shown="\n")
            yield from _worded(self._text, line)

    @staticmethod
    def _cut(line: _Line, count: int) -> _Line:
        return _Line(line.start + count, line.end, line.indent + count, line.text[count:])


def _worded(text: str, line: _Line) -> Iterator[Piece]:
    """The pieces of a line without the marks of emphasis, roles and references."""
    end = line.end - 1 if line.text.endswith("::") else line.end
    at = line.start
    for role in _ROLE.finditer(text, line.start, end):
        yield from _unmarked(text, at, role.start())
        group = 1 if role[1] is not None else 2
        yield Piece(start=role.start(group), end=role.end(group))
        at = role.end()
    yield from _unmarked(text, at, end)


def _unmarked(text: str, start: int, end: int) -> Iterator[Piece]:
    at = start
    for mark in _MARKS.finditer(text, start, end):
        if mark.start() > at:
            yield Piece(start=at, end=mark.start())
        at = mark.end()
    if at < end:
        yield Piece(start=at, end=end)


def _is_grid(text: str) -> bool:
    """Whether a line draws a table."""
    return len(text) > 3 and set(text) <= set("+-=| ") and text[0] in "+="


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    for raw in text.split("\n"):
        stripped = raw.strip()
        indent = len(raw) - len(raw.lstrip())
        yield _Line(at + indent, at + indent + len(stripped), indent, stripped)
        at += len(raw) + 1
