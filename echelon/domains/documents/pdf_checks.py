"""Each page as it was read, held against a second reader: glued words parted, garbage replaced or named."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from echelon.domains.documents.legibility import Legibility, disagree
from echelon.domains.documents.pdf_second import SecondReader, missing_spaces
from echelon.domains.documents.types import LineLayout, Page

_NAMED = 12
"""Pages that a warning names one by one."""


def checked(pages: tuple[Page, ...], data: bytes) -> tuple[tuple[Page, ...], tuple[str, ...]]:
    """The pages with their words parted, and warnings about those whose text cannot be made out."""
    problems: dict[str, list[int]] = {}
    kept: list[Page] = []
    with SecondReader(data) as reader:
        for page in pages:
            text = reader.text(page.number) if page.text.strip() else None
            better, problem = _best(page, text)
            kept.append(better)
            if problem is not None:
                problems.setdefault(problem, []).append(page.number)
    return tuple(kept), tuple(
        f"{_pages(numbers)} cannot be made out: {problem}; requirements may be missing, run text recognition (OCR) over it"
        for problem, numbers in problems.items()
    )


def _best(page: Page, second: str | None) -> tuple[Page, str | None]:
    """The page as it reads best, and what is wrong with it still."""
    problem = Legibility.of(page.text).problem
    if second is None or not second.strip():
        return page, problem
    if problem is not None:
        other = Legibility.of(second).problem
        return (Page(number=page.number, text=second), None) if other is None else (page, problem)
    if Legibility.of(second).problem is None and disagree(page.text, second):
        return page, "two readers read different words"
    places = missing_spaces(page.text, second)
    return (with_spaces(page, places) if places else page), None


def with_spaces(page: Page, places: Sequence[int]) -> Page:
    """The page with a space before each of `places`, its layout moved along."""
    bounds = [0, *places, len(page.text)]
    pieces = [page.text[a:b] for a, b in pairwise(bounds)]

    def moved(offset: int) -> int:
        return offset + bisect_right(places, offset)

    def line(layout: LineLayout) -> LineLayout:
        return layout.model_copy(
            update={"start": moved(layout.start), "raised": tuple(moved(offset) for offset in layout.raised)}
        )

    return page.model_copy(update={"text": " ".join(pieces), "layout": tuple(map(line, page.layout))})


def _pages(numbers: Sequence[int]) -> str:
    """'page 3', 'pages 1, 2, 5', or 'pages 1, 2, ... (40 in all)'."""
    if len(numbers) == 1:
        return f"page {numbers[0]}"
    named = ", ".join(map(str, numbers[:_NAMED]))
    return f"pages {named}" if len(numbers) <= _NAMED else f"pages {named}, ... ({len(numbers)} in all)"
