"""Tools on the repository: find, read, search, edit, run, repair, review. Paths are relative to the repository."""

from __future__ import annotations

import shutil
from typing import Any

from pydantic import Field

from echelon.crews.coder import proof, results, tree
from echelon.crews.coder.searching import search
from echelon.domains.code.editing.edit import replace_unique
from echelon.domains.code.editing.looking import find_files, numbered, search_lines
from echelon.domains.code.editing.patch import FilePatch, Hunk, apply_patch, parse_patch, unified_diff
from echelon.domains.code.editing.paths import inside, read_text
from echelon.domains.code.editing.syntax import syntax_error
from echelon.domains.code.places.rank import Places, find_places
from echelon.domains.code.review.review import review
from echelon.domains.code.running.command import known_program, run_command
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import EVERYTHING, Arguments, Effect, Tool, ToolContext
from echelon.errors import ModelFault
from echelon.files import write_atomically

PLACES = "code/places.json"
PATH = "file of the repository, such as 'src/app.py'"
SHOWN = 4_000


def _said(text: str, data: Any = None) -> ToolResult:
    return ToolResult(ok=True, explanations=(text[:SHOWN],), data=data)


class FindPlaces(Arguments):
    about: str = Field(
        description="what to look for: a question, a name, an error message", min_length=3, max_length=4000
    )


def find(context: ToolContext, a: FindPlaces) -> ToolResult:
    return _places(_ranked(context, a.about))


class RecordPlaces(Arguments):
    pass


def record(context: ToolContext, a: RecordPlaces) -> ToolResult:
    places = _ranked(
        context, (context.workspace.root / "instructions.md").read_text(encoding="utf-8").partition("\n")[2]
    )
    write_atomically(context.workspace.root / PLACES, places.model_dump_json(indent=1))
    return _places(places)


def _ranked(context: ToolContext, text: str) -> Places:
    return find_places(tree.root_of(context.workspace), text, context.run.folder / "trace" / "index")


def _places(places: Places) -> ToolResult:
    lines = [f"{p.path}:{p.first} {p.name}" for p in places.functions]
    return _said("Places, best first:\n" + "\n".join(lines or ["none"]), {"files": [p.path for p in places.files]})


class ReadCode(Arguments):
    path: str = Field(description=PATH)
    first: int = Field(default=1, description="first line, from 1", ge=1)
    last: int = Field(default=0, description="last line; 0: as many as fit", ge=0)


def read(context: ToolContext, a: ReadCode) -> ToolResult:
    root = tree.root_of(context.workspace)
    text = read_text(root, a.path, similar=find_files(root))
    return ToolResult(ok=True, explanations=(numbered(text, a.first, a.last or None),))


class SearchCode(Arguments):
    pattern: str = Field(description="a regular expression for one line", min_length=1, max_length=300)
    glob: str = Field(default="", description="only files whose path fits, such as '*.py'")


def search_code(context: ToolContext, a: SearchCode) -> ToolResult:
    found = search_lines(tree.root_of(context.workspace), a.pattern, glob=a.glob)
    return _said("\n".join(f"{line.path}:{line.line}: {line.text}" for line in found) or "Nothing found.")


class EditCode(Arguments):
    path: str = Field(description=PATH)
    old: str = Field(description="the lines to replace, exactly as they stand, and only once, in the file")
    new: str = Field(description="what stands there instead")


def edit(context: ToolContext, a: EditCode) -> ToolResult:
    root = tree.root_of(context.workspace)
    text = read_text(root, a.path, similar=find_files(root))
    if a.new and text.count(a.old) == 0 and text.count(a.new) == 1:
        return _said(f"{a.path} is like that already.")
    return _written(context, a.path, text, replace_unique(text, a.old, a.new, path=a.path))


class CreateCode(Arguments):
    path: str = Field(description=PATH)
    text: str = Field(description="the whole content")


def create(context: ToolContext, a: CreateCode) -> ToolResult:
    target = inside(tree.root_of(context.workspace), a.path)
    if target.is_file() and target.read_text(encoding="utf-8", errors="replace") != a.text:
        base = tree.base_of(context.workspace)
        if a.path in base.files:
            raise ModelFault(f"'{a.path}' exists; change it with edit_code.")
    return _written(context, a.path, "", a.text)


class ApplyPatch(Arguments):
    patch: str = Field(description="a unified diff, beginning with '--- a/FILE' and '+++ b/FILE'")


def patch(context: ToolContext, a: ApplyPatch) -> ToolResult:
    root = tree.root_of(context.workspace)

    def text_of(path: str) -> str | None:
        return read_text(root, path) if inside(root, path).is_file() else None

    patches = parse_patch(a.patch)
    try:
        changed = apply_patch(patches, text_of)
    except ModelFault as fault:
        try:
            apply_patch([_reversed(each) for each in patches], text_of)
        except ModelFault:
            raise fault from None
        return _said("The patch is in the files already.")
    for path, text in changed.items():
        error = syntax_error(path, text) if text is not None else None
        if error:
            raise ModelFault(f"With the patch '{path}' is not valid ({error}); nothing was changed.")
    for path, text in changed.items():
        if text is None:
            inside(root, path).unlink(missing_ok=True)
        else:
            write_atomically(inside(root, path), text)
    return _said(f"Changed {', '.join(changed)}.")


def _reversed(each: FilePatch) -> FilePatch:
    swap = {"+": "-", "-": "+"}
    hunks = [
        Hunk(h.new_first, h.first, tuple(swap.get(line[:1], line[:1]) + line[1:] for line in h.lines))
        for h in each.hunks
    ]
    return FilePatch(each.new, each.old, hunks, each.binary)


class MoveCode(Arguments):
    path: str = Field(description=PATH)
    to: str = Field(description="its new path")


