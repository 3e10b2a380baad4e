"""What the styles of a DOCX say: headings, lists, bold, hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from echelon.domains.documents.docx.names import attribute, child, children, is_on
from echelon.domains.documents.docx.numbers import list_of

if TYPE_CHECKING:
    from echelon.domains.documents.docx.names import XmlElement

_HEADING = re.compile(r"(?:heading|überschrift|titre|kop|título|titolo)\s*(\d)", re.I)
_LIST = re.compile(r"list\b|aufzählung|liste", re.I)
_CONTENTS = re.compile(r"(?:toc|verzeichnis|inhaltsverzeichnis)\s*\d|table of figures", re.I)
_CODE = re.compile(r"\b(?:code|source|listing|html preformatted|plain text)\b", re.I)


@dataclass(frozen=True)
class Style:
    """A paragraph style with what it inherits. `heading` counts from 1, 0 is none."""

    name: str = ""
    heading: int = 0
    list: tuple[str, int] | None = None
    bold: bool = False

    @property
    def is_list(self) -> bool:
        """Whether the name says that paragraphs of it are list items."""
        return _LIST.search(self.name) is not None and "paragraph" not in self.name.lower()

    @property
    def is_contents(self) -> bool:
        """Whether paragraphs of it are entries of a table of contents."""
        return _CONTENTS.match(self.name) is not None

    @property
    def is_code(self) -> bool:
        """Whether it is for source code."""
        return _CODE.search(self.name) is not None


class Styles:
    """The paragraph styles of a document by their ids."""

    def __init__(self, styles: XmlElement | None) -> None:
        self._elements = {attribute(s, "styleId"): s for s in children(styles, "style")}
        self._known: dict[str, Style] = {}

    def of(self, properties: XmlElement | None) -> Style:
        """The style of a paragraph with these properties, with what the paragraph itself says about its level."""
        style = self._style(attribute(child(properties, "pStyle"), "val"), 0)
        own = _outline(properties)
        return Style(style.name, own, style.list, style.bold) if own else style

    def _style(self, identifier: str, depth: int) -> Style:
        element = self._elements.get(identifier)
        if element is None or depth > 20:  # styles may be based on each other in a circle
            return Style()
        if identifier in self._known:
            return self._known[identifier]
        base = self._style(attribute(child(element, "basedOn"), "val"), depth + 1)
        name = attribute(child(element, "name"), "val")
        properties = child(element, "pPr")
        heading = _HEADING.match(name)
        level = int(heading[1]) if heading else _outline(properties) or base.heading
        style = Style(
            name,
            1 if name.lower() == "title" else level,
            list_of(properties) or base.list,
            is_on(child(element, "rPr"), "b") or base.bold,
        )
        self._known[identifier] = style
        return style


def _outline(properties: XmlElement | None) -> int:
    """The outline level that properties name, from 1; 0 for running text."""
    value = attribute(child(properties, "outlineLvl"), "val")
    return int(value) + 1 if value in {"0", "1", "2", "3", "4", "5", "6", "7"} else 0
