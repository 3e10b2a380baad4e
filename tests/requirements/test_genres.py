"""Documents of many genres, in forms of our own: what is found is what they demand, with their identifiers."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import docx
import pytest

from tests.requirements.genres import documents, gold_of, score

LEAST_F1, LEAST_IDS, LEAST_MEAN = 0.9, 0.95, 0.97


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.stem)
def test_a_document_gives_what_it_demands(path: Path) -> None:
    found = score(path, gold_of(path))
    assert (found.f1 >= LEAST_F1, found.ids >= LEAST_IDS) == (True, True), found


def test_all_of_them_together() -> None:
    assert mean(score(path, gold_of(path)).f1 for path in documents()) >= LEAST_MEAN


def test_field_cards_of_a_word_document(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Pflichtenheft Bäckerei", 1)
    document.add_paragraph("Die Bäckerei möchte schneller backen. Früher musste jeder warten.")
    gold = []
    for number, (name, text) in enumerate(
        [
            ("Teig", "Das System zeigt den Zustand des Teigs."),
            ("Ofen", "Der Ofen muss binnen fünf Minuten heiß sein."),
            ("Kasse", "Die Kasse druckt einen Beleg."),
        ],
        1,
    ):
        document.add_heading(name, 2)
        rows = [
            ("Kennung", f"BK-{number:02}"),
            ("Bezeichnung", name),
            ("Anforderungstext", text),
            ("Begründung", "Sonst muss der Kunde warten."),
            ("Priorität", "hoch"),
        ]
        table = document.add_table(len(rows), 2)
        for row, (field, value) in zip(table.rows, rows, strict=True):
            row.cells[0].text, row.cells[1].text = field, value
        gold.append((f"BK-{number:02}", text))
    document.save(str(tmp_path / "cards.docx"))
    found = score(tmp_path / "cards.docx", gold)
    assert (found.f1, found.ids) == (1.0, 1.0), found


def test_a_requirement_table_of_a_word_document_with_a_chapter_row(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Anforderungsliste", 1)
    document.add_paragraph("Diese Liste muss gepflegt werden.")
    rows = [("Nr.", "Anforderung", "Muss/Kann")]
    gold = [(f"A{n}", f"Die Pumpe {n} läuft bei Frost ohne Heizung weiter.") for n in range(1, 8)]
    rows += [(label, text, "M") for label, text in gold]
    table = document.add_table(len(rows), 3)
    for row, values in zip(table.rows, rows, strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value
    document.save(str(tmp_path / "table.docx"))
    found = score(tmp_path / "table.docx", gold)
    assert (found.f1 >= LEAST_F1, found.ids) == (True, 1.0), found
