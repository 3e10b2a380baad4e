"""Requirements against a gold list: a one-to-one matching of texts, and its F1."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echelon.experiments.definition.checks import RequirementsCheck
from echelon.experiments.scoring.finished import CheckResult, Finished, broken, passed
from echelon.json_text import is_list, is_object


@dataclass(frozen=True)
class Stated:
    """A requirement as a scorer sees it."""

    text: str
    page: int | None = None


@dataclass(frozen=True)
class Matched:
    """How well a list fits the gold list."""

    matches: int
    found: int
    gold: int

    @property
    def f1(self) -> float:
        """2·matches / (found + gold): the harmonic mean of precision and recall. 1.0 when both lists are empty."""
        return 2 * self.matches / (self.found + self.gold) if self.found + self.gold else 1.0


def requirements(check: RequirementsCheck, trial: Finished) -> CheckResult:
    """F1 of the requirements that a job delivered; see `RequirementsCheck`."""
    try:
        gold = stated(trial.task / check.gold)
    except (OSError, ValueError) as error:
        return broken("requirements", f"{check.gold} cannot be read: {error}")
    path = trial.output / check.file
    if not path.is_file():
        return passed("requirements", False, f"there is no {check.file}")
    try:
        found = stated(path)
    except (OSError, ValueError) as error:
        return passed("requirements", False, f"{check.file} cannot be read: {error}")
    matched = match(found, gold, pages=check.pages, alike=check.alike)
    says = f"{matched.matches} of {matched.gold} found, {matched.found - matched.matches} that are none"
    return passed("requirements", matched.f1 >= check.at_least, says, matched.f1)


def stated(path: Path) -> list[Stated]:
    """The requirements of a file: a gold list, or the `requirements.json` of a creator, without its repetitions.

    Raises OSError and ValueError.
    """
    value: Any = json.loads(path.read_text(encoding="utf-8"))
    rows: object = value.get("requirements") if is_object(value) else value
    if not is_list(rows) or not all(is_object(r) and isinstance(r.get("text"), str) for r in rows):
        raise ValueError("it is no list of objects with a text")
    return [Stated(r["text"], _page(r)) for r in rows if r.get("status") not in ("duplicate", "rejected")]


def _page(row: dict[str, Any]) -> int | None:
    """The page of a gold row, or of the first citation of a delivered one."""
    cited = row.get("citations")
    place: dict[str, Any] = cited[0] if is_list(cited) and cited and is_object(cited[0]) else row
    page = place.get("page")
    return page if isinstance(page, int) else None


def match(found: Sequence[Stated], gold: Sequence[Stated], *, pages: bool = False, alike: float = 85.0) -> Matched:
    """Best pairs first; a pair matches at a Levenshtein ratio of `alike` percent, with `pages` only on the same page."""
    from rapidfuzz import fuzz

    left_texts, right_texts = [_folded(f.text) for f in found], [_folded(g.text) for g in gold]
    pairs = sorted(
        (-fuzz.ratio(a, b), i, j)
        for i, a in enumerate(left_texts)
        for j, b in enumerate(right_texts)
        if not pages or found[i].page == gold[j].page
    )
    left: set[int] = set()
    right: set[int] = set()
    for score, i, j in pairs:
        if -score >= alike and i not in left and j not in right:
            left.add(i)
            right.add(j)
    return Matched(len(left), len(found), len(gold))


def _folded(text: str) -> str:
    return re.sub(r"\W+", " ", unicodedata.normalize("NFKC", text).lower()).strip()
