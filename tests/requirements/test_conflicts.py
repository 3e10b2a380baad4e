"""Conflicts in numbers and terms: found with both quotes, and rarely where there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from echelon.domains.documents.reading import read_document
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.conflicts.find import ConflictKind, amounts_in, find_conflicts
from echelon.domains.requirements.conflicts.quantities import excludes, quantities
from echelon.domains.requirements.judging.judge import modality_of
from echelon.domains.requirements.types import Modality, Requirement
from tests.support.requirement_makers import requirement

FOLDER = Path(__file__).parent / "conflicts"
LEAST_PRECISION, LEAST_RECALL = 0.8, 0.7


def pairs(name: str) -> list[tuple[str, str, bool]]:
    """The labelled pairs: two sentences, and whether they conflict."""
    lines = [
        line for line in (FOLDER / name).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
    ]
    parts = [[part.strip() for part in line.split("|")] for line in lines]
    return [(first, second, label == "yes") for first, second, label in parts]


def conflict(first: str, second: str) -> bool:
    language = "de" if any(word in first.split() for word in ("sind", "ist", "muss", "müssen", "dürfen")) else "en"
    sides = [
        requirement(n, text, modality=modality_of(text, language) or Modality.OBLIGATION)
        for n, text in enumerate((first, second), 1)
    ]
    return bool(find_conflicts(sides))


def figures(name: str) -> tuple[float, float, list[str]]:
    """Precision, recall, and what was wrong."""
    told = [(first, second, label, conflict(first, second)) for first, second, label in pairs(name)]
    right = sum(label and found for _, _, label, found in told)
    wrong = [f"{'missed' if label else 'false'}: {a} | {b}" for a, b, label, found in told if label != found]
    return right / max(1, sum(f for *_, f in told)), right / sum(label for _, _, label, _ in told), wrong


@pytest.mark.parametrize("name", ["pairs.txt", "times_and_counts.txt"])
def test_most_of_what_is_found_is_a_conflict(name: str) -> None:
    precision, recall, wrong = figures(name)
    assert precision >= LEAST_PRECISION and recall >= LEAST_RECALL, (precision, recall, wrong)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("within 72 hours", [("time", 259200.0, "most")]),
        ("mindestens zehn Jahre", [("months", 120.0, "least")]),
        ("1,000 characters or 5 %", [("characters", 1000.0, ""), ("share", 5.0, "")]),
        ("within two working days", [("working days", 2.0, "most")]),
        ("section 4 of part 2", []),
    ],
)
def test_amounts_are_read_in_one_unit(text: str, wanted: list[tuple[str, float, str]]) -> None:
    assert [(q.dimension, q.value, q.bound) for q in quantities(text)] == wanted


def test_a_lower_and_an_upper_bound_leave_room() -> None:
    (least,), (most,), (low,) = (quantities(t) for t in ("at least 30 days", "at most 90 days", "at most 10 days"))
    assert not excludes(least, most)
    assert excludes(least, low)


def test_documents_conflict_with_both_quotes_and_places(tmp_path: Path) -> None:
    one = "# Policy\n\n## 3 Records\n\n3.1 Invoices shall be kept for 10 years after the end of the year.\n"
    other = "# Rules\n\n## 7 Paper\n\n7.2 Invoices shall be kept for five years after the end of the year.\n"
    found: list[Requirement] = []
    for name, text in (("a.md", one), ("b.md", other)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        found += extract_requirements(read_document(tmp_path / name))
    (only,) = find_conflicts(found)
    assert only.kind is ConflictKind.NUMBERS
    assert (only.left.document, only.right.document) == ("a.md", "b.md")
    assert (only.left.source_id, only.right.source_id) == ("3.1", "7.2")
    assert (only.left.words, only.right.words) == ("10 years", "five years")
    assert "10 years after the end" in only.left.quote and "five years after the end" in only.right.quote
    assert only.left.where.startswith("section") and "against" in only.says


def test_what_repeats_or_has_nothing_in_common_does_not_conflict() -> None:
    same = [requirement(n, "Nets shall be dried for 3 days on the meadow.") for n in (1, 2)]
    assert find_conflicts([*same, requirement(3, "Boats shall be painted every 5 years in spring.")]) == []


def test_a_thousand_requirements_are_compared_quickly() -> None:
    many = [requirement(n, f"Gate {n} of pier {n % 37} shall be closed for {n % 9 + 1} hours.") for n in range(1, 1001)]
    assert isinstance(find_conflicts(many), list)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It closes at 18:00.", [("time of day", 1080.0, "")]),
        (
            "It opens before 6 am and closes by 6:30 p.m. each day.",
            [("time of day", 360.0, "most"), ("time of day", 1110.0, "most")],
        ),
        ("Ab 18.30 Uhr wird geschlossen.", [("time of day", 1110.0, "least")]),
        ("The film is shown in 16:9 and lasts 1:30:00.", []),
        ("At least two independent reviewers sign.", [("count of independent", 2.0, "least")]),
        ("Section 4 rules and version 3.1 files of 2031 owners stay.", []),
        ("If more than 40 visitors come after 18:00, two guards help.", [("count of guard", 2.0, "")]),
        ("Gäste, denen ein Tor von 07:00 - 22:00 Uhr offen steht, melden sich.", []),
        ("One or more of the following two reasons shall hold.", []),
        ("All 4 gates and the 3 doors stay open for 5 days.", [("count of gate", 4.0, ""), ("time", 432000.0, "")]),
    ],
)
def test_times_of_day_and_counts(text: str, wanted: list[tuple[str, float, str]]) -> None:
    assert [(q.dimension, q.value, q.bound) for q in amounts_in(text)] == wanted


def test_what_keeps_to_a_limit_does_not_conflict_with_it() -> None:
    (two,), (least,), (most,) = (
        amounts_in(f"{text} reviewers sign.") for text in ("Two", "At least one", "At most one")
    )
    assert not excludes(two, least) and excludes(two, most)


def test_a_conflict_of_times_has_both_quotes() -> None:
    texts = ("The archive hall closes at 18:00 on weekdays.", "The archive hall closes at 20:00 on weekdays.")
    first, second = texts
    (found,) = find_conflicts([requirement(1, first), requirement(2, second)])
    assert (found.kind, found.left.words, found.right.words) == (ConflictKind.NUMBERS, "18:00", "20:00")
    assert (found.left.quote, found.right.quote) == texts


def test_other_cases_do_not_conflict() -> None:
    texts = [f"Guests who booked hall {n}, which opens at {n}:00, shall meet at {n}:30 by the door." for n in (8, 9)]
    assert not find_conflicts([requirement(n, text) for n, text in enumerate(texts, 1)])
