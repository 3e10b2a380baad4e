"""Whether a German sentence that has a modality also sets a rule, or only explains one.

Guidance text is full of "kann": it names effects ("kann das Risiko verringern"), possibilities ("kann über ein Werkzeug
erfolgen") and examples; and it advises ("es empfiehlt sich") and reasons ("damit ..., ist ... erforderlich"). The rules
look at closed word classes, at word endings and at the last verb, never at capitals, so that lower-cased text is judged
alike.
"""

from __future__ import annotations

import re

from echelon.domains.requirements.judging.modal_de import ASSURES
from echelon.domains.requirements.types import Modality

_EXPLAINING = re.compile(
    r"\b(?:z\.\s?b|beispielsweise|etwa|zum beispiel|sinnvoll\w*|hilfreich|typischerweise"
    r"|häufig|oft|potenziell|potentiell|bspw|dies|dabei|hierbei|hierzu|dazu|hier|auch|zusätzlich|leicht|hingegen|dagegen|jedoch|somit|dadurch|hierdurch|ebenfalls|alternativ"
    r"|ergänzend|beispiele?)\b",
    re.IGNORECASE,
)
# Openings that tie the sentence to the one before it, or speak of anything of a kind.
_OPENING_LIST = """
    dies diese dieser dieses diesem diesen solch solche solcher solches so auch dabei hierbei hierzu dazu dadurch
    hierdurch damit hiermit darüber außerdem zudem ferner ebenso ebenfalls alternativ ergänzend zusätzlich
    gegebenenfalls etwa beispielsweise insbesondere sie er es man ihr ihre ihren manche viele einige mehrere andere
    weitere relevante konkret typische mögliche ein eine einer eines einem einen ohne durch mit mittels bei beim zur
    zum zu für über aus nach je im in am an auf unter um als während wenn falls sofern sobald da weil obwohl wo wie
    hier dort dann oft häufig jede jeder jedes jedem daher deshalb deswegen nur nicht gerade besonders von vom vor
    nähere
"""
# Verbs of effect and of state: what happens or holds, nobody does it.
_EFFECT_LIST = """
    verringern vermindern reduzieren erhöhen verbessern verhindern vermeiden verschlechtern beschleunigen
    erleichtern erschweren ermöglichen helfen unterstützen beitragen dienen führen entstehen entfallen erfolgen
    geschehen auftreten eintreten vorkommen kommen bestehen gelten gehören umfassen beinhalten enthalten betreffen
    bedeuten sein haben werden bleiben liegen stehen gelangen wirken auswirken bewirken verursachen auslösen
    schaffen bieten bringen ergeben resultieren begrenzen minimieren mindern steigern stärken schwächen fördern
    gefährden beeinträchtigen schützen gewährleisten sicherstellen wahren erreichen basieren beruhen orientieren
    richten abhängen variieren abweichen ausfallen scheitern versagen entfalten aufrechterhalten beeinflussen
    aufdecken abdecken zeigen hinweisen aussehen passieren stammen handeln erfordern profitieren liefern bilden
    reichen stattfinden vorsehen umsetzen differenzieren beziehen eindämmen herstellen
"""
_OPENINGS = frozenset(_OPENING_LIST.split())
_EFFECTS = frozenset(_EFFECT_LIST.split())
# Who can be allowed to do something: persons, bodies, and the system a specification is about.
_ACTOR = re.compile(
    r"(?:nutzer|nutzende|anwender|administrator|administrierende|betreiber|arbeitgeber|arbeitnehmer|pflichtige|verantwortliche|behörde|stelle"
    r"|unternehmen|mitarbeiter|mitarbeitende|beschäftigte|auftraggeber|auftragnehmer|anbieter|lieferant|hersteller|kunde|person|leitung"
    r"|beauftragte|inhaber|teilnehmer|mitglied|prüfer|finanzamt|verwaltung|partei|system|software|anwendung|vertreter|antragsteller)"
    r"(?:n|en|innen|in|e|s)?\b",
    re.IGNORECASE,
)
# Nouns of those who act: Betreiber, Halter, Lieferantin, Verpflichtete, Institute.
_AGENT = re.compile(
    r"\w{3,}(?:er|ern|erin|innen|ende|enden|pflichtete[nr]?"
    r"|institute?|gesellschaft(?:en)?|staat(?:en)?|amt|kommission)"
)
_ARTICLES = frozenset(["der", "die", "das", "den", "dem", "des"])
_SUBJECT_OPENING = frozenset(["der", "die", "das", "jeder", "jede", "jedes"])
# Verbs that tell how things are, not what somebody does.
_STATES = frozenset(
    [
        "ist",
        "sind",
        "hat",
        "haben",
        "wird",
        "werden",
        "gilt",
        "gelten",
        "kann",
        "können",
        "darf",
        "dürfen",
        "soll",
        "sollen",
        "will",
        "wollen",
        "bedeutet",
        "bezeichnet",
        "besteht",
        "bestehen",
        "umfasst",
        "umfassen",
        "richtet",
        "richten",
        "bleibt",
        "bleiben",
        "entsteht",
        "entstehen",
        "haftet",
        "haften",
        "erlischt",
        "endet",
        "beginnt",
        "tritt",
        "treten",
        "unterliegt",
        "unterliegen",
        "genannten",
        "genannte",
        "benannten",
        "bestimmten",
    ]
)
_CONTENT = re.compile(
    r"(?:dies\w{1,2}|das|der|die)\s+(?:[\w-]+\s+){1,3}?(?:enthält|enthalten|umfasst|umfassen)\s+"
    r"(?:(?:mindestens|zumindest|alle|sämtliche)\s+){0,2}folgende\w*",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"\w+(?:isch|lich|ig|ell|ual|weise|seits|falls|gleich|mäßig|end|bar)")
