"""Lines that speak of the work in place of it: done, sorry, here it comes, and the rest is left out."""

from __future__ import annotations

import re

_DEED = (
    r"(?:list|listed|write|written|create|created|complete|completed|finish|finished|done|do|look|looked|read|check|checked|add|added"
    r"|prepare|prepared|provide|provided|summari[sz]ed?|extract|extracted|analy[sz]ed?|make|made|review|reviewed|go|gone)\b"
)
_DONE = (
    r"(?:successfully )?(?:done|finished|completed?|created|written|generated|extracted|listed|compiled|summari[sz]ed"
    r"|collected|added)\b[^:\d]{0,120}"
)
_WANTED = r"(?:document|polic(?:y|ies)|file|text|input|source|details|information|content)s?"
_TALK = re.compile(
    r"^\W*(?:(?:unfortunately|sorry|regrettably|note|leider)\W+)?"
    r"(?:(?:it is |this is |everything is |task )?(?:done|finished|completed?|erledigt|fertig|abgeschlossen)"
    r"|(?:sure|certainly|of course|gerne?|natürlich)[,!] .{0,160}|here (?:is|are) .{0,160}|hier (?:ist|sind|folgt) .{0,160}"
    r"|(?:i'm|i am|we are) sorry\b.{0,300}|as an ai\b.{0,300}"
    rf"|(?:the |this )?(?:task|job|work|request|file|list) (?:is |was |has been )?{_DONE}"
    rf"|successfully {_DONE}|(?:the|all|each|every)\b.{{0,120}}\b(?:has|have) been (?:now )?{_DONE}"
    rf"|(?:i|we)(?:'ll| will| shall|'ve| have| am going to| are going to| had| was able to)(?: now| not| already|"
    rf" then)* {_DEED}.{{0,300}}"
    r"|(?:i|we) (?:can ?not|can't|could ?n[o']t|am unable to|was unable to|do not|don't|did not|didn't)(?: have)? "
    r"(?:access|read|open|complete|do|help|provide|fulfil|process|comply|permission|time)\b.{0,300}"
    r"|ich (?:werde|habe|kann|konnte)\b.{0,200}\b(?:schreiben|geschrieben|erstell\w+|lesen|gelesen|aufgelistet"
    r"|auflisten|erledig\w+|zugreifen)\W*"
    r"|this (?:file|document|report|list|table|text|section|page) (?:contains?|lists?|holds?|shows?|will|is meant"
    r" to|is to)\b[^:\d]{0,300}"
    r"|(?:the|this) (?:file|report|list|table|deliverable|result)s? (?:has been|have been|was|were) "
    r"(?:written|created|completed|added|generated|updated|finished|delivered)\b[^:\d]{0,200}"
    r"|(?:diese|die) (?:datei|liste|tabelle) (?:enthält|wurde|wird)\b[^:\d]{0,200}"
    r"|(?:all|every)\b[^:\d]{0,120}\b(?:is|are|was|were|has been|have been) (?:listed|covered|included|done"
    r"|written|handled|complete)\b[^:\d]{0,80}"
    r"|(?:please )?see (?:the )?(?:input|document|file|above|attach|original|source)\b.{0,160}|(?:see )?documents/\S+"
    r"|siehe (?:eingabe|dokument|datei|oben|anlage|original|anhang)\b.{0,160}"
    rf"|please (?:provide|upload|attach|send|share|paste)\b.{{0,60}}\b{_WANTED}\b.{{0,160}}"
    r"|(?:would you like me to|do you want me to|let me know (?:if|whether|which|what)|how can i help)\b.{0,200}"
    rf"|(?:shall|should) i {_DEED}.{{0,200}}"
    r"|(?:\w{0,20}error|fatal|exception|fehler)\s*: ?(?:documents?/|output/|the (?:input|document|file|tool)\b|tool\b)"
    r".{0,300}"
    rf"|.{{0,120}}\b(?:will|are to|is to|(?:is|are) going to) (?:then )?be {_DEED}.{{0,40}}\b(?:later|soon|shortly"
    r"|in (?:a|the) (?:later|next|following|second) (?:step|round|version|task|phase|milestone))"
    r"|as (?:described|stated|mentioned|noted|listed|explained|shown|outlined)"
    r" (?:above|below|before|earlier|elsewhere)\b.{0,80}"
    r"|(?:see|same as) (?:above|below|before)|wie (?:oben|unten|zuvor)\b.{0,60}"
    r"|this (?:section|part|chapter|file|document|report|list|page) (?:is about|describes?|covers?|deals with"
    r"|discusses|explains?"
    r"|presents?|outlines?|summari[sz]es|addresses|gives?|provides?|introduces)\b[^:\d]{0,300}"
    r"|dieser? (?:abschnitt|teil|kapitel) (?:beschreibt|behandelt|enthält|erklärt)\b[^:\d]{0,300}"
    r"|as (?:requested|asked|discussed)\b.{0,80}|wie (?:gewünscht|besprochen)\b.{0,80}"
    r")\W*$",
    re.IGNORECASE,
)
"""A line that speaks of the work, or excuses its absence, and is no result by itself."""
_LEFT_OUT = re.compile(
    r"^[\W_]*(?:and so on|etc|usw|u\. ?s\. ?w|und so weiter|omitted for brevity|to be continued|continued|fortsetzung folgt"
    r"|(?:and |the )*(?:rest|remaining|remainder|others?|further|more|additional)\b.{0,60}\b(?:omitted|left out"
    r"|unchanged|follows?|go(?:es)? here|skipped|continues?|analogous|accordingly)"
    r"|(?:und |die |der |das )*(?:rest|restlichen?|übrigen?|weitere[nr]?)\b.{0,60}\b(?:folg(?:t|en)|ausgelassen"
    r"|weggelassen|entsprechend|analog|unverändert)"
    r"|(?:text |output |content |list )?(?:truncated|snip(?:ped)?|cut off|gekürzt|abgeschnitten))[\W_]*$"
    r"|^(?:\W*(?:and|plus|und) |\W*(?:\.{3}|…|\+) ?(?:and |und )?)\d+ (?:more|others?|further|weitere)(?: \w+)?[\W_]*$",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"\b(?:here|following|follows|below|folgende[nrs]?|hier|nachstehend\w*)\b.*:\W*$", re.IGNORECASE
)


def is_talk(line: str) -> bool:
    """Whether a line speaks of the work, or excuses its absence."""
    return _TALK.match(line) is not None


def leaves_out(line: str) -> bool:
    """Whether a line says that something is left out."""
    return _LEFT_OUT.match(line) is not None


def announces(line: str) -> bool:
    """Whether a line says that something follows."""
    return _ANNOUNCES.search(line) is not None


_ENDS_OPEN = re.compile(r"\b(?:the|an|and|or|nor|with the|und|oder|dem|des|eines|einem)$")
LEAST_BROKEN = 6
"""Words of a line from which it is a sentence, which does not end with an article."""


def breaks_off(text: str) -> bool:
    """Whether a text ends in the middle of a sentence: with an article, or with a word that joins two."""
    last = text.rstrip().rpartition("\n")[2].rstrip()
    return len(last.split()) >= LEAST_BROKEN and _ENDS_OPEN.search(last) is not None
