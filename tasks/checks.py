"""Acceptance checks: can one be carried out, and does it hold? Code answers for all kinds but the judged ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from pydantic import BaseModel, ConfigDict

from echelon.domains.requirements import document_files
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from echelon.tasks.contracts import Check, CheckKind, Finding
from echelon.tasks.deliverables import named_in, problems_of, stands_for

NO_RESULTS = (
    "documents/", "notes/", "trace/", "archive/", "code/", "plan.md", "todos.yaml", "workspace.md", "instructions.md",
    "workspace_summary.md",
)  # fmt: skip
"""What is given, or changes all the time: nothing there can be the result of work."""


class Standing(StrEnum):
    """How a check stands."""

    PROVEN = "proven"
    JUDGED = "judged"
    OPEN = "open"
    FAILED = "failed"


class Checked(BaseModel):
    """A check as it stands, and why."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    says: str
    kind: CheckKind
    standing: Standing
    why: str = ""


@dataclass(frozen=True)
class Looking:
    """What code needs to look at a check. `changed` are the paths made or changed since the milestone began."""

    workspace: Workspace
    inputs: tuple[str, ...]
    """Texts that a result must not equal."""
    changed: Collection[str]
    has_run: Callable[[str], bool] = lambda _: False
    """Whether a command ran after the last change, and exited with 0."""
    count: Callable[[str], int | None] = lambda _: None
    """The number that a query of the graph returns; None where there is no graph."""
    request: str = ""


def is_result(path: str) -> bool:
    """Whether a path can be a result of work: not what was given, and not what roles write for themselves."""
    return bool(path.strip()) and not path.strip().removeprefix("./").startswith(NO_RESULTS)


def cannot_be_carried_out(check: Check, workspace: Workspace, can_run: bool, has_graph: bool) -> str:
    """Why a check checks nothing, in a sentence that says what to do; '' when it can be carried out."""
    said = f"Check '{check.says[:80]}'"
    match check.kind:
        case CheckKind.JUDGED:
            return (
                "" if _says_something(check.says) else f"{said} says nothing that could be judged; say what must hold."
            )
        case CheckKind.FILE:
            return _file_problem(check, workspace, said)
        case CheckKind.COMMAND:
            if not check.command.strip():
                return f"{said} names no command."
            if _CANNOT_FAIL.search(check.command.strip()):
                return f"{said}: '{check.command[:80]}' cannot fail, so it checks nothing."
            return "" if can_run else f"{said}: nobody can run commands in this job; use another kind."
        case CheckKind.QUOTE:
            if not check.path or not check.quote.strip():
                return f"{said} needs the document as path, and the quote."
            return "" if _tells(check.quote) else f"{said}: '{check.quote[:40]}' stands in any text; quote more of it."
        case CheckKind.QUERY:
            if not check.query.strip() or not check.least:
                return f"{said} needs a query, and the least that it must return: 1 or more."
            return "" if has_graph else f"{said}: this job has no graph; use another kind."
        case _:
            assert_never(check.kind)


_CANNOT_FAIL = re.compile(
    r"^(?:true|:|exit 0|(?:echo|printf|pwd|ls|date|whoami|sleep)\b[^|&;]*)$|(?:\|\||;)\s*(?:true|:|exit 0|echo\b.*)$"
)
_SAYS_NOTHING = re.compile(
    r"^\W*(?:no(?:ne|thing)?\b.{0,30}|n/?a|always( true| passes)?|any(?:thing)?( goes)?|no checks?( needed)?|to be"
    r" (?:decided|defined)|tbd)\W*$",
    re.IGNORECASE,
)


def _says_something(says: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}|\d+", says)) > 1 and not _SAYS_NOTHING.match(says)


def _tells(quote: str) -> bool:
    """Whether a quote has a word that does not stand in any text."""
    return any(w not in _IN_ANY_TEXT for w in re.findall(r"[^\W_]+", quote.casefold()))


