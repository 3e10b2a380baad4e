"""The requirements of an edition: of a document, or of what a creator job delivered."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from echelon.domains.documents.types import ReadError
from echelon.domains.requirements.types import Requirement
from echelon.errors import UserError

DELIVERED = "requirements.json"
_REQUIREMENTS = TypeAdapter(list[Requirement])


def requirements_of(path: Path) -> list[Requirement]:
    """The requirements of a document, of a `requirements.json`, or of a folder with one. Raises UserError."""
    if path.is_dir():
        path = next((p for p in (path / DELIVERED, path / "output" / DELIVERED) if p.is_file()), path)
    if path.is_dir():
        raise UserError(f"{path} holds no {DELIVERED}.")
    return _delivered(path) if path.suffix == ".json" else _read(path)


def _delivered(path: Path) -> list[Requirement]:
    try:
        return _REQUIREMENTS.validate_python(json.loads(path.read_text(encoding="utf-8"))["requirements"])
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        raise UserError(f"{path} is no {DELIVERED} of a creator job.") from error


def _read(path: Path) -> list[Requirement]:
    from echelon.domains.documents.bounded import read_bounded
    from echelon.domains.requirements import extract_requirements

    try:
        return extract_requirements(read_bounded(path))
    except ReadError as error:
        raise UserError(str(error)) from error
