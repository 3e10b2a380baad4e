"""Which elements of an HTML page a reader does not see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

SKIPPED = frozenset(
    """script style nav template noscript svg math-annotation head iframe object embed canvas audio video map
    button select textarea datalist del s strike rt rp annotation annotation-xml""".split()  # noqa: SIM905
)
_HIDES = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
_FOR_READERS_ALOUD = frozenset({"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader"})
_SIMPLE = re.compile(r"[.#]?[A-Za-z][\w-]*")


@dataclass
class Visibility:
    """What the page's own style sheets hide: elements by name, class and id."""

    names: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, sheets: Iterator[str]) -> Visibility:
        """Rules with one simple selector and no condition; the others are not for us to compute."""
        found = cls()
        for sheet in sheets:
            for selectors, body in _rules(sheet):
                if _HIDES.search(body):
                    found.names |= {s for part in selectors.split(",") if _SIMPLE.fullmatch(s := part.strip())}
        return found

    def hides(self, element: HtmlElement) -> bool:
        """Whether the element and all that stands in it is not shown."""
        attributes = element.attrib
        if element.tag in SKIPPED or "hidden" in attributes or _HIDES.search(attributes.get("style", "")):
            return True
        if element.tag == "dialog" and "open" not in attributes:
            return True
        classes = attributes.get("class", "").split()
        if _FOR_READERS_ALOUD & {name.lower() for name in classes}:
            return True
        if not self.names:
            return False
        names = {str(element.tag), f"#{attributes.get('id', '')}", *(f".{name}" for name in classes)}
        return bool(names & self.names)


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """(selectors, declarations) of the rules that hold always: those within `@media` and the like are left out."""
    depth, start, selectors = 0, 0, ""
    for mark in re.finditer(r"[{}]", sheet):
        if mark.group() == "{":
            depth += 1
            if depth == 1:
                selectors, start = sheet[start : mark.start()].strip(), mark.end()
        elif depth:
            depth -= 1
            if depth == 0:
                if not selectors.startswith("@"):
                    yield selectors, sheet[start : mark.start()]
                start = mark.end()
