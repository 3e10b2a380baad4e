"""Tools on the repository: find, read, search, edit, run, repair, review. Paths are relative to the repository."""

from __future__ import annotations

import shutil
from typing import Any

from pydantic import Field

from echelon.crews.coder import tree
from echelon.crews.coder.looking import INDEX
from echelon.crews.coder.proving import proof, runs
from echelon.crews.coder.searching import search
from echelon.domains.code.editing.edit import replace_unique
from echelon.domains.code.editing.looking import find_files, numbered, search_lines, unnumbered
from echelon.domains.code.editing.patch import FilePatch, Hunk, apply_patch, parse_patch, unified_diff
from echelon.domains.code.editing.paths import inside, read_text
from echelon.domains.code.editing.syntax import syntax_error
from echelon.domains.code.evidence.runs import keep_run
from echelon.domains.code.places.rank import Places, find_places
from echelon.domains.code.review.review import review
from echelon.domains.code.running.command import CommandResult, known_program, run_command
from echelon.domains.code.running.report import TestReport
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import EVERYTHING, Arguments, Effect, Tool, ToolContext
from echelon.errors import ModelFault
from echelon.files import write_atomically

PATH = "file of the repository, such as 'src/app.py'"
SHOWN = 4_000
LISTED = 200
"""Paths that one call lists."""


def _at(context: ToolContext, path: str) -> str:
    """The path within the repository: what is shown of the workspace calls it 'repository/...'."""
    plain = path.strip().removeprefix("./")
    within = plain.removeprefix(f"{tree.FOLDER}/")
    return plain if (tree.root_of(context.workspace) / tree.FOLDER).exists() else within


def _said(text: str, data: Any = None) -> ToolResult:
    return ToolResult(ok=True, explanations=(text[:SHOWN],), data=data)


class FindPlaces(Arguments):
    about: str = Field(
        description="what to look for: a question, a name, an error message", min_length=3, max_length=4000
    )


def find(context: ToolContext, a: FindPlaces) -> ToolResult:
    return _places(_ranked(context, a.about))


def _ranked(context: ToolContext, text: str) -> Places:
    return find_places(tree.root_of(context.workspace), text, context.run.folder / INDEX)


def _places(places: Places) -> ToolResult:
    lines = [f"{p.path}:{p.first} {p.name}" for p in places.functions]
    return _said("Places, best first:\n" + "\n".join(lines or ["none"]), {"files": [p.path for p in places.files]})


class ReadCode(Arguments):
    path: str = Field(description=PATH)
    first: int = Field(default=1, description="first line, from 1", ge=1)
    last: int = Field(default=0, description="last line; 0: as many as fit", ge=0)


def read(context: ToolContext, a: ReadCode) -> ToolResult:
    root = tree.root_of(context.workspace)
    text = read_text(root, _at(context, a.path), similar=find_files(root))
    return ToolResult(ok=True, explanations=(numbered(text, a.first, a.last or None),))


class SearchCode(Arguments):
    pattern: str = Field(description="a regular expression for one line", min_length=1, max_length=300)
    glob: str = Field(default="", description="only files whose path fits, such as '*.py'")


def search_code(context: ToolContext, a: SearchCode) -> ToolResult:
    found = search_lines(tree.root_of(context.workspace), a.pattern, glob=a.glob)
    return _said("\n".join(f"{line.path}:{line.line}: {line.text}" for line in found) or "Nothing found.")


class ListCode(Arguments):
    glob: str = Field(default="", description="such as '*.py' or 'src/**/*.py'; empty: all")


def list_code(context: ToolContext, a: ListCode) -> ToolResult:
    paths = find_files(tree.root_of(context.workspace), a.glob)
    more = f"\n[{len(paths) - LISTED} more; give a narrower glob]" if len(paths) > LISTED else ""
    return _said(("\n".join(paths[:LISTED]) or "No file fits.") + more)


class EditCode(Arguments):
    path: str = Field(description=PATH)
    old: str = Field(description="the lines to replace, exactly as they stand, and only once, in the file")
    new: str = Field(description="what stands there instead")


def edit(context: ToolContext, a: EditCode) -> ToolResult:
    root = tree.root_of(context.workspace)
    path = _at(context, a.path)
    text = read_text(root, path, similar=find_files(root))
    old, new = (a.old, a.new) if a.old in text else (unnumbered(a.old), unnumbered(a.new))
    if new and text.count(old) == 0 and text.count(new) == 1:
        return _said(f"{path} is like that already.")
    return _written(context, path, text, replace_unique(text, old, new, path=path))


