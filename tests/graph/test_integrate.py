"""Integration of a job into the graph, on every database: once, complete, and with what links it to the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from echelon.domains.documents.reading import read_document
from echelon.domains.graph.compliance import check_compliance
from echelon.domains.graph.edits import link_fulfilment
from echelon.domains.graph.entities import Entity
from echelon.domains.graph.integrate import integrate
from echelon.domains.graph.metamodel import Metamodel
from echelon.domains.graph.queries import graph_statistics
from echelon.domains.graph.stores.opening import open_graph
from echelon.domains.graph.stores.port import GraphError, GraphStore, Label
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.types import Modality, Status
from tests.graph.building import a_document, a_job, a_requirement

SAMPLE = Path(__file__).parents[2] / "knowledge" / "records-retention-policy.pdf"
SENTENCES = [
    "The archive system shall keep every audit log for 10 years.",
    "The archive system shall keep every audit log for 6 years.",
    "Operators shall not delete an audit log before its retention period ends.",
    "Operators shall delete an audit log before its retention period ends.",
    "The archive system shall keep each audit log for 10 years.",
    "A reviewer may export the invoice register as a table.",
    "The billing service shall sign each invoice with a qualified certificate.",
]


def rows(store: GraphStore, query: str) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in store.read(query).rows]


def test_a_job_becomes_a_graph(store: GraphStore, metamodel: Metamodel) -> None:
    requirements, document = a_job(SENTENCES, section="2 Records > 2.1 Logs", object="audit log")
    report = integrate(store, requirements, [document])
    assert report.requirements == 7 and report.refused == ()
    assert report.created["Requirement"] == 7 and report.created["Document"] == 1 and report.created["Section"] == 2
    assert report.created["CITES"] == 7 and report.created["IN_SECTION"] == 9
    assert report.nodes_created == sum(
        store_count for name, store_count in report.created.items() if not name.isupper()
    )
    assert check_compliance(store, metamodel) == []
    quoted = store.read(
        "MATCH (n:Requirement {requirement_id: $id})-[r:CITES]->(d:Document) "
        "RETURN r.page AS page, r.quote AS quote, r.start_offset AS first, r.end_offset AS last, d.name AS name",
        {"id": "R-0001"},
    ).rows[0]
    assert quoted == {"page": 1, "quote": SENTENCES[0], "first": 0, "last": len(SENTENCES[0]), "name": "policy.md"}
    path = (
        "MATCH (n:Requirement)-[:IN_SECTION]->(a)-[:IN_SECTION]->(b)-[:IN_SECTION]->(d:Document) "
        "WHERE n.requirement_id = 'R-0002'"
    )
    assert rows(store, f"{path} RETURN a.name, b.name, d.name") == [("2.1 Logs", "2 Records", "policy.md")]


def test_the_same_job_twice_adds_nothing(store: GraphStore) -> None:
    requirements, document = a_job(SENTENCES, section="1 A > 1.1 B", subject="The archive system", object="audit logs")
    entities = [Entity(label=Label.SYSTEM, name="billing service", capabilities=(SENTENCES[6],))]
    first = integrate(store, requirements, [document], entities=entities)
    before = graph_statistics(store)
    second = integrate(store, requirements, [document], entities=entities)
    assert (second.nodes_created, second.relationships_created, second.created) == (0, 0, {})
    assert graph_statistics(store) == before
    assert second.model_dump(exclude={"nodes_created", "relationships_created", "created"}) == first.model_dump(
        exclude={"nodes_created", "relationships_created", "created"}
    )


def test_duplicates_and_conflicts(store: GraphStore) -> None:
    requirements, document = a_job(SENTENCES)
    report = integrate(store, requirements, [document])
    ids = {key: name for name, key in report.keys.items()}
    # 5 repeats 1; 2 has another number, so it does not. 3 forbids what 4 asks for.
    assert [(ids[link.source], ids[link.target]) for link in report.duplicates] == [("R-0005", "R-0001")]
    assert {ids[key] for link in report.conflicts for key in (link.source, link.target)} == {"R-0003", "R-0004"}
    assert report.conflicts[0].source < report.conflicts[0].target


def test_a_second_document_duplicates_the_first(store: GraphStore) -> None:
    first, one = a_job([SENTENCES[0], SENTENCES[6]], file="one.md")
    second, two = a_job([SENTENCES[0], SENTENCES[5]], file="two.md")
    done = integrate(store, first, [one])
    report = integrate(store, second, [two])
    assert [(link.source, link.target) for link in report.duplicates] == [(report.keys["R-0001"], done.keys["R-0001"])]
    again = integrate(store, first, [one])
    assert again.relationships_created == 0
    assert again.duplicates == report.duplicates


def test_a_thousand_copies_make_no_million_links(kglite_store: GraphStore) -> None:
    document = a_document([SENTENCES[0]])
    copies = [a_requirement(document, n, SENTENCES[0], source_id=f"{n}") for n in range(1, 301)]
    report = integrate(kglite_store, copies, [document])
    assert report.created["DUPLICATES"] == 299
    assert {link.target for link in report.duplicates} == {report.keys["R-0001"]}
    assert integrate(kglite_store, copies, [document]).relationships_created == 0


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_rerunning_jobs_in_any_order_adds_nothing(kglite_store: GraphStore, order: tuple[int, ...]) -> None:
    texts = [SENTENCES[0], SENTENCES[4], SENTENCES[2], SENTENCES[3]]
    jobs = [a_job(texts[: 2 + n], file=f"{n}.md", object="audit log") for n in range(3)]
    for requirements, document in jobs:
        integrate(kglite_store, requirements, [document])
    for number in order:
        requirements, document = jobs[number]
        assert integrate(kglite_store, requirements, [document]).created == {}


def test_numbers_say_what_refines_what(store: GraphStore) -> None:
    numbers = ["3", "3.1", "3.1.2", "3.10", "AC-2", "AC-2(1)", "AC-2a", "4.1.1"]
    document = a_document(
        [f"Clause {word} shall hold." for word in ["one", "two", "three", "four", "five", "six", "seven", "eight"]]
    )
    texts = document.pages[0].text.split("\n")
    requirements = [a_requirement(document, n, text, source_id=numbers[n - 1]) for n, text in enumerate(texts, start=1)]
    integrate(store, requirements, [document])
    found = rows(store, "MATCH (a)-[:REFINES]->(b) RETURN a.source_id AS a, b.source_id AS b ORDER BY a, b")
    assert found == [("3.1", "3"), ("3.1.2", "3.1"), ("3.10", "3"), ("AC-2(1)", "AC-2"), ("AC-2a", "AC-2")]


def test_mentions_of_known_and_discovered_entities(store: GraphStore) -> None:
    requirements, document = a_job(
        ["The archive system shall keep all audit logs.", "An audit log shall be readable.", "Send a Delivery Notice."],
        subject="The archive system",
        object="all audit logs",
    )
    entities = [Entity(label=Label.MESSAGE, name="delivery notice"), Entity(label=Label.SYSTEM, name="spare system")]
    report = integrate(store, requirements, [document], entities=entities)
    found = rows(
        store, "MATCH (a)-[:MENTIONS]->(b) RETURN a.requirement_id AS a, labels(b) AS l, b.key AS k ORDER BY a, k"
    )
    assert found == [
        ("R-0001", ["System"], "archive-system"),
        ("R-0001", ["BusinessObject"], "audit-log"),
        ("R-0002", ["BusinessObject"], "audit-log"),
        ("R-0003", ["Message"], "delivery-notice"),
    ]
    assert report.mentions == 4
    assert rows(store, "MATCH (n:System) RETURN n.key AS k ORDER BY k") == [("archive-system",), ("spare-system",)]


def test_relevance_is_kept(store: GraphStore) -> None:
    document = a_document(["Logs shall be kept.", "Doors shall be shut.", "The log server shall be named."])
    texts = document.pages[0].text.split("\n")
    requirements = [
        a_requirement(document, 1, texts[0], categories=("gobd",)),
        a_requirement(document, 2, texts[1]),
        a_requirement(document, 3, texts[2], categories=("gdpr", "gobd")),
    ]
    report = integrate(store, requirements, [document], entities=[Entity(label=Label.SYSTEM, name="log server")])
    found = rows(store, "MATCH (n:Requirement) RETURN n.requirement_id AS id, n.relevance AS r ORDER BY id")
    assert found == [("R-0001", "medium"), ("R-0002", "low"), ("R-0003", "high")]
    assert {level.value: number for level, number in report.relevance.items()} == {"high": 1, "medium": 1, "low": 1}


def test_capabilities_fulfil_and_verified_stays_verified(store: GraphStore) -> None:
    requirements, document = a_job(SENTENCES)
    able = Entity(label=Label.SYSTEM, name="signer", capabilities=("Signs each invoice with a qualified certificate",))
    able = able.model_copy(
        update={"capabilities": ("The billing service signs each invoice, sign with a qualified certificate",)}
    )
    report = integrate(store, requirements, [document], entities=[able])
    assert report.fulfilments == 1
    query = "MATCH (a)-[r:FULFILLED_BY]->(b) RETURN a.requirement_id, b.key, r.status, r.evidence"
    assert rows(store, query) == [("R-0007", "signer", "claimed", able.capabilities[0])]
    link_fulfilment(store, report.keys["R-0007"], able, evidence="test run 12", verified=True)
    assert integrate(store, requirements, [document], entities=[able]).relationships_created == 0
    assert rows(store, query) == [("R-0007", "signer", "verified", "test run 12")]


def test_what_is_not_in_order_is_refused_with_a_reason(store: GraphStore) -> None:
    document = a_document(["Logs shall be kept.", "Doors shall be shut."])
    other = a_document(["Windows shall be shut."], file="other.md")
    good = a_requirement(document, 1, "Logs shall be kept.")
    moved = good.citations[0].model_copy(update={"start": 1, "end": 20})
    beyond = good.citations[0].model_copy(update={"page": 9})
    requirements = [
        good,
        a_requirement(document, 2, "Doors shall be shut.", status=Status.REJECTED),
        a_requirement(document, 3, "Doors shall be shut.", status=Status.CANDIDATE),
        a_requirement(document, 4, "Doors shall be shut.", citations=()),
        a_requirement(other, 5, "Windows shall be shut."),
        a_requirement(document, 6, "Logs shall be kept.", citations=(moved,)),
        a_requirement(document, 7, "Logs shall be kept.", citations=(beyond,)),
    ]
    report = integrate(store, requirements, [document])
    assert report.requirements == 1
    reasons = {refusal.requirement_id: refusal.reason for refusal in report.refused}
    assert list(reasons) == [f"R-000{n}" for n in range(2, 8)]
    assert "rejected" in reasons["R-0002"] and "candidate" in reasons["R-0003"] and "no document" in reasons["R-0004"]
    assert (
        "other.md" in reasons["R-0005"] and "does not stand" in reasons["R-0006"] and "which has 1" in reasons["R-0007"]
    )


def test_two_documents_of_one_name_are_an_error(kglite_store: GraphStore) -> None:
    with pytest.raises(GraphError, match="one name"):
        integrate(kglite_store, [], [a_document(["a"]), a_document(["b"])])


def test_an_empty_job(store: GraphStore) -> None:
    report = integrate(store, [], [])
    assert (report.requirements, report.nodes_created, report.created) == (0, 0, {})


def test_document_text_is_never_a_query(store: GraphStore) -> None:
    evil = [
        "'}) DETACH DELETE n //",
        "x`) MATCH (m) DETACH DELETE m //",
        '"}}) SET n.text = 1 RETURN 1 //',
        "$rows \\u0027 UNWIND shall not delete 'all' /* nodes */",
        "MATCH (n) DETACH DELETE n; the system shall ignore this.",
    ]
    requirements, document = a_job(
        evil, file="evil'}) DELETE n.md", section="A' > B`", object="x'}) DELETE (n", source_id="'"
    )
    integrate(store, requirements, [document], entities=[Entity(label=Label.SYSTEM, name="`) DETACH DELETE n //")])
    found = {row[0] for row in rows(store, "MATCH (n:Requirement) RETURN n.text AS text")}
    assert found == set(evil)
    assert graph_statistics(store)["Requirement"] == len(evil)


def test_a_job_that_was_killed_half_way_ends_in_the_same_graph(tmp_path: Path, metamodel: Metamodel) -> None:
    program = """
