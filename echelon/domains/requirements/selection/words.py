"""The words that plain requests are made of, in English and German."""

from __future__ import annotations

import re

from echelon.domains.requirements.selection.types import Column, Order
from echelon.domains.requirements.types import Modality

MODALITIES: tuple[tuple[Modality, str], ...] = (
    (
        Modality.PROHIBITION,
        r"prohibitions?|prohibited|forbidden|not (?:be )?(?:allowed|permitted)|must[- ]nots?|bans?"
        r"|verbot(?:e|en|s)?|verboten\w*|untersag\w+|nicht (?:erlaubt|gestattet|zulässig)\w*",
    ),
    (
        Modality.RECOMMENDATION,
        r"recommendations?|recommended|shoulds?|empfehlung(?:en)?|empfohlen\w*|soll-?(?:anforderungen|vorgaben|regeln)",
    ),
    (
        Modality.PERMISSION,
        r"permissions?|permitted|allowed|erlaubnis(?:se)?|erlaubt\w*|gestattet\w*|kann-?(?:anforderungen|vorgaben|regeln)",
    ),
    (
        Modality.OBLIGATION,
        r"obligations?|obligatory|dut(?:y|ies)|mandatory|musts?|shalls?|pflicht(?:en)?|verpflichtung(?:en)?|verpflichtend\w*"
        r"|zwingend\w*|muss-?(?:anforderungen|vorgaben|regeln)",
    ),
)
"""What a modality is called, the longer phrases first: what is not allowed is no permission."""

WITHOUT = r"(?:except|without|excluding|but not|not|no|ohne|außer|ausgenommen|keine|aber nicht|nicht)"
"""What turns the modality behind it round."""

COLUMNS: dict[str, Column] = {
    "id": "id", "ids": "id", "kennung": "id",
    "number": "number", "numbers": "number", "clause": "number", "nummer": "number", "ziffer": "number",
    "text": "text", "words": "text", "wording": "text", "quote": "text", "wortlaut": "text", "zitat": "text",
    "modality": "modality", "kind": "modality", "type": "modality", "art": "modality", "modalität": "modality",
    "document": "document", "file": "document", "dokument": "document", "datei": "document",
    "page": "page", "pages": "page", "seite": "page", "seiten": "page",
    "section": "section", "chapter": "section", "abschnitt": "section", "kapitel": "section",
    "subject": "subject", "party": "subject", "who": "subject",
    "subjekt": "subject", "wer": "subject", "adressat": "subject",
    "deadline": "deadline", "time": "deadline", "frist": "deadline",
    "category": "categories", "categories": "categories", "kategorie": "categories", "kategorien": "categories",
}  # fmt: skip

ORDERS: dict[str, Order] = {
    "page": "page", "seite": "page", "seiten": "page",
    "section": "section", "chapter": "section", "abschnitt": "section", "abschnitten": "section", "kapitel": "section",
    "modality": "modality", "kind": "modality", "type": "modality", "art": "modality", "modalität": "modality",
    "document": "document", "file": "document", "dokument": "document", "dokumenten": "document",
    "number": "number", "clause": "number", "nummer": "number",
}  # fmt: skip

CATEGORIES: dict[str, str] = {"gdpr": "gdpr", "dsgvo": "gdpr", "gobd": "gobd"}

NUMBERS: dict[str, int] = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10,
}  # fmt: skip

NEUTRAL = frozenset(
    re.findall(
        r"\S+",
        """
a an the of in on at from and or with without its their to for as by be is are was which that what who this these
those it them us me my our we i you your there here list extract find give show write report deliver produce make
create collect compile gather return output need want would like please kindly all every each any only just solely
exclusively simply complete full whole entire exact verbatim requirement requirements clause clauses rule rules item
items statement statements provision provisions entry entries document documents policy policies standard regulation
specification file files text texts page pages section sections words word wording quote quotes citation citations
catalogue catalog result results one once stand stands standing contained contain contains containing appear appears
found form say says said set out der die das des dem den ein eine einer eines einem einen und oder mit ohne aus in
im am an auf von vom zu zum zur für als bei ist sind was welche welcher welches diese dieser dieses es sie uns mir
mein meine unser unsere ich wir du ihr sein ihre ihrer ihrem liste listen auflisten extrahiere extrahieren finde
finden gib zeige zeig schreibe erstelle erstellen sammle nenne nennen liefere brauche möchte bitte everything alle alles jede
jeder jedes jeden nur lediglich ausschließlich vollständig vollständige ganz genau genaue genauen wörtlich
anforderung anforderungen regel regeln vorgabe vorgaben bestimmung bestimmungen eintrag einträge dokument dokumente
dokumenten dokuments richtlinie richtlinien norm verordnung datei dateien unterlage unterlagen text texte seite
seiten abschnitt abschnitte wort worte wortlaut zitat zitate katalog ergebnis ergebnisse einmal steht stehen stehend
enthalten enthält stammen stammt form daraus darin heraus auf relevant relevante relevanten
""",
    )
)
"""Words of a request that ask for nothing in particular."""