def move(context: ToolContext, a: MoveCode) -> ToolResult:
    root = tree.root_of(context.workspace)
    source, target = inside(root, a.path), inside(root, a.to)
    if target.exists() and not source.exists():
        return _said(f"{a.path} is at {a.to} already.")
    if not source.is_file() or target.exists():
        raise ModelFault(f"'{a.path}' must be a file and '{a.to}' must not exist yet.")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(source, target)
    return _said(f"Moved {a.path} to {a.to}.")


class DeleteCode(Arguments):
    path: str = Field(description=PATH)


def delete(context: ToolContext, a: DeleteCode) -> ToolResult:
    inside(tree.root_of(context.workspace), a.path).unlink(missing_ok=True)
    return _said(f"{a.path} is gone.")


class RunTests(Arguments):
    only: list[str] = Field(default=[], description="names of single tests; empty: all")


def tests(context: ToolContext, a: RunTests) -> ToolResult:
    _, after = tree.contents(context.workspace)
    if a.only:
        report = proof.run_tests(after, context.run.config.code, a.only)
        if report is None:
            raise ModelFault("The repository has no tests; add one.")
        return _report(report.sentence(), report.first_failure.message if report.first_failure else "", report.ok)
    is_base = not tree.changed_paths(context.workspace, tree.base_of(context.workspace))
    done = (proof.run_before if is_base else proof.run_after)(context.run, context.workspace)
    if not done.ran:
        return _said("The repository has no tests; a change must bring one that shows it.", {"ok": False})
    first = done.report.first_failure
    message = f"{first.name}\n{first.message}" if first else ""
    return _report(done.report.sentence(), message, done.report.ok)


def _report(sentence: str, message: str, ok: bool) -> ToolResult:
    return _said(f"{sentence}.\n{message}".strip(), {"ok": ok})


class RunCommand(Arguments):
    command: list[str] = Field(
        description="the program and its arguments, such as ['python', 'app.py', '--help']", min_length=1
    )


def command(context: ToolContext, a: RunCommand) -> ToolResult:
    settings = context.run.config.code
    if not known_program(a.command[0], settings.commands):
        raise ModelFault(f"'{a.command[0][:60]}' may not be run; allowed: {', '.join(settings.commands)}.")
    _, after = tree.contents(context.workspace)
    with proof.copied(after, settings) as where:
        done = run_command(a.command, where)
    ended = f"ended: {done.stopped}" if done.stopped else f"exit status {done.exit_status}"
    return _said(f"{ended}\n{done.output}", {"exit_status": done.exit_status, "output_hash": done.output_hash})


class SearchRepair(Arguments):
    pass


def repair(context: ToolContext, a: SearchRepair) -> ToolResult:
    found = search(context.run, context.workspace)
    return _said(found.says, {"path": found.path, "tried": found.tried})


class ReviewChange(Arguments):
    pass


def reviewed(context: ToolContext, a: ReviewChange) -> ToolResult:
    before, after = tree.contents(context.workspace)
    request = (context.workspace.root / "instructions.md").read_text(encoding="utf-8")
    found = [each.sentence() for each in review(before, after, request=request)]
    return ToolResult(ok=True, explanations=(tree.diff(context.workspace)[:SHOWN],), data={"problems": found[:10]})


class WriteResults(Arguments):
    pass


def write(context: ToolContext, a: WriteResults) -> ToolResult:
    results.write(context.run, context.workspace)
    return _said(f"Wrote {', '.join(results.FILES)}.")


def _written(context: ToolContext, path: str, before: str, after: str) -> ToolResult:
    """Write a file of the repository when it is valid; says the change as a small diff."""
    error = syntax_error(path, after)
    if error:
        raise ModelFault(f"With this change '{path}' is not valid ({error}); nothing was changed.")
    write_atomically(inside(tree.root_of(context.workspace), path), after)
    return _said(unified_diff(path, before, after, context=1) or "Nothing changed.")


TOOLS = (
    Tool("find_places", "Rank the files and functions that a text is about.", FindPlaces, find, Effect.READ),
    Tool("record_places", "Rank the places of the request and keep them.", RecordPlaces, record, Effect.IDEMPOTENT),
    Tool("read_code", "Read a file of the repository with line numbers.", ReadCode, read, Effect.READ),
    Tool("search_code", "Find lines in the repository by a regular expression.", SearchCode, search_code, Effect.READ),
    Tool("edit_code", "Replace lines of a file of the repository.", EditCode, edit, Effect.IDEMPOTENT),
    Tool("create_code", "Write a new file of the repository.", CreateCode, create, Effect.IDEMPOTENT),
    Tool(
        "apply_patch",
        "Apply a unified diff to the repository, all of it or nothing.",
        ApplyPatch,
        patch,
        Effect.IDEMPOTENT,
    ),
    Tool("move_code", "Move a file of the repository.", MoveCode, move, Effect.IDEMPOTENT),
    Tool("delete_code", "Delete a file of the repository.", DeleteCode, delete, Effect.IDEMPOTENT),
    Tool("run_tests", "Run the tests on a copy of the repository.", RunTests, tests, Effect.IDEMPOTENT),
    Tool("run_command", "Run a program on a copy of the repository.", RunCommand, command, Effect.IDEMPOTENT),
    Tool(
        "search_repair",
        "Search for a small change that makes failing tests pass.",
        SearchRepair,
        repair,
        Effect.IDEMPOTENT,
    ),
    Tool(
        "review_change",
        "Show the change and what code finds wrong with it.",
        ReviewChange,
        reviewed,
        Effect.READ,
        looks=EVERYTHING,
    ),
    Tool("write_results", "Write the patch, the summary and the report.", WriteResults, write, Effect.IDEMPOTENT),
)
