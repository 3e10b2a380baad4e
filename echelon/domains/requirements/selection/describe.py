"""A selection in words, for plans, summaries and results, in English or German."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from echelon.domains.requirements.selection.labels import COLUMN, MODALITIES, ORDER, Labels, labels_in
from echelon.domains.requirements.selection.types import Language, OutputForm, Selection


def described(s: Selection, language: Language = "en") -> list[str]:
    """What is selected, one sentence each; one sentence where nothing is left out."""
    return [*_what(s, labels_in(language), language), *_form(s.form, labels_in(language), language)] or [
        labels_in(language).everything
    ]


def _what(s: Selection, say: Labels, language: Language) -> Iterator[str]:
    pages = [f"{p.first}-{p.last}" if p.first < p.last else str(p.first) for p in s.pages]
    for sentence, values in (
        (say.of_documents, s.documents),
        (say.on_pages, pages),
        (say.in_sections, s.sections),
        (say.only_modalities, [MODALITIES[language][m] for m in s.modalities]),
        (say.without, [MODALITIES[language][m] for m in s.without]),
        (say.relevant_for, s.categories),
        (say.parties, s.parties),
        (say.naming, s.words),
    ):
        if values:
            yield sentence.format(listed(values, say.or_))
    if s.with_deadline:
        yield say.with_deadline
    if s.at_most:
        yield say.at_most.format(s.at_most)


def _form(form: OutputForm, say: Labels, language: Language) -> Iterator[str]:
    if form.table and form.columns:
        yield say.table_with.format(", ".join(COLUMN[language][c] for c in form.columns))
    elif form.table:
        yield say.table
    if form.order:
        yield say.sorted_by.format(ORDER[language][form.order])
    if form.language == "de":
        yield say.in_german


def listed(values: Sequence[str], joined_by: str) -> str:
    """'a', 'a or b', 'a, b or c'."""
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} {joined_by} {values[-1]}"
