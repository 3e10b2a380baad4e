"""What another program may order: files of one folder or texts that it sends, and a few settings that only tighten."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echelon.errors import UserError
from echelon.faces.mcp.shapes import Document, Setting
from echelon.private import private_files
from echelon.service.ordering import UPLOADS, check_type

if TYPE_CHECKING:
    from echelon.service.service import Service

FREE = ("language", "requirements")
"""Settings, with what is below them, that an order may change"""
CEILINGS = ("cost", "tokens", "model_calls", "seconds")
"""Of the budget; an order may lower them"""
MOST_DOCUMENTS = 50

Files = tuple[tuple[str, Path, str], ...]


def in_folder(paths: Sequence[str], folder: Path | None) -> Files:
    """(name, path, SHA-256) of files below `folder`, None where no file of this machine may be named. Raises UserError."""
    if paths and folder is None:
        raise UserError("Files of the server's machine cannot be named here; send documents.")
    found: list[tuple[str, Path, str]] = []
    for text in paths:
        assert folder is not None
        path = (folder / text).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise UserError(f"{text[:200]} lies outside of {folder}; start 'echelon mcp' with another --folder.")
        if not path.is_file():
            raise UserError(f"There is no file {text[:200]} in {folder}.")
        with path.open("rb") as file:
            found.append((path.name, path, hashlib.file_digest(file, "sha256").hexdigest()))
    return tuple(found)


def kept(home: Path, documents: Sequence[Document]) -> Files:
    """Documents that were sent, as files that go again when the job is over. Raises UserError."""
    if len(documents) > MOST_DOCUMENTS:
        raise UserError(f"{len(documents)} documents are more than one order may have ({MOST_DOCUMENTS}).")
    private_files()
    found: list[tuple[str, Path, str]] = []
    for document in documents:
        if document.name in (".", ".."):
            raise UserError("A document needs a name.")
        folder = home / UPLOADS / secrets.token_hex(12)
        folder.mkdir(parents=True)
        content = document.text.encode("utf-8", "replace")
        (folder / document.name).write_bytes(content)
        found.append((document.name, folder / document.name, hashlib.sha256(content).hexdigest()))
    return tuple(found)


def settings_of(
    service: Service, type_: str, wanted: Mapping[str, Setting], fixed: Mapping[str, Any]
) -> dict[str, Any]:
    """The settings of an order over the `fixed` ones of whoever runs the server. Raises UserError.

    Programs that a job may start, models and their addresses, fences and approvals are not for others to change, and
    ceilings only go down.
    """
    check_type(type_)
    budget = service.layers(type_, None, dict(fixed)).budget
    for name, value in wanted.items():
        head, _, rest = name.partition(".")
        if head in FREE:
            continue
        if head != "budget" or rest not in CEILINGS:
            allowed = ", ".join((*FREE, *(f"budget.{c}" for c in CEILINGS)))
            raise UserError(f"'{name[:100]}' cannot be set by an order; only {allowed} can.")
        most = getattr(budget, rest)
        if isinstance(value, (str, bool)) or (most != "unlimited" and value > most):
            raise UserError(f"budget.{rest} may be a number up to {most} here, not {value}.")
    return {**fixed, **wanted}
