"""Footnotes and endnotes of a DOCX, kept until the section ends in which they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echelon.domains.documents.docx.names import attribute, children

if TYPE_CHECKING:
    from echelon.domains.documents.docx.names import XmlElement


class Notes:
    """The notes by kind and id, and those that were called but not written yet."""

    def __init__(self, footnotes: XmlElement | None, endnotes: XmlElement | None) -> None:
        self._notes = {("footnote", attribute(n, "id")): n for n in children(footnotes, "footnote")}
        self._notes |= {("endnote", attribute(n, "id")): n for n in children(endnotes, "endnote")}
        self._called: list[XmlElement] = []

    def call(self, kind: str, identifier: str) -> None:
        """A paragraph refers to this note; a second reference adds nothing."""
        note = self._notes.pop((kind, identifier), None)
        if note is not None:
            self._called.append(note)

    def take(self) -> list[XmlElement]:
        """The notes called since the last time."""
        called, self._called = self._called, []
        return called
