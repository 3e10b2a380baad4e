"""What the sentence classifier looks at: words by role, sentence patterns, and hashed letter n-grams.

Nothing here was learnt. The word groups name roles that words play in specifications (who acts, what is promised, what
only describes the document); each group is one yes/no feature, so that vocabulary of one project cannot dominate.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from echelon.domains.requirements.judging.modal_en import modality
from echelon.domains.requirements.types import Modality

BUCKETS = 1 << 17
_GRAM_LENGTHS = (3, 4, 5, 6)
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:['’-][A-Za-z0-9]+)*|\d+(?:[.,:/-]\d+)*|[^\sA-Za-z\d]")

# Words anywhere in the sentence.
_ANYWHERE: dict[str, str] = {
    "shall": "shall",
    "must": "must",
    "should": "should",
    "will": "will",
    "can": "can",
    "may": "may",
    "conditional": "would could might",
    "able": "able ability capable capability capabilities",
    "required": "require requires required need needs needed necessary mandatory",
    "allow": "allow allows allowed allowing enable enables enabled let lets permit permits permitted",
    "provide": "provide provides provided support supports supported ensure ensures offer offers maintain maintains",
    "show": "display displays displayed show shows shown present presents visible view views",
    "not": "not no never cannot can't without",
    "be": "be",
    "is": "is",
    "are": "are",
    "has": "has have having",
    "past": "was were had been did",
    "first_person": "we our us i my",
    "second_person": "you your yours",
    "document_word": "document section chapter srs appendix figure table diagram glossary overview paragraph page",
    "pointing": "see refer refers described describes describe discussed defined listed outlined below above following",
    "purpose": "purpose scope objective objectives goal goals intended audience background motivation aim aims history",
    "assumption": "assume assumed assumes assumption assumptions depend depends dependency constraint constraints risk",
    "meaning": "means refers acronym abbreviation definition definitions defines known called term terms",
    "example": "example examples instance e.g eg i.e etc such",
    "reasoning": "because since therefore thus however although while also moreover hence so",
    "usual": "important possible likely expected intended designed based typical typically usually often generally",
    "people": "team project developers developer designers stakeholders company organization readers author authors",
    "plan": "version release schedule cost budget future currently existing current planned phase",
    "only": "only",
    "limit": "least most within maximum minimum less more than seconds second minutes minute hours hour percent %",
    "each": "each every all any",
    "condition": "if when unless until whenever once upon",
    "use_case": "case scenario actor precondition pre-condition postcondition step flow trigger",
    "screen": "click clicks clicking select selects selected button screen menu field window form press enter enters",
    "data_act": "store stores stored save saves saved delete deletes deleted create creates created update updates",
    "change_act": "updated add adds added remove removes edit edits modify modified send sends sent receive receives",
    "inform_act": "generate generates generated notify notified inform log logs logged record records return returns",
    "quality": "performance reliability availability security usability maintainability portability response",
    "system": "system systems application applications software product module component server client database tool",
    "user": "user users administrator administrators admin customer customers operator operators player players member",
    "default": "default automatically valid invalid error errors message messages",
    "interface": "interface interfaces protocol hardware operating platform browser network",
    "quote": '" “ ”',
    "parenthesis": "(",
    "semicolon": ";",
    "question": "?",
    "comma": ",",
    "web": "http https www com @",
    "and": "and",
    "or": "or",
    "to": "to",
    "that": "that which who whose",
    "by": "by",
    "this": "this these those",
}
# The first word.
_FIRST: dict[str, str] = {
    "the": "the",
    "a": "a an each every all any some many most",
    "this": "this these those that",
    "it": "it they there here he she",
    "we": "we our i you your",
    "preposition": "in on for as at by with from to of",
    "condition": "if when once whenever upon after before while unless",
    "system": "system application software product",
    "user": "user users admin administrator customer",
    "no": "no not",
}
_SYSTEM_NOUNS = frozenset(
    [
        *("system", "application", "software", "product", "interface", "page", "module", "component", "tool", "server"),
        *("client", "database", "program", "site", "website", "game", "screen", "service", "device", "solution"),
        *("controller", "function", "menu", "report", "window", "package", "portal", "file", "data", "list", "form"),
    ]
)
_USER_NOUNS = frozenset(
    [
        *(
            "user",
            "users",
            "administrator",
            "administrators",
            "customer",
            "customers",
            "operator",
            "operators",
            "player",
        ),
        *(
            "players",
            "member",
            "members",
            "manager",
            "managers",
            "provider",
            "providers",
            "admin",
            "personnel",
            "staff",
        ),
        *(
            "owner",
            "client",
            "student",
            "students",
            "visitor",
            "employee",
            "employees",
            "person",
            "vendor",
            "contractor",
        ),
    ]
)
_MODALS = frozenset(["shall", "must", "will", "should", "can", "may", "cannot"])
_BE = frozenset(["is", "are", "was", "were"])
_SHAPES: dict[str, re.Pattern[str]] = {
    "meta_subject": re.compile(
        r"\b(?:this|the)\s+(?:document|section|chapter|specification|srs|report|appendix|paper|release|subsection"
        r"|use\s+case|project|diagram|figure|table)\b",
        re.I,
    ),
    "definition_colon": re.compile(r"^[^.:]{2,40}:\s"),
    "definition_dash": re.compile(r"^[\w /()]{2,40}\s?[-–—]\s"),
    "copula": re.compile(r"\b(?:is|are)\s+(?:an?|the|one|some)\b", re.I),
    "passive": re.compile(r"\b(?:is|are)\s+(?:\w+ly\s+)?\w+ed\b", re.I),
    "will_be_able": re.compile(r"\b(?:will|shall|must|should)\s+(?:also\s+)?be\s+able\b", re.I),
    "will_be_done": re.compile(r"\b(?:will|shall|must|should)\s+(?:also\s+)?be\s+\w+ed\b", re.I),
    "able_to": re.compile(r"\bable\s+to\b|\bability\s+(?:to|for)\b", re.I),
    "year": re.compile(r"\b(?:19|20)\d\d\b"),
    "number": re.compile(r"\d"),
    "own_number": re.compile(r"^\W*(?:[A-Z]{1,6}[-_ ]?\d+(?:[-_.]\d+)*[:.)\]]?\s|\d+(?:\.\d+)*[.)]?\s)"),
    "bullet": re.compile(r"^\s*[-–•*−o·]\s"),
    "full_stop": re.compile(r"\.\s*$"),
    "ends_colon": re.compile(r":\s*$"),
    "lower_start": re.compile(r"^\W*[a-z]"),
    "gerund_start": re.compile(r"^\W*\w+ing\b", re.I),
    "acronym_subject": re.compile(r"^\W*(?:the\s+|The\s+)?[A-Z][A-Z]+\b"),
    "product_name": re.compile(r"^(?:The\s+|An?\s+)?[A-Z]\w*[A-Z]\w*\b"),
    "several_sentences": re.compile(r"[.!?]\s+[A-Z]"),
    "no_verb_ending": re.compile(r"^\W*\w+(?:ity|tion|ment|ness|ance)\b", re.I),
}
_COUNTS = ("length", "up_to_4_words", "up_to_8_words", "over_30_words", "capitals", "upper_case", "commas", "digits")
_PLACES = (
    *("modal_word_1_to_3", "modal_word_4_to_6", "modal_word_7_to_10", "modal_later"),
    *("system_before_modal", "user_before_modal", "name_before_modal", "present_verb_early", "system_present_verb"),
    *("system_in_subject", "user_in_subject", "be_early", "modal_be", "modals_several", "second_half_modal"),
)
_MODALITIES = (*Modality, None)

NAMES: tuple[str, ...] = (
    *(f"has:{name}" for name in _ANYWHERE),
    *(f"first:{name}" for name in _FIRST),
    *(f"shape:{name}" for name in _SHAPES),
    *(f"count:{name}" for name in _COUNTS),
    *(f"place:{name}" for name in _PLACES),
    *(f"modality:{found or 'none'}" for found in _MODALITIES),
)


def _index(groups: dict[str, str], offset: int) -> dict[str, tuple[int, ...]]:
    """word -> positions of its features."""
    found: dict[str, list[int]] = {}
    for position, words in enumerate(groups.values(), start=offset):
        for word in words.split():
            found.setdefault(word, []).append(position)
    return {word: tuple(positions) for word, positions in found.items()}


_BY_WORD = _index(_ANYWHERE, 0)
_BY_FIRST = _index(_FIRST, len(_ANYWHERE))
_SHAPES_AT = len(_ANYWHERE) + len(_FIRST)


def hand_features(sentences: Sequence[str]) -> NDArray[np.float32]:
    """The named features (`NAMES`) of each sentence, shape (len(sentences), len(NAMES)), most of them 0 or 1."""
    rows = np.zeros((len(sentences), len(NAMES)), dtype=np.float32)
    for row, sentence in zip(rows, sentences, strict=True):
        tokens = _TOKEN.findall(sentence)
        words = [token.lower() for token in tokens]
        hits = [position for word in set(words) for position in _BY_WORD.get(word, ())]
        first = next((word for word in words if word[0].isalpha()), "")
        hits += _BY_FIRST.get(first, ())
        hits += [_SHAPES_AT + at for at, shape in enumerate(_SHAPES.values()) if shape.search(sentence)]
        row[hits] = 1
        rest = (*_counts(sentence, tokens), *_places(tokens, words), *_modalities(sentence))
        row[_SHAPES_AT + len(_SHAPES) :] = rest
    return rows


def _counts(sentence: str, tokens: list[str]) -> tuple[float, ...]:
    words = [token for token in tokens if token[0].isalnum()]
    size = max(1, len(words))
    return (
        math.log1p(len(words)) / 3,
        float(len(words) <= 4),
        float(len(words) <= 8),
        float(len(words) > 30),
        sum(word[0].isupper() for word in words) / size,
        sum(word.isupper() and len(word) > 1 for word in words) / size,
        tokens.count(",") / 5,
        5 * sum(map(str.isdigit, sentence)) / max(1, len(sentence)),
    )


def _places(tokens: list[str], words: list[str]) -> tuple[float, ...]:
    """Where the modal stands, and what stands before it: `_PLACES`."""
    modals = [at for at, word in enumerate(words) if word in _MODALS]
    at = modals[0] if modals else len(words) + 30
    before = words[max(0, at - 4) : at] if modals else []
    subject = words[:6]
    present = [place for place, word in enumerate(words[1:7], start=1) if _looks_present(word)]
    verb = present[0] if present else 0
    early: set[str] = set(words[:verb]) if verb else set()
    named = modals and any(token[:1].isupper() and place > 0 for place, token in enumerate(tokens[max(0, at - 3) : at]))
    return tuple(
        float(bool(value))
        for value in (
            modals and at <= 3,
            modals and 3 < at <= 6,
            modals and 6 < at <= 10,
            modals and at > 10,
            not _SYSTEM_NOUNS.isdisjoint(before),
            not _USER_NOUNS.isdisjoint(before),
            named,
            present and not modals,
            present and not _SYSTEM_NOUNS.isdisjoint(early),
            not _SYSTEM_NOUNS.isdisjoint(subject),
            not _USER_NOUNS.isdisjoint(subject),
            not _BE.isdisjoint(words[:8]),
            modals and words[at + 1 : at + 2] == ["be"],
            len(modals) > 1,
            modals and at > len(words) / 2,
        )
    )


_PRESENT = frozenset(
    [
        *("provides", "allows", "displays", "supports", "sends", "stores", "generates", "uses", "includes", "contains"),
        *(
            "enables",
            "creates",
            "checks",
            "shows",
            "returns",
            "manages",
            "maintains",
            "validates",
            "updates",
            "receives",
        ),
        *("requires", "lets", "permits", "offers", "ensures", "prevents", "accepts", "notifies", "informs", "prompts"),
        *(
            "calculates",
            "records",
            "tracks",
            "logs",
            "handles",
            "processes",
            "performs",
            "presents",
            "prints",
            "exports",
        ),
        *("imports", "selects", "enters", "clicks", "chooses", "adds", "removes", "deletes", "edits", "submits"),
    ]
)


def _looks_present(word: str) -> bool:
    return word in _PRESENT


def _modalities(sentence: str) -> tuple[float, ...]:
    found = modality(sentence)
    return tuple(float(found is meaning) for meaning in _MODALITIES)


def grams(sentence: str) -> list[int]:
    """Buckets (0 <= b < BUCKETS) of the sentence's letter n-grams of 3 to 6 within words, each bucket once."""
    words = dict.fromkeys(sentence.lower().split())
    return list(dict.fromkeys(bucket for word in words for bucket in _word_grams(word)))


@lru_cache(maxsize=1 << 16)
def _word_grams(word: str) -> tuple[int, ...]:
    padded = f" {word} ".encode()
    found = dict.fromkeys(
        zlib.crc32(padded[start : start + size]) % BUCKETS
        for size in _GRAM_LENGTHS
        for start in range(max(1, len(padded) - size + 1))
    )
    return tuple(found)
