"""Which parts of a document bind and which only inform."""

from __future__ import annotations

import re

_INFORMATIVE_TITLES = re.compile(
    r"""(?:
      discussion|(?:[\w-]+\s+){0,3}(?:supplemental|supplementary|implementation|additional|further)\s+guidance|guidance|rationale|commentary|explanation|background|motivation|foreword|preface
      |acknowledge?ments?|references?|normative\s+references|bibliography|literature|further\s+reading|see\s+also|related\s+controls?
      |glossary|glossary\s+of\s+terms|terms(?:\s*(?:,|and|&)\s*(?:definitions|acronyms|abbreviations|notations))+|definitions?(?:\s*(?:,|and|&)\s*\w+)*
      |assumptions?(?:\s*(?:,|and|&)\s*\w+)*|annahmen(?:\s+und\s+\w+)?
      |acronyms?(?:\s*(?:,|and|&)\s*\w+)*|abbreviations?(?:\s*(?:,|and|&)\s*\w+)*|notations?|symbols?|conventions|legend|notes?
      |examples?|revision\s+history|change\s+(?:log|history)|(?:(?:major|minor|significant|technical|editorial)\s+)?changes\s+(?:from|since)\b.*|differences?\s+from\b.*|änderungen\s+(?:gegenüber|seit)\b.*|document\s+history|version\s+history|index|executive\s+summary|about\s+th(?:is|e)\s+.*|frontispiece|how\s+to\s+(?:use|read)\s+.*|document\s+organi[sz]ation|errata
      |vorwort|präambel|preamble|hinweise?|erläuterung(?:en)?|begründung|hintergrund|umsetzungshinweise?|literatur(?:verzeichnis)?|quellen|glossar
      |begriffe(?:\s+und\s+\w+)?|begriffsbestimmungen|definition(?:en)?|abkürzung(?:en|sverzeichnis)|änderungshistorie|impressum|beispiele?
      |footnotes?|fußnoten?|(?:\S+\s+){0,2}instructions|how\s+to\b[^.:;,]{0,60}|step[\s-]by[\s-]step\b[^.:;,]{0,60}|recitals?|erwägungsgründe|schritt[\s-]für[\s-]schritt\b[^.:;,]{0,60}|zusammenfassung|(?:weiterführende|ergänzende|zusätzliche|weitere)\s+information(?:en)?|(?:supplementary|supplemental)\s+information|status\s+of\s+this\s+(?:document|memo)|anmerkung(?:en)?|danksagung(?:en)?
    )\s*:?""",
    re.IGNORECASE | re.VERBOSE,
)
# Front matter has no numbers; the same words with a number name a subject ("2.2.3 Authority").
_FRONT_TITLES = re.compile(
    r"(?:copyright.*|license|licence|abstract|keywords|audience|patents?|authority|trademarks?|disclaimer|install(?:ation|ing)?|getting\s+started|quick\s?start"
    r"|usage|terms|resources|anleitung|bedienungsanleitung)\s*:?",
    re.I,
)
_NORMATIVE_TITLES = re.compile(
    r"(?:control|controls|requirements?|statement|control\s+statement|control\s+enhancements?|policy|(?:basic\s+|additional\s+|optional\s+)?criteri(?:on|a)|(?:basis|zusatz|prüf|optionales\s+)?kriteri(?:um|en)|anforderung(?:en)?|maßnahmen?|basis-?anforderungen|standard-?anforderungen)\s*:?",
    re.IGNORECASE,
)
_MARKED_INFORMATIVE = re.compile(r"\((?:informative|informativ|non-normative|not normative)\)", re.I)
_SAYS_INFORMATIVE = re.compile(
    r"\bthis\s+(?:section|annex|appendix|clause|chapter)\s+is\s+(?:\w+\s+)?(?:informative|non-normative|not\s+normative)\b"
    r"|\bdieser?\s+(?:abschnitt|anhang|kapitel)\s+ist\s+(?:rein\s+)?informativ\b",
    re.I,
)
_NAMED_INFORMATIVE = re.compile(
    r"^(?:section|annex|appendix|clause|chapter|abschnitt|anhang|kapitel)\s+(?P<label>[A-Z]|\d+(?:\.\d+)*)\b.*\bis\s+(?:\w+\s+)?(?:informative|non-normative)\b",
    re.I | re.S,
)
_NOTE = re.compile(
    r"(?:NOTES?|Notes?|Anmerkung(?:en)?|ANMERKUNG(?:EN)?|Hinweise?|HINWEISE?|Examples?|EXAMPLES?|Beispiele?|BEISPIELE?|Rationale|RATIONALE"
    r"|Begründung|Comment|Tip)(?:\s+\d+)?(?:\s+to\s+entry)?\s*[:—–]"
    r"|(?:NOTE|EXAMPLE|ANMERKUNG|BEISPIEL)(?:\s+\d+)?\s"
)
_ONE_PARAGRAPH = re.compile(r"(?:notes?|examples?|hinweise?|beispiele?|anmerkung(?:en)?|comments?|tips?)\s*:?", re.I)
# A label that runs into its text and covers all that follows, until another label or number.
_RUN_IN = re.compile(
    r"(?P<label>(?:[A-Z][\w-]*\s+){0,4}(?:Discussion|DISCUSSION|Guidance|GUIDANCE)|Related\s+Controls?|References|REFERENCES|Control\s+Enhancements?"
    r"|Control|CONTROL|Requirement|REQUIREMENT|Statement|STATEMENT|Anforderung|Umsetzungshinweise?|Erläuterung(?:en)?)\s*:\s+(?=\S)"
)


