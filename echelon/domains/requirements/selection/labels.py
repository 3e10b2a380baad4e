"""What is written around the quotes of a result, in English and German."""

from __future__ import annotations

from dataclasses import dataclass

from echelon.domains.requirements.selection.types import Column, Language, Order
from echelon.domains.requirements.types import Modality


@dataclass(frozen=True)
class Labels:
    """The words of one language. A sentence with `{}` takes a list."""

    title: str
    none_found: str
    counted: str
    page: str
    repeats: str
    asked_for: str
    everything: str
    of_documents: str
    on_pages: str
    in_sections: str
    only_modalities: str
    without: str
    relevant_for: str
    parties: str
    naming: str
    with_deadline: str
    at_most: str
    table: str
    table_with: str
    sorted_by: str
    in_german: str
    left_out: str
    or_: str
    for_person: str


_ENGLISH = Labels(
    title="Requirements", none_found="No requirement fits what was asked for.", counted="{} of {} found requirements",
    page="page", repeats="repeats", asked_for="What was asked for", everything="Every requirement of the documents.",
    of_documents="Only of {}.", on_pages="Only on pages {}.", in_sections="Only in section {} and below.",
    only_modalities="Only {}.", without="Without {}.", relevant_for="Only what is relevant for {}.",
    parties="Only what {} must, may or should do.", naming="Only what names {}.", with_deadline="Only what names a time.",
    at_most="The first {} at most.",
    table="As one table.", table_with="As one table with the columns {}.", sorted_by="Sorted by {}.",
    in_german="Written in German; quotes keep the words of the document.", left_out="Left out, with the reason", or_="or",
    for_person="for a person",
)  # fmt: skip
_GERMAN = Labels(
    title="Anforderungen", none_found="Keine Anforderung passt zu dem, was verlangt ist.",
    counted="{} von {} gefundenen Anforderungen", page="Seite", repeats="wiederholt", asked_for="Was verlangt ist",
    everything="Jede Anforderung der Dokumente.", of_documents="Nur aus {}.", on_pages="Nur auf den Seiten {}.",
    in_sections="Nur in Abschnitt {} und darunter.", only_modalities="Nur {}.", without="Ohne {}.",
    relevant_for="Nur was für {} wichtig ist.", parties="Nur was {} tun muss, darf oder soll.",
    naming="Nur was {} nennt.", with_deadline="Nur was eine Frist nennt.", at_most="Höchstens die ersten {}.",
    table="Als eine Tabelle.",
    table_with="Als eine Tabelle mit den Spalten {}.", sorted_by="Sortiert nach {}.",
    in_german="Auf Deutsch; Zitate behalten den Wortlaut des Dokuments.", left_out="Weggelassen, mit dem Grund", or_="oder",
    for_person="für einen Menschen",
)  # fmt: skip

MODALITIES: dict[Language, dict[Modality, str]] = {
    "en": {m: f"{m.value}s" for m in Modality},
    "de": {
        Modality.OBLIGATION: "Pflichten", Modality.PROHIBITION: "Verbote", Modality.PERMISSION: "Erlaubnisse",
        Modality.RECOMMENDATION: "Empfehlungen",
    },
}  # fmt: skip
MODALITY: dict[Language, dict[Modality, str]] = {
    "en": {m: m.value for m in Modality},
    "de": {
        Modality.OBLIGATION: "Pflicht", Modality.PROHIBITION: "Verbot", Modality.PERMISSION: "Erlaubnis",
        Modality.RECOMMENDATION: "Empfehlung",
    },
}  # fmt: skip
COLUMN: dict[Language, dict[Column, str]] = {
    "en": {
        "id": "id", "number": "number", "text": "text", "modality": "modality", "document": "document", "page": "page",
        "section": "section", "subject": "subject", "deadline": "deadline", "categories": "categories",
    },
    "de": {
        "id": "Kennung", "number": "Nummer", "text": "Wortlaut", "modality": "Art", "document": "Dokument",
        "page": "Seite", "section": "Abschnitt", "subject": "Subjekt", "deadline": "Frist", "categories": "Kategorien",
    },
}  # fmt: skip
ORDER: dict[Language, dict[Order, str]] = {
    "en": {"document": "document", "page": "page", "section": "section", "modality": "modality", "number": "number"},
    "de": {"document": "Dokument", "page": "Seite", "section": "Abschnitt", "modality": "Art", "number": "Nummer"},
}


def labels_in(language: Language) -> Labels:
    """The words of a language."""
    return _GERMAN if language == "de" else _ENGLISH
