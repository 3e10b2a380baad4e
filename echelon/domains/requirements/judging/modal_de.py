"""Deontic modality of a German sentence, by rules alone: no model, no state, the same answer every time.

Sources of the readings: DIN 820-2:2022, annex H (muss, sollte, darf, kann), RFC 2119 in its usual German form (MUSS,
SOLLTE, KANN, DARF NICHT), and the modal infinitive of German law and administration ("ist zu belegen", "hat ...
sicherzustellen"), which binds like "muss". `könnte` supposes and has no modality.
"""

from __future__ import annotations

import re

from echelon.domains.requirements.types import Modality

_CLAUSE = r"[^.;:!?]{0,240}?"
_NEGATION = (
    r"(?:nicht|kein(?:e[nmrs]?)?|niemals|nie|niemand(?:em|en)?|keinesfalls|weder|nirgends|in\s+keine[mr]\s+fall)"
)

_PROHIBITION = re.compile(
    rf"""\b(?:darf|dürfen|duerfen|dürfe){_CLAUSE}\b{_NEGATION}\b(?!\s+nur\b)
    |\b{_NEGATION}\b[^.;:!?,]{{0,80}}?\b(?:darf|dürfen|duerfen)\b
    |\b(?:ist|sind|wird|werden|bleibt|bleiben|gilt|gelten)\b{_CLAUSE}\b(?:untersagt|verboten|unzulässig|unstatthaft)\b
    |\b(?:ist|sind){_CLAUSE}\b(?:nicht|keinesfalls)\s+(?:zulässig|gestattet|erlaubt|statthaft)\b
    |\b(?:ist|sind|hat|haben){_CLAUSE}\bzu\s+(?:unterlassen|untersagen|unterbinden)\b
    |\b(?:muss|müssen|muß){_CLAUSE}\b(?:unterlassen|unterbleiben|untersagt\s+(?:werden|sein)|verboten\s+(?:werden|sein))\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

# "darf nur", "darf ausschließlich": the permission is the exception, the sentence forbids the rest.
_ONLY = re.compile(
    r"\b(?:darf|dürfen|duerfen)\b[^.;:!?,]{0,120}?\b(?:nur|ausschließlich|lediglich|erst|höchstens|maximal)\b"
    r"|\b(?:nur|ausschließlich|lediglich|erst)\b[^.;:!?]{0,80}?\b(?:darf|dürfen)\b",
    re.IGNORECASE,
)

# "muss nicht gelöscht werden" lifts a duty; "muss sicher und nicht erratbar sein" does not.
_RELEASE = re.compile(
    rf"\b(?:muss|müssen|muß|braucht|brauchen)\b[^.;:!?,]{{0,80}}?(?<!und)(?<!oder)\s(?:nicht|kein(?:e[nmrs]?)?)\s+(?!nur\b)"
    rf"[^.;:!?,]{{0,60}}?(?:werden|[a-zäöüß]{{3,}}(?<!sei)n)\s*(?:[.,;]|$)"
    rf"|\b(?:ist|sind)\b{_CLAUSE}\bnicht\s+(?:erforderlich|notwendig|nötig|verpflichtend)\b"
    r"|\b(?:entfällt|entfallen|kann\s+entfallen)\b",
    re.IGNORECASE,
)

_MUST = re.compile(
    r"""\b(?:muss|müssen|muß|müßen|muessen|müsse)\b
    |\b(?:ist|sind|wird|werden)\b[^.;:!?,]{0,240}?\b(?:verpflichtet|vorgeschrieben|verpflichtend|obligatorisch)\b
    |\b(?:ist|sind)\b[^.;:!?,]{0,240}?\b(?:erforderlich|notwendig|vonnöten)\b
    |\b(?:hat|haben)\b[^.;:!?,]{0,120}?\b(?:dafür\s+(?:sorge\s+)?zu\s+(?:sorgen|tragen)|sorge\s+zu\s+tragen|darauf\s+zu\s+achten)\b
    |\bverpflicht(?:et|en)\s+sich\b|\bobliegt\b|\bobliegen\b|\bbedarf\s+(?:der|des|einer|eines)\b|\bbedürfen\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

# Who assures something is bound to it ("Der Betreiber stellt sicher, dass ..."); binding_de asks who it is.
ASSURES = re.compile(
    r"\b(?:stellt|stellen)\b[^.;:!?,]{0,80}?\bsicher\b|\b(?:gewährleistet|gewährleisten)\b(?=\s*,?\s*(?:dass|die|den|das|eine[nr]?)\b)"
    r"|\b(?:sorgt|sorgen)\s+dafür\b|\b(?:trägt|tragen)\s+(?:dafür\s+)?sorge\b",
    re.IGNORECASE,
)

# Modal infinitive: "ist/sind ... zu belegen", "hat/haben ... aufzubewahren", "zu prüfen ist". It ends its clause.
_INFINITIVE = r"(?:zu\s+[a-zäöüß]{2,}n|[a-zäöüß]{2,12}zu(?!ng)[a-zäöüß]{3,}n)"
_CLOSED = (
    r"(?=\s*(?:$|[.,;:!?)–—-]|(?:und|oder|sowie|bzw|auf|in|mit|durch|nach|vor|gemäß|als|ist|sind|hat|haben|bis)\b))"
)
_MODAL_INFINITIVE = re.compile(
    rf"\b(?:ist|sind|hat|haben|bleibt|bleiben)\b(?P<middle>[^.;:!?]{{0,240}}?)\b(?P<inf>{_INFINITIVE})\b{_CLOSED}"
    rf"|^\W*(?P<first>{_INFINITIVE})\s+(?:ist|sind|hat|haben)\b",
    re.IGNORECASE,
)
# With these words the infinitive belongs to them ("in der Lage, ... zu", "Ziel ist es, ... zu") and binds nobody.
_NOT_BINDING = re.compile(
    r"\b(?:um|ohne|statt|anstatt|möglich|unmöglich|sinnvoll|hilfreich|ratsam|wichtig|empfehlenswert|üblich|ausreichend|lage|ziel|zweck|sinn|aufgabe"
    r"|möglichkeit|gelegenheit|recht|fähig|imstande|bereit|schwer|leicht|einfach|schwierig|geeignet|gefahr|grund|dazu|darauf|daran|darin|dafür"
    r"|versucht|bewährt|beispiele?|essenziell|entscheidend|sinnvollerweise|umsetzungstipps?|vorteil|nachteil|nichts|besser|gut|berechtigt|befugt|nützlich|zweckmäßig|denkbar|praktikabel|risiko|regel)\b",
    re.IGNORECASE,
)
# Infinitives that say what can be observed, not what is to be done; and nouns or adverbs with the look of one.
_OBSERVING = re.compile(
    r"zu\s+(?:erwarten|rechnen|nennen|denken|unterscheiden|denen|verstehen|finden|sehen|sagen|erkennen|befürchten|vermuten|lesen|gewinnen|entnehmen|ersehen|verdanken|tun|sein|können"
    r"|den|einen|ihren|seinen|allen|jeden|deren|diesen|welchen|beiden|einigen|anderen|eigenen|vielen|personen|daten|\w+ungen|\w+ionen|\w+itäten)"
    r"|auszugehen|hinzukommen|dazugehörigen|zuzuordnenden",
    re.IGNORECASE,
)

_NOTING = re.compile(r"zu\s+(?:beachten|bedenken|erwähnen|betonen|berücksichtigen)", re.IGNORECASE)

# "Sollte ein Konto ..., " at the start is a condition, not a recommendation.
_RECOMMENDATION = re.compile(
    r"(?<!^)\b(?:sollte|sollten)\b|\b(?:soll|sollen)\b|\bwird\b[^.;:!?]{0,60}?\bempfohlen\b|\bempf(?:iehlt|ehlen)\b"
    r"|\b(?:ist|sind)\b[^.;:!?]{0,60}?\b(?:ratsam|empfehlenswert|zu\s+empfehlen)\b",
    re.IGNORECASE,
)

_PERMISSION = re.compile(
    r"\b(?:kann|können|koennen|darf|dürfen|duerfen)\b|\b(?:ist|sind)\b[^.;:!?]{0,80}?\b(?:zulässig|gestattet|erlaubt|statthaft|freigestellt)\b"
    r"|\b(?:ist|sind)\b[^.;:!?]{0,60}?\b(?:berechtigt|befugt)\b|\bsteht\s+es\b[^.;:!?]{0,40}?\bfrei\b",
    re.IGNORECASE,
)

_CONJUNCTIONS = r"wenn|falls|sofern|soweit|sobald|solange|während|bevor|nachdem|weil|da|obwohl|damit|ob|um|indem"
_SUBORDINATE = re.compile(rf"\s*(?:{_CONJUNCTIONS})\b", re.IGNORECASE)
_RELATIVE = re.compile(
    rf"\s*(?:(?:und|oder|sowie|in|an|auf|mit|für|von|bei|über|durch|unter|zu|aus|nach)\s+)?(?:{_CONJUNCTIONS}|dass|daß"
    r"|die|der|das|den|dem|denen|deren|dessen|welche[rnms]?|wer|wie|wo|was|womit|wodurch|wofür)\b",
    re.IGNORECASE,
)
_CLAUSE_REACH = 400  # letters; a clause is not longer
_CLAUSE_END = re.compile(r"[,;:]|\s[–—-]\s")
_ASIDE = re.compile(r",\s*(?:soweit|sofern|falls|wenn|sobald)\b[^,]{0,80},", re.IGNORECASE)


def modality(sentence: str) -> Modality | None:
    """The deontic modality of one German sentence, or None when it neither binds nor allows anything.

    Case of letters does not matter. The modal of the main clause decides; one in a subordinate clause ("..., die
    gelöscht werden muss") does not count, unless the text is that clause alone ("dass ... gelöscht werden muss", as
    list items under a lead-in are). Raises nothing; of several sentences the first main clause with a modal decides.
    """
    hits = sorted(_hits(sentence))
    return next((meaning for at, _, meaning in hits if not _is_subordinate(sentence, at)), None)


def _hits(sentence: str) -> list[tuple[int, int, Modality]]:
    """Every modal expression as (start, rank, modality); an expression inside an earlier rule's one does not count."""
    found: list[tuple[int, int, Modality]] = []
    read = bytearray(len(sentence))
    rules = (
        (_PROHIBITION, Modality.PROHIBITION),
        (_ONLY, Modality.PROHIBITION),
        (_RELEASE, Modality.PERMISSION),
        (_MUST, Modality.OBLIGATION),
        (ASSURES, Modality.OBLIGATION),
        (_RECOMMENDATION, Modality.RECOMMENDATION),
        (_PERMISSION, Modality.PERMISSION),
        (_MODAL_INFINITIVE, Modality.OBLIGATION),
    )
    for rank, (pattern, meaning) in enumerate(rules):
        for match in pattern.finditer(sentence):
            start, end = match.span()
            if any(read[start:end]):
                continue
            if pattern is _MODAL_INFINITIVE and not _binds(match):
                continue
            read[start:end] = bytes([1]) * (end - start)
            found.append((start, rank, meaning))
    return found


def _binds(match: re.Match[str]) -> bool:
    """Whether "ist ... zu ..." tells somebody to do it; "ist es ... zu ..." and "zu beachten, dass" do not."""
    infinitive = match["inf"] or match["first"]
    following = match.string[match.end() : match.end() + 40]
    if _OBSERVING.fullmatch(infinitive) or (_NOTING.fullmatch(infinitive) and re.search(r"\bdass\b|\bob\b", following)):
        return False
    middle = _ASIDE.sub(" ", match["middle"] or "")
    if re.match(r"\s*(?:es\b|,)|.*,\s*(?:die|der|das|dass|in|zu)\b", middle, re.IGNORECASE):
        return False
    clause = re.split(r"[.;:!?,]", match.string[max(0, match.start() - _CLAUSE_REACH) : match.start()])[-1]
    return _NOT_BINDING.search(f"{clause} {middle}") is None


def _is_subordinate(sentence: str, position: int) -> bool:
    """Whether the clause that holds `position` opens with a conjunction, or after a comma with a relative pronoun."""
    start, mark = max(0, position - _CLAUSE_REACH), ""
    for boundary in _CLAUSE_END.finditer(sentence, start, position):
        start, mark = boundary.end(), boundary.group()
    opening = _RELATIVE if mark == "," else _SUBORDINATE
    return opening.match(sentence, start, position) is not None
