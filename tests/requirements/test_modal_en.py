"""Modality of English sentences: what binds, what allows, and what only looks like it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.requirements.judging.binding_en import sets_rule
from echelon.domains.requirements.judging.imperative import imperative
from echelon.domains.requirements.judging.modal_en import modality
from echelon.domains.requirements.types import Modality

OBLIGATIONS = [
    "The system shall log each access.",
    "Operators must change the key every year.",
    "The issuer is required to verify the applicant.",
    "A second signature is required for payments above the limit.",
    "The provider has to keep the records.",
    "Records need to be legible.",
    "All copies are to be destroyed.",
    "It is necessary that both keys are present.",
    "The agency is responsible for the revocation of cards.",
    "The system must not only log the access but also report it.",
    "If the card is lost, the holder shall report it.",
    "Users who may enter the vault shall be listed.",
    "The data that is stored in the archive must be encrypted.",
    "When the timer ends the controller must close the valve.",
]
PROHIBITIONS = [
    "The key shall not leave the module.",
    "Cards must never be shared.",
    "A visitor may not enter alone.",
    "No employee may approve their own expenses.",
    "Under no circumstances may the seal be broken.",
    "The use of private devices is prohibited.",
    "It is not permitted to copy the form.",
    "Originals are not to be removed from the archive.",
    "Cards may only be issued to verified applicants.",
    "Neither party may assign the contract.",
    "Users cannot delete logs.",
    "Users can not delete logs.",
    "Users can't delete logs.",
]
RECOMMENDATIONS = [
    "Passwords should be long.",
    "It is recommended that logs are kept for a year.",
    "Operators ought to test the backup.",
    "Reviewers are encouraged to comment.",
]
PERMISSIONS = [
    "The card may carry a photograph.",
    "The holder can request a new card.",
    "The agency is permitted to use another format.",
    "The second factor is optional.",
    "The applicant need not appear in person.",
    "A fee is not required for renewals.",
]
NOTHING = [
    "The archive holds the records of ten years.",
    "This section describes the interface.",
    "Failures may result in loss of data.",
    "The values can vary from site to site.",
    "Access logs are kept for a year.",
    "The purpose is to provide an overview.",
    "The system will start in May.",
    "It shows a list that can be sorted.",
    "",
    "???",
]
COMMANDS = [
    "Limit system access to authorised users.",
    "Verify that all connections use encryption.",
    "3.1.4 Ensure that accounts are locked after five attempts.",
    "b) Log all access to the vault.",
    "Periodically review the list of visitors.",
    "If a key is lost, revoke it and notify the owner.",
    "Where possible, encrypt the media.",
    "Monitor and control communications at the boundary.",
]
NO_COMMANDS = [
    "Access Control Policy and Procedures",
    "Access logs are kept for a year.",
    "Use of the interface is free.",
    "Report files contain the totals.",
    "Monitor",
    "Verification of the identity takes a day.",
]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        *((sentence, Modality.OBLIGATION) for sentence in OBLIGATIONS),
        *((sentence, Modality.PROHIBITION) for sentence in PROHIBITIONS),
        *((sentence, Modality.RECOMMENDATION) for sentence in RECOMMENDATIONS),
        *((sentence, Modality.PERMISSION) for sentence in PERMISSIONS),
        *((sentence, None) for sentence in NOTHING),
    ],
)
def test_reads_modality(sentence: str, expected: Modality | None) -> None:
    assert modality(sentence) == expected


@pytest.mark.parametrize("sentence", COMMANDS)
def test_command_binds(sentence: str) -> None:
    assert imperative(sentence) is Modality.OBLIGATION
    assert modality(sentence) is Modality.OBLIGATION


@pytest.mark.parametrize("sentence", ["Do not store passwords.", "Never share the key.", "Avoid the use of names."])
def test_negative_command_forbids(sentence: str) -> None:
    assert modality(sentence) is Modality.PROHIBITION


@pytest.mark.parametrize("sentence", NO_COMMANDS)
def test_statement_or_heading_is_no_command(sentence: str) -> None:
    assert imperative(sentence) is None


@pytest.mark.parametrize("sentence", [*OBLIGATIONS, *PROHIBITIONS, *RECOMMENDATIONS, *PERMISSIONS])
def test_case_does_not_matter_to_modal_words(sentence: str) -> None:
    assert modality(sentence.lower()) == modality(sentence) == modality(sentence.upper())


@given(st.text(max_size=300))
def test_any_text_has_an_answer_and_always_the_same(text: str) -> None:
    first = modality(text)
    assert first is None or first in Modality
    assert modality(text) == first


@given(st.lists(st.sampled_from(["shall", "must not", "if", "the user", ",", "may", "that", "only"]), max_size=30))
def test_piled_up_modals_do_not_confuse(words: list[str]) -> None:
    found = modality(" ".join(words))
    assert found is None or isinstance(found, Modality)


def test_long_text_is_read_in_linear_time() -> None:
    assert modality("The system and the user " * 20_000 + "shall stop.") is Modality.OBLIGATION


def test_thousands_of_modals_take_no_longer_than_their_length() -> None:
    start = time.process_time()
    assert modality("the shall " * 10_000) is Modality.OBLIGATION
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("sentence", "rule"),
    [
        ("Users cannot delete logs of their own house.", True),
        ("Guests can't leave without the key.", True),
        ("The value cannot be computed when the key is missing.", False),
        ("A value that is lost cannot be restored and must not be guessed.", True),
        ("Such a failure may result in a loss of data.", False),
        ("The operator may delete old logs.", True),
        ("The operator can delete old logs.", False),
    ],
)
def test_what_is_impossible_is_no_rule_unless_it_names_who_is_kept_off(sentence: str, rule: bool) -> None:
    found = modality(sentence)
    assert found is None or sets_rule(sentence, found) is rule
