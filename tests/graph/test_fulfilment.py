"""Relevance and fulfilment: what counts, and what does not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.graph.entities import Entity
from echelon.domains.graph.fulfilment import COVERAGE, Relevance, find_fulfilments, judge_relevance
from echelon.domains.graph.stores.port import Label
from echelon.domains.requirements.types import Requirement
from tests.graph.building import a_document, a_requirement


def asking(text: str, **more: object) -> Requirement:
    return a_requirement(a_document([text]), 1, text, **more)


def able(*capabilities: str, name: str = "store") -> Entity:
    return Entity(label=Label.SYSTEM, name=name, capabilities=capabilities)


@pytest.mark.parametrize(
    ("text", "capability", "fulfilled"),
    [
        ("Invoices shall be kept for 10 years.", "Keeps each invoice for 10 years, kept read-only", True),
        ("Invoices shall be kept for 10 years.", "Keeps each invoice for 6 years, kept read-only", False),
        ("Invoices shall be kept for 10 years.", "Kept invoices", False),
        ("Invoices shall not be changed.", "Invoices cannot be changed", True),
        ("Invoices shall not be changed.", "Invoices can be changed", False),
        ("The system shall encrypt backups.", "The vault encrypts; it can encrypt backups", True),
        ("A reader may print the list.", "A reader can print the list", False),
        ("It shall be.", "Does everything", False),
    ],
)
def test_what_fulfils(text: str, capability: str, fulfilled: bool) -> None:
    assert bool(list(find_fulfilments(asking(text), [able(capability)]))) is fulfilled


def test_the_best_capability_is_the_evidence() -> None:
    requirement = asking("Operators shall sign every exported invoice report.")
    half = "Operators sign exported invoice summaries"
    whole = "Operators sign each exported invoice report"
    (claim,) = find_fulfilments(requirement, [able(half, whole)])
    assert (claim.evidence, claim.confidence, claim.key, claim.label) == (whole, 1.0, "store", Label.SYSTEM)


def test_every_able_entity_is_named() -> None:
    requirement = asking("Backups shall be encrypted.")
    entities = [able("Backups are encrypted", name=name) for name in ("one", "two")] + [able(name="idle")]
    assert [claim.key for claim in find_fulfilments(requirement, entities)] == ["one", "two"]


@given(
    st.lists(st.sampled_from(["backup", "log", "key", "sign", "send", "keep", "not", "10", "the"]), max_size=8).map(
        " ".join
    )
)
def test_confidence_is_the_share_that_is_covered(capability: str) -> None:
    requirement = asking("The backup log shall keep the key for 10 days.")
    for claim in find_fulfilments(requirement, [able(capability)]):
        assert COVERAGE <= claim.confidence <= 1
        assert "10" in capability.split() and capability.split().count("not") % 2 == 0


@pytest.mark.parametrize(
    ("categories", "mentions", "relevance", "reasons"),
    [
        ((), [], Relevance.LOW, 0),
        (("gobd",), [], Relevance.MEDIUM, 1),
        ((), [able()], Relevance.MEDIUM, 1),
        (("gobd", "gdpr"), [able(), able(name="log")], Relevance.HIGH, 2),
    ],
)
def test_relevance(categories: tuple[str, ...], mentions: Sequence[Entity], relevance: Relevance, reasons: int) -> None:
    judgement = judge_relevance(asking("Logs shall be kept.", categories=categories), mentions)
    assert judgement.relevance is relevance and len(judgement.reasons) == reasons
    assert all(name in " ".join(judgement.reasons) for name in (*categories, *(entity.name for entity in mentions)))
