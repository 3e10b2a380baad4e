"""What plain requests select, in two languages; what no rule understands is named; and what a selection takes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.requirements.selection.choose import chosen, in_section, why_left_out
from echelon.domains.requirements.selection.describe import described
from echelon.domains.requirements.selection.reading import read_request
from echelon.domains.requirements.selection.types import OutputForm, PageRange, Selection
from echelon.domains.requirements.types import Citation, Modality, Requirement

DOCUMENTS = ("policy_a.md", "annex 2.pdf")
EVERYTHING = (
    "Extract every requirement of the documents, with its page and its exact words.",
    "Find all requirements, please.",
    "Bitte alle Anforderungen der Dokumente mit ihrem genauen Wortlaut und der Seite auflisten.",
    "",
)
READ: dict[str, dict[str, Any]] = {
    "List only the prohibitions of section 4, in German, as a table": {
        "modalities": ["prohibition"], "sections": ["4"], "form": {"language": "de", "table": True},
    },
    "Liste nur die Verbote aus Abschnitt 4 als Tabelle": {
        "modalities": ["prohibition"], "sections": ["4"], "form": {"table": True},
    },
    "All requirements except recommendations, sorted by page": {"without": ["recommendation"], "form": {"order": "page"}},
    "What is not allowed on the first three pages?": {
        "modalities": ["prohibition"], "pages": [{"first": 1, "last": 3}],
    },
    "What is allowed?": {"modalities": ["permission"]},
    "Find all rules in sections 2-4 and 7, no permissions": {
        "sections": ["2", "3", "4", "7"], "without": ["permission"],
    },
    "Only obligations and prohibitions on pages 2 to 4": {
        "modalities": ["prohibition", "obligation"], "pages": [{"first": 2, "last": 4}],
    },
    "Nenne alle Pflichten in Kapitel 3 und 5, sortiert nach Seite, als Tabelle mit den Spalten Nummer, Wortlaut und Seite": {
        "modalities": ["obligation"], "sections": ["3", "5"],
        "form": {"table": True, "columns": ["number", "text", "page"], "order": "page"},
    },
    "Give me a table with the columns number, page and text of all obligations": {
        "modalities": ["obligation"], "form": {"table": True, "columns": ["number", "page", "text"]},
    },
    "Extract the requirements of policy_a only": {"documents": ["policy_a.md"]},
    "Alle Empfehlungen aus „annex 2.pdf“": {"documents": ["annex 2.pdf"], "modalities": ["recommendation"]},
    "the requirements that mention backups": {"words": ["backups"]},
    "Requirements that bind the records board, without recommendations": {
        "parties": ["records board"], "without": ["recommendation"],
    },
    "GDPR relevant obligations": {"categories": ["gdpr"], "modalities": ["obligation"]},
    "Alle Muss-Anforderungen mit Frist": {"modalities": ["obligation"], "with_deadline": True},
    'Extrahiere alle Anforderungen aus Abschnitt "Löschung"': {"sections": ["Löschung"]},
}  # fmt: skip
NOT_UNDERSTOOD = {
    "List only the prohibitions, in French": "French",
    "List the obligations and say which ones are hard to verify": "hard",
    "What must the processor do, in iambic pentameter?": "iambic",
    "Nur Verbote, sortiert nach Dringlichkeit": "Dringlichkeit",
    "Prohibitions as a table with the columns number and weather": "weather",
    "Compare both documents": "Compare",
    "x" * 5000: "a text of more than 4,000 characters",
}


@pytest.mark.parametrize("text", EVERYTHING)
def test_a_request_for_everything_leaves_nothing_out(text: str) -> None:
    reading = read_request(text, DOCUMENTS)
    assert reading.is_understood, reading.left
    assert reading.selection == Selection()


@pytest.mark.parametrize("text", READ)
def test_a_plain_request_is_read(text: str) -> None:
    reading = read_request(text, DOCUMENTS)
    assert reading.is_understood, reading.left
    assert reading.selection.model_dump(mode="json", exclude_defaults=True) == READ[text]


@pytest.mark.parametrize("text", NOT_UNDERSTOOD)
def test_what_is_not_understood_is_named(text: str) -> None:
    assert NOT_UNDERSTOOD[text] in read_request(text, DOCUMENTS).left


@given(st.text(max_size=200))
def test_any_text_is_read_or_said_not_to_be(text: str) -> None:
    reading = read_request(text, DOCUMENTS)
    assert reading.is_understood or all(word in " ".join(text.split()) for word in reading.left)


def requirement(**values: Any) -> Requirement:
    citation = Citation(
        document=values.pop("document", "policy_a.md"), page=values.pop("page", 2), quote="q", start=0, end=1
    )
    given = {
        "id": "R-0001",
        "text": "The clerk shall sign.",
        "modality": "obligation",
        "language": "en",
        "confidence": 1.0,
    }
    return Requirement.model_validate({**given, "citations": [citation], **values})


@pytest.mark.parametrize(
    ("selection", "wrong", "says"),
    [
        (Selection(documents=("policy_a.md",)), {"document": "b.md"}, "it stands in b.md"),
        (Selection(pages=(PageRange(first=1, last=2),)), {"page": 3}, "it stands on page 3"),
        (Selection(sections=("4",)), {"section": "5 Deletion"}, "it stands in section 5 Deletion"),
        (Selection(modalities=(Modality.OBLIGATION,)), {"modality": "prohibition"}, "it is a prohibition"),
        (Selection(without=(Modality.PERMISSION,)), {"modality": "permission"}, "it is a permission"),
        (Selection(categories=("gdpr",)), {}, "it is not relevant for gdpr"),
        (Selection(parties=("records board",)), {"subject": "The clerk"}, "it is about The clerk"),
        (Selection(words=("backups",)), {}, "it does not name backups"),
        (Selection(with_deadline=True), {}, "it names no time"),
    ],
)
def test_each_part_of_a_selection_leaves_out_and_says_why(
    selection: Selection, wrong: dict[str, Any], says: str
) -> None:
    right = requirement(
        section="4.2 Signing", categories=("gdpr",), subject="the Records Board", deadline="within a day",
        text="The records board shall sign each backup.",
    )  # fmt: skip
    assert why_left_out(right, selection) is None
    assert why_left_out(requirement(**wrong), selection) == says
    assert why_left_out(requirement(**wrong), Selection()) is None


@pytest.mark.parametrize(
    ("wanted", "section", "number", "inside"),
    [
        ("4", "4 Retention", None, True),
        ("4", "Part A > 4.1 Periods", None, True),
        ("4", "Section 4: Retention", None, True),
        ("4", "14 Retention", None, False),
        ("4.1", "4.10 Later", None, False),
        ("4.1", "4 Retention", "4.1.2", True),
        ("5", "§ 5 Löschung", None, True),
        ("A.2", "A.2 Keys", None, True),
        ("Löschung", "5 Löschung von Daten", None, True),
        ("deletion", "5 Retention", None, False),
        ("4", None, None, False),
    ],
)
def test_what_stands_in_a_section(wanted: str, section: str | None, number: str | None, inside: bool) -> None:
    assert in_section(requirement(section=section, source_id=number), wanted) is inside


def test_the_order_that_is_asked_for() -> None:
    several = [
        requirement(id=f"R-000{n}", page=p, source_id=s) for n, p, s in ((1, 3, "10"), (2, 1, "9"), (3, 2, "2.1"))
    ]
    by_page = chosen(several, Selection(form=OutputForm(order="page")))
    by_number = chosen(several, Selection(form=OutputForm(order="number")))
    assert [r.id for r in by_page] == ["R-0002", "R-0003", "R-0001"]
    assert [r.source_id for r in by_number] == ["2.1", "9", "10"]
    assert chosen(several, Selection()) == several


def test_a_selection_is_told_in_words() -> None:
    reading = read_request("List only the prohibitions of section 4, in German, as a table")
    assert described(reading.selection) == [
        "Only in section 4 and below.", "Only prohibitions.", "As one table.",
        "Written in German; quotes keep the words of the document.",
    ]  # fmt: skip
    assert described(Selection()) == ["Every requirement of the documents."]
