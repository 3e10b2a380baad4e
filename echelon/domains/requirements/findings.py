"""Weaknesses of a requirement's wording, after ISO/IEC/IEEE 29148:2018 (5.2.5 characteristics, 5.2.7 language).

Each finding carries the words that it is about, verbatim. The lists follow 5.2.7: superlatives, subjective language,
ambiguous terms, open-ended terms, comparative phrases, loopholes; and 5.2.5: singular, verifiable, unambiguous.
"""

from __future__ import annotations

import re

from echelon.domains.requirements.types import Finding, Modality

_AMBIGUOUS = re.compile(
    r"""\b(?:appropriate(?:ly)?|adequate(?:ly)?|sufficient(?:ly)?|suitable|suitably|reasonable|reasonably|relevant|proper(?:ly)?
    |as\s+(?:required|needed|necessary|appropriate|applicable|far\s+as\s+possible)|where\s+(?:possible|appropriate|feasible)
    |where\s+practical|if\s+(?:possible|necessary|appropriate|practical)|when\s+(?:possible|necessary|appropriate)
    |and/or|etc\b\.?|and\s+so\s+on|several|some|many|few|normally|usually|generally|typically|in\s+general|timely|promptly
    |significant(?:ly)?|modern|state\s+of\s+the\s+art|best\s+practices?|including\s+but\s+not\s+limited\s+to
    |angemessen\w*|geeignet\w*|ausreichend\w*|hinreichend\w*|zeitnah\w*|soweit\s+(?:möglich|erforderlich|nötig)
    |wenn\s+möglich|falls\s+(?:nötig|erforderlich|möglich)|nach\s+möglichkeit|möglichst|gegebenenfalls|ggf\.|usw\.|etc\.
    |und/oder|in\s+der\s+regel|grundsätzlich|normalerweise|üblicherweise|einige|mehrere|stand\s+der\s+technik
    |entsprechend(?:e[nrms]?)?\s+maßnahmen)(?=\W|$)""",
    re.IGNORECASE | re.VERBOSE,
)
_UNVERIFIABLE = re.compile(
    r"""\b(?:user[- ]friendly|easy\s+to\s+use|easily|easy|intuitive(?:ly)?|fast|quick(?:ly)?|rapid(?:ly)?
    |efficient(?:ly)?|effective(?:ly)?|flexible|flexibly|robust(?:ly)?|seamless(?:ly)?|optimal(?:ly)?|maximi[sz]e[sd]?|minimi[sz]e[sd]?
    |as\s+(?:fast|soon|long|small|large|little|short)\s+as\s+possible|scalable|simple|simply
    |high(?:ly)?\s+(?:available|secure|quality|performance|reliable)
    |benutzerfreundlich\w*|einfach(?:e[nrms]?)?\s+(?:zu|bedienbar)|leicht\s+(?:zu|verständlich)|intuitiv\w*
    |schnell(?:e[nrms]?|stmöglich)?|effizient\w*|effektiv\w*|wirksam\w*|flexibel|optimal\w*
    |so\s+(?:schnell|bald|weit)\s+wie\s+möglich|hochverfügbar\w*|performant\w*|robust\w*)(?=\W|$)""",
    re.IGNORECASE | re.VERBOSE,
)
_COMPOUND = re.compile(
    r"\b(?:and|or|but)\s+(?:it\s+|they\s+)?(?:shall|must|should|has\s+to|have\s+to|is\s+to|are\s+to)\b"
    r"|;\s*(?:(?:and|or|und|oder)\s+)?[^;]{0,120}\b(?:shall|must|should|muss|müssen|darf|dürfen)\b",
    re.IGNORECASE,
)
# A second modal verb right behind "und": "Clients und Server müssen" joins nouns.
_COMPOUND_DE = re.compile(
    r"\b(?:muss|müssen|sollte|sollten|darf|dürfen)\b[^.;]*?"
    r"(?P<joint>\b(?:und|oder|aber)\s+(?:\w+\s+)?(?:muss|müssen|sollte|sollten|darf|dürfen)\b)",
    re.IGNORECASE,
)
_MODAL = re.compile(r"\b(?:shall|must|should|muss|müssen|sollte|sollten|darf|dürfen)\b", re.IGNORECASE)
_PASSIVE = re.compile(
    r"\b(?:shall|must|should|has\s+to|have\s+to|needs?\s+to|is\s+to|are\s+to|may)\s+(?:not\s+|also\s+|always\s+|never\s+|only\s+)*be\s+(?:\w+ly\s+)?\w+(?:ed|en|wn|ne|pt|lt|ght|t|de|un|ut)\b"
    r"|\b(?:muss|müssen|sollte|sollten|soll|sollen|darf|dürfen)\b[^.;]*\bwerden\b"
    r"|\b(?:ist|sind)\b(?!\s+verpflichtet)[^.;]{0,160}\b(?:zu\s+\w{3,}n|\w{2,12}zu\w{3,}n)\b",
    re.IGNORECASE,
)
_BY = re.compile(
    r"\bby\s+(?:the|a|an|each|every|all|any|its|their|[A-Z])|\b(?:durch|vom|von\s+(?:der|dem|den|einer|einem))\b"
)


def find_weaknesses(text: str, modality: Modality) -> tuple[Finding, ...]:
    """Findings on one requirement in the order of their words: ambiguous, unverifiable, compound, missing_actor."""
    found: list[tuple[int, Finding]] = []
    for kind, pattern, advice in _WORD_RULES:
        seen: set[str] = set()
        for match in pattern.finditer(text):
            words = match.group()
            if words.lower() not in seen:
                seen.add(words.lower())
                found.append((match.start(), Finding(kind=kind, words=words, advice=advice)))
    compound = _compound(text)
    if compound:
        found.append((text.index(compound), Finding(kind="compound", words=compound, advice=_SPLIT)))
    passive = _PASSIVE.search(text)
    if passive and modality is not Modality.PERMISSION and not _BY.search(text[passive.start() :]):
        words = passive.group()
        found.append((passive.start(), Finding(kind="missing_actor", words=words, advice="name who does it")))
    return tuple(finding for _, finding in sorted(found, key=lambda pair: (pair[0], pair[1].kind)))


_SPLIT = "write one requirement for each duty"
_WORD_RULES = (
    ("ambiguous", _AMBIGUOUS, "replace by a value, a list or a condition that everybody reads in the same way"),
    ("unverifiable", _UNVERIFIABLE, "replace by something that can be measured or tested"),
)


def _compound(text: str) -> str | None:
    """The words that join two duties, or the second sentence that binds."""
    match = _COMPOUND.search(text)
    if match:
        return match.group().strip()
    german = _COMPOUND_DE.search(text)
    if german:
        return german["joint"]
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ])", text)
    binding = [sentence for sentence in sentences if _MODAL.search(sentence)]
    return binding[1] if len(binding) > 1 else None
