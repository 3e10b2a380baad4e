"""A result that only says where something stands: is it there?"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection

from echelon.tasks.texts.marks import HEADING, bare, is_heading

_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)[^)]*\)")
_PATH = re.compile(r"`?(?P<target>(?:\.{0,2}/)?(?:[\w.-]+/)+[\w.-]+\.\w{1,5})`?")
_POINTING = re.compile(
    r"^\W*(?:(?:please |they |it |all of them |the (?:list|table|text|result|answer|file)s? )?"
    r"(?:see|refer to|open|read|look (?:in|into|at)|(?:is|are|stands?|can be found|(?:is|are) (?:found|listed|kept|written))"
    r"(?: in| at| below)?|siehe|steht in|stehen in)?)\W*(?:the |file |here|for (?:the )?\w+)?\W*$",
    re.IGNORECASE,
)
"""What a line says that does nothing but point to a place, without that place."""


def points_to(text: str) -> list[str]:
    """The places that a text points to, where it says nothing else; [] for one that says something itself."""
    lines = [line for line in map(bare, text.splitlines()) if line and not is_heading(line)]
    found: list[str] = []
    for line in lines:
        pattern = _LINK if _LINK.search(line) else _PATH
        targets = [m["target"] for m in pattern.finditer(line)]
        if not targets or not _POINTING.match(pattern.sub(" ", line)):
            return []
        found += targets
    return found


def leads_nowhere(path: str, text: str, results: Collection[str]) -> str:
    """A place that a text does nothing but point to, where none of those places is there; '' otherwise.

    Places on other servers count as there: code does not look.
    """
    targets = points_to(text)
    return targets[0] if targets and not any(_is_there(path, t, text, results) for t in targets) else ""


def _is_there(path: str, target: str, text: str, results: Collection[str]) -> bool:
    if "://" in target or target.startswith("mailto:"):
        return True
    if target.startswith("#"):
        titles = (m["title"] for line in text.splitlines() if (m := HEADING.match(line)))
        return target[1:].casefold() in {re.sub(r"[^\w-]", "", t.casefold().replace(" ", "-")) for t in titles}
    place = target.partition("#")[0].replace("%20", " ")
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), place))
    return any(p in results and p != path for p in (posixpath.normpath(place), beside))
