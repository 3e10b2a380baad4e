"""Looking at jobs without running anything: rows for a list, and the details of one."""

from __future__ import annotations

import datetime
from typing import Any

from echelon.store.store import Store


def job_rows(store: Store) -> list[dict[str, Any]]:
    """One row a job, the newest first."""
    totals = store.totals()
    rows = []
    for row in store.all_jobs():
        calls, _, cost = totals.get(row["id"], (0, 0, 0.0))
        rows.append({
            "job": row["id"], "type": row["type"], "state": state_of(store, row), "rounds": (row["result"] or {}).get("rounds", 0),
            "calls": calls, "cost": f"${cost:.4f}", "created": _time(row["created"]), "request": row["request"][:60],
        })  # fmt: skip
    return rows


def job_details(store: Store, job: str) -> dict[str, Any]:
    """Everything that is known of a job. Raises UnknownName."""
    row = store.job(job)
    kept: dict[str, Any] = row["result"] or {}
    steps = store.steps(job)
    return {
        "job": job, "type": row["type"], "state": state_of(store, row), "reason": kept.get("reason", ""), "request": row["request"],
        "model": row["config"]["config"]["model"], "folder": row["folder"], "created": _time(row["created"]),
        "updated": _time(row["updated"]), "rounds": kept.get("rounds", 0), "figures": kept.get("figures", {}),
        "outputs": kept.get("outputs", []), "warnings": kept.get("warnings", []), "questions": kept.get("questions", []),
        "accepted": kept.get("done", []), "escalations": kept.get("escalations", []), "spent": kept.get("spent", {}),
        "cost": sum(s["cost"] for s in steps), "model_steps": _by_role(steps), "steps": steps,
    }  # fmt: skip


def state_of(store: Store, row: dict[str, Any]) -> str:
    """The state of a job; one that says it runs and has nobody who runs it was interrupted."""
    if row["state"] == "running" and store.holder(row["id"]) is None:
        return "interrupted"
    return str(row["state"])


def _by_role(steps: list[dict[str, Any]]) -> dict[str, int]:
    out: dict[str, int] = {}
    for step in steps:
        if step["kind"] == "model":
            out[step["role"]] = out.get(step["role"], 0) + 1
    return out


def _time(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")


def job_text(details: dict[str, Any]) -> str:
    """The details for a person."""
    d = details
    lines = [f"{d['job']}  {d['state']}" + (f": {d['reason']}" if d["reason"] else "")]
    lines += [f"  request    {d['request']}", f"  model      {d['model']}", f"  folder     {d['folder']}"]
    lines += [f"  created    {d['created']}", f"  rounds     {d['rounds']}"]
    lines += [f"  {name:<10} {value}" for name, value in d["figures"].items()]
    lines += [f"  accepted   round {t['round']}: {t['title']} ({t['commit'][:10]})" for t in d["accepted"]]
    lines += [f"  escalated  {e['raised_by']} to {e['to']}, round {e['round']}: {e['cause']}" for e in d["escalations"]]
    lines += [f"  question   {q}" for q in d["questions"]] + [f"  warning    {w}" for w in d["warnings"]]
    lines += [f"  file       {o}" for o in d["outputs"]]
    lines += ["  calls      " + ", ".join(f"{role} {n}" for role, n in d["model_steps"].items())] if d["model_steps"] else []
    lines += [f"  cost       ${d['cost']:.4f}, {len(d['steps'])} steps"]
    return "\n".join(lines)
