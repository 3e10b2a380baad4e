"""Files of the workspace, notes, and the summary of what is there."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from echelon.digest import folded
from echelon.engine.held import with_properties
from echelon.engine.messages import ToolResult
from echelon.engine.todos import is_asked_for
from echelon.engine.toolbox import Arguments, Effect, PhaseState, Tool, ToolContext
from echelon.errors import ModelFault
from echelon.json_text import is_object
from echelon.tools.groundless import corrects

LINES = 200
"""Lines that read_file gives at once."""
LEAST_SEEN = 40
"""Lines of a long file that a role must have seen at once to have opened it."""
HITS = 10
FURTHER = 2
"""Files that who is led may open beside those that it has to."""


def _counted_from_one(line: int) -> int:
    return max(line, 1)  # who counts from 0 means the first one


class ReadFile(Arguments):
    path: str = Field(description="path in the workspace, as it is named or listed")
    from_line: Annotated[int, AfterValidator(_counted_from_one)] = Field(
        default=1, ge=0, description="first line to read, counted from 1"
    )
    lines: int = Field(default=LINES, ge=1, le=1000, description="how many lines to read")


def read_file(context: ToolContext, a: ReadFile) -> ToolResult:
    context.state.refuse_hidden(a.path)
    lines = context.workspace.read(a.path).splitlines()
    shown = lines[a.from_line - 1 : a.from_line - 1 + a.lines]
    last = a.from_line + len(shown) - 1
    said = (
        f"Lines {a.from_line} to {last} of {len(lines)} of {a.path}." if shown else f"{a.path} has {len(lines)} lines."
    )
    more = (f"Go on with from_line={last + 1}.",) if last < len(lines) and shown else ()
    return ToolResult(ok=True, explanations=(said, *more), data={"text": "\n".join(shown)})


def _has_shown(a: ReadFile, result: ToolResult) -> bool:
    """Whether a file was shown as a whole, or enough of a long one: nobody has opened it who saw two lines of it."""
    text = str(result.data.get("text", "")) if is_object(result.data) else ""
    is_whole = a.from_line == 1 and len(result.explanations) == 1
    return bool(text.strip()) and (is_whole or text.count("\n") + 1 >= LEAST_SEEN)


class ListFiles(Arguments):
    folder: str = Field(default=".", description="folder in the workspace")


def list_files(context: ToolContext, a: ListFiles) -> ToolResult:
    files = context.workspace.files(a.folder)
    more = (f"The first 200 of {len(files)}; name a folder to see others.",) if len(files) > 200 else ()
    return ToolResult(ok=True, explanations=(f"{len(files)} files.", *more), data={"files": files[:200]})


class FileExists(Arguments):
    path: str = Field(description="path in the workspace")


def file_exists(context: ToolContext, a: FileExists) -> ToolResult:
    there = context.workspace.path(a.path).exists()
    return ToolResult(
        ok=True, explanations=(f"{a.path} {'is there' if there else 'is not there'}.",), data={"exists": there}
    )


class WriteFile(Arguments):
    path: str = Field(description="path in the workspace, such as output/report.md")
    text: str = Field(description="the whole content of the file")


def write_file(context: ToolContext, a: WriteFile) -> ToolResult:
    _refuse_what_was_asked_for(context, a.text)
    path = context.workspace.write(a.path, a.text, context.may_write)
    return ToolResult(ok=True, explanations=(f"Wrote {len(a.text):,} characters to {path}.",), data={"path": path})


def _refuse_what_was_asked_for(context: ToolContext, text: str) -> None:
    """Raises ModelFault where a guided role writes down what a judge asked for in place of doing it. A finding that only
    says what is so may stand in a result."""
    if not context.run.config.is_guided:
        return
    asked = (item.content.partition(": ")[2] for item in context.state.todos.items if is_asked_for(item.work))
    if said := next((a for a in asked if corrects(a) and folded(a).rstrip(" .") in folded(text)), ""):
        raise ModelFault(
            f"'{said[:80]}' is what was asked for. Write the result itself, whole, so that this is put right."
        )


class AppendFile(Arguments):
    path: str = Field(description="path in the workspace")
    text: str = Field(description="what is added at the end")


def append_file(context: ToolContext, a: AppendFile) -> ToolResult:
    """Appending the same text to the end again changes nothing, so that a call that was cut off may run again."""
    real = context.workspace.writable(a.path, context.may_write)
    before = context.workspace.read(a.path) if real.exists() else ""
    if a.text and before.endswith(a.text):
        return ToolResult(ok=True, explanations=(f"{a.path} ends with this text already.",), data={"path": a.path})
    _refuse_what_was_asked_for(context, a.text)
    joint = "" if not before or before.endswith("\n") else "\n"
    path = context.workspace.write(a.path, before + joint + a.text, context.may_write)
    return ToolResult(ok=True, explanations=(f"Added {len(a.text):,} characters to {path}.",), data={"path": path})


class EditFile(Arguments):
    path: str = Field(description="path in the workspace")
    old: str = Field(description="text that stands exactly once in the file", min_length=1)
    new: str = Field(description="what takes its place")


def edit_file(context: ToolContext, a: EditFile) -> ToolResult:
    before = context.workspace.read(a.path)
    after = _edited(before, a)
    if after == before:
        return ToolResult(ok=True, explanations=(f"{a.path} has the new text already.",), data={"path": a.path})
    if _again(after, a) != after:  # a call that was cut off may run again
        raise ModelFault("The old text would stand there again; give more of the text around it, in old and in new.")
    path = context.workspace.write(a.path, after, context.may_write)
    return ToolResult(ok=True, explanations=(f"Changed {path}.",), data={"path": path})


def _edited(before: str, a: EditFile) -> str:
    """The text after the edit, or `before` where it was made already. Raises ModelFault when the place is not clear."""
    count = before.count(a.old)
    is_there = bool(a.new) and a.new in before
    if is_there and (count == 0 or (a.old in a.new and a.old not in before.replace(a.new, "\0"))):
        return before
    if count != 1:
        raise ModelFault(f"The old text stands {count} times in {a.path}; give text that stands there exactly once.")
    return before.replace(a.old, a.new)


def _again(text: str, a: EditFile) -> str:
    try:
        return _edited(text, a)
    except ModelFault:
        return text


class DeleteFile(Arguments):
    path: str = Field(description="path in the workspace")


def delete_file(context: ToolContext, a: DeleteFile) -> ToolResult:
    real = context.workspace.writable(a.path, context.may_write)
    if real.is_dir():
        raise ModelFault(f"'{a.path}' is a folder; only files can be deleted.")
    if real.exists():
        real.unlink()
    return ToolResult(ok=True, explanations=(f"{a.path} is gone.",), data={"path": a.path})


class AddNote(Arguments):
    text: str = Field(description="one thing worth remembering", min_length=1, max_length=1000)


def add_note(context: ToolContext, a: AddNote) -> ToolResult:
    return _add_line(context, "notes/notes.md", a.text)


class AddAccomplishment(Arguments):
    text: str = Field(description="one thing that is achieved", min_length=1, max_length=1000)


def add_accomplishment(context: ToolContext, a: AddAccomplishment) -> ToolResult:
    return _add_line(context, "notes/accomplishments.md", a.text)


def _add_line(context: ToolContext, path: str, text: str) -> ToolResult:
    line = f"- {' '.join(text.split())}\n"
    before = context.workspace.read(path) if context.workspace.path(path).exists() else ""
    if line not in before:
        context.workspace.write(path, before + line)
    return ToolResult(ok=True, explanations=(f"Noted in {path}.",))


class GenerateWorkspaceSummary(Arguments):
    pass


def generate_workspace_summary(context: ToolContext, _: GenerateWorkspaceSummary) -> ToolResult:
    """Write `workspace_summary.md`: files, accomplishments, todos, notes."""
    ws = context.workspace
    files = [n for n in ws.files() if n != "workspace_summary.md"]
    todos = context.state.todos
    sections = [
        "# Workspace summary\n",
        "## Files\n",
        *[f"- {n} ({ws.path(n).stat().st_size:,} bytes)" for n in files[:300]],
        "\n## Accomplishments\n",
        _text(context, "notes/accomplishments.md"),
        "\n## Current state\n",
        f"- Task: {todos.title}, {todos.done} of {len(todos.items)} todos done"
        if todos.items
        else "- No task is under way",
        "\n## Notes\n",
        _text(context, "notes/notes.md"),
    ]
    ws.write("workspace_summary.md", "\n".join(sections) + "\n")
    return ToolResult(ok=True, explanations=("Wrote workspace_summary.md.",), data={"files": len(files)})


def _text(context: ToolContext, path: str) -> str:
    return context.workspace.read(path).strip() if context.workspace.path(path).exists() else "- none"


def _may_read(state: PhaseState) -> bool:
    """Who had to open files and has may look twice more, and then decides: a small model reads the same again."""
    judges = state.must_open or state.at_hand
    further = FURTHER if set(state.at_hand) - set(state.must_open) or not state.must_open else 0
    if judges and not state.unopened() and len(state.opened) >= len(state.must_open) + further:
        return False
    return not (state.unjudged() or state.is_through or state.deliverables)


def _next_unopened(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """The arguments, for who judges: what has to be opened, and then what is there besides, from its beginning. A small
    model asks for files that it thinks there should be, and reads one line after another."""
    if not state.must_open and not state.at_hand:
        return parameters
    there = state.unopened() or list(dict.fromkeys((*state.must_open, *state.at_hand)))
    path = parameters["properties"]["path"] | {"enum": there}
    return {"type": "object", "properties": {"path": path}, "required": ["path"]}


def _deliverable(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """The arguments with the files that the task is to deliver, where nothing else is to be written."""
    if not state.deliverables:
        return parameters
    return with_properties(parameters, path=parameters["properties"]["path"] | {"enum": list(state.deliverables)})


def _has_turn(state: PhaseState) -> bool:
    """One call that writes for each todo: a small model writes the same again instead of going on."""
    return not state.deliverables or not state.work_since


def _is_new(state: PhaseState) -> bool:
    """Whether a file is to be written, not gone on with: the first, another one, and each that is mended, as a judge asked.
    A small model added the right answer to the wrong one, once for each finding."""
    return not state.deliverables or "write_file" not in state.called or len(state.deliverables) > 1 or _mends(state)


def _mends(state: PhaseState) -> bool:
    current = state.todos.current
    return current is not None and is_asked_for(current.work)


def _goes_on(state: PhaseState) -> bool:
    return not state.deliverables or ("write_file" in state.called and not _mends(state))


TOOLS = (
    Tool(
        "read_file",
        "Read a text file of the workspace.",
        ReadFile,
        read_file,
        Effect.READ,
        looks="path",
        shown=_has_shown,
        ready=_may_read,
        held=_next_unopened,
    ),
    Tool("list_files", "List the files of the workspace or of one folder.", ListFiles, list_files, Effect.READ),
    Tool("file_exists", "Say whether a file is there.", FileExists, file_exists, Effect.READ),
    Tool(
        "write_file",
        "Write a whole text file.",
        WriteFile,
        write_file,
        Effect.IDEMPOTENT,
        ready=lambda state: _has_turn(state) and _is_new(state),
        held=_deliverable,
    ),
    Tool(
        "append_file",
        "Add text at the end of a file.",
        AppendFile,
        append_file,
        Effect.IDEMPOTENT,
        ready=lambda state: _has_turn(state) and _goes_on(state),
        held=_deliverable,
    ),
    Tool("edit_file", "Replace one text in a file by another.", EditFile, edit_file, Effect.IDEMPOTENT),
    Tool("delete_file", "Delete a file.", DeleteFile, delete_file, Effect.IDEMPOTENT),
    Tool("add_note", "Keep a short note for later.", AddNote, add_note, Effect.IDEMPOTENT),
    Tool(
        "add_accomplishment",
        "Record something that is achieved.",
        AddAccomplishment,
        add_accomplishment,
        Effect.IDEMPOTENT,
    ),
    Tool(
        "generate_workspace_summary",
        "Write workspace_summary.md: files, accomplishments, notes.",
        GenerateWorkspaceSummary,
        generate_workspace_summary,
        Effect.IDEMPOTENT,
    ),
)
