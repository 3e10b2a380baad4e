"""Names of WordprocessingML, and looking them up in trees that may lack anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    # lxml gives the class of elements no public name.
    from lxml.etree import _Element  # pyright: ignore[reportPrivateUsage]

    XmlElement: TypeAlias = _Element


_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
NAMESPACES = (_W, _STRICT)


def local(element: XmlElement) -> str:
    """The name of an element without its namespace; '' for comments and the like."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: XmlElement | None, name: str) -> list[XmlElement]:
    """The children of this name, in order."""
    return [] if element is None else [c for c in element if local(c) == name]


def child(element: XmlElement | None, name: str) -> XmlElement | None:
    """The first child of this name."""
    return None if element is None else next((c for c in element if local(c) == name), None)


def attribute(element: XmlElement | None, name: str) -> str:
    """The attribute of this name; '' when it is not there."""
    if element is None:
        return ""
    for namespace in NAMESPACES:
        value: str | None = element.get(f"{{{namespace}}}{name}")
        if value is not None:
            return value
    return ""


def is_on(properties: XmlElement | None, name: str) -> bool:
    """Whether a switch such as bold or hidden is set among properties."""
    found = child(properties, name)
    return found is not None and attribute(found, "val") not in {"0", "false", "off", "none"}
