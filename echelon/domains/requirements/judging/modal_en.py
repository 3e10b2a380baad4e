"""Deontic modality of an English sentence, by rules alone: no model, no state, the same answer every time.

Sources of the readings: RFC 2119 and RFC 8174 (must, should, may), ISO/IEC Directives part 2, clause 7 (shall, should,
may, need not), ISO/IEC/IEEE 29148, 5.2.4. `will` alone states a fact or an intention and has no modality.
"""

from __future__ import annotations

import re

from echelon.domains.requirements.judging.imperative import imperative
from echelon.domains.requirements.types import Modality

_GAP = r"(?:\s+(?:also|always|then|only|either|both|at all times|in no case|under no circumstances)){0,2}"

# Forbidding comes first: "shall not" also matches "shall".
_PROHIBITION = re.compile(
    rf"""\b(?:shall|must|may){_GAP}\s*(?:,\s*[^,]{{1,40}},\s*)?\s*(?:not|never|no\s+longer)\b(?!\s+(?:only|be\s+limited|necessarily))
    |\b(?:mustn't|shan't|may\s+in\s+no\s+(?:case|event)|can\s+never|cannot|can't|can\s+not)\b(?!\s+only\b)
    |\b(?:is|are|be)\s+(?:strictly\s+|expressly\s+)?(?:prohibited|forbidden|disallowed)\b
    |\b(?:is|are)\s+(?:not|never)\s+(?:permitted|allowed|authori[sz]ed)\b
    |\b(?:is|are)\s+not\s+to\s+be\s+[a-z]+
    |\b(?:has|have)\s+to\s+(?:refrain|abstain)\s+from\b
    |^\W*(?:no|neither|none\s+of|nobody|nothing|under\s+no\s+circumstances|in\s+no\s+(?:case|event))\b[^,;:]{{0,120}}?\b(?:shall|must|may|can|is\s+(?:permitted|allowed|to))\b
    |\b(?:shall|must)\s+(?:in\s+no\s+(?:case|event)|under\s+no\s+circumstances|refrain\s+from|(?:provide|contain|have|be|use|allow|permit)\s+no)\b
    """,
    re.VERBOSE,
)

# "may only": the permission is the exception, the sentence forbids the rest.
_ONLY = re.compile(r"\b(?:may|can)\s+only\b|^\W*only\b[^,;:]{0,120}?\b(?:may|can)\b")

# A need that is denied, or a duty that is lifted, allows to leave something out.
_RELEASE = re.compile(
    r"\b(?:need(?:s)?\s+not|needn't|do(?:es)?\s+not\s+(?:need|have)\s+to|(?:is|are)\s+not\s+(?:required|obliged|obligated)\b"
    r"|not\s+mandatory)",
)

_OBLIGATION = re.compile(
    r"""\b(?:shall|must)\b
    |\b(?:has|have|having|needs?)\s+to\b(?!\s+do\s+with)
    |\b(?:is|are)\s+to\s+be\s+[a-z]+
    |\b(?:is|are|be)\s+(?:[a-z]+ly\s+|hereby\s+|also\s+)?(?:required|mandatory|obligatory|compulsory|obliged|obligated|mandated)\b
    |\b(?:is|are|be)\s+responsible\s+for\b
    |\b(?:it\s+is\s+(?:essential|imperative|necessary|vital)|requires?\s+that)\b
    |\bresponsibility\s+of\b.{1,80}?\bto\b
    """,
    re.VERBOSE,
)

_RECOMMENDATION = re.compile(
    r"\b(?:should|ought\s+to|shouldn't)\b|\b(?:is|are)\s+(?:strongly\s+|highly\s+|not\s+)?(?:recommended|encouraged|advised|advisable|discouraged"
    r"|desirable|preferable)\b|\brecommends?\b",
)

_PERMISSION = re.compile(
    r"(?<!\d\s)\bmay\b(?!\s*[\d.;)]|\s*$)|\bcan\b|\bcould\s+optionally\b|\b(?:is|are)\s+(?:permitted|allowed|authori[sz]ed|entitled|free)\b|\b(?:is|are)\s+optional\b",
)

