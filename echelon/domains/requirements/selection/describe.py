"""A selection in words, for plans and summaries."""

from __future__ import annotations

from collections.abc import Iterator

from echelon.domains.requirements.selection.types import Selection


def described(s: Selection) -> list[str]:
    """What is selected, one sentence each; one sentence where nothing is left out."""
    return list(_parts(s)) or ["Every requirement of the documents."]


def _parts(s: Selection) -> Iterator[str]:
    if s.documents:
        yield f"Only of {_listed(s.documents)}."
    if s.pages:
        yield f"Only on pages {_listed([f'{p.first} to {p.last}' if p.first < p.last else str(p.first) for p in s.pages])}."
    if s.sections:
        yield f"Only in section {_listed(s.sections)} and below."
    if s.modalities:
        yield f"Only {_listed([f'{m.value}s' for m in s.modalities])}."
    if s.without:
        yield f"Without {_listed([f'{m.value}s' for m in s.without])}."
    if s.categories:
        yield f"Only what is relevant for {_listed(s.categories)}."
    if s.parties:
        yield f"Only what {_listed(s.parties)} must, may or should do."
    if s.words:
        yield f"Only what names {_listed(s.words)}."
    if s.with_deadline:
        yield "Only what names a time."
    yield from _form(s)


def _form(s: Selection) -> Iterator[str]:
    if s.form.table:
        yield f"As one table{' with the columns ' + _listed(s.form.columns) if s.form.columns else ''}."
    if s.form.order:
        yield f"Sorted by {s.form.order}."
    if s.form.language == "de":
        yield "Written in German; quotes keep the words of the document."


def _listed(values: list[str] | tuple[str, ...]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} or {values[-1]}"
