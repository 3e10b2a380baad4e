"""Is a sentence a requirement? English by a trained model, German by rules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from echelon.domains.documents.language import UNKNOWN, detect_language
from echelon.domains.requirements.judging import modal_de, modal_en
from echelon.domains.requirements.judging.binding_de import sets_rule
from echelon.domains.requirements.judging.sentence_model import load_model
from echelon.domains.requirements.types import Modality, SentenceLabel

# How often the rules were right on sentences they were not written on: docs/sentence-classifier.md.
_RULE_CONFIDENCE = 0.9
_NO_MODAL_CONFIDENCE = 0.97
_GERMAN_MARK = re.compile(r"\b(?:sollten?|muss|müssen|kann|können|darf|dürfen)\b|[äöüß]", re.IGNORECASE)


def classify_sentences(sentences: Sequence[str]) -> list[SentenceLabel]:
    """One label a sentence, in the same order: is it a requirement, its modality, and how sure that is.

    The order of the sentences does not matter. German ones, and fewer than fifty others, are each judged alone; of more,
    each is judged by how it stands among the others, so give a document at once. A sentence that is not clearly German
    counts as English. `modality` is None for what is no requirement; a requirement without a modal word ("The system will
    ...", "The system stores ...") is an obligation. `confidence` is the probability of the given label, 0.5 to 1. Raises
    FileNotFoundError without the wordllama wheel.
    """
    german = [_is_german(sentence) for sentence in sentences]
    english = [sentence for sentence, is_german in zip(sentences, german, strict=True) if not is_german]
    chances = iter(load_model().probabilities(english).tolist() if english else [])
    return [
        _german(sentence) if is_german else _english(sentence, next(chances))
        for sentence, is_german in zip(sentences, german, strict=True)
    ]


def _is_german(sentence: str) -> bool:
    """Short sentences have few function words, so a modal or a letter that English does not have breaks the tie."""
    language = detect_language(sentence)
    return language == "de" or (language == UNKNOWN and _GERMAN_MARK.search(sentence) is not None)


def _english(sentence: str, chance: float) -> SentenceLabel:
    if chance < 0.5:
        return SentenceLabel(is_requirement=False, confidence=round(1 - chance, 4))
    found = modal_en.modality(sentence) or Modality.OBLIGATION
    return SentenceLabel(is_requirement=True, modality=found, confidence=round(chance, 4))


def _german(sentence: str) -> SentenceLabel:
    found = modal_de.modality(sentence)
    if found is None or not sets_rule(sentence, found):
        return SentenceLabel(
            is_requirement=False, confidence=_NO_MODAL_CONFIDENCE if found is None else _RULE_CONFIDENCE
        )
    return SentenceLabel(is_requirement=True, modality=found, confidence=_RULE_CONFIDENCE)
