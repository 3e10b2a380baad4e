"""`echelon ask` and `echelon explain`: questions about source code, answered with places that open."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echelon.shown import show

if TYPE_CHECKING:
    from echelon.domains.code.places.rank import Places
    from echelon.domains.code.places.tree_index import TreeIndex
    from echelon.service.service import Service

LONGEST = 1_000_000
"""Bytes of a file with a question or an issue."""

Define = Callable[[str, Callable[[argparse.Namespace], int], str], argparse.ArgumentParser]


def code_grammar(define: Define) -> None:
    """Add the commands; `define(name, function, help)` makes one."""
    ask = define("ask", ask_command, "say which places of a repository a question or an issue is about")
    _question(ask)
    ask.add_argument("--files", action="store_true", help="print only the files, best first, one path a line")
    explain = define("explain", explain_command, "explain a part of a repository: its places, outline and call sites")
    _question(explain)
    take = define("apply", apply_command, "bring the change of a coder job into its repository, as a branch")
    take.add_argument("job", metavar="JOB", help="id of the job")
    explain.add_argument("--tokens", metavar="N", type=int, default=1_000, help="size of the outline (1000)")


def _question(command: argparse.ArgumentParser) -> None:
    command.add_argument("repository", metavar="REPOSITORY", type=Path, help="a git repository or a folder with code")
    command.add_argument("question", metavar="QUESTION", help="in quotes, or @FILE with an issue or a stack trace")
    command.add_argument("--limit", metavar="N", type=int, default=10, help="places at most (10)")


def ask_command(given: argparse.Namespace) -> int:
    """`echelon ask`."""
    from echelon.domains.code.places.rank import rank_places

    text = question_text(given.question)
    index = _index(given.repository)
    places = rank_places(index, text, files=_limit(given), functions=_limit(given))
    if given.files:
        paths = [place.path for place in places.files]
        show(json.dumps(paths) if given.json else "\n".join(paths))
    elif given.json:
        show(places.model_dump_json())
    else:
        show(places_text(places))
    return 0


def explain_command(given: argparse.Namespace) -> int:
    """`echelon explain`."""
    from echelon.domains.code.places.outline import outline
    from echelon.domains.code.places.rank import rank_places
    from echelon.domains.code.places.references import references

    text = question_text(given.question)
    index = _index(given.repository)
    places = rank_places(index, text, files=_limit(given), functions=_limit(given))
    shown = outline(index, text, tokens=given.tokens)
    uses = {place.name: references(index, place.name, most=8) for place in places.functions[:3]}
    if given.json:
        value: dict[str, Any] = {
            "places": places.model_dump(mode="json"),
            "outline": shown,
            "uses": {name: [use.model_dump(mode="json") for use in found] for name, found in uses.items()},
        }
        show(json.dumps(value, ensure_ascii=False))
        return 0
    show(places_text(places))
    for name, found in uses.items():
        show(f"\nUses of {name}")
        show("\n".join(f"  {use.path}:{use.line}  {use.text[:90]}" for use in found))
    show(f"\nOutline\n{shown}")
    return 0


def apply_command(given: argparse.Namespace) -> int:
    """`echelon apply`."""
    from echelon.faces.cli.grammar import existing, named

    service = existing()
    job = named(service, given.job)
    said = apply_job(service, job, is_told=not given.json)
    if given.json:
        show(json.dumps({"job": job, "said": said}))
    return 0


def apply_job(service: Service, job: str, *, is_told: bool) -> str:
    """Bring the change of a job into its repository, after showing it; says what was done. Raises UserError."""
    from echelon.crews.coder.apply import apply_change
    from echelon.crews.coder.tree import BASE, diff
    from echelon.engine.workspace import Workspace

    workspace = Workspace(service.store.job(job).folder)
    patch = diff(workspace) if (workspace.root / BASE).is_file() else ""
    if patch and is_told:
        show(patch)
    said = apply_change(workspace, job)
    if is_told:
        show(said)
    return said


def question_text(said: str) -> str:
    """The question itself, or the text of the file behind an `@`. Raises UserError for none."""
    from echelon.errors import UserError

    if not said.startswith("@"):
        text = said
    else:
        file = Path(said[1:])
        try:
            data = file.read_bytes()[:LONGEST]
        except OSError as error:
            raise UserError(f"'{file}' cannot be read: {error.strerror or error}.") from error
        text = data.decode("utf-8", "replace")
    if not text.strip():
        raise UserError("The question is empty; ask one in quotes, or name a file with @.")
    return text


def places_text(places: Places) -> str:
    """Places for people: functions with the lines they begin at, then files."""
    if not places.files:
        return "No file of this repository has anything to do with it."
    lines = ["Places (ranked by rules; no language model was asked)"]
    for function in places.functions:
        lines.append(f"  {function.path}:{function.first}  {function.name}")
        lines.append(f"      {'; '.join(function.reasons[:3])}")
    lines.append("Files")
    lines += [f"  {file.path}  {'; '.join(file.reasons[:3])}" for file in places.files]
    return "\n".join(lines)


def _index(repository: Path) -> TreeIndex:
    from echelon.domains.code.places.tree_index import open_index
    from echelon.errors import UserError
    from echelon.settings import read_environment

    index = open_index(repository.expanduser(), read_environment().home / "code")
    if not index.paths:
        raise UserError(
            f"'{repository}' has no source file; name a folder with code, or a repository that is checked out."
        )
    return index


def _limit(given: argparse.Namespace) -> int:
    from echelon.errors import UserError

    if given.limit < 1:
        raise UserError("--limit needs a number from 1.")
    return int(given.limit)
