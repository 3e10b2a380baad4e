"""Whether an English sentence that has a modality also sets a rule, or only tells what is possible."""

from __future__ import annotations

import re

from echelon.domains.requirements.types import Modality

_CANNOT = re.compile(r"\b(?:cannot|can\s+not|can['’]t)\b(?!\s+only\b)", re.I)
_FORBIDDING = re.compile(
    r"\b(?:shall|must|may)\b|\b(?:prohibited|forbidden|disallowed)\b|\bnot\s+(?:permitted|allowed|authori[sz]ed|to\s+be)\b",
    re.I,
)
# Who can be told to keep off: persons and bodies. What a machine or a value cannot do is only impossible.
_ACTOR = re.compile(
    r"\W*(?:the\s+|an?\s+|any\s+|all\s+|such\s+|other\s+)?(?:[\w-]+\s+){0,2}?(?:users?|administrators?|operators?|employees?|persons?|people|guests?|visitors?"
    r"|customers?|contractors?|suppliers?|members?|staff|personnel|owners?|tenants?|applicants?|holders?|candidates?|students?|patients?)\s+"
    r"(?:cannot|can\s+not|can['’]t)\b",
    re.I,
)
_CAN = re.compile(r"\bcan\b", re.I)
_EXPLICIT_PERMISSION = re.compile(
    r"(?<!\d\s)\bmay\b|\b(?:is|are|be)\s+(?:\w+\s+)?(?:permitted|allowed|authori[sz]ed|entitled|optional)\b|\bneed\s+not\b|\bKANN\b|\bKÖNNEN\b",
    re.I,
)
_POSSIBLE = re.compile(
    r"\bmay\s+(?:(?:also\s+)?need|want|wish|like|know|notice|wonder|think|find|encounter|remember|recall|or\s+may\s+not|result|vary|cause|contain\s+errors"
    r"|only\s+achieve|have\s+(?:been|to|had|an?\s+\w*\s*(?:effect|impact|influence)|different|several|other|more|multiple|already))\b",
    re.I,
)


def denies_ability(sentence: str) -> bool:
    """Whether the sentence says "cannot": a prohibition where entries bind, and often a mere fact elsewhere."""
    return _CANNOT.search(sentence) is not None


def is_ability(sentence: str) -> bool:
    """Whether a sentence that allows does so with "can" alone: an entry that says so demands the ability ("Users can export
    a timetable"), it does not permit it ("Users may export a timetable")."""
    return _EXPLICIT_PERMISSION.search(sentence) is None and _CAN.search(sentence) is not None


def sets_rule(sentence: str, modality: Modality) -> bool:
    """Whether `sentence`, which has this modality and stands in running text, sets a rule.

    "Users cannot delete logs" forbids, "the value cannot be computed" is a fact; "may" allows unless it tells what
    could happen; "can" tells what is possible. Obligations and recommendations always do. Raises nothing.
    """
    if modality is Modality.PROHIBITION:
        return not denies_ability(sentence) or bool(_FORBIDDING.search(sentence) or _ACTOR.match(sentence))
    if modality is Modality.PERMISSION:
        return _EXPLICIT_PERMISSION.search(sentence) is not None and _POSSIBLE.search(sentence) is None
    return True
