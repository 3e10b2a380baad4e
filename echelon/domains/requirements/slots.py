"""Who does what to what, when and until when: the parts of a requirement's sentence, verbatim."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LEAD_CONDITION = re.compile(
    r"^(?:(?:if|when|whenever|where|once|upon|unless|before|after|during|until|while|in\s+(?:the\s+)?(?:case|event|absence)|prior\s+to|provided\s+that|for\s+each"
    r"|wenn|falls|sofern|soweit|sobald|bevor|nachdem|solange|bei|vor|nach|im\s+falle?|für\s+den\s+fall)\b[^,]*(?:,[^,]{0,60})?),\s+",
    re.IGNORECASE,
)
_TAIL_CONDITION = re.compile(
    r"(?:,\s*)?\b(?:if|when|whenever|unless|where|once(?!\s+(?:a|an|each|every|per|in)\b)|provided\s+that|as\s+long\s+as|in\s+case|before|after|even\s+if|except\s+(?:if|when|where))\s+[^.;]+"
    r"|,\s*(?:wenn|falls|sofern|soweit|sobald|bevor|nachdem|solange|es\s+sei\s+denn)\s+[^.;]+",
    re.IGNORECASE,
)
_DEADLINE = re.compile(
    r"""\b(?:within\s+[^,.;]{1,40}?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|quarters?)
    |(?:no|not)\s+later\s+than\s+[^,.;]{2,60}
    |at\s+least\s+(?:once|twice|every)\s+[^,.;]{2,40}|(?:once|twice)\s+(?:a|each|every|per)\s+\w+(?:\s+\w+)?
    |(?:\d+|one|two|three|four|five|six|ten|twelve|thirty)\s+(?:day|week|month|year)s?\s+after\s+[^,.;]{2,40}
    |(?:every|each)\s+(?:\w+\s+)?(?:second|minute|hour|day|week|month|quarter|year|January|February|March|April|May|June|July|August|September|October|November|December)s?
    |for\s+(?:at\s+least\s+|a\s+minimum\s+of\s+)?(?:\w+\s+)?(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|thirty)\s+(?:day|week|month|year|calendar\s+year)s?
    |by\s+(?:the\s+end\s+of\s+[^,.;]{2,40}|\d{1,2}\s+\w+(?:\s+\d{4})?)|immediately|without\s+(?:undue\s+)?delay|annually|monthly|weekly|daily|quarterly|yearly
    |(?:innerhalb|binnen)\s+(?:von\s+)?[^,.;]{2,40}?(?:sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|frist)
    |spätestens\s+[^,.;]{2,60}?(?=\s+(?:zu|\w+zu\w+en)\b|[,.;]|$)|unverzüglich|sofort|umgehend|jährlich|monatlich|wöchentlich|täglich|vierteljährlich
    |(?:mindestens\s+)?(?:einmal|zweimal)\s+(?:im|pro|je)\s+\w+|(?:\d+|zwei|drei|fünf|sechs|acht|zehn)\s+jahre\s+(?:lang|ab\s+[^,.;]{2,50}?(?=\s+\w*zu)))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_MODAL_EN = re.compile(
    r"\b(?:shall|must|should|may|can|cannot|ought\s+to|ha(?:s|ve)\s+to|needs?\s+to|(?:is|are)\s+(?:required|permitted|allowed|obliged|responsible|encouraged|recommended|prohibited|to)\b(?:\s+(?:to|for|from)\b)?)",
    re.IGNORECASE,
)
_MODAL_DE = re.compile(
    r"\b(?:muss|müssen|sollte|sollten|soll|sollen|darf|dürfen|kann|können|ist|sind|hat|haben)\b(?:\s+verpflichtet\s*,)?",
    re.IGNORECASE,
)
_ADVERB = r"(?!(?:ap|sup|re|com|multi|im)ply\b|rely\b)\w+ly"
_VERB_EN = re.compile(
    rf"\s*((?:(?:not|also|always|never|only|then|either|both)\s+|{_ADVERB}\s+)*(?:be\s+)?(?:{_ADVERB}\s+)?[\w-]+(?:\s+and\s+[\w-]+(?=\s+(?:the|a|an|all|each|any)\b))?)"
)
_LAST_VERB_DE = re.compile(r"((?:zu\s+)?[a-zäöüß]+(?:\s+(?:werden|sein))?)\s*[.;:]?\s*$", re.IGNORECASE)
_IMPERATIVE = re.compile(
    r"^((?:Do\s+not\s+|Never\s+)?[A-Za-z-]+(?:,\s[a-z]+)*(?:,?\s+and\s+[a-z]+)?)\s+(?:that\s+)?(.+)$", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Slots:
    """Parts of one sentence. Each is verbatim from it, or None."""

    subject: str | None = None
    action: str | None = None
    object: str | None = None
    condition: str | None = None
    deadline: str | None = None


def find_slots(text: str, language: str) -> Slots:
    """The parts of the first binding sentence of `text`. A part that is not clear is None. Raises nothing."""
    sentence = " ".join(text.split())
    condition, core = _condition(sentence)
    deadline = _DEADLINE.search(sentence)
    subject, action, target = _german(core) if language == "de" else _english(core)
    return Slots(
        subject=_clean(subject),
        action=_clean(action),
        object=_clean(_without(target, deadline.group() if deadline else None)),
        condition=_clean(condition),
        deadline=deadline.group() if deadline else None,
    )


def _condition(sentence: str) -> tuple[str | None, str]:
    lead = _LEAD_CONDITION.match(sentence)
    if lead:
        return lead.group().rstrip(", "), sentence[lead.end() :]
    tail = _TAIL_CONDITION.search(sentence, 12)
    if tail:
        return tail.group().lstrip(", "), sentence[: tail.start()] + sentence[tail.end() :]
    return None, sentence


_IT_IS = re.compile(
    r"^it\s+is\s+(?:\w+ly\s+)?(?:recommended|required|mandatory|necessary|forbidden|prohibited)\s+that\s+", re.I
)
_STATED = re.compile(r"^(.+?)\s+((?:is|are)\s+(?:not\s+)?\w+)\b(.*)$", re.S)


def _english(core: str) -> tuple[str | None, str | None, str | None]:
    duty = _IT_IS.match(core)
    stated = _STATED.match(core[duty.end() :]) if duty else None
    if stated:
        return stated.group(1), stated.group(2), _until_end(stated.group(3))
    modal = _MODAL_EN.search(core)
    if modal is None or modal.start() == 0:
        command = _IMPERATIVE.match(core)
        return (None, command.group(1), _until_end(command.group(2))) if command else (None, None, None)
    verb = _VERB_EN.match(core, modal.end())
    if verb is None:
        return core[: modal.start()], None, None
    return core[: modal.start()], verb.group(1), _until_end(core[verb.end() :])


def _german(core: str) -> tuple[str | None, str | None, str | None]:
    modal = _MODAL_DE.search(core)
    if modal is None or modal.start() == 0:
        return None, None, None
    rest = _until_end(core[modal.end() :]) or ""
    verb = _LAST_VERB_DE.search(rest)
    if verb is None:
        return core[: modal.start()], None, rest
    return core[: modal.start()], verb.group(1), rest[: verb.start()]


def _until_end(text: str) -> str | None:
    end = re.search(r"[.;](?:\s|$)", text)
    return text[: end.start()] if end else text


def _without(text: str | None, words: str | None) -> str | None:
    """`text` before the deadline, so that what is left stays verbatim."""
    if text is None or words is None or words not in text:
        return text
    return text[: text.index(words)] or text[text.index(words) + len(words) :]


def _clean(text: str | None) -> str | None:
    stripped = text.strip(" ,.;:") if text else ""
    return stripped or None
