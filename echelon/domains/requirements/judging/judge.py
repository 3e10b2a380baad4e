"""Whether a sentence of a document is a requirement, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from echelon.domains.requirements.judging import binding_de, binding_en, modal_de, modal_en
from echelon.domains.requirements.judging.imperative import imperative
from echelon.domains.requirements.types import Modality


@dataclass(frozen=True, slots=True)
class Judgement:
    """The modality of a requirement and a confidence from 0 to 1."""

    modality: Modality
    confidence: float


_ILLUSTRATES = re.compile(r"(?:for\s+(?:example|instance)|e\.g\.|zum\s+beispiel|beispielsweise|z\.\s?b\.)", re.I)
# A subordinate clause of reason or contrast at the beginning says why, not what.
_GROUND = re.compile(
    r"^(?:because|while|although|even\s+though|since|whereas|as\s+such|da|weil|obwohl|während)\b[^,]{3,200},\s+", re.I
)
# What a document says of itself ("This standard specifies what chairs shall withstand").
_OF_ITSELF = re.compile(
    r"(?:this|the\s+present|the\s+following)\s+(?:\w+\s+)?(?:document|standard|specification|section|chapter|annex|appendix|part|guide|report|recommendation|memo)\s+"
    r"(?:\w+ly\s+|also\s+)?(?:specif|describ|defin|establish|sets?\s+out|provid|contain|cover|explain|giv|list|outlin|present|summari[sz]|introduc|discuss)"
    r"|dieser?s?\s+(?:dokument|norm|standard|spezifikation|abschnitt|kapitel|anhang|teil|leitfaden)\s+(?:beschreib|leg|definier|enthäl|erläuter|gib|fass|behandel)",
    re.I,
)
# What is said of requirements as a whole, before they come ("The following requirements shall be met.").
_OF_REQUIREMENTS = re.compile(
    r"(?:(?:the|all|die|alle)\s+(?:\w+\s+){0,2}?(?:following|nachfolgenden|folgenden)\s+(?:[\w-]+\s+){0,2}?(?:requirements|controls|criteria|anforderungen|maßnahmen)\b[^:]*"
    r"|(?:sie|diese|die\s+vorschläge|they|these|the\s+(?:suggestions|proposals))\s+(?:must|shall|should|müssen|sollen|sollten|sind)\s+(?:[\w-]+\s+){0,4}?)"
    r"\b(?:be\s+(?:met|fulfilled|satisfied|implemented|considered)|apply|erfüllt|umgesetzt|umzusetzen|zu\s+erfüllen|in\s+betracht\s+gezogen)(?:\s+werden|\s+by\s+[\w\s-]+)?\W*$",
    re.I,
)
# Who promises is bound ("The Customer agrees to ...").
_PROMISES = re.compile(
    r"(?:the|each|every|both|either)\s+(?:[\w-]+\s+){1,3}?(?:(?:hereby|further|also)\s+)?(?:agrees?|undertakes?|warrants?|covenants?)\s+(?:not\s+)?(?:to|that)\b",
    re.I,
)
_STORY = re.compile(
    r"as\s+(?:an?|the)\s+[^,]{2,60},?\s+I\s+(?:want|need|would\s+like|wish|can|must|should|expect)\b"
    r"|als\s+[^,]{2,60},?\s+(?:möchte|will|kann|muss|brauche|benötige)\s+ich\b",
    re.I,
)
_NEED_NOUN = re.compile(
    r"(?<=\bthe )need(?=s?\s+(?:to|for)\b)|(?<=\ba )need(?=\s+(?:to|for)\b)|(?<=\bany )need(?=\s+to\b)", re.I
)
_MODAL_WORD = re.compile(
    r"\b(?:shall|must|should|may|is|are|be|has|have|need|needs|ought|muss|müssen|soll|sollen|sollte|sollten|darf|dürfen|kann|können|ist|sind|hat|haben)\b",
    re.I,
)
_CAPITAL_MODAL = re.compile(
    r"\b(?:MUST|SHALL|SHOULD|REQUIRED|RECOMMENDED|MAY|OPTIONAL|MUSS|MÜSSEN|SOLLTE|SOLLTEN|SOLL|SOLLEN|DARF|DÜRFEN|KANN|KÖNNEN)\b"
)
DECLARED = 5
_RFC_2119 = re.compile(r"\b(?:RFC\s?2119|BCP\s?14|RFC\s?8174)\b")
_OF_KEYWORDS = re.compile(
    r"\b(?:key\s?-?words?|capitali[sz]ed\s+words?|modal\s+verbs?|schlüsselw(?:ort|orte|örter\w*)|modalverben)\b", re.I
)
_QUOTED_MODAL = re.compile(r"[\"'“‘„](?:must|shall|should|may|muss|soll|sollte|kann|darf)[\"'”’“]", re.I)
_SMALL_MODAL = re.compile(r"\b(?:must|shall|should|muss|müssen|sollte|sollten|darf|dürfen)\b")
_STRONG = re.compile(r"\b(?:shall|must|SHALL|MUST|muss|müssen|MUSS|MÜSSEN|darf|dürfen|DARF|DÜRFEN)\b")


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


def judge_prose(sentence: str, language: str, capitals: bool = False, in_clause: bool = False) -> Judgement | None:
    """Judge a sentence of running text. None when it is no requirement.

    `capitals` says that the document binds only with modal words in capitals (RFC 8174): others do not count then.
    `in_clause` says that the sentence stands in a numbered entry of a document whose entries bind: there "can" allows
    and "cannot" forbids, which in other text only tell what is possible.
    """
    if len(sentence.split()) < (3 if capitals else 4) or sentence.endswith("?") or _ILLUSTRATES.match(sentence):
        return None
    if capitals and not _CAPITAL_MODAL.search(sentence):
        return None
    if _STORY.match(sentence):
        return Judgement(Modality.OBLIGATION, 0.8)
    if _OF_ITSELF.match(sentence) or _OF_REQUIREMENTS.match(sentence) or _quotes_keywords(sentence):
        return None
    if sentence.rstrip()[-1:] not in '.;:!)"”' and not _MODAL_WORD.search(sentence):
        return None
    if capitals and _explains_keywords(sentence):
        return None
    main = _NEED_NOUN.sub("demand", _GROUND.sub("", sentence))
    modality = modality_of(main, language)
    rules = binding_de if language == "de" else binding_en
    if in_clause and modality in {None, Modality.PERMISSION} and rules.denies_ability(main):
        modality = Modality.PROHIBITION
    if not capitals and modality is None and language != "de" and _PROMISES.match(sentence):
        return Judgement(Modality.OBLIGATION, 0.75)
    if capitals:
        modality = modality or _keyword_modality(sentence)
    elif modality is None or not (in_clause or rules.sets_rule(main, modality)):
        return None
    if modality is None:
        return None
    return Judgement(modality, _confidence(sentence, modality, 0.0))


def _quotes_keywords(sentence: str) -> bool:
    """Whether a sentence speaks of key words and quotes one (``the key word ("must", "should")``)."""
    return _OF_KEYWORDS.search(sentence) is not None and _QUOTED_MODAL.search(sentence) is not None


def _explains_keywords(sentence: str) -> bool:
    """Whether a sentence speaks of the key words themselves ("The key words MUST, SHOULD ... are to be read as ...")."""
    return len(_CAPITAL_MODAL.findall(sentence)) >= 2 and _OF_KEYWORDS.search(sentence) is not None


def _keyword_modality(sentence: str) -> Modality | None:
    """What the first key word in capitals does, where the sentence has no modality otherwise ("the REQUIRED name ...")."""
    match = _CAPITAL_MODAL.search(sentence)
    if match is None:
        return None
    denied = re.search(r"\b(?:NOT|NICHT|KEINE?[NMRS]?)\b", sentence) is not None
    word = match.group()
    if word in {"SHOULD", "RECOMMENDED", "SOLL", "SOLLEN", "SOLLTE", "SOLLTEN"}:
        return Modality.RECOMMENDATION
    if word in {"MAY", "OPTIONAL", "KANN", "KÖNNEN", "DARF", "DÜRFEN"}:
        return Modality.PROHIBITION if denied else Modality.PERMISSION
    return Modality.PROHIBITION if denied else Modality.OBLIGATION


def has_capital_modal(text: str) -> bool:
    """Whether a modal word stands in capitals in running text."""
    return _CAPITAL_MODAL.search(text) is not None and not text.isupper()


def _declares_keywords(text: str) -> bool:
    """Whether a paragraph says that its key words are those of RFC 2119."""
    return _RFC_2119.search(text) is not None and _explains_keywords(text)


def capitals_bind(texts: Iterable[str]) -> bool:
    """Whether a document keeps to RFC 8174: it says so and has five modal words in capitals, or it has twenty of them
    and they are a quarter of all modal words."""
    capital = other = 0
    declared = False
    for text in texts:
        declared = declared or _declares_keywords(text)
        if not text.isupper():
            capital += len(_CAPITAL_MODAL.findall(text))
            other += len(_SMALL_MODAL.findall(text))
    if capital >= DECLARED and declared:
        return True
    return capital >= 20 and capital >= 0.25 * (capital + other)


def judge_clause(text: str, language: str, stated: bool) -> Judgement | None:
    """Judge an entry as a whole: a numbered clause or a table row.

    `stated` says that the document presents every such entry as a requirement: then a plain statement ("The app stores
    keys in ...") binds as well.
    """
    modality = (imperative(text) if language != "de" else None) or modality_of(text, language)
    if modality is None:
        return Judgement(Modality.OBLIGATION, 0.85) if stated else None
    if stated and modality is Modality.PERMISSION and language != "de" and binding_en.is_ability(text):
        modality = Modality.OBLIGATION
    return Judgement(modality, _confidence(text, modality, 0.08 if stated else 0.03))


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
