"""What the validator job delivers: a report on what was integrated, for programs and for people."""

from __future__ import annotations

import json
from typing import Any

from echelon.crews.validator import handed_over
from echelon.crews.validator.graph_of_job import metamodel
from echelon.domains.graph import queries
from echelon.domains.graph.compliance import check_compliance
from echelon.domains.graph.stores.port import GraphStore
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace

FILES = {"json": "output/validation.json", "markdown": "output/validation.md"}
SHOWN = 50


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def totals(run: Run, workspace: Workspace) -> dict[str, int]:
    """Sums over the batches that are done."""
    done = handed_over.reports(run, workspace)
    return {
        "given": sum(r["given"] for r in done), "integrated": sum(r["requirements"] for r in done),
        "refused": sum(len(r["refused"]) for r in done), "new_nodes": sum(r["nodes_created"] for r in done),
        "new_relationships": sum(r["relationships_created"] for r in done),
        "duplicates": len(_links(done, "duplicates")), "conflicts": len(_links(done, "conflicts")),
        "fulfilments": sum(r["fulfilments"] for r in done),
    }  # fmt: skip


def _links(reports: list[dict[str, Any]], kind: str) -> list[tuple[str, str, float]]:
    return sorted({(x["source"], x["target"], x["score"]) for r in reports for x in r[kind]})


def write(run: Run, workspace: Workspace, store: GraphStore) -> list[str]:
    """Write both reports; returns their paths."""
    done = handed_over.reports(run, workspace)
    violations = [v.model_dump(mode="json") for v in check_compliance(store, metamodel())]
    value = {
        "schema_version": 1, "job": run.job, "totals": totals(run, workspace),
        "coverage": queries.coverage(store).model_dump(mode="json"),
        "refused": [{"document": r["document"], **x} for r in done for x in r["refused"]],
        "duplicates": _links(done, "duplicates"), "conflicts": _links(done, "conflicts"), "violations": violations,
    }  # fmt: skip
    return [workspace.write(FILES["json"], as_json(value)), workspace.write(FILES["markdown"], _markdown(value))]


def _markdown(value: dict[str, Any]) -> str:
    lines = [f"# Validation by {value['job']}", ""]
    lines += [f"- {name.replace('_', ' ')}: {count}" for name, count in value["totals"].items()]
    for title, rows in (
        ("Refused", [f"{r['requirement_id']} of {r['document']}: {r['reason']}" for r in value["refused"]]),
        ("Duplicates", [f"{a} repeats {b} ({score:.2f})" for a, b, score in value["duplicates"]]),
        ("Conflicts", [f"{a} against {b} ({score:.2f})" for a, b, score in value["conflicts"]]),
        ("Does not fit the metamodel", [json.dumps(v, ensure_ascii=False) for v in value["violations"]]),
    ):
        lines += ["", f"## {title}", "", *(f"- {row}" for row in rows[:SHOWN] or ["none"])]
    return "\n".join(lines) + "\n"