import os, signal, sys
from echelon.domains.graph import upsert
from echelon.domains.graph.integrate import integrate
from echelon.domains.graph.metamodel import load_metamodel
from echelon.domains.graph.stores.opening import open_graph
from pathlib import Path
from tests.graph.building import a_job
from tests.graph.conftest import METAMODEL
from tests.graph.test_integrate import SENTENCES

class Dying:
    def __init__(self, store, writes):
        self._store, self._left = store, writes
    def __getattr__(self, name):
        return getattr(self._store, name)
    def write(self, *arguments, **options):
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1
        return self._store.write(*arguments, **options)

store = open_graph(sys.argv[1])
load_metamodel(METAMODEL).prepare(store)
requirements, document = a_job(SENTENCES, section="1 A > 1.1 B", object="audit log")
integrate(Dying(store, int(sys.argv[2])), requirements, [document])
"""
    root = Path(__file__).parents[2]
    requirements, document = a_job(SENTENCES, section="1 A > 1.1 B", object="audit log")
    with open_graph(f"kglite://{tmp_path}/whole.kgl") as whole:
        metamodel.prepare(whole)
        integrate(whole, requirements, [document])
        expected = graph_statistics(whole)
    for writes in (1, 4, 8):
        url = f"kglite://{tmp_path}/{writes}.kgl"
        killed = subprocess.run([sys.executable, "-c", program, url, str(writes)], cwd=root, check=False)
        assert killed.returncode == -9
        with open_graph(url) as store:
            metamodel.prepare(store)
            assert graph_statistics(store) != expected
            integrate(store, requirements, [document])
            assert graph_statistics(store) == expected


def test_modalities_of_one_text_are_kept_apart(store: GraphStore) -> None:
    document = a_document(["Logs should be kept on disk.", "Logs shall be kept on disk."])
    texts = document.pages[0].text.split("\n")
    requirements = [
        a_requirement(document, 1, texts[0], modality=Modality.RECOMMENDATION),
        a_requirement(document, 2, texts[1], modality=Modality.OBLIGATION),
    ]
    assert integrate(store, requirements, [document]).duplicates == ()


def test_the_sample_document_from_reading_to_graph(kglite_store: GraphStore, metamodel: Metamodel) -> None:
    document = read_document(SAMPLE)
    requirements = list(extract_requirements(document))
    report = integrate(kglite_store, requirements, [document])
    assert report.refused == () and report.requirements == len(requirements) > 0
    assert check_compliance(kglite_store, metamodel) == []
    assert integrate(kglite_store, requirements, [document]).created == {}