_DEMANDS = (
    (
        re.compile(
            r"muss[- ]?(?:kriterien|anforderungen)|must[- ]haves?|mandatory\s+(?:requirements|features)|pflichtkriterien",
            re.I,
        ),
        "must",
    ),
    (
        re.compile(
            r"(?:soll|wunsch)[- ]?(?:kriterien|anforderungen)|should[- ]haves?|desirable\s+(?:requirements|features)",
            re.I,
        ),
        "should",
    ),
    (
        re.compile(
            r"kann[- ]?(?:kriterien|anforderungen)|could[- ]haves?|nice[- ]to[- ]haves?"
            r"|optional\s+(?:requirements|features)",
            re.I,
        ),
        "may",
    ),
)
_RECITALS = re.compile(
    r"(?:whereas|having\s+regard\s+to\s+the\s+following|in\s+erwägung\s+(?:nachstehender\s+gründe|folgender\s+gründe)|recitals)\s*:?\s*(?:\(1\).*)?",
    re.I | re.S,
)
_BINDING = re.compile(
    r"this\s+(?:regulation|directive|decision)\s+(?:shall\s+be|is)\s+binding\s+in\s+its\s+entirety\b", re.I
)
_ADOPTED = re.compile(r"(?:has|have)\s+adopted\b|(?:hat|haben)\s+folgende\w*\b.{0,60}\berlassen\b", re.I)


def informs(title: str, numbered: bool = False) -> bool:
    """Whether a section with this title only informs (definitions, references, discussion, front matter without a
    number)."""
    if not numbered and _FRONT_TITLES.fullmatch(title.strip()):
        return True
    return _INFORMATIVE_TITLES.fullmatch(title.strip()) is not None or _MARKED_INFORMATIVE.search(title) is not None


def binds(title: str) -> bool:
    """Whether this label opens normative text again ("Control:", "Anforderungen")."""
    return _NORMATIVE_TITLES.fullmatch(title.strip()) is not None


def demanded_by(title: str) -> str | None:
    """What a title says of the items listed below it: that they `must`, `should` or `may` be; None where it does not."""
    bare = re.sub(r"^[\d.\s]+", "", title).strip(" :")
    return next((word for pattern, word in _DEMANDS if pattern.fullmatch(bare)), None)


def is_label(text: str) -> bool:
    """Whether a line of its own says what stands below it, up to the next label or title: a discussion, or what binds.
    A note or an example is one paragraph and says nothing of the others."""
    return (informs(text) or binds(text)) and _ONE_PARAGRAPH.fullmatch(text.strip()) is None


def says_informative(text: str) -> bool:
    """Whether a paragraph says that the section it stands in is informative."""
    return _SAYS_INFORMATIVE.search(text) is not None


def named_informative(text: str) -> str | None:
    """The label of the section that `text` calls informative ("Appendix C, Glossary, ... is informative."), or None."""
    match = _NAMED_INFORMATIVE.match(text)
    return match["label"].upper() if match else None


def run_in_label(text: str) -> tuple[str, int] | None:
    """A label that opens a line and covers what follows ("Discussion: ..."), with the offset where its text begins."""
    match = _RUN_IN.match(text)
    return (match["label"], match.end()) if match else None


def opens_recitals(text: str) -> bool:
    """Whether the reasons of a law begin ("Whereas:")."""
    return _RECITALS.fullmatch(text.strip()) is not None


def closes_recitals(text: str) -> bool:
    """Whether the reasons of a law end ("HAVE ADOPTED THIS REGULATION:")."""
    return _ADOPTED.match(text.strip()) is not None


def closes_act(text: str) -> bool:
    """Whether this is the formula that closes an act ("This Regulation shall be binding in its entirety ...")."""
    return _BINDING.match(text.strip()) is not None


def opens_note(text: str) -> bool:
    """Whether `text` opens a note, an example or a rationale."""
    return _NOTE.match(text) is not None
