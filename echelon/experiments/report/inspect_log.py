"""The trials of an arm as an inspect log (`.eval`), so that they can be read with the tools of inspect_ai.

The format is a zip of JSON: `header.json` (version, status, eval, plan, results, stats), `_journal/start.json` (what was
known before the first sample), `summaries.json`, and `samples/ID_epoch_N.json`, one a sample. A task is a sample, a repeat
an epoch, the checks are the scorer, and what a job says of itself stands in the metadata. See
https://inspect.aisi.org.uk/eval-logs.html; written for version 2 of the format.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from echelon.digest import digest
from echelon.experiments.trials import TrialResult

VERSION = 2
SCORER = "checks"
DAY_ONE = (1980, 1, 1, 0, 0, 0)
"""The time of each member: the same trials give the same bytes"""


@dataclass(frozen=True)
class Arm:
    """What a log says of the arm beside its trials."""

    experiment: str
    name: str
    model: str
    created: str
    """ISO 8601, with the time zone"""
    settings: Mapping[str, Any]
    requests: Mapping[str, str]
    """Task -> what was asked for"""
    packages: Mapping[str, str]


def inspect_log(arm: Arm, results: Sequence[TrialResult]) -> bytes:
    """The log of an arm. Trials that could not be graded have no score; one that broke has an error."""
    own = sorted((r for r in results if r.arm == arm.name), key=lambda r: (r.task, r.repeat))
    spec, samples = _spec(arm, own), [_sample(arm, r) for r in own]
    plan: dict[str, Any] = {"name": "plan", "steps": [], "config": {}}
    header: dict[str, Any] = {
        "version": VERSION, "status": "success", "eval": spec, "plan": plan, "results": _results(own),
        "stats": {"started_at": arm.created, "completed_at": arm.created, "model_usage": _usage(arm, own)},
    }  # fmt: skip
    members: dict[str, Any] = {"_journal/start.json": {"version": VERSION, "eval": spec, "plan": plan}}
    members |= {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in samples}
    members |= {"summaries.json": [_summary(s) for s in samples], "header.json": header}
    return _zipped(members)


def _zipped(members: Mapping[str, Any]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            info = zipfile.ZipInfo(name, DAY_ONE)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, json.dumps(value, ensure_ascii=False))
    return out.getvalue()


def _spec(arm: Arm, own: Sequence[TrialResult]) -> dict[str, Any]:
    tasks = list(dict.fromkeys(r.task for r in own))
    ceilings = own[0].ceilings if own else None
    limits = {} if ceilings is None else {"token_limit": ceilings.tokens, "cost_limit": ceilings.cost}
    return {
        "eval_id": _id(arm, "eval"), "run_id": _id(arm, "run"), "task_id": _id(arm, "task"), "created": arm.created,
        "task": arm.experiment, "task_display_name": f"{arm.experiment} / {arm.name}", "solver": arm.name,
        "dataset": {"name": arm.experiment, "samples": len(tasks), "sample_ids": tasks, "shuffled": False},
        "model": arm.model, "config": {"epochs": max((r.repeat for r in own), default=1), **limits},
        "packages": dict(arm.packages), "metadata": {"arm": arm.name, "settings": dict(arm.settings)},
        "scorers": [{"name": SCORER}],
    }  # fmt: skip


def _id(arm: Arm, what: str) -> str:
    """A short id that is the same whenever the log is written."""
    return digest([arm.experiment, arm.name, what])[:22]


def _sample(arm: Arm, r: TrialResult) -> dict[str, Any]:
    said: dict[str, Any] = {
        "id": r.task, "epoch": r.repeat, "uuid": digest([r.trial, "sample"])[:22],
        "input": arm.requests.get(r.task) or f"the task '{r.task}'", "target": "every check passes",
        "messages": [], "events": [], "output": {"model": arm.model, "choices": []}, "attachments": {}, "store": {},
        "metadata": {
            "cluster": r.cluster, "seed": r.seed, "job": r.job, "state": r.state, "reason": r.reason,
            "false_completion": r.false_completion, "rounds": r.rounds, "escalations": r.escalations,
            "rework_share": r.rework_share, "failures": list(r.failures), "cost": r.used.cost,
            "prefix_tokens": r.prefix.tokens,
        },
        "scores": {} if r.success is None else {SCORER: _score(r)},
        "model_usage": _usage(arm, [r]), "total_time": r.used.seconds, "working_time": r.used.seconds,
    }  # fmt: skip
    if r.crashed:
        said["error"] = {"message": r.reason or r.state, "traceback": "", "traceback_ansi": ""}
    return said


def _score(r: TrialResult) -> dict[str, Any]:
    says = "; ".join(f"{c.kind}: {c.says or c.passed}" for c in r.checks) or r.reason
    return {"value": "C" if r.success else "I", "explanation": says, "metadata": {"score": r.score}}


def _usage(arm: Arm, own: Sequence[TrialResult]) -> dict[str, Any]:
    return {arm.model: {"total_tokens": sum(r.used.tokens for r in own)}} if own else {}


def _summary(sample: Mapping[str, Any]) -> dict[str, Any]:
    names = ("id", "epoch", "uuid", "input", "target", "scores", "model_usage", "total_time", "working_time")
    error = {"error": sample["error"]["message"]} if "error" in sample else {}
    return {**{n: sample[n] for n in names}, **error, "completed": True, "message_count": 0}


def _results(own: Sequence[TrialResult]) -> dict[str, Any]:
    graded = [r for r in own if r.success is not None]
    share = sum(bool(r.success) for r in graded) / len(graded) if graded else 0.0
    accuracy: dict[str, Any] = {"name": "accuracy", "value": share, "params": {}}
    score: dict[str, Any] = {
        "name": SCORER, "scorer": SCORER, "params": {}, "scored_samples": len(graded),
        "unscored_samples": len(own) - len(graded), "metrics": {"accuracy": accuracy},
    }  # fmt: skip
    return {
        "total_samples": len(own), "completed_samples": sum(not r.crashed for r in own), "logged_samples": len(own),
        "scores": [score] if graded else [],
    }  # fmt: skip
