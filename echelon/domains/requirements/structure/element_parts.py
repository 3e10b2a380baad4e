"""What the elements of a marked-up document are told by: labels, titles, inner numbers, and pieces that are too long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from echelon.domains.documents.elements import Element, ElementKind, Piece, text_of
from echelon.domains.requirements.structure import roles
from echelon.domains.requirements.structure.block_writer import LONGEST
from echelon.domains.requirements.structure.card_lines import by_lines
from echelon.domains.requirements.structure.flow import Flow
from echelon.domains.requirements.structure.numbering import STRONG, Mark, MarkKind, opening_mark

_BETWEEN = " | "


def is_lone_label(text: str) -> bool:
    """Whether a paragraph is nothing but a label with its colon ("Guidance:")."""
    label = text.rstrip()
    return roles.run_in_label(f"{label} ...") == (label.rstrip(":"), len(label) + 1)


def inner_number(text: str) -> Mark | None:
    """The number that opens the text of a cell ("1.1.1 Walls are ...")."""
    mark = opening_mark(text)
    numbered = mark is not None and mark.kind in {MarkKind.DECIMAL, MarkKind.CODE}
    return mark if mark is not None and numbered and text[mark.end :].strip()[:1].isupper() else None


def is_plain_title(text: str) -> bool:
    """Whether a paragraph can be the title of the article above it: short, without end mark and list mark."""
    return len(text) < 120 and opening_mark(text) is None and text.rstrip()[-1:] not in ".;:,"


def in_parts(element: Element) -> Iterator[Element]:
    """The element, what passes the longest paragraph as paragraphs of their own."""
    if sum(piece.end - piece.start for cell in element.cells for piece in cell) <= LONGEST:
        yield element
        return
    chunks = [list(_chunks(cell)) or [()] for cell in element.cells]
    yield element.model_copy(update={"cells": tuple(cell[0] for cell in chunks)})
    for cell in chunks:
        for rest in cell[1:]:
            yield Element(kind=ElementKind.PARAGRAPH, cells=(rest,), level=element.level)


def _chunks(pieces: Sequence[Piece]) -> Iterator[tuple[Piece, ...]]:
    """Pieces of at most `LONGEST` characters together."""
    chunk: list[Piece] = []
    size = 0
    for piece in pieces:
        for start in range(piece.start, max(piece.end, piece.start + 1), LONGEST):
            part = piece.model_copy(update={"start": start, "end": min(piece.end, start + LONGEST)})
            if size + part.end - part.start > LONGEST and chunk:
                yield tuple(chunk)
                chunk, size = [], 0
            chunk.append(part)
            size += part.end - part.start
    if chunk:
        yield tuple(chunk)


def opening(text: str, mark: Mark) -> int:
    """How many characters of the text are its mark and the space after it; marks of other makers stand outside."""
    if mark.end == 0:
        return 0
    rest = text[mark.end :]
    return mark.end + len(rest) - len(rest.lstrip())


def as_line(texts: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Cells as one line, and where each stands in it."""
    bounds: list[tuple[int, int]] = []
    at = 0
    for text in texts:
        bounds.append((at, at + len(text)))
        at += len(text) + len(_BETWEEN)
    return _BETWEEN.join(texts), bounds


def flow_of(number: int, page: str, pieces: Sequence[Piece]) -> Flow:
    """The words of `pieces`, which stand on page `number` with the text `page`."""
    flow = Flow()
    for piece in pieces:
        if piece.shown is None:
            flow.add(number, piece.start, page[piece.start : piece.end])
        elif piece.shown.isspace():
            flow.add_space()
        else:
            flow.add_instead(number, piece.start, piece.shown)
    return flow


def split_at_marks(page: str, pieces: Sequence[Piece]) -> list[tuple[Piece, ...]]:
    """A paragraph, cut before each line that opens with a number or a mark of its own."""
    groups: list[list[Piece]] = []
    for line in by_lines(page, pieces):
        text = text_of(page, line)
        mark = opening_mark(text)
        opens = mark is not None and text[mark.end :].strip() != "" and not text[mark.end :].strip()[0].islower()
        if groups and not (mark is not None and opens and mark.kind in STRONG | {MarkKind.BULLET}):
            groups[-1].extend(line)
        else:
            groups.append(list(line))
    return [tuple(group) for group in groups]