# "may" and "can" of possibility: what could happen, not what somebody is allowed to do.
_POSSIBILITY = re.compile(
    r"\b(?:may|can)\s+(?:also\s+|then\s+|sometimes\s+|easily\s+|potentially\s+)?"
    r"(?:result|lead|cause|occur|vary|arise|differ|indicate|become|affect|help|happen|suffer|fail|seem|appear|prove"
    r"|have\s+been|be\s+(?:seen|found|caused|due))\b",
)

_SUBORDINATE = re.compile(
    r"\b(?:if|when|whenever|where|while|once|unless|until|because|since|although|though|whether|which|who|whom|whose"
    r"|that|as\s+(?:soon|long)\s+as|so\s+that|in\s+case|provided\s+that|what|how)\b(?!\s*,)",
)
_CLAUSE_REACH = 400  # letters; a clause is not longer
_CLAUSE_END = re.compile(r"[,;:]|\s[–—-]\s")
# "a list that can be sorted": the modal belongs to the relative clause and says nothing about the sentence.
_RELATIVE = re.compile(r"\b(?:which|who|that)\s+(?:[a-z]+ly\s+|also\s+|then\s+)?$")


# Each reading with its pattern, and letters of which a sentence must have some before the pattern is tried.
_RULES: tuple[tuple[re.Pattern[str], Modality | None, tuple[str, ...]], ...] = (
    (
        _PROHIBITION,
        Modality.PROHIBITION,
        ("no", "neither", "never", "n't", "n’t", "prohib", "forbid", "disallow", "refrain", "abstain"),
    ),
    (_ONLY, Modality.PROHIBITION, ("only",)),
    (_RELEASE, Modality.PERMISSION, ("not", "n't")),
    (
        _OBLIGATION,
        Modality.OBLIGATION,
        (
            "shall",
            "must",
            "to",
            "requir",
            "mandat",
            "oblig",
            "compuls",
            "respons",
            "essential",
            "imperative",
            "necessar",
            "vital",
        ),
    ),
    (
        _RECOMMENDATION,
        Modality.RECOMMENDATION,
        ("should", "ought", "recommend", "courag", "advis", "desirable", "preferable"),
    ),
    (_POSSIBILITY, None, ("may", "can")),
    (
        _PERMISSION,
        Modality.PERMISSION,
        ("may", "can", "could", "permitted", "allowed", "authori", "entitled", "free", "option"),
    ),
)


def modality(sentence: str) -> Modality | None:
    """The deontic modality of one English sentence, or None when it neither binds nor allows anything.

    Modal words of the main clause decide; those of conditions and complements ("if X must ...", "ensure that X can")
    count only when the main clause has none, those of relative clauses ("users who may ...") never. Imperatives
    ("Limit access to ...", "Do not ...") bind or forbid. Raises nothing; of several sentences the first main clause
    with a modal decides.
    """
    lower = sentence.lower()
    hits = [hit for hit in sorted(_hits(lower)) if not _RELATIVE.search(lower[max(0, hit[0] - 40) : hit[0]])]
    main = next((meaning for at, _, meaning in hits if not _is_subordinate(lower, at)), None)
    return main or imperative(sentence) or (hits[0][2] if hits else None)


def _hits(lower: str) -> list[tuple[int, int, Modality]]:
    """Every modal expression as (start, rank, modality); what an earlier rule has read is not read again."""
    found: list[tuple[int, int, Modality]] = []
    read = bytearray(len(lower))
    for rank, (pattern, meaning, needed) in enumerate(_RULES):
        if not any(letters in lower for letters in needed):
            continue
        for match in pattern.finditer(lower):
            start, end = match.span()
            if any(read[start:end]):
                continue
            read[start:end] = bytes([1]) * (end - start)
            if meaning is not None:
                found.append((start, rank, meaning))
    return found


def _is_subordinate(sentence: str, position: int) -> bool:
    """Whether the nearest clause boundary before `position` opens a subordinate clause."""
    start = max(0, position - _CLAUSE_REACH)
    for boundary in _CLAUSE_END.finditer(sentence, start, position):
        start = boundary.end()
    return _SUBORDINATE.search(sentence, start, position) is not None
