"""What stands where a result should, and is none in any job: what a program says that failed, what a model says of itself, a
question back, a promise, a plan in the first person, a piece of a conversation.

Each may also be what somebody asked for (the errors of a log, questions of an interview, a letter), or stand in an input:
then it is not refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from echelon.digest import folded
from echelon.tasks.texts.marks import PAGES, PROSE, SENTENCE, bare, is_fence, is_heading
from echelon.tasks.texts.placeholders import is_placeholder, spoken
from echelon.tasks.texts.talk import is_talk

LONGEST = 40
"""Sentences of a text up to which it may be nothing but excuses"""
_RESULT = r"(?:answer|result|summary|report|list|table|file|document|text|content|output|translation|analysis|rest)s?"
_RESULT_DE = (
    r"(?:antwort|ergebnis|zusammenfassung|bericht|liste|tabelle|datei|dokument|text|inhalt|übersetzung|rest)\w*"
)
_HANDLED = r"(?:open|read|access|find|load|process|complete|finish|parse|fulfil|perform)"
_DEED = (
    r"(?:read|open|collect|gather|write|summari[sz]e|analy[sz]e|review|check|look|list|extract|identify|go through|create"
    r"|compile|make|prepare|lese|lesen|öffne\w*|sammle|sammeln|schreibe\w*|fasse|fassen|prüfe\w*|erstelle\w*)"
)
_LEAD = (
    r"(?:(?:first|second|third|then|next|finally|lastly|now|after that|afterwards|zuerst|dann|danach|anschließend"
    r"|schließlich|zum schluss)\W+)?"
)


@dataclass(frozen=True)
class _Kind:
    """Sentences of one kind, and words of a request that asks for what looks like them."""

    says: re.Pattern[str]
    asked_by: re.Pattern[str]


def _kind(says: str, asked_by: str) -> _Kind:
    return _Kind(
        re.compile(rf"^\W*(?:(?:unfortunately|sorry|regrettably|leider)\W+)?(?:{says})\s*$", re.IGNORECASE),
        re.compile(rf"\b(?:{asked_by})\b", re.IGNORECASE),
    )


_KINDS = (
    _kind(  # what failed
        r"(?:\w*(?:error|exception)|fatal|fehler)(?:\s*[:(\[]|\s+\d{3}\b).*|traceback \(most recent.*"
        r"|file \"[^\"]+\", line \d+.*"
        rf"|(?:i|we) (?:was|were|am|are) (?:not able|unable) to {_HANDLED}\b.*"
        rf"|it (?:was|is) (?:not possible|impossible) to {_HANDLED}\b.*"
        r"|(?:the )?(?:file|document|input|tool|request)s? (?:could ?n[o']t|can ?not|can't) be"
        r" (?:opened|read|accessed|found|loaded|processed|parsed|completed)\b.*"
        r"|ich konnte\b.{0,80}\bnicht (?:öffnen|lesen|finden|laden|verarbeiten)\W*"
        r"|(?:die|das) (?:datei|dokument|eingabe) konnte nicht\b.{0,60}\bwerden\W*",
        r"errors?|exceptions?|fail\w*|fehler\w*|logs?|traceback|stack|warnings?|problems?|messages?|meldung\w*",
    ),
    _kind(  # who speaks
        r"(?:as|i am|i'm) an? (?:large |small )?(?:language model|ai\b|assistant|chat ?bot).*"
        r"|als (?:ki|sprachmodell|assistent)\b.*|ich bin (?:nur )?(?:ein sprachmodell|eine ki)\b.*",
        r"assistants?|chat\w*|prompts?|disclaimers?|introduc\w+|ai|ki",
    ),
    _kind(  # later
        r"(?:please )?(?:wait|stand by|hold on|be patient|try again)\b.*|(?:still )?(?:loading|generating|processing"
        r"|thinking|working on (?:it|this))\b\W*"
        rf"|(?:the |a |my )?(?:\w+ )?{_RESULT} (?:of .{{0,60}} )?(?:follows|will follow|comes|will come"
        r"|will be (?:ready|available|sent|delivered|provided|added|written))\b.{0,40}\b(?:next|later|soon|shortly|tomorrow"
        rf"|minutes?)\b.*|(?:der |die |das )?{_RESULT_DE} (?:wird|werden|folgt|folgen)\b.{{0,30}}"
        r"\b(?:nachgereicht|nachgeliefert|in kürze|später|nächsten)\b.*",
        r"notes?|messages?|mails?|e-mails?|letters?|reminders?|notiz\w*|nachricht\w*|brief\w*",
    ),
    _kind(  # a question back
        r"which .{1,60}\b(?:do you (?:mean|want|need|refer)|are you referring)\b.*|what (?:exactly )?(?:do|would) you"
        r" (?:mean|want|like|need)\b.*|(?:could|can|would|will) you (?:please )?(?:clarify|specify|tell me|provide|send"
        r"|share|upload|attach|confirm)\b.*|please (?:clarify|specify)\b.*|welche\w* .{1,60}\bmeinen sie\b.*"
        r"|können sie (?:mir )?(?:bitte )?.{0,60}\b(?:klären|schicken|senden|sagen|bestätigen|angeben)\b.*",
        r"questions?|interview\w*|faq|quiz|survey|notes?|messages?|mails?|e-mails?|letters?|repl(?:y|ies)|ask|frage\w*|nachricht\w*"
        r"|brief\w*|antwort\w*",
    ),
    _kind(  # what is going to be done
        rf"{_LEAD}(?:i|we)(?:'ll| will| shall| plan to| intend to| need to| am going to| are going to)"
        rf" (?:now |then |first )*{_DEED}\b.*|{_LEAD}(?:ich werde|werde ich)\b.*\b{_DEED}\W*|(?:my|mein) plan\b.*",
        r"plans?|planning|steps?|approach|procedure|how|strategy|schedule|speech|diary|schritte?|vorgehen|wie|rede",
    ),
    _kind(  # a conversation
        r"(?:user|assistant|system|human|ai|bot|nutzer|assistent)\s*:.*",
        r"chats?|dialog\w*|conversations?|transcripts?|interviews?|roles?|gespräch\w*|rollen",
    ),
    _kind(  # a word of a program for nothing, and a file that speaks of itself
        r"n/?a|null|nil|undefined|nan|[\w ]{1,30}: (?:see|siehe) (?:above|below|oben|unten)\W*"
        r"|(?:the |this )?(?:\w+ )?(?:file|document|report|result|list|summary|table)"
        r" ['\"`]?(?:\./)?output/\S+ (?:contains|holds|has|lists|shows|describes|summari[sz]es|was|is)\b[^:\d]*",
        r"index|overview of the files|readme|values?|übersicht",
    ),
)  # fmt: skip


def excuse(path: str, text: str, given: Iterable[str], request: str = "") -> str:
    """The first sentence of a text that has nothing but such sentences, talk and placeholders; '' for any other text, where
    the request asks for what looks so, and where an input (`given`) says it."""
    if PurePosixPath(path.lower()).suffix not in (*PROSE, *PAGES):
        return ""
    kinds = [kind for kind in _KINDS if not kind.asked_by.search(request)]
    said = _sentences(spoken(path, text))
    found = [s for s in said if any(kind.says.match(s) for kind in kinds)]
    if not found or len(said) > LONGEST or not all(s in found or is_talk(s) or is_placeholder(s) for s in said):
        return ""
    sources = [folded(source) for source in given]
    return "" if any(folded(s) in source for s in found for source in sources) else found[0]


def _sentences(text: str) -> list[str]:
    lines = [bare(line) for line in text.splitlines() if not is_heading(line) and not is_fence(line)]
    return [s.strip() for line in lines if line for s in SENTENCE.split(line) if s.strip()]
