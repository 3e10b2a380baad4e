"""What is told about each requirement: parts of its sentence, categories, weaknesses, duties, duplicates, checks."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.documents.reading import read_document
from echelon.domains.documents.types import Document, Page
from echelon.domains.likeness.duplicates import find_duplicates
from echelon.domains.requirements import ExtractOptions, check_citation, check_requirements, extract_requirements
from echelon.domains.requirements.atomic import split_compound
from echelon.domains.requirements.categories import (
    SHIPPED,
    CategorySchemeError,
    categorise,
    load_scheme,
    match_categories,
)
from echelon.domains.requirements.findings import find_weaknesses
from echelon.domains.requirements.slots import find_slots
from echelon.domains.requirements.types import Citation, Modality, Requirement

# parts of the sentence


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            "Every employee must file business records in an approved repository within five working days of receipt.",
            "en",
            ("Every employee", "file", "business records in an approved repository", None, "within five working days"),
        ),
        (
            "If an accounting record is corrected, the original entry shall remain readable.",
            "en",
            ("the original entry", "remain", "readable", "If an accounting record is corrected", None),
        ),
        (
            "The door must not be opened before the guard has left.",
            "en",
            ("The door", "not be opened", None, "before the guard has left", None),
        ),
        (
            "Verify that passwords are at least twelve characters long.",
            "en",
            (None, "Verify", "passwords are at least twelve characters long", None, None),
        ),
        (
            "It is recommended that checksums are stored on another system.",
            "en",
            ("checksums", "are stored", "on another system", None, None),
        ),
        (
            "The board shall review this policy at least once every two years.",
            "en",
            ("The board", "review", "this policy", None, "at least once every two years"),
        ),
        (
            "Die Leitung hat die Lesbarkeit der Unterlagen sicherzustellen.",
            "de",
            ("Die Leitung", "sicherzustellen", "die Lesbarkeit der Unterlagen", None, None),
        ),
        (
            "Wenn ein Beleg fehlt, muss die Buchhaltung einen Ersatz erstellen.",
            "de",
            (None, None, None, "Wenn ein Beleg fehlt", None),
        ),
        (
            "Die Fachbereiche sollten ihre Löschfristen einmal im Jahr überprüfen.",
            "de",
            ("Die Fachbereiche", "überprüfen", "ihre Löschfristen", None, "einmal im Jahr"),
        ),
    ],
)
def test_parts_of_a_sentence(text: str, language: str, expected: tuple[str | None, ...]) -> None:
    slots = find_slots(text, language)
    assert (slots.subject, slots.action, slots.object, slots.condition, slots.deadline) == expected


@given(
    st.text(alphabet="The shall must be if when, .within 5 days muss zu werden", max_size=80),
    st.sampled_from(["en", "de"]),
)
def test_every_part_stands_in_the_sentence(text: str, language: str) -> None:
    slots = find_slots(text, language)
    sentence = " ".join(text.split())
    for part in (slots.subject, slots.action, slots.condition, slots.deadline):
        assert part is None or part in sentence


# categories


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The finance team shall keep incoming invoices for eight years.", ("gobd",)),
        ("Ein gebuchter Beleg darf nicht gelöscht oder überschrieben werden.", ("gobd",)),
        ("Accounting records shall be protected against later changes.", ("gobd",)),
        ("Access to personal data shall be limited.", ("gdpr",)),
        ("Bewerbungsunterlagen sind nach sechs Monaten zu vernichten.", ("gdpr",)),
        ("Der Datenschutzbeauftragte muss die Aufbewahrung prüfen.", ("gobd", "gdpr")),
        ("The door shall be painted green.", ()),
    ],
)
def test_shipped_categories(text: str, expected: tuple[str, ...]) -> None:
    assert categorise(text, load_scheme()) == expected


def test_each_shipped_rule_has_its_source_and_tells_its_words() -> None:
    scheme = load_scheme()
    assert [category.id for category in scheme.categories] == ["gobd", "gdpr"]
    for category in scheme.categories:
        assert len({rule.id for rule in category.rules}) == len(category.rules)
        assert all(rule.source.startswith(("GoBD Rz.", "GDPR Art.")) for rule in category.rules)
    (match,) = match_categories("A privacy impact assessment shall be made.", scheme)
    assert match.category == "gdpr"
    assert match.words.lower() in {"privacy impact assessment", "privacy"}


def test_a_scheme_of_ones_own_replaces_the_shipped_one(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "schema_version: 1\ncategories:\n  - id: fire\n    title: Fire\n    rules:\n"
        "      - {id: door, source: House rules 3, patterns: ['\\bdoor\\b']}\n",
        encoding="utf-8",
    )
    (tmp_path / "a.txt").write_text("The door shall be closed.\n\nPersonal data shall be deleted.\n", encoding="utf-8")
    found = extract_requirements(read_document(tmp_path / "a.txt"), ExtractOptions(categories_file=str(own)))
    assert [r.categories for r in found] == [("fire",), ()]


@pytest.mark.parametrize(
    "text", ["", "categories: 3", "schema_version: 2\ncategories: []", "a: [", SHIPPED.read_text().replace("'", '"', 1)]
)
def test_a_broken_scheme_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(CategorySchemeError, match=r"own\.yaml"):
        load_scheme(tmp_path / "own.yaml")


def test_a_pattern_that_does_not_compile_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "schema_version: 1\ncategories: [{id: a, title: A, rules: [{id: b, source: c, patterns: ['(']}]}]",
        encoding="utf-8",
    )
    with pytest.raises(CategorySchemeError):
        load_scheme(tmp_path / "own.yaml")


# weaknesses


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The guard shall close the door at ten in the evening.", []),
        ("The guard shall take appropriate measures.", [("ambiguous", "appropriate")]),
        ("Der Wachdienst muss geeignete Maßnahmen ergreifen.", [("ambiguous", "geeignete")]),
        ("The system shall be user-friendly.", [("unverifiable", "user-friendly")]),
        ("The guard shall close the door and shall lock it.", [("compound", "and shall")]),
        ("The boxes shall be moved.", [("missing_actor", "shall be moved")]),
        ("The boxes shall be moved by the guard.", []),
        ("Die Kartons sind zu verschließen.", [("missing_actor", "sind zu verschließen")]),
        ("The boxes may be moved.", []),
    ],
)
def test_weaknesses_carry_their_words(text: str, expected: list[tuple[str, str]]) -> None:
    modality = Modality.PERMISSION if " may " in text else Modality.OBLIGATION
    assert [(finding.kind, finding.words) for finding in find_weaknesses(text, modality)] == expected


@given(st.text(alphabet="The shall and be etc. appropriate muss werden; must", max_size=100))
def test_the_words_of_a_finding_stand_in_the_text(text: str) -> None:
    assert all(finding.words in text for finding in find_weaknesses(text, Modality.OBLIGATION))


# single duties


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("The guard shall close the door.", ["The guard shall close the door."]),
        (
            "The guard shall close the door and shall lock it.",
            ["The guard shall close the door.", "The guard shall lock it."],
        ),
        (
            "The door shall be closed. It must be locked. It is green.",
            ["The door shall be closed.", "It must be locked. It is green."],
        ),
        (
            "The owner shall approve the list; the archive shall destroy the boxes.",
            ["The owner shall approve the list.", "The archive shall destroy the boxes."],
        ),
    ],
)
def test_a_compound_is_split_into_its_duties(text: str, parts: list[str]) -> None:
    assert split_compound(text, "en") == parts


def test_splitting_is_off_unless_asked_for_and_keeps_the_original(tmp_path: Path) -> None:
    text = "REQ-1: The guard shall close the door and must not open it again."
    lines = [text] + [f"REQ-{n}: The guard shall close door {n}." for n in range(2, 5)]
    (tmp_path / "a.txt").write_text("\n".join(lines), encoding="utf-8")
    document = read_document(tmp_path / "a.txt")
    whole = extract_requirements(document)
    parts = extract_requirements(document, ExtractOptions(atomic=True))
    assert len(whole) == 4 and whole[0].split_from is None
    assert [r.text for r in parts[:2]] == ["The guard shall close the door.", "The guard must not open it again."]
    assert [r.modality for r in parts[:2]] == [Modality.OBLIGATION, Modality.PROHIBITION]
    assert {r.split_from for r in parts[:2]} == {whole[0].text}
    assert parts[0].citations == parts[1].citations == whole[0].citations
    assert parts[2].split_from is None
    assert [r.id for r in parts] == [f"R-{n:04d}" for n in range(1, 6)]


# duplicates


def requirement(number: int, text: str, document: str = "a.txt") -> Requirement:
    return Requirement(
        id=f"R-{number:04d}",
        text=text,
        modality=Modality.OBLIGATION,
        language="en",
        confidence=0.9,
        citations=(Citation(document=document, page=1, quote=text, start=0, end=len(text)),),
    )


def test_near_duplicates_are_found_whatever_document_they_stand_in() -> None:
    found = find_duplicates(
        [
            requirement(1, "The records owner shall review all access rights at least once each calendar quarter."),
            requirement(2, "The guard shall close the door at night."),
            requirement(
                3, "The records owner shall review the access rights at least once per calendar quarter.", "b.txt"
            ),
            requirement(4, "The guard shall close the door at night"),
        ]
    )
    assert [(a, b) for a, b, _ in found] == [("R-0002", "R-0004"), ("R-0001", "R-0003")]
    assert found[0][2] == 1.0
    assert all(0.9 <= score <= 1 for _, _, score in found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The log shall be kept for 30 days.", "The log shall be kept for 90 days."),
        ("The log shall be kept in the room.", "The log shall not be kept in the room."),
        ("Das Protokoll muss im Raum bleiben.", "Das Protokoll muss nicht im Raum bleiben."),
        ("The system must export the log as CSV.", "The system may export the log as CSV."),
        ("The system must log and must export it.", "The system must log and may export it."),
        ("Der Nutzer darf das Protokoll nie löschen.", "Der Nutzer darf das Protokoll löschen."),
        ("Users can delete logs of their own house.", "Users cannot delete logs of their own house."),
        ("Users can delete logs of their own house.", "Users can't delete logs of their own house."),
        ("The key must not be read and must be sent.", "The key must be read and must not be sent."),
        ("The log shall be archived in the old room.", "The log shall be deleted in the old room."),
    ],
)
def test_another_number_or_a_negation_makes_another_requirement(one: str, other: str) -> None:
    assert find_duplicates([requirement(1, one), requirement(2, other)]) == []


def test_two_thousand_requirements_are_compared_in_two_seconds() -> None:
    kinds = ["log", "door", "box", "key", "room", "guard", "reader", "shelf"]
    sentences = [
        f"The {kinds[n % 8]} of part {n} shall be checked by the {kinds[n // 8 % 8]} of house {n * 7}."
        for n in range(2000)
    ]
    requirements = [requirement(n + 1, text) for n, text in enumerate(sentences)]
    find_duplicates(requirements[:10])
    start = time.process_time()
    assert find_duplicates(requirements) == []
    assert time.process_time() - start < 2


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="unique"):
        find_duplicates([requirement(1, "a"), requirement(1, "b")])
    with pytest.raises(ValueError, match="threshold"):
        find_duplicates([], threshold=2)


@given(st.lists(st.sampled_from(["The door shall be shut.", "The door shall be closed.", "Log it.", ""]), max_size=8))
def test_pairs_name_the_earlier_one_first_and_best_first(texts: list[str]) -> None:
    requirements = [requirement(n + 1, text) for n, text in enumerate(texts)]
    found = find_duplicates(requirements)
    assert all(a < b for a, b, _ in found)
    assert [score for _, _, score in found] == sorted((score for _, _, score in found), reverse=True)
    assert found == find_duplicates(requirements)


# checks

TEXT = "1.1 The door shall be closed.\n1.2 The box shall be moved."
DOCUMENT = Document(
    file="a.txt",
    sha256="0",
    media_type="text/plain",
    language="en",
    pages=(Page(number=1, text=TEXT), Page(number=2, text="The key shall be kept.")),
)


def cite(quote: str, page: int = 1, start: int = 4, document: str = "a.txt") -> Citation:
    return Citation(document=document, page=page, quote=quote, start=start, end=start + len(quote))


@pytest.mark.parametrize(
    ("citation", "says"),
    [
        (cite("The door shall be closed."), None),
        (cite("The door shall be closed.", start=3), "stands at 4"),
        (cite("The key shall be kept."), "page 2"),
        (cite("The key shall be lost."), "does not stand"),
        (cite("The door shall be closed.", page=3), "no page 3"),
        (cite("The door shall be closed.", document="b.txt"), "b.txt"),
        (cite("  "), "empty"),
    ],
)
def test_citations_are_checked(citation: Citation, says: str | None) -> None:
    problem = check_citation(DOCUMENT, citation)
    assert problem is None if says is None else problem is not None and says in problem


def test_requirements_are_checked() -> None:
    good = requirement(1, "The door shall be closed.").model_copy(
        update={"citations": (cite("The door shall be closed."),)}
    )
    assert check_requirements(DOCUMENT, [good]) == []
    again = good.model_copy(update={"id": "R-0002"})
    bare = good.model_copy(update={"id": "R-0001", "text": " ", "citations": ()})
    problems = check_requirements(DOCUMENT, [good, again, bare])
    assert [str(p) for p in problems] == [
        "R-0002: repeats R-0001 word for word",
        "R-0001: the id is used twice",
        "R-0001: the text is empty",
        "R-0001: there is no citation",
    ]
    marked = again.model_copy(update={"duplicate_of": "R-0001"})
    assert check_requirements(DOCUMENT, [good, marked]) == []
