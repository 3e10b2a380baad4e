"""English imperatives: "Limit system access to ...", "Verify that ...", "Do not ...".

Control catalogues and checklists command without a modal verb. A sentence is a command when its first word is the
base form of a verb that people are told to do, and the words after it are its object and not a finite verb, so that
"Access logs are kept" and the heading "Access Control Policy" stay statements.
"""

from __future__ import annotations

import re

from echelon.domains.requirements.types import Modality

# Base forms that are seldom nouns: enough as first word.
_VERBS_LIST = """
    accept achieve acquire activate adapt add adhere adjust adopt allocate allow analyse analyze apply appoint
    approve archive arrange assess assign assure attach authenticate authorise authorize automate avoid back block
    build calculate carry cease centralise centralize check choose classify clean clear close collect combine
    communicate compare compile complete comply conduct configure confine confirm connect consider consult contain
    convert coordinate correct correlate create deactivate define delegate delete deliver demonstrate deny deploy
    derive describe destroy detect determine develop disable disallow discard disclose disconnect discontinue
    distribute divide eliminate employ enable encourage encrypt enforce ensure enter erase escalate establish
    evaluate examine exclude execute expire explain extract facilitate follow forbid fulfil fulfill
    gather generate give govern grant handle harden hash hide identify implement improve include
    incorporate inform inhibit initiate insert inspect install instruct integrate introduce investigate involve
    isolate issue keep limit locate maintain make manage mask maximise maximize minimise minimize mitigate modify
    notify obfuscate observe obtain offer operate organise organize perform permit populate prepare present preserve
    prevent prioritise prioritize prohibit prompt protect prove provide publish purge put quarantine reassess
    receive recognise recognize reconcile recover reduce refrain refuse register regulate reject remediate remove
    renew repeat replace require resolve respond restore restrict retain retire retrieve revalidate revoke rotate
    sanitise sanitize satisfy secure see segment segregate select send separate serve set show specify stop store
    strengthen strip submit summarise summarize supervise supply suppress take tell terminate trace track train
    transfer transmit treat uninstall update use utilise utilize validate verify withdraw write
"""

# Base forms that are nouns as often: the words that follow must look like an object.
_NOUN_OR_VERB_LIST = """
    access account act address alert answer audit back base benchmark bind budget call change command contact
    control copy cover display document estimate file filter flag grade group guard guide host label limit link list
    load lock log mark match measure monitor name note open order plan prefix process program question rank rate
    record release report request reset review run sample scan schedule score screen seal search share sign support
    test time transport trust view watch
"""

_OBJECT_STARTS_LIST = """
    a against all an and any as at both by each either every for her his if in into its no non on only or other our
    such that the their these this those to when whether with your
"""

_VERBS = frozenset(_VERBS_LIST.split())
_NOUN_OR_VERB = frozenset(_NOUN_OR_VERB_LIST.split())
_OBJECT_STARTS = frozenset(_OBJECT_STARTS_LIST.split())

_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|will|shall|must|may|can|should|would|could|might)\b", re.I
)
_STATING = re.compile(r"\b(?:contain|include|hold|show|describe|consist|provide|remain|exist|belong)s?\b", re.I)
_LEAD = re.compile(
    r"^\W*(?:(?:\(?[a-z]\)|\(?[ivx]+\)|\(?\d+(?:\.\d+)*[.)]?)\s+)?"
    r"(?:(?:please|always|then|also|where\s+(?:possible|applicable|appropriate)"
    r"|at\s+(?:a\s+)?minimum|as\s+a\s+minimum|periodically|regularly|at\s+least\s+\w+)\s*,?\s+)*",
    re.I,
)
_CONDITION = re.compile(
    r"^(?:if|when|whenever|where|before|after|during|for|in|on|once|upon|unless|as|to|prior\s+to|at)\b"
    r"[^,]{3,160},\s+(?:then\s+)?",
    re.I,
)
_NEGATIVE = re.compile(
    r"^(?:(?:do\s+not|don't|never)\s+[a-z]+|(?:avoid|prohibit|forbid|disallow|refrain\s+from)\b)", re.I
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
# "Apply", "Comply", "Supply" end like adverbs.
_ADVERB = re.compile(r"^(?!(?:ap|com|sup|re|multi|im)p?ly\b)[a-z]+ly\s+", re.I)


def imperative(sentence: str) -> Modality | None:
    """PROHIBITION for "Do not ..." and its like, OBLIGATION for other commands, None when it is no command.

    Enumerators, "Please", adverbs and one leading condition ("If ..., ") are passed over. Raises nothing.
    """
    body = sentence[_match_end(_LEAD, sentence) :]
    for candidate in (body, body[_match_end(_CONDITION, body) :]):
        if _NEGATIVE.match(candidate):
            return Modality.PROHIBITION
        if _commands(candidate[_match_end(_ADVERB, candidate) :]):
            return Modality.OBLIGATION
    return None


def _match_end(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0


def _commands(text: str) -> bool:
    words = _WORD.findall(text[:200])
    if len(words) < 3:
        return False
    verb, following = words[0].lower(), words[1].lower()
    if _is_title(words):
        return False
    if verb not in _VERBS | _NOUN_OR_VERB or following == "of" or _FINITE.fullmatch(following):
        return False
    return verb not in _NOUN_OR_VERB or following in _OBJECT_STARTS or not _has_subject(text)


def _is_title(words: list[str]) -> bool:
    """Headings write most words with a capital: three or more of the first six, after the first."""
    return sum(word[0].isupper() for word in words[1:6]) >= min(3, len(words) - 1)


def _has_subject(text: str) -> bool:
    """Whether a finite verb stands in the first clause, so that the first word is part of a subject."""
    clause = re.split(r"[,;:]|\b(?:that|which|who|if|when|where|so)\b", text, maxsplit=1)[0]
    return _FINITE.search(clause) is not None or _STATING.search(clause) is not None
