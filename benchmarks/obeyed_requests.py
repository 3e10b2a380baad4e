"""Twenty requests in prose over the sample documents: does the result obey each of them?

Every request is run twice: without a language model (rules read it), and with a scripted ScopeAgent that says the
selection by tool, as a model would for a request that rules do not understand. Code checks the delivered files.

    python benchmarks/obeyed_requests.py [--short]
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from echelon.crews.creator.playbook import creator
from echelon.crews.playbooks.view import View
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from tests.support.scripted import Reply, Seen, call, register, service

KNOWLEDGE = Path(__file__).resolve().parents[1] / "knowledge"
SAMPLES = (KNOWLEDGE / "records-retention-policy.pdf", KNOWLEDGE / "records-retention-policy-2pages.pdf")
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Asked:
    """A request, what it selects, how each delivered row can be checked, and what the Markdown must hold."""

    text: str
    selects: dict[str, Any]
    fits: Callable[[dict[str, Any]], bool]
    shows: tuple[str, ...] = ()
    ordered_by: Callable[[dict[str, Any]], Any] | None = None
    documents: tuple[Path, ...] = field(default=SAMPLES[:1])


def kind(*names: str) -> Callable[[dict[str, Any]], bool]:
    return lambda r: r["modality"] in names


def on(first: int, last: int) -> Callable[[dict[str, Any]], bool]:
    return lambda r: any(first <= c["page"] <= last for c in r["citations"])


def below(*numbers: str) -> Callable[[dict[str, Any]], bool]:
    """In one of these sections, told by the requirement's own number, or by that of a heading above it."""
    return lambda r: any(
        (r["source_id"] or "").startswith(f"{n}.")
        or any(h.startswith((f"{n} ", f"{n}.")) for h in (r["section"] or "").split(" > "))
        for n in numbers
    )


def both(*checks: Callable[[dict[str, Any]], bool]) -> Callable[[dict[str, Any]], bool]:
    return lambda r: all(check(r) for check in checks)


def page(r: dict[str, Any]) -> int:
    return int(r["citations"][0]["page"])


GERMAN = {"language": "de"}
REQUESTS = (
    Asked("List only the prohibitions.", {"modalities": ["prohibition"]}, kind("prohibition")),
    Asked("Nur die Verbote, bitte.", {"modalities": ["prohibition"]}, kind("prohibition")),
    Asked(
        "List only the prohibitions of section 4, in German, as a table",
        {"modalities": ["prohibition"], "sections": ["4"], "form": {"table": True, **GERMAN}},
        both(kind("prohibition"), below("4")),
        ("# Anforderungen", "| Nummer | Wortlaut |"),
    ),
    Asked(
        "Find all obligations in section 3.",
        {"modalities": ["obligation"], "sections": ["3"]},
        both(kind("obligation"), below("3")),
    ),
    Asked(
        "Nenne alle Pflichten in Kapitel 2 und 4.",
        {"modalities": ["obligation"], "sections": ["2", "4"]},
        both(kind("obligation"), below("2", "4")),
    ),
    Asked(
        "All requirements except recommendations",
        {"without": ["recommendation"]},
        lambda r: r["modality"] != "recommendation",
    ),
    Asked(
        "Alle Anforderungen außer Empfehlungen, auf Deutsch",
        {"without": ["recommendation"], "form": GERMAN},
        lambda r: r["modality"] != "recommendation",
        ("# Anforderungen",),
    ),
    Asked("What is allowed?", {"modalities": ["permission"]}, kind("permission")),
    Asked(
        "Was ist erlaubt oder empfohlen?",
        {"modalities": ["permission", "recommendation"]},
        kind("permission", "recommendation"),
    ),
    Asked("Only what stands on pages 4 to 6.", {"pages": [{"first": 4, "last": 6}]}, on(4, 6)),
    Asked("Alle Anforderungen der ersten vier Seiten", {"pages": [{"first": 1, "last": 4}]}, on(1, 4)),
    Asked(
        "Every requirement of section 5, sorted by page, as a table",
        {"sections": ["5"], "form": {"table": True, "order": "page"}},
        below("5"),
        ("| number | text |",),
        page,
    ),
    Asked(
        "A table with the columns number, page and text of all obligations",
        {"modalities": ["obligation"], "form": {"table": True, "columns": ["number", "page", "text"]}},
        kind("obligation"),
        ("| number | page | text |",),
    ),
    Asked(
        "Alle Pflichten als Tabelle mit den Spalten Nummer, Wortlaut und Seite, auf Deutsch",
        {"modalities": ["obligation"], "form": {"table": True, "columns": ["number", "text", "page"], **GERMAN}},
        kind("obligation"),
        ("| Nummer | Wortlaut | Seite |",),
    ),
    Asked(
        "The requirements that mention the register", {"words": ["register"]}, lambda r: "regist" in r["text"].lower()
    ),
    Asked(
        "Requirements that bind the records board",
        {"parties": ["records board"]},
        lambda r: "board" in (r["subject"] or "").lower(),
    ),
    Asked(
        "Obligations with a deadline",
        {"modalities": ["obligation"], "with_deadline": True},
        both(kind("obligation"), lambda r: bool(r["deadline"])),
    ),
    Asked(
        "Alle Muss-Anforderungen mit Frist, sortiert nach Seite",
        {"modalities": ["obligation"], "with_deadline": True, "form": {"order": "page"}},
        both(kind("obligation"), lambda r: bool(r["deadline"])),
        (),
        page,
    ),
    Asked(
        "Only the requirements of records-retention-policy-2pages",
        {"documents": ["records-retention-policy-2pages.pdf"]},
        lambda r: r["citations"][0]["document"] == "records-retention-policy-2pages.pdf",
        documents=SAMPLES,
    ),
    Asked(
        "Prohibitions and permissions in sections 2 to 6, without recommendations",
        {
            "modalities": ["prohibition", "permission"],
            "without": ["recommendation"],
            "sections": ["2", "3", "4", "5", "6"],
        },
        both(kind("prohibition", "permission"), below("2", "3", "4", "5", "6")),
    ),
)


