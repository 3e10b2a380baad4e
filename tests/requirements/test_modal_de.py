"""Modality of German sentences, and whether a sentence sets a rule or explains one."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.requirements.judging.binding_de import sets_rule
from echelon.domains.requirements.judging.modal_de import modality
from echelon.domains.requirements.types import Modality

OBLIGATIONS = [
    "Die Belege müssen lesbar sein.",
    "Jede Buchung ist durch einen Beleg zu belegen.",
    "Der Betreiber hat sicherzustellen, dass Änderungen protokolliert werden.",
    "Die Unterlagen sind zehn Jahre aufzubewahren.",
    "Art, Umfang und Dauer sind festzuhalten.",
    "Die Verfahren sind, soweit möglich, zu dokumentieren.",
    "Der Auftragnehmer ist verpflichtet, Vorfälle zu melden.",
    "Für den Zugriff ist eine Freigabe erforderlich.",
    "Der Anbieter verpflichtet sich zur Löschung.",
    "Daten, die gelöscht werden können, sind zu kennzeichnen.",
    "Werden Daten übermittelt, muss die Leitung verschlüsselt sein.",
    "Das Passwort muss sicher und nicht erratbar sein.",
]
PROHIBITIONS = [
    "Eine Buchung darf nicht verändert werden.",
    "Es dürfen keine Belege vernichtet werden.",
    "Kein Benutzer darf eigene Buchungen freigeben.",
    "Die Weitergabe der Daten ist untersagt.",
    "Die Nutzung ist nicht gestattet.",
    "Der Zugriff darf nur durch Befugte erfolgen.",
    "Die Veröffentlichung ist zu unterlassen.",
    "Daten dürfen nicht länger als erforderlich gespeichert werden.",
    "Es darf nicht mehr als ein Konto aktiv sein.",
]
RECOMMENDATIONS = [
    "Die Sicherung sollte täglich geprüft werden.",
    "Die Berichte sollen monatlich erscheinen.",
    "Es wird die Verwendung langer Schlüssel empfohlen.",
    "Ein zweiter Standort ist ratsam.",
]
PERMISSIONS = [
    "Der Prüfer kann weitere Unterlagen anfordern.",
    "Die Ablage in Papierform ist zulässig.",
    "Die Leitung darf Ausnahmen genehmigen.",
    "Das Protokoll muss nicht unterschrieben werden.",
    "Eine Unterschrift ist nicht erforderlich.",
]
NOTHING = [
    "Das Archiv enthält die Unterlagen der letzten Jahre.",
    "Ziel ist es, die Daten zu schützen.",
    "Sinnvoll ist es, die Protokolle täglich auszuwerten.",
    "Das System ist in der Lage, Daten zu prüfen.",
    "Das könnte den Ablauf stören.",
    "Dabei ist davon auszugehen, dass die Daten vollständig sind.",
    "Sollte ein Konto gesperrt sein, hilft die Leitung.",
    "Zu beachten ist, dass die Frist am Jahresende beginnt.",
    "Es gibt Belege, die gescannt werden müssen.",
    "",
    "§ 14",
]
CASES = [
    *((sentence, Modality.OBLIGATION) for sentence in OBLIGATIONS),
    *((sentence, Modality.PROHIBITION) for sentence in PROHIBITIONS),
    *((sentence, Modality.RECOMMENDATION) for sentence in RECOMMENDATIONS),
    *((sentence, Modality.PERMISSION) for sentence in PERMISSIONS),
    *((sentence, None) for sentence in NOTHING),
]


@pytest.mark.parametrize(("sentence", "expected"), CASES)
def test_reads_modality(sentence: str, expected: Modality | None) -> None:
    assert modality(sentence) == expected


@pytest.mark.parametrize(("sentence", "expected"), CASES)
def test_lower_case_reads_alike(sentence: str, expected: Modality | None) -> None:
    assert modality(sentence.lower()) == expected


@pytest.mark.parametrize(
    ("keyword", "expected"),
    [("MUSS", Modality.OBLIGATION), ("SOLLTE", Modality.RECOMMENDATION), ("KANN", Modality.PERMISSION)],
)
def test_keyword_of_a_catalogue(keyword: str, expected: Modality) -> None:
    sentence = f"Archivierung für Belege {keyword} die Lesbarkeit prüfen."
    assert modality(sentence) == expected
    assert modality(sentence.lower()) == expected
    assert sets_rule(sentence, expected)
    assert sets_rule(sentence.lower(), expected)


@pytest.mark.parametrize(
    "sentence",
    [
        "Eine klare Regelung kann das Risiko verringern.",
        "Die Umsetzung kann über ein Werkzeug erfolgen.",
        "Dies kann den Aufwand erhöhen.",
        "Hierzu können zum Beispiel Listen dienen.",
        "Praktisch kann eine Liste helfen.",
        "Fehler können in jedem System auftreten.",
        "Bei der Planung kann eine Übersicht nützen.",
        "Es empfiehlt sich, die Liste jährlich zu prüfen.",
        "Damit die Daten lesbar bleiben, ist ein Lesegerät erforderlich.",
        "Eine Unterschrift ist nicht erforderlich.",
    ],
)
def test_explanation_sets_no_rule(sentence: str) -> None:
    found = modality(sentence)
    assert found is None or not sets_rule(sentence, found)
    assert found is None or not sets_rule(sentence.lower(), found)


@pytest.mark.parametrize(
    "sentence",
    [
        "Der Prüfer kann weitere Unterlagen anfordern.",
        "Die Verwaltung kann Fristen verlängern.",
        "Archivierung kann Belege aussondern.",
        "Die Unterlagen sind aufzubewahren.",
        "Die Weitergabe ist untersagt.",
        "Die Sicherung sollte täglich geprüft werden.",
        "Für den Zugriff muss eine Freigabe vorliegen, wenn es erforderlich ist.",
    ],
)
def test_rule_is_a_rule(sentence: str) -> None:
    found = modality(sentence)
    assert found is not None
    assert sets_rule(sentence, found)


@given(st.text(max_size=300))
def test_any_text_has_an_answer_and_always_the_same(text: str) -> None:
    first = modality(text)
    assert modality(text) == first
    if first is not None:
        assert sets_rule(text, first) == sets_rule(text, first)


@given(
    st.lists(st.sampled_from(["ist", "zu prüfen", "darf", "nicht", "kann", ",", "die", "wenn", "sind"]), max_size=30)
)
def test_piled_up_modals_do_not_confuse(words: list[str]) -> None:
    found = modality(" ".join(words))
    assert found is None or isinstance(found, Modality)


def test_long_text_is_read_in_reasonable_time() -> None:
    assert modality("Das Archiv ist groß und hell " * 2_000 + ". Es muss wachsen.") is Modality.OBLIGATION


def test_thousands_of_modals_take_no_longer_than_their_length() -> None:
    start = time.process_time()
    assert modality("die muss " * 10_000) is Modality.OBLIGATION
    assert time.process_time() - start < 5
