"""Side data that can be used: categories where a document has their subject, findings that name what is there."""

from __future__ import annotations

import pytest

from echelon.domains.requirements.categories import about, categorise, load_scheme
from echelon.domains.requirements.findings import find_weaknesses
from echelon.domains.requirements.types import Modality

TRAIL = "The gate system shall keep an audit trail of all openings."


def of(text: str, document: list[str]) -> tuple[str, ...]:
    return categorise(text, about(document, load_scheme()))


def test_a_word_of_bookkeeping_counts_where_the_document_is_about_bookkeeping() -> None:
    gates = [TRAIL, *[f"Gate {n} shall be closed at night." for n in range(60)]]
    books = [
        *gates,
        "Invoices shall be kept for eight years.",
        "The ledger shall be closed daily.",
        "Jeder Beleg ist zu prüfen.",
    ]
    assert of(TRAIL, gates) == ()
    assert of(TRAIL, books) == ("gobd",)
    assert of("Personal data shall be deleted.", gates) == ("gdpr",)


def test_one_mention_among_many_is_no_subject() -> None:
    gates = ["The price of the gate stands on the invoice.", *[f"Gate {n} shall be closed." for n in range(60)]]
    assert of(TRAIL, gates) == ()
    assert of(TRAIL, gates[:4]) == ("gobd",)


def test_deleting_an_account_of_a_user_is_not_deleting_near_a_user() -> None:
    assert of("The user may delete a row; the employee sees it.", []) == ()
    assert of("The operator shall delete user data after a year.", []) == ("gdpr",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Clients und Server MÜSSEN in zwei Netzen stehen.", None),
        ("Die Übermittlung von Anfragen und Antworten hat unverzüglich zu erfolgen.", None),
        ("Verwalter mit Wohnsitz oder Sitz im Inland haben die Angaben einzuholen.", None),
        ("Der Wächter muss die Tür schließen und darf sie nicht öffnen.", "und darf"),
        ("Der Wächter muss die Tür schließen und er muss sie ölen.", "und er muss"),
    ],
)
def test_german_compounds_have_two_duties(text: str, words: str | None) -> None:
    found = [f.words for f in find_weaknesses(text, Modality.OBLIGATION) if f.kind == "compound"]
    assert found == ([words] if words else [])