def obeyed(result: JobResult, asked: Asked, every: Rows) -> str:
    """'' where the delivered files are what was asked for, else what is wrong."""
    if result.state != "completed":
        return f"{result.state}: {result.reason}"
    rows: Rows = json.loads((result.folder / "output" / "requirements.json").read_text(encoding="utf-8"))[
        "requirements"
    ]
    expected = {r["id"] for r in every if asked.fits(r)}
    if not expected:
        return "the check fits nothing of the documents, so it shows nothing"
    if {r["id"] for r in rows} != expected:
        return f"{len(rows)} delivered, {len(expected)} asked for"
    if asked.ordered_by is not None and [asked.ordered_by(r) for r in rows] != sorted(map(asked.ordered_by, rows)):
        return "not in the order asked for"
    text = (result.folder / "output" / "requirements.md").read_text(encoding="utf-8")
    missing = [show for show in asked.shows if show not in text]
    return f"{missing[0]!r} does not stand in requirements.md" if missing else ""


def scripted(asked: Asked) -> Callable[[Seen], Reply]:
    """A model that says the selection itself, and plays the other phases as the playbook does."""

    def play(seen: Seen) -> Reply:
        if seen.phase == "scope" and not seen.last_tool:
            return call("select_requirements", says=f"The request asks for: {asked.text}", **asked.selects)
        if seen.phase == "scope":
            outcome = {"outcome": "A reader finds what the request asks for.", "checks": ["each row fits the request"]}
            return call(
                "submit_scope", in_scope=["the documents"], success=["found"], milestones=[outcome], confidence=0.9
            )
        tool, arguments = creator(View(seen.request))
        return call(tool, **arguments)

    return play


def everything(jobs: Service, documents: tuple[Path, ...]) -> Rows:
    result = jobs.run(jobs.submit("creator", list(documents)))
    rows: Rows = json.loads((result.folder / "output" / "requirements.json").read_text(encoding="utf-8"))[
        "requirements"
    ]
    return rows


def main(short: bool) -> int:
    requests = REQUESTS[2:20:6] if short else REQUESTS
    right = {"rules": 0, "scripted scope": 0}
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        every = {documents: everything(jobs, documents) for documents in {a.documents for a in requests}}
        for number, asked in enumerate(requests):
            register(scripted(asked), f"request-{number}")
            unread = "Judge this in your own way." if short else f"{asked.text} Judge this in your own way."
            for how, text, model in (
                ("rules", asked.text, "playbook"),
                ("scripted scope", unread, f"scripted/request-{number}"),
            ):
                result = jobs.run(jobs.submit("creator", list(asked.documents), text, model))
                wrong = obeyed(result, asked, every[asked.documents])
                right[how] += not wrong
                if wrong:
                    print(json.dumps({"request": asked.text, "how": how, "wrong": wrong}), flush=True)
    for how, count in right.items():
        print(json.dumps({"benchmark": "requests", "how": how, "obeyed": count, "of": len(requests)}), flush=True)
    return 0 if all(count == len(requests) for count in right.values()) else 1


if __name__ == "__main__":
    sys.exit(main("--short" in sys.argv))
