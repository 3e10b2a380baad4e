"""DOCX in: paragraphs, lists with Word's own numbers, tables and footnotes in their order."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZipFile

from echelon.domains.documents.elements import Element
from echelon.domains.documents.types import ReadError

if TYPE_CHECKING:
    from echelon.domains.documents.docx.names import XmlElement

MAX_PART = 96 * 2**20
"""Bytes of one XML part, unpacked: some 10,000 pages."""
BROKEN = "the DOCX is broken and cannot be read; open it, save it again and retry"
BOMB = f"the DOCX unpacks to more than {MAX_PART >> 20} MB of text; split it"


def read_docx(name: str, data: bytes) -> tuple[str, str | None, tuple[Element, ...]]:
    """Text, title and elements of a DOCX. What was deleted under revision, or is hidden, is left out.

    Raises ReadError when the file is broken, encrypted, or unpacks to more than a document can be.
    """
    from echelon.domains.documents.docx.body import Body
    from echelon.domains.documents.docx.names import child
    from echelon.domains.documents.docx.notes import Notes
    from echelon.domains.documents.docx.numbers import Numbers
    from echelon.domains.documents.docx.styles import Styles

    try:
        with ZipFile(BytesIO(data)) as archive:
            parts = {part: _parsed(name, archive, f"word/{part}.xml") for part in _PARTS}
            title = _title(_parsed(name, archive, "docProps/core.xml"))
        if parts["document"] is None or (content := child(parts["document"], "body")) is None:
            raise ReadError(name, BROKEN)
        notes = Notes(parts["footnotes"], parts["endnotes"])
        body = Body(Styles(parts["styles"]), Numbers(parts["numbering"]), notes)
        body.read(content)
    except ReadError:
        raise
    # Arbitrary XML in an arbitrary archive: parser, archive, key and value errors all mean a broken file.
    except Exception as error:
        raise ReadError(name, BROKEN) from error
    return body.writer.text, title, tuple(body.writer.elements)


_PARTS = ("document", "styles", "numbering", "footnotes", "endnotes")


def _parsed(name: str, archive: ZipFile, path: str) -> XmlElement | None:
    """The root of a part; None when there is none. Raises ReadError when it is too large."""
    from lxml import etree

    if path not in archive.namelist():
        return None
    size = archive.getinfo(path).file_size
    if size > MAX_PART:
        raise ReadError(name, BOMB)
    with archive.open(path) as file:
        # An archive may lie about sizes: no more is unpacked than it said.
        data = file.read(size + 1)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    return etree.fromstring(data, parser)


def _title(core: XmlElement | None) -> str | None:
    from echelon.domains.documents.docx.names import local

    titles: Iterator[str] = (e.text or "" for e in core if local(e) == "title") if core is not None else iter(())
    return " ".join(next(titles, "").split()) or None
