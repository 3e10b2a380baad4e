"""How long it takes to integrate requirements into the graph, and whether a second time adds anything.

    python benchmarks/graph.py [--requirements 10000] [--url kglite:FILE] [--short]

The requirements are made here by a seeded generator: 10 documents, sections three levels deep, 2 % copies, 2 % near
copies, 1 % prohibitions of what another one asks for. Prints one JSON line a figure.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tempfile
import time
from pathlib import Path

from echelon.domains.documents.types import Document, Page
from echelon.domains.graph.compliance import check_compliance
from echelon.domains.graph.entities import Entity
from echelon.domains.graph.integrate import IntegrationReport, integrate
from echelon.domains.graph.lookup import embed_requirements, find_similar
from echelon.domains.graph.metamodel import load_metamodel
from echelon.domains.graph.queries import graph_statistics
from echelon.domains.graph.stores.opening import open_graph
from echelon.domains.graph.stores.port import GraphStore, Label
from echelon.domains.requirements.types import Citation, Modality, Requirement

METAMODEL = Path(__file__).parents[1] / "configs" / "metamodel.yaml"
BAR_SECONDS = 30.0
DOCUMENTS = 10
PER_PAGE = 25
ACTORS = ("archive system", "billing service", "access gateway", "operator", "report module", "auditor")
VERBS = ("record", "encrypt", "export", "verify", "delete", "sign", "retain", "notify about", "reject", "compare")
OBJECTS = ("invoice", "audit log", "customer record", "booking", "password", "backup", "contract", "payment message")
WHEN = ("at the end of each day", "before the next release", "within two hours", "on request of the controller")
ADJECTIVES = tuple(
    f"{a}{b}" for a in ("inter", "pre", "multi", "sub", "over") for b in ("nal", "tary", "form", "dated")
)


def sentences(number: int, seed: int) -> list[tuple[str, Modality]]:
    """Texts of `number` requirements with their modality; the same for the same seed."""
    chance = random.Random(seed)
    made: list[tuple[str, Modality]] = []
    while len(made) < number:
        kind = chance.random()
        if made and kind < 0.05:
            text, modality = made[chance.randrange(len(made))]
            if kind < 0.02:
                made.append((text, modality))
            elif kind < 0.04:
                made.append((text.replace(" the ", " a ", 1), modality))
            elif modality is Modality.OBLIGATION:
                made.append((text.replace(" shall ", " must not ", 1), Modality.PROHIBITION))
            continue
        words = [chance.choice(ADJECTIVES) for _ in range(chance.randint(2, 6))]
        text = (
            f"The {chance.choice(ACTORS)} shall {chance.choice(VERBS)} each {' '.join(words)} {chance.choice(OBJECTS)} "
            f"of area {chance.randint(1, 400)} {chance.choice(WHEN)}."
        )
        made.append((text, Modality.OBLIGATION))
    return made


def a_job(number: int, seed: int) -> tuple[list[Requirement], list[Document]]:
    """`number` requirements that quote `DOCUMENTS` documents."""
    made = sentences(number, seed)
    requirements: list[Requirement] = []
    documents = []
    share = -(-number // DOCUMENTS)
    for start in range(0, number, share):
        part = made[start : start + share]
        name = f"standard-{start // share + 1:02d}.pdf"
        pages = [part[at : at + PER_PAGE] for at in range(0, len(part), PER_PAGE)]
        texts = ["\n".join(text for text, _ in page) for page in pages]
        digest = hashlib.sha256("\f".join([name, *texts]).encode()).hexdigest()
        documents.append(
            Document(
                file=name,
                sha256=digest,
                media_type="application/pdf",
                pages=tuple(Page(number=n, text=text) for n, text in enumerate(texts, start=1)),
                language="en",
            )
        )
        for page, content in enumerate(pages, start=1):
            at = 0
            for line, (text, modality) in enumerate(content, start=1):
                chapter = f"{page // 10 + 1} Chapter > {page // 10 + 1}.{page} Part"
                requirements.append(
                    Requirement(
                        id=f"R-{len(requirements) + 1:04d}",
                        source_id=f"{page // 10 + 1}.{page}.{line}",
                        text=text,
                        modality=modality,
                        language="en",
                        categories=("gobd",) if line % 3 == 0 else (),
                        confidence=0.9,
                        section=f"{chapter} > {page // 10 + 1}.{page}.1 Clause",
                        citations=(Citation(document=name, page=page, quote=text, start=at, end=at + len(text)),),
                        object=text.split(" of area ")[0].split()[-1],
                    )
                )
                at += len(text) + 1
    return requirements, documents


def report(figure: str, value: float, **more: object) -> None:
    """Print one figure."""
    print(json.dumps({"benchmark": "graph", "figure": figure, "value": round(value, 3), **more}), flush=True)


def timed_integration(store: GraphStore, number: int) -> tuple[IntegrationReport, float]:
    """Integrate the job and say how many seconds it took; making the job does not count."""
    requirements, documents = a_job(number, seed=7)
    entities = [Entity(label=Label.SYSTEM, name=name) for name in ACTORS if name.endswith(("system", "service"))]
    start = time.perf_counter()
    done = integrate(store, requirements, documents, entities=entities)
    return done, time.perf_counter() - start


def measure(store: GraphStore, number: int) -> None:
    """Integrate twice, look things up, and print the figures."""
    metamodel = load_metamodel(METAMODEL)
    metamodel.prepare(store)
    first, seconds = timed_integration(store, number)
    report("seconds to integrate", seconds, requirements=first.requirements, bar=BAR_SECONDS)
    for name, count in graph_statistics(store).items():
        report(f"number of {name}", count)
    second, seconds = timed_integration(store, number)
    report("seconds to integrate again", seconds)
    report("nodes added by the second time", second.nodes_created, bar=0)
    report("relationships added by the second time", second.relationships_created, bar=0)
    start = time.perf_counter()
    report("breaches of the metamodel", len(check_compliance(store, metamodel)), bar=0)
    report("seconds to check the metamodel", time.perf_counter() - start)
    start = time.perf_counter()
    embed_requirements(store)
    report("seconds to embed all", time.perf_counter() - start)
    find_similar(store, "keep an audit log")
    start = time.perf_counter()
    for text, _ in sentences(20, seed=11):
        find_similar(store, text)
    report("milliseconds to find similar ones", (time.perf_counter() - start) / 20 * 1000)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requirements", type=int, default=10_000)
    parser.add_argument("--url", help="address of an empty graph; by default kglite in a temporary folder")
    parser.add_argument("--short", action="store_true", help="1,000 requirements")
    arguments = parser.parse_args()
    number = 1_000 if arguments.short else arguments.requirements
    with tempfile.TemporaryDirectory() as folder, open_graph(arguments.url or f"kglite://{folder}/graph.kgl") as store:
        measure(store, number)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
