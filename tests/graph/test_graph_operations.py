"""The operations that roles use, on every database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from echelon.domains.graph.edits import link_fulfilment, upsert_requirement
from echelon.domains.graph.entities import Entity, EntityIndex, discover_entities
from echelon.domains.graph.integrate import IntegrationReport, integrate
from echelon.domains.graph.keys import entity_key, requirement_key
from echelon.domains.graph.lookup import (
    DuplicateVerdict,
    check_duplicates,
    embed_requirements,
    find_similar,
    resolve_business_object,
    resolve_entity,
    resolve_message,
)
from echelon.domains.graph.queries import (
    coverage,
    graph_schema,
    graph_statistics,
    impact,
    neighbourhood,
    trace_paths,
)
from echelon.domains.graph.stores.port import GraphError, GraphStore, Label
from echelon.domains.requirements.types import Modality
from tests.graph.building import a_document, a_job, a_requirement

SENTENCES = [
    "The archive system shall keep every audit log for 10 years.",
    "Each invoice shall carry a number that is used only once.",
    "Staff may open the archive on working days.",
    "Visitors shall not enter the server room alone.",
    "The controller shall inform people when their personal data was lost.",
]
ENTITIES = [
    Entity(label=Label.SYSTEM, name="Archive System", aliases=("archive",)),
    Entity(label=Label.BUSINESS_OBJECT, name="Audit Log"),
    Entity(label=Label.BUSINESS_OBJECT, name="Invoice", aliases=("bill", "Rechnung")),
    Entity(label=Label.MESSAGE, name="Breach Notification"),
]


@pytest.fixture
def report(store: GraphStore) -> Iterator[IntegrationReport]:
    requirements, document = a_job(SENTENCES, section="1 Records")
    yield integrate(store, requirements, [document], entities=ENTITIES)


def test_schema(store: GraphStore, report: IntegrationReport) -> None:
    schema = graph_schema(store)
    labels = {label.label: label for label in schema.labels}
    assert labels["Requirement"].nodes == 5 and "modality" in labels["Requirement"].properties
    assert list(labels) == sorted(labels)
    connections = {(item.type, item.source, item.target): item.number for item in schema.relationships}
    assert connections["CITES", "Requirement", "Document"] == 5
    assert connections["IN_SECTION", "Section", "Document"] == 1


def test_statistics(store: GraphStore, report: IntegrationReport) -> None:
    counts = graph_statistics(store)
    assert counts["Requirement"] == 5 and counts["CITES"] == 5 and counts["IN_SECTION"] == 6
    assert counts["nodes"] == 5 + 1 + 1 + 4
    assert graph_statistics(store) == counts


def test_similar_by_words(store: GraphStore, report: IntegrationReport) -> None:
    found = find_similar(store, "audit log kept for years", limit=3)
    assert found[0].key == report.keys["R-0001"] and found[0].requirement_id == "R-0001"


def test_similar_by_meaning(store: GraphStore, report: IntegrationReport) -> None:
    asked = "tell users about a leak of private information"
    assert embed_requirements(store) == 5
    assert embed_requirements(store) == 0
    assert find_similar(store, asked, limit=1)[0].key == report.keys["R-0005"]


def test_similar_in_an_empty_graph(store: GraphStore) -> None:
    assert find_similar(store, "anything") == []


@pytest.mark.parametrize(
    ("text", "modality", "verdict"),
    [
        ("Every invoice must carry a number that is used only once", Modality.OBLIGATION, DuplicateVerdict.DUPLICATE),
        ("Visitors may enter the server room alone.", Modality.PERMISSION, DuplicateVerdict.CONFLICT),
        ("The archive system shall keep every audit log for 6 years.", Modality.OBLIGATION, DuplicateVerdict.NEW),
        ("Windows are shut at night.", Modality.OBLIGATION, DuplicateVerdict.NEW),
        ("", Modality.OBLIGATION, DuplicateVerdict.NEW),
    ],
)
def test_duplicates(
    store: GraphStore, report: IntegrationReport, text: str, modality: Modality, verdict: DuplicateVerdict
) -> None:
    check = check_duplicates(store, text, modality)
    assert check.verdict is verdict
    assert bool(check.matches) == (verdict is not DuplicateVerdict.NEW)


def test_resolving_entities(store: GraphStore, report: IntegrationReport) -> None:
    found = resolve_business_object(store, "the invoices").entity
    assert found is not None and found.name == "Invoice"
    assert resolve_business_object(store, "RECHNUNG").entity == found
    near = resolve_business_object(store, "invoise")
    assert near.entity is None and [entity.name for entity in near.candidates] == ["Invoice"]
    assert resolve_business_object(store, "breach notification").entity is None
    message = resolve_message(store, "Breach Notifications").entity
    assert message is not None and message.label is Label.MESSAGE
    system = resolve_entity(store, "archive").entity
    assert system is not None and system.label is Label.SYSTEM
    assert resolve_entity(store, "") == resolve_entity(store, "zzz")


def test_neighbourhood(store: GraphStore, report: IntegrationReport) -> None:
    around = neighbourhood(store, Label.REQUIREMENT, report.keys["R-0001"])
    assert around.node.name == SENTENCES[0] and around.properties["requirement_id"] == "R-0001"
    seen = [(item.type, item.direction, item.other.label) for item in around.relations]
    assert seen == [
        ("CITES", "out", "Document"),
        ("IN_SECTION", "out", "Section"),
        ("MENTIONS", "out", "System"),
        ("MENTIONS", "out", "BusinessObject"),
    ]
    assert around.relations[0].properties["page"] == 1
    section = next(item.other.key for item in around.relations if item.type == "IN_SECTION")
    below = neighbourhood(store, Label.SECTION, section, limit=3)
    assert below.truncated and [item.direction for item in below.relations] == ["out", "in", "in", "in"]
    with pytest.raises(GraphError, match="no Requirement"):
        neighbourhood(store, Label.REQUIREMENT, "nowhere")


def test_paths(store: GraphStore, report: IntegrationReport) -> None:
    one, two = report.keys["R-0001"], report.keys["R-0002"]
    paths = trace_paths(store, one, two, max_length=2)
    assert [path.types for path in paths] == [("CITES", "CITES"), ("IN_SECTION", "IN_SECTION")] or [
        sorted(path.types) for path in paths
    ] == [["CITES", "CITES"], ["IN_SECTION", "IN_SECTION"]]
    assert all(path.keys[0] == one and path.keys[-1] == two for path in paths)
    assert trace_paths(store, one, "nowhere") == []
    with pytest.raises(GraphError, match="1 to 6"):
        trace_paths(store, one, two, max_length=7)


def test_fulfilment_and_coverage(store: GraphStore, report: IntegrationReport) -> None:
    assert coverage(store).model_dump(exclude={"open"}) == {"requirements": 4, "verified": 0, "claimed": 0}
    one, two = report.keys["R-0001"], report.keys["R-0002"]
    link_fulfilment(store, one, ENTITIES[0], evidence="retention is set to 10 years", confidence=0.8)
    link_fulfilment(store, two, Entity(label=Label.SYSTEM, name="Numbering"), evidence="test 4", verified=True)
    covered = coverage(store)
    assert (covered.verified, covered.claimed, len(covered.open)) == (1, 1, 2)
    assert not {one, two} & set(covered.open)
    link_fulfilment(store, one, ENTITIES[0], evidence="test 5", verified=True)
    assert coverage(store).verified == 2
    with pytest.raises(GraphError, match="evidence"):
        link_fulfilment(store, one, ENTITIES[0], evidence=" ")
    with pytest.raises(GraphError, match="not in the graph"):
        link_fulfilment(store, "nowhere", ENTITIES[0], evidence="x")


def test_impact(store: GraphStore) -> None:
    document = a_document(["The log server shall be up.", "It shall be watched.", "Watching shall be tested."])
    texts = document.pages[0].text.split("\n")
    requirements = [a_requirement(document, n, t, source_id="1.1.1"[: 2 * n - 1]) for n, t in enumerate(texts, start=1)]
    report = integrate(store, requirements, [document], entities=[Entity(label=Label.SYSTEM, name="log server")])
    touched = {ref.key for ref in impact(store, Label.SYSTEM, "log-server")}
    assert touched == set(report.keys.values())
    assert {ref.key for ref in impact(store, Label.REQUIREMENT, report.keys["R-0002"])} == {report.keys["R-0003"]}


def test_one_requirement(store: GraphStore) -> None:
    requirements, document = a_job(SENTENCES[:2])
    key = upsert_requirement(store, requirements[0], document)
    assert upsert_requirement(store, requirements[0], document) == key
    assert key == requirement_key(document.sha256, None, SENTENCES[0])
    assert graph_statistics(store) == {"nodes": 2, "relationships": 1, "CITES": 1, "Document": 1, "Requirement": 1}
    with pytest.raises(GraphError, match="has to cite"):
        upsert_requirement(store, requirements[0], a_document(["other"], file="other.md"))


def test_keys() -> None:
    assert requirement_key("a", "1", "x  y") == requirement_key("a", "1", "x y")
    assert requirement_key("a", "1", "x") != requirement_key("a1", "", "x") != requirement_key("a", None, "1x")
    assert entity_key("The Audit Logs") == entity_key("audit log") == "audit-log"
    assert [entity_key(name) for name in ("Entries", "boxes", "access", "Status", "")] == [
        *("entry", "box", "access", "status", "")
    ]


def test_the_longest_name_is_mentioned() -> None:
    index = EntityIndex(
        [
            Entity(label=Label.SYSTEM, name="log"),
            Entity(label=Label.BUSINESS_OBJECT, name="audit log"),
            Entity(label=Label.BUSINESS_OBJECT, name="the"),
        ]
    )
    assert [entity.name for entity in index.mentions("Audit logs and a LOG; catalogue")] == ["audit log", "log"]
    assert index.mentions("") == []


def test_entities_are_discovered_when_they_come_up_often_enough() -> None:
    document = a_document(["One shall be.", "Two shall be.", "Three shall be."])
    texts = document.pages[0].text.split("\n")
    subjects = ["The billing service", "Das Archivsystem", "the auditor"]
    objects = ["all audit logs of the month", "an audit log", "it"]
    requirements = [
        a_requirement(document, n, text, subject=subjects[n - 1], object=objects[n - 1])
        for n, text in enumerate(texts, start=1)
    ]
    assert [(entity.label, entity.key) for entity in discover_entities(requirements)] == [
        (Label.BUSINESS_OBJECT, "audit-log")
    ]
    every = {entity.key: entity.label for entity in discover_entities(requirements, at_least=1)}
    assert every == {
        "audit-log": Label.BUSINESS_OBJECT,
        "archivsystem": Label.SYSTEM,
        "billing-service": Label.SYSTEM,
    }


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("all audit logs of the month", "audit logs"),
        ("Verify the access list", "access list"),
        ("files obtained", None),
        ("application sanitizes", None),
        ("out", None),
        ("", None),
        ("one two three four five", None),
        ("R2-D2", None),
        ("die Rechnung, die", "rechnung"),
    ],
)
def test_what_a_phrase_names(phrase: str, name: str | None) -> None:
    requirements, _ = a_job(["Something shall be done."], object=phrase)
    assert [entity.name for entity in discover_entities(requirements, at_least=1)] == ([name] if name else [])
