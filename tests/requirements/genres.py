"""Documents of many genres with what they demand, and how near the extraction comes to it.

`genres/NAME.EXT` is a document and `genres/NAME.gold` its requirements, a line each: `identifier | text`. They were
written for forms that documents can have, not copied from any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz

from echelon.domains.documents.reading import read_document
from echelon.domains.requirements import extract_requirements

FOLDER = Path(__file__).parent / "genres"
ALIKE = 85


@dataclass(frozen=True, slots=True)
class Score:
    """F1 and the share of right identifiers among the texts that were found."""

    f1: float
    ids: float
    missed: tuple[str, ...]
    extra: tuple[str, ...]
    wrong_ids: tuple[tuple[str, str], ...]


def documents() -> list[Path]:
    """The documents, by name."""
    return sorted(path for path in FOLDER.iterdir() if path.suffix != ".gold")


def gold_of(path: Path) -> list[tuple[str, str]]:
    """Identifier and text of each requirement of the document at `path`."""
    lines = path.with_suffix(".gold").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("|", 1) for line in lines if line.strip()]
    return [(label.strip(), text.strip()) for label, text in pairs]


def score(path: Path, gold: list[tuple[str, str]]) -> Score:
    """Compare what is found in the document at `path` with `gold`: one to one, best pairs first."""
    found = [(r.source_id or "", r.text) for r in extract_requirements(read_document(path))]
    alike = [
        (fuzz.ratio(_words(text), _words(wanted)), i, j)
        for i, (_, text) in enumerate(found)
        for j, (_, wanted) in enumerate(gold)
    ]
    pairs: dict[int, int] = {}
    for ratio, i, j in sorted(alike, key=lambda pair: -pair[0]):
        if ratio >= ALIKE and i not in pairs and j not in pairs.values():
            pairs[i] = j
    wrong = tuple((found[i][0], gold[j][0]) for i, j in pairs.items() if _bare(found[i][0]) != _bare(gold[j][0]))
    return Score(
        f1=2 * len(pairs) / max(1, len(found) + len(gold)),
        ids=1 - len(wrong) / max(1, len(pairs)),
        missed=tuple(text for j, (_, text) in enumerate(gold) if j not in pairs.values()),
        extra=tuple(text for i, (_, text) in enumerate(found) if i not in pairs),
        wrong_ids=wrong,
    )


def _words(text: str) -> str:
    return re.sub(r"[^0-9a-zäöüß]+", " ", text.lower()).strip()


def _bare(label: str) -> str:
    return re.sub(r"[^0-9a-zäöüß]+", "", label.lower())


if __name__ == "__main__":
    for document in documents():
        result = score(document, gold_of(document))
        print(f"{document.name:24} F1 {result.f1:.2f} ids {result.ids:.2f}")
        for kind in ("missed", "extra", "wrong_ids"):
            for what in getattr(result, kind):
                print("    ", kind, what)
