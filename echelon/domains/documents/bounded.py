"""Reads a document in a process of its own, within limits on time, memory and output."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

from echelon.bounded import Bounds, Child, ChildFailed, OutOfBounds
from echelon.domains.documents.reading import MAX_BYTES, read_as_json
from echelon.domains.documents.types import Document, ReadError

SECONDS_AT_LEAST = 60.0
SECONDS_A_MEGABYTE = 40.0
"""What reading may take: a page of a PDF takes a twentieth of a second, and few have less than 3 KB."""
MEMORY_MB = 1400
OUTPUT_MB = 512.0
KEPT, KEPT_SIZE = 8, 2_000_000
"""How many documents are kept as they were read, and characters of JSON that one of them may have: the trials of an
experiment and the jobs of a worker read the same few again and again, each time in a new process."""


class _Content(NamedTuple):
    """All that a reading depends on."""

    name: str
    sha256: str
    max_bytes: int


_kept: OrderedDict[_Content, Document] = OrderedDict()
_one_at_a_time = threading.Lock()


def read_bounded(path: Path, max_bytes: int = MAX_BYTES, bounds: Bounds | None = None) -> Document:
    """`read_document` where a file that hangs or eats memory ends alone. Raises ReadError, for that too.

    Without `bounds` a document that this process has read lately, of the same name and content, is not read again.
    """
    content = _content(path, max_bytes) if bounds is None else None
    with _one_at_a_time:
        if content is not None and (known := _kept.get(content)):
            _kept.move_to_end(content)
            return known
    child = Child(bounds or _bounds(path), raises=(ReadError,))
    try:
        text = child.call(read_as_json, str(path), max_bytes)
    except OutOfBounds as error:
        raise ReadError(path.name, f"reading was stopped: {error}; the file is broken or made to do harm") from error
    except ChildFailed as error:
        raise ReadError(path.name, f"reading broke off ({error.kind}); the file is broken, get another copy") from error
    document = Document.model_validate_json(text)
    if content is not None and content.sha256 == document.sha256 and len(text) <= KEPT_SIZE:
        _keep(content, document)
    return document


def _content(path: Path, max_bytes: int) -> _Content | None:
    """What a file has in it, None where the child is to say what is wrong with it."""
    try:
        if not path.is_file() or path.stat().st_size > max_bytes:
            return None
        with path.open("rb") as file:
            return _Content(path.name, hashlib.file_digest(file, "sha256").hexdigest(), max_bytes)
    except OSError:
        return None


def _keep(content: _Content, document: Document) -> None:
    with _one_at_a_time:
        _kept[content] = document
        while len(_kept) > KEPT:
            _kept.popitem(last=False)


def _bounds(path: Path) -> Bounds:
    """The limits for a file of this size."""
    size = path.stat().st_size if path.is_file() else 0
    seconds = max(SECONDS_AT_LEAST, size / 1_000_000 * SECONDS_A_MEGABYTE)
    return Bounds(seconds=seconds, memory_mb=MEMORY_MB, output_mb=OUTPUT_MB)