_MAY = re.compile(r"\b(?:kann|können|koennen|darf|dürfen|duerfen)\b", re.IGNORECASE)
_KEYWORD = re.compile(r"\b(?:KANN|KÖNNEN|DARF|DÜRFEN)\b")
_TAIL = re.compile(
    r"[;:]|\.\s|,\s*(?:die|der|das|was|wobei|sodass|so\s+dass|um|indem|dass|wenn|ob|welche\w?|wodurch|sofern|falls)\b"
)
_LAST_VERB = re.compile(r"([a-zäöüß]+)\W*$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_ADVICE = re.compile(r"\bempf(?:iehlt|ehlen)\b|\b(?:empfehlenswert|ratsam)\b", re.IGNORECASE)
_NECESSITY = re.compile(r"\b(?:erforderlich|notwendig|vonnöten|bedarf|bedürfen|obliegt|obliegen)\b", re.IGNORECASE)
_REASON = re.compile(r"\W*(?:um|damit|für|da|weil|wenn)\b|.*\b(?:ist|sind)\s+es\b", re.IGNORECASE)
# What lifts a duty cannot be broken: it is no rule.
_EXEMPTION = re.compile(
    r"\bnicht\s+(?:erforderlich|notwendig|nötig|verpflichtend)\b|\b(?:muss|müssen|braucht|brauchen)\b[^.;:!?,]*\b(?:nicht|kein\w*)\b"
    r"|\bentbehrlich\b|\bentfällt\b|\bentfallen\b",
    re.IGNORECASE,
)
_CANNOT = re.compile(r"\b(?:kann|können)\s+nicht\b(?!\s+nur\b)", re.IGNORECASE)
_DUTY = re.compile(r"\b(?:muss|müssen|muß|soll|sollen|sollte|sollten|darf|dürfen)\b", re.IGNORECASE)


def denies_ability(sentence: str) -> bool:
    """Whether the sentence says "kann nicht": a prohibition where entries bind, and often a mere fact elsewhere."""
    return _CANNOT.search(sentence) is not None


def acts_in_law(sentence: str) -> bool:
    """Whether a sentence of a law says what somebody does ("Der Halter meldet jeden Ausfall ..."), which binds there;
    or what a record holds ("Dieses Verzeichnis enthält folgende Angaben:"). Elsewhere it only tells."""
    if _CONTENT.match(sentence):
        return True
    words = _WORD.findall(sentence)[:6]
    if len(words) < 4 or words[0].lower() not in _SUBJECT_OPENING:
        return False
    for at, word in enumerate(words[1:4], 1):
        if word[0].isupper() and (_ACTOR.search(word.lower()) or _AGENT.fullmatch(word.lower())):
            verb = words[at + 1] if at + 1 < len(words) else ""
            return re.fullmatch(r"[a-zäöüß]{2,}(?:t|en|ern|eln)", verb) is not None and verb not in _STATES
    return False


def sets_rule(sentence: str, modality: Modality) -> bool:
    """Whether `sentence`, which has this modality, sets a rule.

    Obligations, prohibitions and recommendations do, unless they give impersonal advice or a reason. A permission does
    when it uses the keyword in capitals (RFC 2119: "KANN") or when a named actor may do something: subject first, no
    word of explanation, active, and a verb of action. Raises nothing.
    """
    if _KEYWORD.search(sentence) and not sentence.isupper():
        return True
    if modality is Modality.PERMISSION and _EXEMPTION.search(sentence):
        return False
    assures = ASSURES.search(sentence)
    if assures is not None and not _DUTY.search(sentence) and not _names_agent(sentence[: assures.start()]):
        return False
    may = _MAY.search(sentence)
    if modality is not Modality.PERMISSION or may is None:
        return _DUTY.search(sentence) is not None or not _advises(sentence)
    return not _explains(sentence, may)


def _names_agent(subject: str) -> bool:
    """Whether the words before a verb name somebody who acts, first thing in the sentence."""
    words = _WORD.findall(subject.lower())
    if not words or (words[0] in _OPENINGS and words[0] not in {"ein", "eine", "jeder", "jede", "jedes"}):
        return False
    return any(_ACTOR.search(word) or _AGENT.fullmatch(word) for word in words[:5])


def _advises(sentence: str) -> bool:
    if _ADVICE.search(sentence):
        return True
    return _NECESSITY.search(sentence) is not None and _REASON.match(sentence) is not None


def _explains(sentence: str, may: re.Match[str]) -> bool:
    words = _WORD.findall(sentence[: may.start()].lower())
    if not _names_actor(words, plural=may.group().lower() in {"können", "koennen"}):
        return True
    rest = _TAIL.split(sentence[may.end() :], maxsplit=1)[0]
    last = _LAST_VERB.search(rest)
    return last is None or last[1].lower() in _EFFECTS or _EXPLAINING.search(sentence) is not None


def _names_actor(words: list[str], plural: bool) -> bool:
    """Whether the words before "kann" name who may act.

    With an article (or in the plural, which speaks of a kind) it must be a known kind of actor; a bare singular is the
    telegraphic name of one ("Detektion KANN ..."), unless it is an adverb.
    """
    if not words or words[0] in _OPENINGS or len(words) > 12:
        return False
    if words[0] in _ARTICLES or plural:
        return any(_ACTOR.search(word) for word in words[:4])
    return len(words) > 1 or _ADVERB.fullmatch(words[0]) is None
