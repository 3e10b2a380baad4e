"""`echelon compare`: what changed between two editions of a document, or between what two jobs found."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from echelon.faces.cli.grammar import Define, existing, named
from echelon.shown import show

if TYPE_CHECKING:
    from echelon.domains.requirements.types import Requirement

WHAT = "a document, a requirements.json, a folder with one, or a creator job"


def add_comparing(define: Define) -> None:
    """Add the command."""
    compare = define("compare", compare_command, "say which requirements are new, gone, changed or moved")
    compare.add_argument("old", metavar="OLD", help=WHAT)
    compare.add_argument("new", metavar="NEW", help="the same for the later edition")
    compare.add_argument("--html", metavar="FILE", type=Path, help="write a page with the changes marked as well")


def compare_command(given: argparse.Namespace) -> int:
    """`echelon compare`."""
    from echelon.domains.requirements.comparing.compare import compare
    from echelon.domains.requirements.comparing.shown import as_html, as_json, as_text

    comparison = compare(_requirements(given.old), _requirements(given.new))
    if given.html is not None:
        _write(given.html, as_html(comparison, given.old, given.new))
    show(json.dumps(as_json(comparison), ensure_ascii=False) if given.json else as_text(comparison))
    return 0


def _write(path: Path, page: str) -> None:
    from echelon.errors import UserError
    from echelon.files import write_atomically

    try:
        write_atomically(path, page)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from error


def _requirements(what: str) -> list[Requirement]:
    """The requirements of what a person names. Raises UserError."""
    path = Path(what)
    if not path.exists():
        service = existing()
        path = Path(service.store.job(named(service, what))["folder"]) / "output"
    if path.is_dir():
        path = next(
            (p for p in (path / "requirements.json", path / "output" / "requirements.json") if p.exists()), path
        )
    return _delivered(path) if path.suffix == ".json" else _read(path)


def _delivered(path: Path) -> list[Requirement]:
    from pydantic import TypeAdapter, ValidationError

    from echelon.domains.requirements.types import Requirement
    from echelon.errors import UserError

    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        return TypeAdapter(list[Requirement]).validate_python(value["requirements"], strict=False)
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        raise UserError(f"{path} is no requirements.json of a creator job.") from error


def _read(path: Path) -> list[Requirement]:
    from echelon.domains.documents.bounded import read_bounded
    from echelon.domains.documents.types import ReadError
    from echelon.domains.requirements import extract_requirements
    from echelon.errors import UserError

    if path.is_dir():
        raise UserError(f"{path} holds no requirements.json.")
    try:
        return extract_requirements(read_bounded(path))
    except ReadError as error:
        raise UserError(str(error)) from error
