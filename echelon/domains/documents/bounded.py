"""Reads a document in a process of its own, within limits on time, memory and output."""

from __future__ import annotations

from pathlib import Path

from echelon.bounded import Bounds, Child, ChildFailed, OutOfBounds
from echelon.domains.documents.reading import MAX_BYTES, read_document
from echelon.domains.documents.types import Document, ReadError

SECONDS_AT_LEAST = 60.0
SECONDS_A_MEGABYTE = 40.0
"""What reading may take: a page of a PDF takes a twentieth of a second, and few have less than 3 KB."""
MEMORY_MB = 1400
OUTPUT_MB = 512.0


def read_bounded(path: Path, max_bytes: int = MAX_BYTES, bounds: Bounds | None = None) -> Document:
    """`read_document` where a file that hangs or eats memory ends alone. Raises ReadError, for that too."""
    child = Child(bounds or _bounds(path), raises=(ReadError,))
    try:
        return Document.model_validate_json(child.call(_read, str(path), max_bytes))
    except OutOfBounds as error:
        raise ReadError(path.name, f"reading was stopped: {error}; the file is broken or made to do harm") from error
    except ChildFailed as error:
        raise ReadError(path.name, f"reading broke off ({error.kind}); the file is broken, get another copy") from error


def _bounds(path: Path) -> Bounds:
    """The limits for a file of this size."""
    size = path.stat().st_size if path.is_file() else 0
    seconds = max(SECONDS_AT_LEAST, size / 1_000_000 * SECONDS_A_MEGABYTE)
    return Bounds(seconds=seconds, memory_mb=MEMORY_MB, output_mb=OUTPUT_MB)


def _read(path: str, max_bytes: int) -> str:
    """What the child does: the document as JSON."""
    return read_document(path, max_bytes).model_dump_json()
