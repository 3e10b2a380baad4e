"""Requirements in the form that a request asks for: one table or lists by section, in the language that it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from echelon.domains.documents.types import Document
from echelon.domains.requirements.exports.grouping import by_document, page_reference
from echelon.domains.requirements.exports.markdown import escape
from echelon.domains.requirements.selection.describe import described
from echelon.domains.requirements.selection.labels import COLUMN, MODALITY, Labels, labels_in
from echelon.domains.requirements.selection.types import COLUMNS, Column, Language, Selection
from echelon.domains.requirements.types import Requirement
from echelon.files import write_atomically


def write_as_asked(
    requirements: Sequence[Requirement], documents: Sequence[Document], path: Path, selection: Selection, found: int
) -> None:
    """The chosen requirements as Markdown; `found` is how many there were before the choice. Raises OSError."""
    language = selection.form.language
    say = labels_in(language)
    lines = [f"# {say.title}", "", f"{say.asked_for}:", ""]
    lines += [f"- {escape(sentence)}" for sentence in described(selection, language)]
    lines += ["", say.counted.format(len(requirements), found), ""]
    if not requirements:
        lines.append(say.none_found)
    elif selection.form.table:
        lines += _table(requirements, selection.form.columns or COLUMNS, language)
    else:
        lines += _lists(requirements, documents, language, say)
    write_atomically(path, "\n".join(lines) + "\n")


def _table(requirements: Sequence[Requirement], columns: Sequence[Column], language: Language) -> Iterator[str]:
    yield f"| {' | '.join(COLUMN[language][c] for c in columns)} |"
    yield f"|{'---|' * len(columns)}"
    for r in requirements:
        cells = [cell(r, c, language) for c in columns]
        if _is_for_person(r) and "text" not in columns:
            cells[0] += f" ({labels_in(language).for_person})"
        yield f"| {' | '.join(escape(c) for c in cells)} |"


def cell(r: Requirement, column: Column, language: Language) -> str:
    """What stands in a column of a requirement."""
    match column:
        case "id":
            return r.id
        case "number":
            return r.source_id or ""
        case "text":
            return f"{r.text} ({labels_in(language).for_person})" if _is_for_person(r) else r.text
        case "modality":
            return MODALITY[language][r.modality]
        case "document":
            return r.citations[0].document
        case "page":
            return ", ".join(dict.fromkeys(str(c.page or c.where) for c in r.citations))
        case "section":
            return r.section or ""
        case "subject":
            return r.subject or ""
        case "deadline":
            return r.deadline or ""
        case "categories":
            return ", ".join(r.categories)


def _is_for_person(r: Requirement) -> bool:
    return r.review is not None and r.review.for_person


def _lists(
    requirements: Sequence[Requirement], documents: Sequence[Document], language: Language, say: Labels
) -> Iterator[str]:
    for group in by_document(requirements, documents):
        yield from (f"## {escape(group.name)}", "")
        for section, own in group.by_section():
            if section:
                yield from (f"### {' › '.join(map(escape, section.split(' > ')))}", "")
            yield from (_item(r, language, say) for r in own)
            yield ""


def _item(r: Requirement, language: Language, say: Labels) -> str:
    label = escape(r.source_id or "") or r.id
    where = page_reference(r)
    remarks = [r.id, MODALITY[language][r.modality], *([where.replace("page", say.page)] if where else [])]
    remarks += [say.for_person] if _is_for_person(r) else []
    return f"- **{label}** {escape(r.text)} *({escape(', '.join(remarks))})*"