class CreateCode(Arguments):
    path: str = Field(description=PATH)
    text: str = Field(description="the whole content")


def create(context: ToolContext, a: CreateCode) -> ToolResult:
    path = _at(context, a.path)
    target = inside(tree.root_of(context.workspace), path)
    if target.is_file() and target.read_text(encoding="utf-8", errors="replace") != a.text:
        base = tree.base_of(context.workspace)
        if path in base.files:
            raise ModelFault(f"'{path}' exists; change it with edit_code.")
    return _written(context, path, "", a.text)


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
    source, target = inside(root, _at(context, a.path)), inside(root, _at(context, a.to))
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
    inside(tree.root_of(context.workspace), _at(context, a.path)).unlink(missing_ok=True)
    return _said(f"{a.path} is gone.")


class RunTests(Arguments):
    only: list[str] = Field(default=[], description="names of single tests; empty: all")


def tests(context: ToolContext, a: RunTests) -> ToolResult:
    _, after = tree.contents(context.workspace)
    if a.only:
        report = runs.run_tests(after, context.run.config.code, a.only)
        if report is None:
            raise ModelFault("The repository has no tests; add one.")
        if not report.cases:
            named = [c.name for c in proof.run_before(context.run, context.workspace).report.cases][:1]
            like = f", and one is named like '{named[0]}'" if named else ""
            raise ModelFault(f"{report.sentence()}. Without 'only' all tests are run{like}.")
        return _report(context, report, a.only)
    is_base = not tree.changed_paths(context.workspace, tree.base_of(context.workspace))
    done = (proof.run_before if is_base else proof.run_after)(context.run, context.workspace)
    if not done.ran:
        return _said("The repository has no tests; a change must bring one that shows it.", {"ok": False})
    return _report(context, done.report, [])


def _report(context: ToolContext, report: TestReport, only: list[str]) -> ToolResult:
    """Counts and the first failure; the run is kept, and can be cited by its id."""
    done = CommandResult(
        command=("run_tests", *only), exit_status=int(not report.ok), seconds=0.0, output="",
        output_hash=report.output_hash,
    )  # fmt: skip
    kept = keep_run(context.workspace.root, done)
    first = report.first_failure
    message = f"{first.name}\n{first.message}" if first else ""
    return _said(f"{kept.id}: {report.sentence()}.\n{message}".strip(), {"ok": report.ok, "run": kept.id})


class RunCommand(Arguments):
    command: list[str] = Field(
        description="the program and its arguments, such as ['python', 'app.py', '--help']", min_length=1
    )


def command(context: ToolContext, a: RunCommand) -> ToolResult:
    settings = context.run.config.code
    if not known_program(a.command[0], settings.commands):
        raise ModelFault(f"'{a.command[0][:60]}' may not be run; allowed: {', '.join(settings.commands)}.")
    _, after = tree.contents(context.workspace)
    with runs.copied(after, settings) as where:
        done = run_command(a.command, where)
    kept = keep_run(context.workspace.root, done)
    ended = f"ended: {done.stopped}" if done.stopped else f"exit status {done.exit_status}"
    return _said(f"{kept.id}: {ended}\n{done.output}", {"exit_status": done.exit_status, "run": kept.id})


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
    ran, data = proof.known_of_tests(context.run, context.workspace)
    found = [each.sentence() for each in review(before, after, request=request, ran=ran, data=data)]
    return ToolResult(ok=True, explanations=(tree.diff(context.workspace)[:SHOWN],), data={"problems": found[:10]})


def _written(context: ToolContext, path: str, before: str, after: str) -> ToolResult:
    """Write a file of the repository when it is valid; says the change as a small diff."""
    error = syntax_error(path, after)
    if error:
        raise ModelFault(f"With this change '{path}' is not valid ({error}); nothing was changed.")
    write_atomically(inside(tree.root_of(context.workspace), path), after)
    return _said(unified_diff(path, before, after, context=1) or "Nothing changed.")


TOOLS = (
    Tool("find_places", "Rank the files and functions that a text is about.", FindPlaces, find, Effect.READ),
    Tool("read_code", "Read a file of the repository with line numbers.", ReadCode, read, Effect.READ),
    Tool("search_code", "Find lines in the repository by a regular expression.", SearchCode, search_code, Effect.READ),
    Tool("list_code", "List files of the repository.", ListCode, list_code, Effect.READ),
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
)
