"""Why rules may be wrong about a place, one reason each with a weight.

The weights are rough chances that a place with this sign is wrong, set by what the sign means and fitted to no document.
They only order the queue; several signs of one place add up as independent ones do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from echelon.domains.likeness.near_text import NearText
from echelon.domains.requirements.candidates import Candidate
from echelon.domains.requirements.judging.imperative import imperative
from echelon.domains.requirements.review.types import Sign
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.entry import Entry
from echelon.domains.requirements.types import Modality

LONG = 3.0
"""So many times the usual length of a requirement of the document, and more may stand in it."""
_OPENS_INSIDE = re.compile(
    r"(?:[a-zäöü]|(?:shall|must|should|may|will|can|muss|müssen|soll|sollen|sollte|sollten|darf|dürfen)\b)", re.I
)
_MODAL_FIRST = re.compile(r"(?:shall|must|should|may|will|muss|müssen|soll|sollen|sollte|sollten|darf|dürfen)\b", re.I)
_LISTS = re.compile(
    r"\b(?:following|as\s+follows|these\s+(?:steps|points|items)|including|steps|algorithm|folgende[nrms]?|mindestens)\b",
    re.I,
)
_WEAK_EN = re.compile(
    r"\b(?:will|can|cannot|could|might|needs?\s+to|ha(?:s|ve)\s+to|(?:is|are)\s+(?:to\s+be|required|responsible|prohibited|"
    r"forbidden|permitted|allowed|expected|mandatory|necessary|recommended|encouraged|obliged)|only|at\s+least|no\s+later|"
    r"not\s+exceed|ensures?|mandatory|prohibited|requires?|required|requirements?|compl(?:y|ies))\b",
    re.I,
)
_WEAK_DE = re.compile(
    r"\b(?:kann|können|wird|werden|hat|haben|ist|sind)\b.*\bzu\b|\b(?:sicher(?:zustellen|stell\w+)|gewährleist\w+|verpflichte\w+|"
    r"erforderlich|notwendig|mindestens|spätestens|nur|unzulässig|zulässig|untersagt|verboten|vorgeschrieben|einzuhalten)\b",
    re.I,
)
_DUTY_EN = re.compile(
    r"\b(?:(?:is|are|be)\s+(?:not\s+)?(?:required|responsible|liable|obliged|prohibited|forbidden|permitted|allowed|entitled|"
    r"expected|due|payable|mandatory)|ha(?:s|ve)\s+to|needs?\s+to|undertakes?|agrees?\s+(?:not\s+)?to|warrants?|falls?\s+due|"
    r"(?:responsibility|duty|obligation)\s+of|without\s+(?:the\s+)?(?:\w+\s+){0,2}(?:consent|approval|permission))\b",
    re.I,
)
_DUTY_DE = re.compile(
    r"\b(?:(?:ist|sind)\s+(?:\w+\s+){0,6}zu\s+\w+|(?:hat|haben)\s+(?:\w+\s+){1,8}zu\s+\w+|oblieg(?:t|en)|haftet|haften|verpflichte\w*|"
    r"berechtigt|zuständig|verantwortlich|benötig(?:t|en)|bedarf|bedürfen|untersagt|verboten|unzulässig|vorgeschrieben)\b",
    re.I,
)
_PAST = re.compile(r"\b(?:must|may|might|could|should|would)\s+(?:not\s+)?have\s+(?:been\s+)?\w+", re.I)
_SUBORDINATE = re.compile(
    r"\b(?:who|which|that|whom)\s+(?:\w+\s+)?(?:shall|must|should|may)\b|\b(?:if|when|where|because|although|while)\b[^,;:.]*|"
    r"[^,;:.]*\b(?:muss|müssen|muß|soll|sollen|sollte|sollten|darf|dürfen|kann|können)\s*,",
    re.I,
)
_MODAL = re.compile(r"\b(?:shall|must|should|may|ought|muss|müssen|muß|soll|sollen|sollte|sollten|darf|dürfen)\b", re.I)
_ARTICLES = frozenset(
    [
        "the",
        "a",
        "an",
        "each",
        "every",
        "all",
        "any",
        "no",
        "der",
        "die",
        "das",
        "ein",
        "eine",
        "jeder",
        "jede",
        "jedes",
        "alle",
        "kein",
        "keine",
    ]
)
_ENDS = (".", ";", ":", "!", ")", "”", '"')


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason to doubt: its sign, how likely it is that the rules are wrong there, and the reason in words."""

    sign: Sign
    weight: float
    says: str


def together(reasons: list[Reason]) -> float:
    """The chance that at least one of independent reasons is right."""
    left = 1.0
    for reason in reasons:
        left *= 1 - reason.weight
    return 1 - left


@dataclass(frozen=True, slots=True)
class Beside:
    """What a place stands beside.

    `entry`: the entry it is the text of; `before`: the requirement before it in the same section, '' where there is none;
    `follows`: text that was left out stands between it and the next entry; `usual`: the median length of a requirement of
    the document in words.
    """

    entry: Entry | None = None
    before: str = ""
    follows: bool = False
    usual: float = 0.0


