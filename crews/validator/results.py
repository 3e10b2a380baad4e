"""What the validator job delivers: a report on what was integrated, for programs and for people."""

from __future__ import annotations

import json
from typing import Any

from echelon.crews.validator import handed_over
from echelon.crews.validator.graph_of_job import graph_name, metamodel
from echelon.domains.graph import queries
from echelon.domains.graph.compliance import check_compliance
from echelon.domains.graph.statements import statements
from echelon.domains.graph.stores.port import GraphStore
from echelon.domains.requirements import document_files
from echelon.domains.requirements.conflicts.find import find_conflicts
from echelon.domains.requirements.exports.markdown import escape
from echelon.domains.requirements.types import Requirement
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.shown import visible

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


def unlike_given(run: Run, workspace: Workspace, store: GraphStore) -> list[str]:
    """What the graph does not hold as it was handed over, one sentence each: what a report says, the graph must show."""
    there = statements(store)
    keys = {(r["document"], id_): key for r in handed_over.reports(run, workspace) for id_, key in r["keys"].items()}
    given = {
        (name, r.id): r for name in document_files.names(workspace) for r in handed_over.requirements(workspace, name)
    }
    out: list[str] = []
    for place, key in keys.items():
        now, was = there.get(key), given.get(place)
        if now is None:
            out.append(f"{place[1]} of {place[0]} is not in the graph any more; integrate its batch again.")
        elif was is not None and (now.text, now.modality) != (was.text, was.modality) and _is_first(keys, place, key):
            out.append(
                f"{place[1]} of {place[0]} is in the graph in other words or as another kind; integrate it again."
            )
    return out


def _is_first(keys: dict[tuple[str, str], str], place: tuple[str, str], key: str) -> bool:
    """Whether a node was made of this requirement: one that repeats it word for word has its key, too."""
    return next(p for p, k in keys.items() if k == key) == place


def _links(reports: list[dict[str, Any]], kind: str) -> list[tuple[str, str, float]]:
    return sorted({(x["source"], x["target"], x["score"]) for r in reports for x in r[kind]})


def write(run: Run, workspace: Workspace, store: GraphStore) -> list[str]:
    """Write both reports; returns their paths."""
    done = handed_over.reports(run, workspace)
    violations = [v.model_dump(mode="json") for v in check_compliance(store, metamodel())]
    stated = statements(store)
    duplicates, conflicts = _links(done, "duplicates"), _links(done, "conflicts")
    said = find_conflicts(list(stated.values()))
    named = {key for link in (*duplicates, *conflicts) for key in link[:2]}
    value = {
        "schema_version": 1, "job": run.job, "graph": graph_name(run), "totals": totals(run, workspace),
        "coverage": queries.coverage(store).model_dump(mode="json"),
        "refused": [{"document": r["document"], **x} for r in done for x in r["refused"]],
        "duplicates": duplicates, "conflicts": conflicts, "violations": violations,
        "conflicts_in_words": [c.model_dump(mode="json") for c in said],
        "statements": {key: _statement(stated[key]) for key in sorted(named) if key in stated},
    }  # fmt: skip
    return [workspace.write(FILES["json"], as_json(value)), workspace.write(FILES["markdown"], _markdown(value))]


def _statement(requirement: Requirement) -> dict[str, str]:
    """What the report says of a requirement: its words, its number, its document and its place."""
    cited = requirement.citations[0] if requirement.citations else None
    return {
        "id": requirement.id, "source_id": requirement.source_id or "", "text": requirement.text,
        "document": cited.document if cited else "", "where": cited.where if cited else "",
    }  # fmt: skip


def _markdown(value: dict[str, Any]) -> str:
    lines = [f"# Validation by {value['job']}", "", f"Graph: {value['graph']}", ""]
    lines += [f"- {name.replace('_', ' ')}: {count}" for name, count in value["totals"].items()]
    said = value["statements"]
    for title, rows in (
        ("Refused", [f"{r['requirement_id']} of {r['document']}: {r['reason']}" for r in value["refused"]]),
        (
            "Duplicates",
            [f"{_told(said, a)} repeats {_told(said, b)} ({score:.2f})" for a, b, score in value["duplicates"]],
        ),
        (
            "Conflicts",
            [f"{_told(said, a)} against {_told(said, b)} ({score:.2f})" for a, b, score in value["conflicts"]],
        ),
        ("Conflicts in numbers and terms", [_conflict(c) for c in value["conflicts_in_words"]]),
        ("Does not fit the metamodel", [json.dumps(v, ensure_ascii=False) for v in value["violations"]]),
    ):
        lines += ["", f"## {title}", "", *(f"- {row}" for row in rows[:SHOWN] or ["none"])]
    lines += [
        "",
        "## Questions",
        "",
        'Ask the graph of this home: `echelon graph "MATCH (r:Requirement) RETURN r.text"`.',
    ]
    return "\n".join(lines) + "\n"


def _told(said: dict[str, dict[str, str]], key: str) -> str:
    """A requirement in words: number, text, document and place; its key where the graph does not have it any more."""
    side = said.get(key)
    if side is None:
        return key
    number = " ".join(part for part in (side["id"], side["source_id"]) if part)
    place = ", ".join(part for part in (side["document"], side["where"]) if part)
    return f"{escape(number)} “{escape(visible(side['text']))}” ({escape(visible(place))})"


def _conflict(conflict: dict[str, Any]) -> str:
    sides = (conflict["left"], conflict["right"])
    return " against ".join(
        f"{side['words']}: {escape(side['id'])} “{escape(visible(side['quote']))}” "
        f"({escape(visible(', '.join(part for part in (side['document'], side['where']) if part)))})"
        for side in sides
    )
