"""PDF in: the text of each page exactly as `pypdf` extracts it by default."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from echelon.domains.documents.pdf_checks import checked
from echelon.domains.documents.pdf_layout import LayoutCollector
from echelon.domains.documents.types import Page, ReadError
from echelon.garbage import seldom_collecting

if TYPE_CHECKING:
    from pypdf import PdfReader

BROKEN = "the PDF is broken or cut off and cannot be read; get a complete copy, or open it and save it again"
LOCKED = "the PDF is encrypted and needs a password; save a copy without the password and use that"
SCANNED = "no page of the PDF has text (a scan or pictures); run text recognition (OCR) over it first"
NO_PAGES = "the PDF has no pages; get a complete copy"


@contextmanager
def quiet() -> Generator[None]:
    """Keep the parser's notes about unclean files away from the terminal and from warnings turned into errors."""
    logger = logging.getLogger("pypdf")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def read_pdf(name: str, data: bytes) -> tuple[tuple[Page, ...], str | None, tuple[str, ...]]:
    """Pages, title and warnings of a PDF.

    `Page.text` is `extract_text()` of pypdf; where that glues words together, with the spaces that a second reader sees,
    and where its characters stand for nothing, what the second reader reads. A page without text, or whose text cannot
    be made out, is named in the warnings.
    Raises ReadError when the file is encrypted, broken, without pages, or has no text on any page.
    """
    if _is_cut_off(data):
        raise ReadError(name, BROKEN)
    with quiet(), seldom_collecting():
        reader = _open(name, data)
        pages, notes = _pages(reader)
        pages, illegible = checked(pages, data)
        title = _title(reader)
        missing = _promised(reader) - len(pages)
    if not any(page.text.strip() for page in pages):
        raise ReadError(name, SCANNED if not notes else BROKEN)
    empty = [
        f"page {page.number} has no text (a picture or blank): nothing was read from it"
        for page in pages
        if not page.text.strip() and page.number not in notes
    ]
    unreadable = [f"page {number} cannot be read: {reason}" for number, reason in sorted(notes.items())]
    if missing > 0:
        unreadable.append(f"{missing} of its pages cannot be found: the file is damaged; get a complete copy")
    return pages, title, tuple(unreadable + list(illegible) + empty)


def _is_cut_off(data: bytes) -> bool:
    """Whether objects follow the last end mark, or there is none: the end of the file is missing.

    The parser would repair such a file and silently lose pages, or fall back to an earlier version of it.
    """
    end = data.rfind(b"%%EOF")
    return end < 0 or re.search(rb"\d+\s+\d+\s+obj\b", data[end:]) is not None


def _open(name: str, data: bytes) -> PdfReader:
    from pypdf import PdfReader
    from pypdf.errors import FileNotDecryptedError

    try:
        reader = PdfReader(BytesIO(data))
        # An empty user password only restricts printing and the like: every viewer opens such a file.
        if reader.is_encrypted and not reader.decrypt(""):
            raise ReadError(name, LOCKED)
        count = len(reader.pages)
    except ReadError:
        raise
    except FileNotDecryptedError as error:
        raise ReadError(name, LOCKED) from error
    # The parser meets arbitrary bytes: besides its own errors it raises nearly every built-in one.
    except Exception as error:
        raise ReadError(name, BROKEN) from error
    if count == 0:
        raise ReadError(name, NO_PAGES)
    return reader


def _pages(reader: PdfReader) -> tuple[tuple[Page, ...], dict[int, str]]:
    pages: list[Page] = []
    notes: dict[int, str] = {}
    for number in range(1, len(reader.pages) + 1):
        layout = LayoutCollector()
        try:
            text = reader.pages[number - 1].extract_text(visitor_text=layout.visit)
        # One broken page must not lose the others; it is named in the warnings.
        except Exception as error:
            notes[number] = f"its content is broken ({type(error).__name__})"
            text = ""
        pages.append(Page(number=number, text=text, layout=layout.lines(text)))
    return tuple(pages), notes


def _promised(reader: PdfReader) -> int:
    """How many pages the file says it has; 0 when that cannot be read."""
    try:
        pages: Any = reader.root_object["/Pages"]
        return int(pages["/Count"])
    # A broken page tree raises what it likes; then there is no promise to hold against the pages.
    except Exception:
        return 0


def _title(reader: PdfReader) -> str | None:
    try:
        title = reader.metadata.title if reader.metadata else None
    # A broken document information dictionary is no reason to refuse the pages.
    except Exception:
        return None
    return str(title).strip() or None if title else None
