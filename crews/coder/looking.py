"""What code sees of the repository before a role is asked: the tests as they are, the places, an overview."""

from __future__ import annotations

from collections import Counter

from echelon.crews.coder import tree
from echelon.crews.coder.proving import proof
from echelon.domains.code.editing.looking import numbered
from echelon.domains.code.map.languages import language_of
from echelon.domains.code.places.outline import outline
from echelon.domains.code.places.rank import FunctionPlace, Places, find_places
from echelon.domains.code.places.tree_index import open_index
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically
from echelon.tasks.results import request_of

PLACES = "code/places.json"
INDEX = "trace/index"
OUTLINE_TOKENS = 1_200
MOST_LISTED = 300
"""Files that the overview names."""
SHORT_FILE = 60
"""Lines of a file that is shown whole, and of a function."""
NAMED = 5
"""Places, or failing tests, that a prompt names."""


def look(run: Run, workspace: Workspace) -> None:
    """Run the tests as they are and rank the places of the request; what is known already is kept."""
    proof.run_before(run, workspace)
    if not (workspace.root / PLACES).is_file():
        root = tree.root_of(workspace)
        found = find_places(root, request_of(workspace), run.folder / INDEX)
        write_atomically(workspace.root / PLACES, found.model_dump_json(indent=1))


def places_of(workspace: Workspace) -> Places:
    """The ranked places of the request."""
    file = workspace.root / PLACES
    return Places.model_validate_json(file.read_bytes()) if file.is_file() else Places()


def overview(run: Run, workspace: Workspace, name: str) -> str:
    """The map of the repository as a text that roles can read: its files, and an outline of what matters for the request."""
    files = list(tree.base_of(workspace).files)
    before = proof.run_before(run, workspace)
    index = open_index(tree.root_of(workspace), run.folder / INDEX)
    shown = outline(index, request_of(workspace), tokens=OUTLINE_TOKENS)
    more = [f"[{len(files) - MOST_LISTED} more]"] if len(files) > MOST_LISTED else []
    lines = [
        f"# Repository {name}", "", "Paths are relative to the repository, as read_code takes them.", "",
        "## Tests as they are", "", *tests_said(before), "",
        "## Outline, likely files first (line: definition)", "", shown or "No source file that we can read.", "",
        "## Files", "", *files[:MOST_LISTED], *more,
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def kind(workspace: Workspace) -> str:
    """What the repository is, in a few words."""
    paths = list(tree.base_of(workspace).files)
    languages = Counter(language for path in paths if (language := language_of(path)))
    said = ", ".join(f"{language} {count}" for language, count in languages.most_common(3))
    return f"{len(paths)} files ({said or 'no source code that we know'})"


def tests_said(before: proof.SuiteRun) -> list[str]:
    """What the tests said before the change, with the names of those that fail."""
    if not before.ran:
        return ["The repository has no tests."]
    failed = before.report.failed
    more = f" and {len(failed) - NAMED} more" if len(failed) > NAMED else ""
    names = [f"failing: {', '.join(failed[:NAMED])}{more}"] if failed else []
    return [f"tests before the change: {before.report.sentence()}", *names]


def first_failure(before: proof.SuiteRun, most: int = 1_500) -> str:
    """The first failing test with what it said, '' when none fails."""
    first = before.report.first_failure
    return f"{first.name}\n{first.message[-most:]}" if first else ""


def place_lines(places: Places, most: int = NAMED) -> list[str]:
    """Functions of the request as "path:first-last name", best first."""
    return [f"{p.path}:{p.first}-{p.last} {p.name}" for p in places.functions[:most]]


def code_of(workspace: Workspace, place: FunctionPlace) -> str:
    """The lines of a place with their numbers; the whole file where it is short."""
    file = tree.root_of(workspace) / place.path
    if not file.is_file():
        return ""
    text = file.read_bytes().decode("utf-8", "replace")
    size = len(text.splitlines())
    if size <= SHORT_FILE:
        return f"{place.path}:\n{numbered(text)}"
    last = min(place.last, place.first + SHORT_FILE - 1)
    return f"{place.path}, from line {place.first}:\n{numbered(text, place.first, last)}" if place.first <= size else ""