def of_taken(candidate: Candidate, block: Block, beside: Beside) -> Iterator[Reason]:
    """Reasons to doubt what was taken for a requirement."""
    yield Reason(Sign.CLOSE_CALL, (1 - candidate.confidence) / 2, f"the rules are {candidate.confidence:.0%} sure")
    yield from _of_boundaries(candidate, beside)
    if candidate.lead:
        lists = _LISTS.search(candidate.text) is not None
        said = "put together of a lead-in and an item; the list may be part of one requirement"
        yield Reason(Sign.LEAD_IN, 0.2 if lists or len(block.text.split()) < 8 else 0.1, said)
    if block.in_table and (block.table is None or not block.table.titles):
        yield Reason(Sign.HEADERLESS, 0.15, "a row of a table whose column titles are not known")
    forces = {f for f in NearText.of(candidate.text).forces if f != "no"}
    if len(forces) > 1:
        yield Reason(Sign.MODALITY, 0.15, "its words bind, advise and allow at once")
    if _PAST.search(candidate.text):
        yield Reason(Sign.MODALITY, 0.4, "it says what must or may have happened")
    elif _MODAL.search(candidate.text) and not candidate.lead and not _MODAL.search(_main_clauses(candidate.text)):
        yield Reason(Sign.MODALITY, 0.3, "its modal word stands in a subordinate clause alone")
    elif candidate.modality is Modality.PERMISSION:
        yield Reason(Sign.MODALITY, 0.1, "it says what is allowed, or only what may happen")


def _of_boundaries(candidate: Candidate, beside: Beside) -> Iterator[Reason]:
    text, entry, usual = candidate.text, beside.entry, beside.usual
    if _MODAL_FIRST.match(text):
        yield Reason(Sign.BOUNDARY, 0.4, "it begins with its verb: the subject stands elsewhere")
    elif _OPENS_INSIDE.match(text[:1]) and text[:1].islower():
        yield Reason(Sign.BOUNDARY, 0.15, "it begins in the middle of a sentence")
    if not candidate.lead and not text.rstrip().endswith(_ENDS):  # items of a list end as lists do
        yield Reason(Sign.BOUNDARY, 0.1, "it ends without a full stop")
    elif text.rstrip().endswith(":"):
        yield Reason(Sign.BOUNDARY, 0.25, "it ends with a colon: what follows may belong to it")
    if beside.before.rstrip().endswith(":") and not candidate.lead:
        yield Reason(Sign.BOUNDARY, 0.25, "the one before it ends with a colon: this may belong to it")
    if len(text.split()) > LONG * usual:
        yield Reason(Sign.BOUNDARY, 0.15, "it is much longer than others of this document")
    if beside.follows:
        yield Reason(Sign.BOUNDARY, 0.3, "what follows it before the next one was left out as commentary")
    if entry is not None and len(entry.body) > 1:
        yield Reason(Sign.BOUNDARY, 0.1, "it was put together of several paragraphs")


@dataclass(frozen=True, slots=True)
class Around:
    """What a sentence that was left out stands among. `binds`: it binds by its words; `cut`: it was cut off as commentary;
    `between`: requirements stand right before and after it; `lead`: what opens the list that it is an item of;
    `party`: requirements of the document have the subject that it begins with."""

    binds: bool = False
    cut: bool = False
    between: bool = False
    lead: str = ""
    party: bool = False


def of_left(text: str, block: Block, around: Around) -> Iterator[Reason]:
    """Reasons to doubt that a sentence is no requirement."""
    aside = block.informative or block.kind in {BlockKind.NOTE, BlockKind.CAPTION, BlockKind.FOOTNOTE}
    if around.binds:
        said = "binds by its words and is in no requirement"
        yield (
            Reason(Sign.CUT, 0.35, f"{said}: cut off as commentary")
            if around.cut
            else Reason(Sign.LEFT_OUT, 0.25 if aside else 0.6, said + (": the section only informs" if aside else ""))
        )
    elif _MODAL.search(text):
        yield Reason(Sign.LEFT_OUT, 0.1 if aside else 0.25, "has a modal word and was not taken")
    elif _DUTY_EN.search(text) or _DUTY_DE.search(text):
        yield Reason(
            Sign.LEFT_OUT, 0.1 if aside else 0.3, "says what is due, allowed or somebody's duty without a modal word"
        )
    elif _WEAK_EN.search(text) or _WEAK_DE.search(text):
        yield Reason(Sign.LEFT_OUT, 0.04 if aside else 0.12, "reads as if it might bind")
    if imperative(text) is not None and not around.binds:
        yield Reason(Sign.LEFT_OUT, 0.05 if aside else 0.2, "tells the reader to do something")
    if around.lead and _binds_a_list(around.lead):
        yield Reason(Sign.LEFT_OUT, 0.1 if aside else 0.25, "is an item of a list whose lead-in binds")
    if around.party and not aside:
        yield Reason(Sign.LEFT_OUT, 0.15, "says what somebody does of whom requirements speak")
    if around.between and not aside:
        yield Reason(Sign.LEFT_OUT, 0.05, "stands between requirements")
    if block.kind is BlockKind.CLAUSE and not aside:
        yield Reason(Sign.LEFT_OUT, 0.08, "is numbered as requirements are")


def _main_clauses(text: str) -> str:
    return _SUBORDINATE.sub(" ", text)


def subject_of(text: str) -> str:
    """The two words that a sentence begins with, by which its subject is known again; '' where they are no noun phrase."""
    words = text.lower().split()[:2]
    return " ".join(words) if len(words) == 2 and words[0] in _ARTICLES else ""


def _binds_a_list(lead: str) -> bool:
    return _MODAL.search(lead) is not None or _WEAK_EN.search(lead) is not None or _WEAK_DE.search(lead) is not None
