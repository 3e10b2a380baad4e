"""A request that wants only some of the requirements that were handed over: those go into the graph, the others do not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from echelon.crews.validator import handed_over
from echelon.domains.requirements import document_files
from echelon.domains.requirements.selection.choose import chosen
from echelon.domains.requirements.selection.describe import described
from echelon.domains.requirements.selection.reading import read_request
from echelon.domains.requirements.selection.types import OutputForm, Selection
from echelon.engine.workspace import Workspace
from echelon.errors import UserError

_NARROWS = re.compile(r"\b(?:only|just|nothing but|nur|lediglich|ausschließlich)\b", re.IGNORECASE)
"""Words without which a request speaks of what is checked, and not of what is left out."""


def narrowed(request: str, documents: Sequence[str], language: str) -> Selection | None:
    """Which requirements a request wants, None where it wants all. Raises UserError where that is not understood."""
    if not _NARROWS.search(request):
        return None
    reading = read_request(request, documents, language)
    selection = reading.selection.model_copy(update={"form": OutputForm()})
    if reading.left or selection == Selection():
        words = ", ".join(f"'{word}'" for word in reading.left[:5]) or "it"
        raise UserError(
            f"The request wants only some of the requirements, and {words} is not understood; say it as in 'only the "
            "prohibitions of section 4', or have a creator make the list."
        )
    return selection


def narrow(workspace: Workspace, names: Sequence[str], request: str) -> dict[str, tuple[str, ...]]:
    """Leave out what the request does not want; what to say of it, by document. Raises UserError for one that is not
    understood, and where nothing is left."""
    language = document_files.document(workspace, names[0]).language if names else "en"
    selection = narrowed(request, names, language)
    if selection is None:
        return {}
    before = {name: handed_over.requirements(workspace, name) for name in names}
    wanted = {r.id for r in chosen([r for found in before.values() for r in found], selection)}
    if not wanted:
        raise UserError("Of the requirements that were handed over none is what the request wants.")
    said: dict[str, tuple[str, ...]] = {}
    for name, found in before.items():
        left = [r for r in found if r.id in wanted]
        handed_over.keep(workspace, name, left)
        said[name] = (f"{len(left)} of {len(found)} requirements are wanted: {' '.join(described(selection))}",)
    return said
