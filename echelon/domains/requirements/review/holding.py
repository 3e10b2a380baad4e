"""Decisions against the rules that code does not carry out: the place stays as the rules have it, for a person.

Code cannot know who is right. It can see that a decision gives no reason, or goes against the plain words of its place; one
reading of that kind must not take a requirement away, nor turn it round, however many roles say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from echelon.domains.likeness.near_text import NearText, same_force
from echelon.domains.likeness.words import word_set
from echelon.domains.requirements.review.types import Decision, ReviewItem, Ruling
from echelon.domains.requirements.review.wording import left_away, plain_modality, taken_besides

SAME = 2
"""Places that may be decided against the rules for one and the same reason."""
OWN = 2
"""Words that a reason has at least besides those of the place, and besides words that say nothing."""
_SAYS_NOTHING = word_set(
    """requirement requirements rule rules place places sentence reason because this that these those there thus which
    what when just very really clearly simply does have been being
    decide decided decision accept accepted reject rejected taken
    only some such same also here right wrong correct okay good fine sure true false with from were they them will would
    anforderung anforderungen regel regeln stelle satz grund weil dies diese dieser dieses deshalb daher eben einfach
    nicht keine kein sein wird sind auch passt stimmt falsch richtig call doubts judge decide_doubts judge_doubts"""
)
_WORD = re.compile(r"[^\W\d_]{4,}")
_BINDS = re.compile(
    r"(?<!not )(?<!no )\b(?:is|are|as) (?:\w+ )?(?:an? |the )(?:\w+ )?"
    r"(?:requirement|obligation|duty|prohibition|recommendation|permission)s?\b|\b(?:clearly|plainly|does|really) binds?\b"
    r"|\bist (?:\w+ )?eine (?:\w+ )?(?:anforderung|pflicht|vorgabe|verpflichtung)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|no|none|nobody|never|nothing|without|nicht|kein\w*|niemand\w*|nie)\b|n['’]t\b", re.IGNORECASE
)


def why_held(item: ReviewItem, decision: Decision, others: Iterable[tuple[Decision, ReviewItem]]) -> str:
    """Why a decision is not carried out, in words that follow the id of the place; '' where it is.

    `others` are further decisions of the job with their places.
    """
    if not item.taken:
        return ""
    match decision.ruling:
        case Ruling.REJECT:
            return says_nothing(decision.reason, item.text) or _said_before(decision, item, others)
        case Ruling.DUPLICATE:
            return _binds_otherwise(item)
        case Ruling.ACCEPT | Ruling.SPLIT:
            return _says_else(item, decision)
        case Ruling.CONFLICT:
            return ""


def says_nothing(reason: str, place: str) -> str:
    """What is missing in a reason to leave out `place`; '' where nothing is."""
    if _BINDS.search(reason) and not _DENIES.search(reason):
        return "its reason says that it is a requirement"
    theirs = {w.casefold() for w in _WORD.findall(place)}
    own = {w for found in _WORD.findall(reason) if (w := found.casefold()) not in theirs and w not in _SAYS_NOTHING}
    return "" if len(own) >= OWN else "its reason does not say what it is instead"


def _said_before(decision: Decision, item: ReviewItem, others: Iterable[tuple[Decision, ReviewItem]]) -> str:
    mine = _folded(decision.reason)
    places = {
        i.text
        for d, i in others
        if d.ruling is Ruling.REJECT
        and i.taken
        and i.id != item.id
        and _folded(d.reason) == mine
        and i.text != item.text
    }
    return f"its reason is that of {len(places)} other places" if len(places) >= SAME else ""


def _folded(reason: str) -> Sequence[str]:
    return [w.casefold() for w in _WORD.findall(reason)]


def _binds_otherwise(item: ReviewItem) -> str:
    mine, other = NearText.of(item.text), NearText.of(item.other)
    if mine.numbers != other.numbers:
        return "it has other numbers than the one that it is said to repeat"
    return "" if same_force(mine, other) else "it binds otherwise than the one that it is said to repeat"


def _says_else(item: ReviewItem, decision: Decision) -> str:
    plain = plain_modality(item.text)
    if decision.modality is not None and plain is not None and decision.modality is not plain:
        return f"its own words make it a {plain.value}"
    if not decision.texts:
        return ""
    if lost := left_away(item.text, decision.texts, decision.ruling is Ruling.SPLIT):
        return f"the texts leave out '{lost[:60]}'"
    if more := taken_besides(item.text, decision.texts):
        return f"the texts go on into another requirement ('{more[:60]}')"
    return ""