_IN_ANY_TEXT = frozenset((
    "the", "a", "an", "of", "and", "or", "to", "in", "on", "at", "for", "is", "are", "it", "as", "by",
    "der", "die", "das", "ein", "eine", "und", "oder", "zu", "im", "am", "ist", "sind", "es",
))  # fmt: skip


def shows_nothing_made(checks: Iterable[Check]) -> bool:
    """Whether the checks of a milestone look only at what is given: the words of an input stand there whatever is done."""
    return all(
        c.kind is CheckKind.QUOTE and not c.path.strip().removeprefix("./").startswith("output/") for c in checks
    )


def named_by(outcome: str, checks: Iterable[Check]) -> list[str]:
    """Results that a milestone names, in its words or as the file of a check."""
    checks = list(checks)
    files = [c.path.strip().removeprefix("./") for c in checks if c.kind is CheckKind.FILE and c.path.strip()]
    return list(dict.fromkeys([*files, *named_in([outcome, *(c.says for c in checks)])]))


def not_there(named: Iterable[str], there: Collection[str]) -> list[str]:
    """Those of the named results that nothing stands for."""
    return [name for name in named if not any(stands_for(path, name) for path in there)]


def _file_problem(check: Check, workspace: Workspace, said: str) -> str:
    if not check.path.strip():
        return f"{said} names no file; give its path."
    if not is_result(check.path):
        return f"{said}: '{check.path}' is no result of this job; name a file in output/."
    try:
        is_folder = check.path.endswith("/") or workspace.path(check.path).is_dir()
    except ModelFault as fault:
        return f"{said}: {fault}"
    return f"{said}: '{check.path}' is a folder; name one file in it, or have a role judge it." if is_folder else ""


def carried_out(check: Check, looking: Looking) -> Checked:
    """The check as code sees it now; a judged one is open until a role has judged it."""
    match check.kind:
        case CheckKind.JUDGED:
            return _standing(check, Standing.OPEN, "a role has to judge it")
        case CheckKind.FILE:
            problems = problems_of(looking.workspace, check.path, looking.inputs, check, looking.request)
            if problems:
                return _standing(check, Standing.FAILED, problems[0].says)
            if check.path not in looking.changed:
                return _standing(check, Standing.FAILED, f"'{check.path}' was not made or changed for this milestone")
            return _standing(check, Standing.PROVEN)
        case CheckKind.COMMAND:
            has_run = looking.has_run(check.command)
            why = "" if has_run else f"'{check.command[:80]}' did not run with success since the last change"
            return _standing(check, Standing.PROVEN if has_run else Standing.FAILED, why)
        case CheckKind.QUOTE:
            stands = _stands(looking.workspace, check)
            return _standing(
                check, Standing.PROVEN if stands else Standing.FAILED, "" if stands else "it stands nowhere"
            )
        case CheckKind.QUERY:
            count = looking.count(check.query)
            holds = count is not None and count >= (check.least or 0)
            return _standing(check, Standing.PROVEN if holds else Standing.FAILED, "" if holds else f"it gives {count}")
        case _:
            assert_never(check.kind)


def _standing(check: Check, standing: Standing, why: str = "") -> Checked:
    return Checked(says=check.says, kind=check.kind, standing=standing, why=why)


def _stands(workspace: Workspace, check: Check) -> bool:
    """Whether the quote stands in the document (on its page), or in the file."""
    try:
        document = document_files.document(workspace, check.path.removeprefix("documents/").removesuffix(".txt"))
    except ModelFault:
        return workspace.sha256(check.path) is not None and check.quote in workspace.read(check.path)
    pages = [check.page] if check.page else range(1, len(document.pages) + 1)
    return any(document_files.locate(document, n, check.quote) is not None for n in pages)


def failures(checked: Iterable[Checked]) -> list[Finding]:
    """What code found wrong, as findings."""
    return [
        Finding(says=f"{c.says}: {c.why}"[:400], about=c.says[:400], code="check")
        for c in checked
        if c.standing is Standing.FAILED
    ]
