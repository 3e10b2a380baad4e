"""What of the documents a creator job delivers: read from the request by rule, said by the ScopeAgent, enforced by code."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import Field

from echelon.crews.creator import unsettled
from echelon.crews.jobtype import Understood
from echelon.domains.documents.types import Frozen
from echelon.domains.requirements import document_files
from echelon.domains.requirements.selection.describe import described
from echelon.domains.requirements.selection.reading import Reading, read_request
from echelon.domains.requirements.selection.types import Language, OutputForm, PageRange, Selection
from echelon.domains.requirements.types import Modality
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Arguments, Effect, Tool, ToolContext
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from echelon.files import write_atomically

PATH = "requirements/remit.json"
"""Where the selection is kept: no role can write there but with the tool below."""


class Remit(Frozen):
    """The selection that is in force, and what of the request nobody has settled yet."""

    schema_version: int = 1
    selection: Selection = Selection()
    read: Selection = Field(default=Selection(), description="what code has read of request and answers")
    open: tuple[str, ...] = Field(default=(), description="words of the request that are not understood")
    says: str = Field(default="", description="how the selection follows from the request; '' where code read it")


def remit(workspace: Workspace) -> Remit:
    """The remit in force; that of everything where none was written."""
    path = workspace.root / PATH
    return Remit.model_validate_json(path.read_bytes()) if path.exists() else Remit()


def understand(workspace: Workspace, request: str, answers: Sequence[str], language: str) -> Understood:
    """Read the request, and after it what a person answered, and put what they select in force."""
    reading = read_all(request, answers, document_files.names(workspace), language)
    now = Remit(selection=reading.selection, read=reading.selection, open=reading.left)
    write_atomically(workspace.root / PATH, now.model_dump_json(indent=1))
    return Understood(facts=tuple(described(now.selection)), open=now.open)


def answered(workspace: Workspace, text: str) -> str:
    """Put in force what an answer in the middle of the work selects, where all of it is understood; '' where it is not."""
    before = remit(workspace)
    said = read_request(text, document_files.names(workspace), before.selection.form.language)
    if said.left or said.selection.model_dump(exclude_defaults=True).keys() <= {"form"}:
        return ""
    selection = _later(before.selection, said.selection)
    now = before.model_copy(update={"selection": selection, "read": _later(before.read, said.selection)})
    write_atomically(workspace.root / PATH, now.model_dump_json(indent=1))
    return " ".join(described(selection))


def _later(before: Selection, said: Selection) -> Selection:
    """A selection after a later word on some of its matters."""
    changed = said.model_dump(exclude_defaults=True)
    form = before.form.model_dump() | changed.pop("form", {})
    return Selection.model_validate(before.model_dump() | changed | {"form": form})


def read_all(request: str, answers: Sequence[str], documents: Sequence[str], language: str) -> Reading:
    """The request and the answers as one reading: a later word on a matter replaces an earlier one.

    Whoever answers settles what was not understood before, so only words of the latest answer can still be open.
    """
    reading = read_request(request, documents, language)
    for answer in answers:
        said = read_request(answer, documents, reading.selection.form.language)
        reading = Reading(_later(reading.selection, said.selection), said.left)
    return reading


def scope_problems(workspace: Workspace) -> list[str]:
    """What is wrong with a scope whose request was not understood: nothing of a request may be ignored."""
    now = remit(workspace)
    if not now.open or now.says:
        return []
    words = ", ".join(f"'{word}'" for word in now.open[:8])
    return [
        f"Of the request, {words} is in no selection yet: call select_requirements and say how it follows from the request, "
        "or call ask_person; then call submit_scope again."
    ]


class Pages(Arguments):
    first: int = Field(description="first page", ge=1)
    last: int = Field(description="last page", ge=1)


class SelectRequirements(Arguments):
    says: str = Field(description="how this follows from the request, in a sentence", min_length=10, max_length=500)
    documents: list[str] = Field(default=[], description="names of documents; empty: all")
    pages: list[Pages] = Field(default=[], description="ranges of pages; empty: all")
    sections: list[str] = Field(default=[], description="numbers or titles of sections; empty: all")
    modalities: list[Modality] = Field(default=[], description="kinds that are asked for; empty: all")
    without: list[Modality] = Field(default=[], description="kinds that are left out")
    categories: list[str] = Field(default=[], description="sets of rules it must be relevant for, such as gdpr")
    parties: list[str] = Field(default=[], description="who must do it; empty: anybody")
    words: list[str] = Field(default=[], description="words of which one must stand in its text; empty: any")
    with_deadline: bool = Field(default=False, description="only those that name a time")
    at_most: int | None = Field(default=None, ge=1, description="how many at most, the first ones")
    form: OutputForm = Field(default=OutputForm(), description="how the result for people is written")


def select_requirements(context: ToolContext, a: SelectRequirements) -> ToolResult:
    known = document_files.names(context.workspace)
    for name in a.documents:
        document_files.document(context.workspace, name)  # raises ModelFault with the nearest name
    wrong = [p for p in a.pages if p.first > p.last]
    if wrong:
        raise ModelFault(f"Pages {wrong[0].first} to {wrong[0].last} are no range; give the first page first.")
    values = a.model_dump(exclude={"says", "pages"}) | {
        "pages": [PageRange(first=p.first, last=p.last) for p in a.pages]
    }
    before = remit(context.workspace)
    selection = unsettled.merged(before.read, Selection.model_validate(values), before.open)
    if wrong_with := unsettled.changed(before.read, selection, before.open):
        raise ModelFault(wrong_with)
    if word := unsettled.passed_over(before.open, selection):
        raise ModelFault(
            f"'{word}' of the request is in no field of the selection, so no result would have it; name it there, or call "
            "ask_person and say that it cannot be done."
        )
    now = before.model_copy(update={"selection": selection, "says": a.says})
    write_atomically(context.workspace.root / PATH, now.model_dump_json(indent=1))
    return ToolResult(
        ok=True,
        explanations=("In force from now on: " + " ".join(described(now.selection)),),
        data={"documents": known, "selection": json.loads(now.selection.model_dump_json(exclude_defaults=True))},
    )


def language_of(workspace: Workspace) -> Language:
    """The language that results for people are written in."""
    return remit(workspace).selection.form.language


TOOLS = (
    Tool(
        "select_requirements",
        "Say which requirements are asked for and in which form; code enforces it in every result.",
        SelectRequirements,
        select_requirements,
        Effect.IDEMPOTENT,
    ),
)
