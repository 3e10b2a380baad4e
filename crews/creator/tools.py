"""Requirements: found part by part, corrected, checked, and written out."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from echelon.crews.creator import remit, results
from echelon.domains.likeness.duplicates import find_duplicates
from echelon.domains.requirements import check_citation, document_files, extract_part
from echelon.domains.requirements.extract import ExtractOptions
from echelon.domains.requirements.structure.flow import Span
from echelon.domains.requirements.structure.places import cite
from echelon.domains.requirements.types import Modality, Requirement, Status
from echelon.engine.messages import ToolResult
from echelon.engine.todos import TodoList
from echelon.engine.toolbox import EVERYTHING, Arguments, Effect, PhaseState, Tool, ToolContext
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault

SHOWN = 90
"""Characters of a requirement that the model is shown; the whole text is in the file."""


class OfPart(Arguments):
    document: str = Field(description="name of the document")
    part: int = Field(description="number of the part, from 1", ge=1)


def extract_requirements(context: ToolContext, a: OfPart) -> ToolResult:
    """Find the requirements of a part. What a role added or rejected there before is kept."""
    settings = context.run.config.requirements
    document = document_files.document(context.workspace, a.document)
    refuse_out_of_turn(context, document.file, a.part)
    part = document_files.part(document, a.part, settings.part_chars)
    found = [
        r.model_copy(update={"status": Status.ACCEPTED if r.confidence >= settings.accept_at else Status.CANDIDATE})
        for r in extract_part(document, part, ExtractOptions(min_confidence=min(0.3, settings.accept_at)))
    ]
    before = {_place(r): r for r in document_files.load(context.workspace, document.file, a.part)}
    kept = [before.pop(_place(r), r) for r in found]
    path = document_files.save(context.workspace, document.file, a.part, kept + list(before.values()))
    accepted = sum(r.status is Status.ACCEPTED for r in kept)
    said = f"{accepted} requirements of part {a.part} of '{document.file}' are accepted and kept in {path}."
    following = (
        "Now call todo_complete. Only if one is missing or wrong, call add_requirement or reject_requirement first."
    )
    return ToolResult(
        ok=True,
        confidence=min((r.confidence for r in kept if r.status is Status.ACCEPTED), default=1.0),
        explanations=(said, following),
        data={"requirements": [_shown(r) for r in kept]},
    )


def refuse_out_of_turn(context: ToolContext, document: str, part: int) -> None:
    """Raises ModelFault when the current todo is about another part, unless that one is there and this one is next."""
    todos = context.state.todos
    if _named(todos) in (None, (document, part)) or _follows(context, todos, (document, part)):
        return
    name, number = _named(todos) or ("", 0)
    raise ModelFault(f"The current todo is part {number} of '{name}'; extract that part.")


def _follows(context: ToolContext, todos: TodoList, wanted: tuple[str, int]) -> bool:
    """Whether the current part is extracted, so that only todo_complete was forgotten, and `wanted` is next."""
    name, number = _named(todos) or ("", 0)
    return number in document_files.done_parts(context.workspace, name) and _named(todos.completed()) == wanted


def _named(todos: TodoList) -> tuple[str, int] | None:
    """Document and part whose extraction the current todo is, None when it is something else."""
    call = todos.current.call if todos.current is not None else None
    if call is None or call.tool != "extract_requirements":
        return None
    return str(call.arguments["document"]), int(call.arguments["part"])


def _advance(state: PhaseState, a: OfPart, _: ToolResult) -> None:
    """The file of a part is the evidence that its todo is done: going on with the next part completes it."""
    named = _named(state.todos)
    if named is not None and named[1] != a.part:
        state.todos = state.todos.completed()


def _place(r: Requirement) -> tuple[tuple[int, int, int], ...]:
    return tuple((c.page or 1, c.start, c.end) for c in r.citations)


def _shown(r: Requirement) -> dict[str, str]:
    number = {"number": r.source_id} if r.source_id else {}
    unsure = {"status": r.status.value} if r.status is not Status.ACCEPTED else {}
    text = r.text if len(r.text) <= SHOWN else r.text[: SHOWN - 1] + "…"
    return {"id": r.id, **number, "modality": r.modality.value, **unsure, "text": text}


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
    ids = [int(r.id.removeprefix("R-")) for _, _, r in document_files.all_found(context.workspace)]
    added = Requirement(
        id=f"R-{max([9000, *ids]) + 1:04d}",
        source_id=a.source_id,
        text=" ".join(a.quote.split()),
        modality=Modality(a.modality),
        language=document.language,
        confidence=0.8,
        citations=(citation,),
    )
    document_files.save(context.workspace, document.file, a.part, [*found, added])
    return ToolResult(ok=True, explanations=(f"Added as {added.id}.",), data={"id": added.id})


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
    changed = [r.model_copy(update={"status": Status.REJECTED}) if r.id == a.id else r for r in found]
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


def mark_duplicates(context: ToolContext, _: Nothing) -> ToolResult:
    count = mark_repetitions(context.workspace)
    return ToolResult(
        ok=True, explanations=(f"{count} requirements repeat an earlier one.",), data={"duplicates": count}
    )


def mark_repetitions(workspace: Workspace) -> int:
    """Mark later repetitions of a requirement, over all documents, and unmark what repeats nothing (any more).

    Returns how many repeat an earlier one.
    """
    kept = _kept(workspace)
    firsts = {later: kept[first] for later, first in _repeats([r for _, _, r in kept]).items()}
    originals = {(name, part, r.id): firsts.get(n) for n, (name, part, r) in enumerate(kept)}
    for name, part in sorted({(name, part) for name, part, _ in kept}):
        before = document_files.load(workspace, name, part)
        after = [_marked(r, originals[name, part, r.id]) if (name, part, r.id) in originals else r for r in before]
        if after != before:
            document_files.save(workspace, name, part, after)
    return len(firsts)


def repetitions_are_marked(workspace: Workspace) -> bool:
    """Whether `mark_repetitions` would change nothing."""
    kept = _kept(workspace)
    firsts = _repeats([r for _, _, r in kept])
    return all(r == _marked(r, kept[firsts[n]] if n in firsts else None) for n, (_, _, r) in enumerate(kept))


def _kept(workspace: Workspace) -> list[tuple[str, int, Requirement]]:
    statuses = (Status.ACCEPTED, Status.DUPLICATE)
    return [(name, part, r) for name, part, r in document_files.all_found(workspace) if r.status in statuses]


def _repeats(requirements: list[Requirement]) -> dict[int, int]:
    """Place of each repetition -> place of the first requirement of which it is one."""
    numbered = [r.model_copy(update={"id": f"R-{n:04d}"}) for n, r in enumerate(requirements)]
    same = [(int(b[2:]), int(a[2:])) for a, b, score in find_duplicates(numbered) if score >= results.SAME]
    first: dict[int, int] = {}
    for later, earlier in sorted(same):
        first.setdefault(later, first.get(earlier, earlier))
    return first


def _marked(r: Requirement, first: tuple[str, int, Requirement] | None) -> Requirement:
    if first is not None:
        return r.model_copy(
            update={"status": Status.DUPLICATE, "duplicate_of": document_files.reference(first[0], first[2].id)}
        )
    return r.model_copy(update={"status": Status.ACCEPTED, "duplicate_of": None})


class WriteRequirements(Arguments):
    kind: Literal["json", "markdown", "summary"] = Field(
        description="json: requirements.json; markdown: requirements.md; summary: summary.md"
    )


def write_requirements(context: ToolContext, a: WriteRequirements) -> ToolResult:
    path, count = results.write(context.workspace, context.run.job, a.kind)
    return ToolResult(
        ok=True,
        explanations=(f"Wrote {count} requirements to {path}.", *_next(context)),
        data={"path": path, "requirements": count},
    )


TOOLS = (
    *remit.TOOLS,
    Tool(
        "extract_requirements",
        "Find and keep the requirements of one part of a document.",
        OfPart,
        extract_requirements,
        Effect.IDEMPOTENT,
        _advance,
    ),
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
        looks=EVERYTHING,
    ),
    Tool(
        "mark_duplicates", "Mark requirements that repeat an earlier one.", Nothing, mark_duplicates, Effect.IDEMPOTENT
    ),
    Tool(
        "write_requirements",
        "Write the results: json, markdown or summary.",
        WriteRequirements,
        write_requirements,
        Effect.IDEMPOTENT,
    ),
)
