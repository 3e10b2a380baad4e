"""Looking at jobs without running anything: rows for a list, and the details of one."""

from __future__ import annotations

import datetime
from dataclasses import asdict
from pathlib import Path
from typing import Any

from echelon.engine.effects import effects
from echelon.service.replies import asks_approval
from echelon.store.records.steps import Step
from echelon.store.store import Store


def job_rows(store: Store) -> list[dict[str, Any]]:
    """One row a job, the newest first."""
    totals = store.totals()
    rows = []
    for row in store.all_jobs():
        calls, tokens, cost = totals.get(row["id"], (0, 0, 0.0))
        kept: dict[str, Any] = row["result"] or {}
        rows.append({
            "job": row["id"], "type": row["type"], "state": state_of(store, row), "reason": kept.get("reason", ""),
            "rounds": kept.get("rounds", 0), "calls": calls, "tokens": tokens, "cost": cost,
            "created": _time(row["created"]), "request": row["request"], "inputs": _inputs(row),
        })  # fmt: skip
    return rows


def job_details(store: Store, job: str) -> dict[str, Any]:
    """Everything that is known of a job. Raises UnknownName."""
    row = store.job(job)
    kept: dict[str, Any] = row["result"] or {}
    steps = store.steps(job)
    return {
        "job": job, "type": row["type"], "state": state_of(store, row), "reason": kept.get("reason", ""),
        "request": row["request"], "inputs": _inputs(row), "model": row["config"]["config"]["model"],
        "folder": row["folder"], "created": _time(row["created"]), "updated": _time(row["updated"]),
        "rounds": kept.get("rounds", 0), "figures": kept.get("figures", {}), "outputs": kept.get("outputs", []),
        "warnings": kept.get("warnings", []), "questions": kept.get("questions", []), "accepted": kept.get("done", []),
        "escalations": kept.get("escalations", []), "unfinished": kept.get("unfinished"),
        "complete": kept.get("complete"),
        "asks_approval": asks_approval(row), "spent": kept.get("spent", {}),
        "cost": sum(s.cost for s in steps), "model_steps": _by_role(steps), "steps": [asdict(s) for s in steps],
    }  # fmt: skip


def effect_rows(store: Store, job: str) -> list[dict[str, Any]]:
    """The tool calls of a job that must not run twice, and how far each got. Raises UnknownName."""
    store.job(job)
    kept = ("number", "tool", "state", "arguments", "result")
    return [
        {k: r[k] for k in kept} | {k: _time(r[k]) if r[k] else None for k in ("begun", "ended")}
        for r in effects(store.engine, job)
    ]


def state_of(store: Store, row: dict[str, Any]) -> str:
    """The state of a job; one that says it runs and has nobody who runs it was interrupted."""
    if row["state"] == "running" and store.holder(row["id"]) is None:
        return "interrupted"
    return str(row["state"])


def _by_role(steps: list[Step]) -> dict[str, int]:
    out: dict[str, int] = {}
    for step in steps:
        if step.kind == "model":
            out[step.role] = out.get(step.role, 0) + 1
    return out


def _inputs(row: dict[str, Any]) -> list[str]:
    """File names of the inputs, as they were given."""
    return [Path(p).name for p in row["config"]["inputs"]]


def _time(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")
