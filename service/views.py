"""Looking at jobs without running anything: rows for a list, and the details of one."""

from __future__ import annotations

import datetime
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from echelon.engine import prompts
from echelon.engine.effects import effects
from echelon.errors import UserError
from echelon.service.endings import ending
from echelon.service.replies import asks_approval
from echelon.store.records.jobs import JobRow
from echelon.store.records.steps import Step
from echelon.store.store import Store


def job_rows(store: Store) -> list[dict[str, Any]]:
    """One row a job, the newest first."""
    totals = store.totals()
    rows: list[dict[str, Any]] = []
    for row in store.all_jobs():
        calls, tokens, cost = totals.get(row.id, (0, 0, 0.0))
        kept = row.end
        rows.append({
            "job": row.id, "type": row.type, "state": state_of(store, row), "reason": kept.reason,
            "rounds": kept.rounds, "calls": calls, "tokens": tokens, "cost": cost,
            "created": _time(row.created), "request": row.request, "inputs": _inputs(row),
        })  # fmt: skip
    return rows


def job_details(store: Store, job: str) -> dict[str, Any]:
    """Everything that is known of a job. Raises UnknownName."""
    row, steps = store.job(job), store.steps(job)
    return {**details_of(store, row, steps), "steps": [asdict(s) for s in steps]}


def details_of(store: Store, row: JobRow, steps: list[Step]) -> dict[str, Any]:
    """Everything that is known of a job but its steps one by one."""
    kept = row.end
    return {
        "job": row.id, "type": row.type, "state": state_of(store, row), "reason": kept.reason, "ending": ending(row),
        "request": row.request, "inputs": _inputs(row), "model": row.config.model,
        "folder": str(row.folder), "created": _time(row.created), "updated": _time(row.updated),
        "rounds": kept.rounds, "figures": kept.figures, "outputs": list(kept.outputs),
        "warnings": list(kept.warnings), "questions": list(kept.questions), "accepted": list(kept.done),
        "escalations": list(kept.escalations), "unfinished": kept.unfinished,
        "complete": kept.complete, **_standing(kept.snapshot or {}),
        "asks_approval": asks_approval(row), "spent": kept.spent,
        "cost": sum(s.cost for s in steps), "model_steps": _by_role(steps),
        "answered_by": _by_model(steps),
    }  # fmt: skip


def _standing(snapshot: dict[str, Any]) -> dict[str, Any]:
    """How the checks of each milestone stand, as code or a role saw them last, and the findings that are open."""
    scope: dict[str, Any] = snapshot.get("scope") or {}
    checked: dict[str, Any] = snapshot.get("checked") or {}
    milestones = [
        {"milestone": n, "outcome": m["outcome"], "checks": checked.get(str(n)) or [_unseen(c) for c in m["checks"]]}
        for n, m in enumerate(scope.get("milestones", []), 1)
    ]
    return {"milestones": milestones, "open_findings": snapshot.get("open_findings", []),
            "dropped": snapshot.get("dropped", [])}  # fmt: skip


def _unseen(check: dict[str, Any] | str) -> dict[str, Any]:
    says, kind = (check, "judged") if isinstance(check, str) else (check["says"], check.get("kind", "judged"))
    return {"says": says, "kind": kind, "standing": "open", "why": ""}


def step_details(store: Store, job: str, number: int) -> dict[str, Any]:
    """What happened in one step: who acted, what the role saw, its tools, the answer. Raises UnknownName, UserError."""
    row = store.job(job)
    steps = {step.number: step for step in store.steps(job)}
    if number not in steps:
        last = max(steps, default=0)
        raise UserError(
            f"Job {job} has no step {number}; it has steps 1 to {last}." if last else f"Job {job} has no steps."
        )
    folder, step = row.folder, asdict(steps[number])
    asked = prompts.read(folder, number)
    traces = sorted((folder / "trace").glob(f"{number:05d}-*.json"))
    kept: dict[str, Any] = json.loads(traces[0].read_text(encoding="utf-8")) if traces else {}
    return {
        **step, "messages": [m.model_dump(mode="json") for m in asked.messages] if asked else [],
        "tools": [t.name for t in asked.tools] if asked else [], "answer": kept.get("value"),
    }  # fmt: skip


def effect_rows(store: Store, job: str) -> list[dict[str, Any]]:
    """The tool calls of a job that must not run twice, and how far each got. Raises UnknownName.

    Number 0: made by a step that was undone since, when its segment began again.
    """
    store.job(job)
    kept, times = ("tool", "state", "arguments", "result"), ("begun", "ended")
    return [
        {"number": max(0, r["number"]), **{k: r[k] for k in kept}, **{k: _time(r[k]) if r[k] else None for k in times}}
        for r in effects(store.engine, job)
    ]


def state_of(store: Store, row: JobRow) -> str:
    """The state of a job; one that says it runs and has nobody who runs it was interrupted."""
    if row.state == "running" and store.holder(row.id) is None:
        return "interrupted"
    return row.state


def _by_role(steps: list[Step]) -> dict[str, int]:
    out: dict[str, int] = {}
    for step in steps:
        if step.kind == "model":
            out[step.role] = out.get(step.role, 0) + 1
    return out


def _by_model(steps: list[Step]) -> dict[str, int]:
    """How many calls each model answered."""
    out: dict[str, int] = {}
    for step in steps:
        if step.model:
            out[step.model] = out.get(step.model, 0) + 1
    return out


def _inputs(row: JobRow) -> list[str]:
    """File names of the inputs, as they were given."""
    return [Path(p).name for p in row.config.inputs]


def _time(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")
