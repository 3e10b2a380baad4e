"""Requirements that roles add, reject and check by themselves; TOOLS has all tools of the creator."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from echelon.crews.creator import deciding, remit
from echelon.domains.requirements import check_citation, document_files
from echelon.domains.requirements.judging.judge import modality_of
from echelon.domains.requirements.review.holding import says_nothing
from echelon.domains.requirements.review.wording import plain_modality
from echelon.domains.requirements.structure.flow import Span
from echelon.domains.requirements.structure.places import cite
from echelon.domains.requirements.types import Citation, Modality, Requirement, Reviewed, Status
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Arguments, Effect, Tool, ToolContext
from echelon.errors import ModelFault

_ID = re.compile(r"\bR-\d+\b")


class AddRequirement(Arguments):
    document: str = Field(description="name of the document")
    part: int = Field(description="number of the part that it stands in", ge=1)
    page: int = Field(description="page that it stands on; 1 in a document without pages", ge=1)
    quote: str = Field(description="the words of the document, copied exactly", min_length=10, max_length=3000)
    modality: Literal["obligation", "prohibition", "permission", "recommendation"] = Field(description="what it does")
    source_id: str | None = Field(default=None, description="the document's own number of it, if it has one")


def add_requirement(context: ToolContext, a: AddRequirement) -> ToolResult:
    document = document_files.document(context.workspace, a.document)
    document_files.part(document, a.part, context.run.config.requirements.part_chars)
    span = document_files.locate(document, a.page, a.quote)
    if span is None:
        raise ModelFault(
            f"These words do not stand on page {a.page} of '{document.file}'; copy them exactly from read_part."
        )
    found = document_files.load(context.workspace, document.file, a.part)
    citation = cite(document, Span(a.page, *span))
    if any(citation in r.citations for r in found):
        return ToolResult(ok=True, explanations=("It is in the list already.",))
    modality = Modality(a.modality)
    _check_added(document.page(a.page).text, citation, a, found)
    known = document_files.numbers(context.workspace, document_files.names(context.workspace))
    last = max([document_files.ADDED, *(n for n in known if n < document_files.DECIDED)])
    id_ = f"R-{last + 1:04d}"
    added = Requirement(
        id=id_,
        source_id=a.source_id,
        text=" ".join(a.quote.split()),
        modality=modality,
        language=document.language,
        confidence=0.8,
        citations=(citation,),
        review=_by_a_role(id_, "added", "no word of it binds")
        if modality_of(a.quote, document.language) is None
        else None,
    )
    document_files.save(context.workspace, document.file, a.part, [*found, added])
    return ToolResult(ok=True, explanations=(f"Added as {added.id}.",), data={"id": added.id})


def _check_added(page: str, citation: Citation, a: AddRequirement, found: Sequence[Requirement]) -> None:
    """Raises ModelFault where the quote is a piece of something, is of another kind, or has another number."""
    there = [
        r for r in found
        if r.status is Status.ACCEPTED
        and any(_is_cut(c, citation) for c in r.citations)
    ]  # fmt: skip
    if there:
        raise ModelFault(f"These words are part of {there[0].id}, which is in the list; quote what is missing from it.")
    plain = plain_modality(a.quote)
    if plain is not None and plain is not Modality(a.modality):
        raise ModelFault(f"The words of the quote make it a {plain.value}; add it as that.")
    if a.source_id and a.source_id not in page:
        raise ModelFault(f"The document has no number '{a.source_id[:20]}' on that page; leave source_id out.")


def _is_cut(there: Citation, quote: Citation) -> bool:
    """Whether a quote shares words with a citation and does not have all of it."""
    shares = there.page == quote.page and there.start < quote.end and quote.start < there.end
    return shares and not (quote.start <= there.start and there.end <= quote.end)


def _by_a_role(item: str, ruling: str, reason: str, for_person: bool = True) -> Reviewed:
    return Reviewed(item=item, ruling=ruling, reason=reason, for_person=for_person)


class RejectRequirement(Arguments):
    document: str = Field(description="name of the document")
    part: int = Field(description="number of the part that it stands in", ge=1)
    id: str = Field(description="id of the requirement, such as R-0007")
    reason: str = Field(description="why it is not a requirement", min_length=5, max_length=500)


def reject_requirement(context: ToolContext, a: RejectRequirement) -> ToolResult:
    document = document_files.document(context.workspace, a.document)
    found = document_files.load(context.workspace, document.file, a.part)
    if a.id not in {r.id for r in found}:
        raise ModelFault(f"Part {a.part} of '{document.file}' has no requirement {a.id}.")
    if not any(a.id in _ID.findall(todo.content) for todo in context.state.todos.items):
        raise ModelFault(
            f"No todo of this task names {a.id}, so nobody has asked to reject it; leave it, and tell what you think in the "
            "report."
        )
    [mine] = [r for r in found if r.id == a.id]
    if why := says_nothing(a.reason, mine.text):
        raise ModelFault(f"{a.id} stays: {why}; give a reason in words of your own.")
    note = _by_a_role(a.id, "reject", a.reason, for_person=False)
    changed = [r.model_copy(update={"status": Status.REJECTED, "review": note}) if r is mine else r for r in found]
    document_files.save(context.workspace, document.file, a.part, changed)
    return ToolResult(ok=True, explanations=(f"{a.id} is rejected: {a.reason}",))


class Nothing(Arguments):
    pass


def check_citations(context: ToolContext, _: Nothing) -> ToolResult:
    problems = citation_problems(context)
    count = sum(r.status is Status.ACCEPTED for _, _, r in document_files.all_found(context.workspace))
    said = (
        f"{count} requirements checked; {len(problems)} problems."
        if problems
        else f"Every quote of {count} requirements stands on its page."
    )
    return ToolResult(ok=True, explanations=(said, *_next(context)), data={"problems": problems[:20]})


def _next(context: ToolContext) -> tuple[str, ...]:
    """What follows when a todo was worked on; small models repeat a call when nothing says so."""
    return ("Now call todo_complete.",) if context.state.todos.current else ()


def citation_problems(context: ToolContext) -> list[str]:
    """What is wrong with the quotes of accepted requirements, one sentence each."""
    out: list[str] = []
    for name, _, r in document_files.all_found(context.workspace):
        if r.status is not Status.ACCEPTED:
            continue
        document = document_files.document(context.workspace, name)
        out += [f"{r.id}: {wrong}" for c in r.citations if (wrong := check_citation(document, c))]
    return out


TOOLS = (
    *remit.TOOLS,
    *deciding.TOOLS,
    Tool(
        "add_requirement",
        "Add a requirement that was missed, with its exact words.",
        AddRequirement,
        add_requirement,
        Effect.IDEMPOTENT,
    ),
    Tool(
        "reject_requirement",
        "Reject something that is not a requirement.",
        RejectRequirement,
        reject_requirement,
        Effect.IDEMPOTENT,
    ),
    Tool(
        "check_citations",
        "Check that every quote stands on its page.",
        Nothing,
        check_citations,
        Effect.READ,
    ),
)
