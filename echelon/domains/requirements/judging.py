"""Whether a sentence of a document is a requirement, and how sure that is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from echelon.domains.requirements import modal_de, modal_en
from echelon.domains.requirements.types import Modality


@dataclass(frozen=True, slots=True)
class Judgement:
    """The modality of a requirement and a confidence from 0 to 1."""

    modality: Modality
    confidence: float


_STRONG = re.compile(r"\b(?:shall|must|SHALL|MUST|muss|müssen|MUSS|MÜSSEN|darf|dürfen|DARF|DÜRFEN)\b")
_WEAK_PERMISSION = re.compile(r"\b(?:can|kann|können)\b")
_EXPLICIT_PERMISSION = re.compile(
    r"\bmay\b|\b(?:is|are|be)\s+(?:\w+\s+)?(?:permitted|allowed|authori[sz]ed|entitled|optional)\b|\bneed\s+not\b|\bKANN\b|\bKÖNNEN\b"
    r"|\b(?:darf|dürfen)\b|\b(?:ist|sind)\b[^.;]{0,80}\b(?:erlaubt|gestattet|zulässig)\b"
)


@lru_cache(maxsize=20_000)
def modality_of(sentence: str, language: str) -> Modality | None:
    """Deontic modality of a sentence by the rules of its language; both are asked when it is unknown."""
    if language == "de":
        return modal_de.modality(sentence)
    if language == "en":
        return modal_en.modality(sentence)
    return modal_en.modality(sentence) or modal_de.modality(sentence)


def is_normative(sentence: str, language: str) -> bool:
    """Whether the sentence commands, forbids, allows or recommends anything."""
    return modality_of(sentence, language) is not None


def judge_prose(sentence: str, language: str) -> Judgement | None:
    """Judge a sentence of running text. None when it is no requirement."""
    words = sentence.split()
    if len(words) < 4 or sentence.endswith("?"):
        return None
    modality = modality_of(sentence, language)
    if modality is None:
        return None
    if modality is Modality.PERMISSION and not _EXPLICIT_PERMISSION.search(sentence):
        return None
    return Judgement(modality, _confidence(sentence, modality, 0.0))


def judge_clause(text: str, language: str, in_scheme: bool) -> Judgement | None:
    """Judge a numbered clause or a table row; `in_scheme` says that its number belongs to the document's requirements.

    Then every entry is one, also a plain statement ("The app stores ... securely"), which binds.
    """
    modality = modality_of(text, language)
    if modality is None or (in_scheme and modality is Modality.PERMISSION and not text.split(".")[0]):
        if not in_scheme:
            return None
        return Judgement(Modality.OBLIGATION, 0.85)
    return Judgement(modality, _confidence(text, modality, 0.08 if in_scheme else 0.03))


def _confidence(sentence: str, modality: Modality, bonus: float) -> float:
    base = {
        Modality.OBLIGATION: 0.82,
        Modality.PROHIBITION: 0.84,
        Modality.RECOMMENDATION: 0.75,
        Modality.PERMISSION: 0.66,
    }[modality]
    if _STRONG.search(sentence):
        base += 0.08
    if sentence.rstrip()[-1:] not in ".;:!":
        base -= 0.08
    return round(min(0.99, base + bonus), 2)
