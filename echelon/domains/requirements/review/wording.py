"""What the words of a place say plainly: their modality, and what is lost when only some of them are taken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from echelon.domains.likeness.near_text import NEGATIONS
from echelon.domains.likeness.words import word_set
from echelon.domains.requirements.types import Modality

_NOT = r"(?:not\b|nicht\b|kein\w*)"
_MODAL = re.compile(
    rf"\b(?P<binds>shall|must|muss|müssen)\b(?P<gap>(?:\s+\w+){{0,2}}?\s+{_NOT})?"
    rf"|\b(?P<advises>should|sollten?)\b"
    rf"|\b(?P<allows>may|darf|dürfen|cannot)\b(?P<denied>(?:\s+\w+){{0,6}}?\s+{_NOT})?(?P<only>\s+(?:only|nur)\b)?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_EXCEPTIONS = word_set("unless except excepting only if where provided sofern außer ausgenommen nur wenn falls soweit")
_BINDING = word_set("shall must may should muss müssen darf dürfen soll sollen sollte sollten")
_JOINING = word_set("and or und oder sowie as well then also the a an der die das")
RUN = 2
"""Words in a row that a text has in common with its place, where they are counted as taken from it."""
TAIL = 2
"""Words in a row, at the end or within, that do not go away unnoticed."""


def plain_modality(text: str) -> Modality | None:
    """The modality of words whose modal verbs all say the same; None where they do not, or where there is none."""
    found = {_modality(m) for m in _MODAL.finditer(text)}
    return found.pop() if len(found) == 1 else None


def _modality(match: re.Match[str]) -> Modality | None:
    if match["binds"]:
        if not match["gap"]:
            return Modality.OBLIGATION
        return Modality.PROHIBITION if match["binds"].casefold() in ("shall", "must") else None
    if match["advises"]:
        return Modality.RECOMMENDATION
    if match["allows"].casefold() == "cannot" or match["only"]:
        return None
    if match["denied"]:
        return Modality.PROHIBITION
    return Modality.PERMISSION


def left_away(place: str, texts: Iterable[str], split: bool = False) -> str:
    """Words of `place` that are in none of `texts` and without which they say something else; '' where none are.

    Those are negations, exceptions and numbers, a modal verb with what it binds, and the rest of a sentence.
    """
    words = _WORD.findall(place)
    taken = [False] * len(words)
    for text in texts:
        theirs = [w.casefold() for w in _WORD.findall(text)]
        matcher = SequenceMatcher(None, [w.casefold() for w in words], theirs, autojunk=False)
        for at, _, size in matcher.get_matching_blocks():
            if size >= min(RUN, len(theirs)):
                taken[at : at + size] = [True] * size
    lost = (run for start, run in _runs(words, taken) if _matters(run, start == 0, split))
    return next(lost, "")


def _runs(words: list[str], taken: list[bool]) -> Iterator[tuple[int, str]]:
    """(index of its first word, words) of each run that was not taken."""
    start = 0
    while start < len(words):
        end = start
        while end < len(words) and not taken[end]:
            end += 1
        if end > start:
            yield start, " ".join(words[start:end])
        start = max(end, start + 1)


def _matters(run: str, is_first: bool, split: bool) -> bool:
    words = run.split()
    folded = [w.casefold() for w in words]
    if any(w in NEGATIONS or w in _EXCEPTIONS for w in folded):
        return True
    if any(w.isdecimal() for w in words) and not is_first:
        return True
    modal = next((n for n, w in enumerate(folded) if w in _BINDING), None)
    if modal is not None and (not is_first or not split or any(len(w) > 3 for w in folded[modal + 1 :])):
        return True
    content = [w for w in folded if w not in _JOINING]
    return not is_first and words[0][0].islower() and len(content) >= TAIL


def taken_besides(place: str, texts: Iterable[str]) -> str:
    """Words that `texts` have besides those of `place` and that bind by themselves; '' where there are none."""
    mine = [w.casefold() for w in _WORD.findall(place)]
    for text in texts:
        words = _WORD.findall(text)
        taken = [False] * len(words)
        for at, _, size in SequenceMatcher(
            None, [w.casefold() for w in words], mine, autojunk=False
        ).get_matching_blocks():
            taken[at : at + size] = [True] * size
        for _, run in _runs(words, taken):
            if any(w.casefold() in _BINDING for w in run.split()):
                return run
    return ""
