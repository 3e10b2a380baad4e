"""The words of a DOCX paragraph: what is shown of its runs, and what stands in boxes beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from echelon.domains.documents.docx.names import attribute, child, is_on, local

if TYPE_CHECKING:
    from echelon.domains.documents.docx.names import XmlElement

# What was taken out or moved away under revision, what only an older program shows, and what is no text.
_SKIPPED = frozenset(
    {"del", "moveFrom", "Fallback", "instrText", "delText", "delInstrText", "pPr", "rPr", "rt", "object"}
)
_INSTEAD = {"tab": " ", "cr": "\n", "noBreakHyphen": "-", "softHyphen": "", "ptab": " "}


@dataclass
class Words:
    """What a paragraph says. `boxes` are the text boxes anchored in it, `notes` the ids of footnotes and endnotes."""

    text: str = ""
    bold: bool = False
    boxes: list[XmlElement] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def words_of(paragraph: XmlElement) -> Words:
    """The words of a paragraph, without recursion."""
    found = Words()
    parts: list[str] = []
    letters = bold_letters = 0
    bold = False
    stack = list(reversed(paragraph))
    while stack:
        element = stack.pop()
        name = local(element)
        if name in _SKIPPED:
            continue
        if name == "txbxContent":
            found.boxes.append(element)
        elif name == "r":
            properties = child(element, "rPr")
            if is_on(properties, "vanish") or is_on(properties, "webHidden"):
                continue
            bold = is_on(properties, "b")
            stack.extend(reversed(element))
        elif name == "t":
            text = element.text or ""
            parts.append(text)
            letters += len(text.strip())
            bold_letters += len(text.strip()) if bold else 0
        elif name in {"footnoteReference", "endnoteReference"}:
            found.notes.append((name.removesuffix("Reference"), attribute(element, "id")))
        elif name == "br":
            parts.append(" " if attribute(element, "type") in {"page", "column"} else "\n")
        elif name in _INSTEAD:
            parts.append(_INSTEAD[name])
        else:
            stack.extend(reversed(element))
    found.text = "".join(parts)
    found.bold = letters > 0 and bold_letters > 0.8 * letters
    return found
