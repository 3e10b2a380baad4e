"""Word documents of the genres: identifiers in titles with labelled paragraphs, cards, tables of many columns, lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import docx
import pytest

from tests.requirements.genres import score

Gold = list[tuple[str, str]]


def put_table(document: Any, rows: Sequence[Sequence[str]]) -> None:
    table = document.add_table(len(rows), max(map(len, rows)))
    for row, values in zip(table.rows, rows, strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value


def titles_with_labels(document: Any) -> Gold:
    texts = [
        "Die Kasse druckt einen Beleg für jeden Kauf.",
        "Die Waage muss auf zwei Gramm genau wiegen. Sie zeigt das Gewicht an.",
        "Das Lager wird täglich gezählt.",
        "Der Hof muss beleuchtet sein.",
    ]
    document.add_paragraph("Der Hofladen soll wachsen. Früher gab es keine Kasse.")
    for number, text in enumerate(texts, 1):
        document.add_heading(f"LH-{number:02} Thema {number}", 2)
        for label, words in (("Beschreibung: ", text), ("Priorität: ", "hoch"), ("Abnahme: ", "Er muss dabei sein.")):
            paragraph = document.add_paragraph()
            paragraph.add_run(label).bold = True
            paragraph.add_run(words)
    return [(f"LH-{number:02}", text) for number, text in enumerate(texts, 1)]


def cards_with_a_name_behind_the_number(document: Any) -> Gold:
    texts = [
        "Der Imker meldet sich mit Kennwort an.",
        "Das System muss jede Ernte mit Datum speichern.",
        "Der Kunde kann bis zu zehn Gläser bestellen.",
        "Am Jahresende wird ein Bericht erstellt.",
    ]
    for number, text in enumerate(texts, 1):
        document.add_heading(f"2.{number} Thema {number}", 2)
        rows = [("Anforderung", f"F{number}: Thema {number}"), ("Akteur", "Imker"), ("Vorbedingung", "Es muss laufen.")]
        put_table(
            document, [*rows, ("Beschreibung", text), ("Ergebnis", "Eine Meldung erscheint."), ("Priorität", "1")]
        )
    return [(f"F{number}", text) for number, text in enumerate(texts, 1)]


def table_with_running_numbers(document: Any) -> Gold:
    texts = [
        "Bilder werden mit höchstens 50 Lux beleuchtet.",
        "Die Luftfeuchte liegt zwischen 45 und 55 %.",
        "Gäste dürfen nicht blitzen.",
        "Ein Rundgang dauert nicht länger als eine Stunde.",
        "Störungen werden dem Hausmeister gemeldet.",
        "Die Anlage ist nachts abzuschalten.",
    ]
    document.add_paragraph("Dieser Katalog muss unterschrieben werden.")
    rows = [(str(n), f"Thema {n}", text, "AB"[n % 2], "") for n, text in enumerate(texts, 1)]
    put_table(document, [("lfd. Nr.", "Thema", "Anforderung", "Art", "Erfüllt?"), *rows])
    return [(str(number), text) for number, text in enumerate(texts, 1)]


def lists_of_must(document: Any) -> Gold:
    document.add_heading("Muss-Anforderungen", 1)
    texts = ["Noten verwalten und drucken", "Proben planen", "Mitglieder anschreiben"]
    for text in texts:
        document.add_paragraph(text, style="List Bullet")
    document.add_heading("Nicht-Ziele", 1)
    for text in ("Buchhaltung", "Kartenverkauf im Internet"):
        document.add_paragraph(text, style="List Bullet")
    return [("", text) for text in texts]


def fields_with_their_names_in_the_cells(document: Any) -> Gold:
    texts = [
        "The tram tells the driver of ice within one minute.",
        "The tram shall be driven without training.",
        "The tram shall keep all reports for two years.",
        "The tram shall not distract the driver.",
    ]
    for number, text in enumerate(texts, 74):
        document.add_heading(f"Requirement {number}", 2)
        rows = [(f"Requirement #: {number}", "Requirement Type: 9a", "Event: 6"), (f"Description: {text}", "", "")]
        put_table(document, [*rows, ("Rationale: Ice must be avoided.", "", ""), ("History: Created in May", "", "")])
    return [(str(number), text) for number, text in enumerate(texts, 74)]


def two_fields_in_a_row_and_texts_below_their_names(document: Any) -> Gold:
    texts = [
        "Der Kunde leiht ein Rad mit seinem Telefon.",
        "Das Rad sperrt sich nach zehn Minuten ohne Fahrt.",
        "Der Betreiber muss jedes Rad orten können.",
        "Eine Fahrt darf höchstens einen Tag dauern.",
    ]
    document.add_paragraph("Der Verleih soll wachsen.")
    for number, text in enumerate(texts, 1):
        rows = [("ID", f"UC-{number:02}", "Priorität", "hoch"), ("Titel", f"Fall {number}", "Autor", "Radler")]
        rows += [
            ("Beschreibung", "", "", ""),
            (text, "", "", ""),
            ("Danach", "", "", ""),
            ("Es muss stehen.", "", "", ""),
        ]
        put_table(document, rows)
        document.add_paragraph("")
    return [(f"UC-{number:02}", text) for number, text in enumerate(texts, 1)]


def cards_without_titles_between_them(document: Any) -> Gold:
    texts = [
        "The greenhouse opens its roof above 30 degrees.",
        "Users can set the temperature from their phone.",
        "The pump shall stop when the tank is empty. It shall restart by itself.",
        "An alarm is sent if the door stays open.",
    ]
    document.add_paragraph("The owner must agree to all changes.")
    for number, text in enumerate(texts, 1):
        rows = [("Req. ID", f"GH-FR-{number}.0"), ("Name", f"Function {number}"), ("Requirement", text)]
        put_table(document, [*rows, ("Source", "Owner"), ("Acceptance criteria", "It must be shown.")])
        document.add_paragraph("")
    return [(f"GH-FR-{number}.0", text) for number, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    "make",
    [
        titles_with_labels,
        cards_with_a_name_behind_the_number,
        table_with_running_numbers,
        lists_of_must,
        fields_with_their_names_in_the_cells,
        two_fields_in_a_row_and_texts_below_their_names,
        cards_without_titles_between_them,
    ],
)
def test_a_word_document_gives_what_it_demands(tmp_path: Path, make: Callable[[Any], Gold]) -> None:
    document = docx.Document()
    document.add_heading("Pflichtenheft", 0)
    gold = make(document)
    document.save(str(tmp_path / "x.docx"))
    found = score(tmp_path / "x.docx", gold)
    assert (found.f1, found.ids) == (1.0, 1.0), found


def test_a_label_in_few_entries_is_text(tmp_path: Path) -> None:
    document = docx.Document()
    for number in range(1, 6):
        document.add_heading(f"LH-{number:02} Thema {number}", 2)
        document.add_paragraph(f"{'Beschreibung: ' if number == 1 else ''}Der Hof {number} muss beleuchtet sein.")
    document.save(str(tmp_path / "x.docx"))
    gold = [
        (f"LH-{n:02}", f"{'Beschreibung: ' if n == 1 else ''}Der Hof {n} muss beleuchtet sein.") for n in range(1, 6)
    ]
    found = score(tmp_path / "x.docx", gold)
    assert (found.f1, found.ids) == (1.0, 1.0), found
