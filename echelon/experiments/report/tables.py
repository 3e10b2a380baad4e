"""The trials as tables: CSV, JSON lines, a pandas DataFrame, Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from echelon.experiments.calibration.confusion import Verdict
from echelon.experiments.trials import TrialResult

TIERS = ("tactical", "assessment", "strategic")


def flat(result: TrialResult) -> dict[str, Any]:
    """A trial as one row of plain values."""
    return {
        "trial": result.trial, "task": result.task, "cluster": result.cluster, "arm": result.arm, "repeat": result.repeat,
        "seed": result.seed, "job": result.job, "state": result.state, "success": result.success, "score": result.score,
        "false_completion": None if result.success is None else result.false_completion,
        **{name: getattr(result.used, name) for name in ("tokens", "cost", "seconds", "model_calls", "tool_calls")},
        "rounds": result.rounds, "rework_share": result.rework_share,
        **{f"escalations_{tier}": result.escalations.get(tier, 0) for tier in TIERS},
        "prefix_tokens": result.prefix.tokens, "prefix_cost": result.prefix.cost, "grading_cost": result.grading_cost,
        **{f"ceiling_{name}": getattr(result.ceilings, name) for name in ("tokens", "cost", "model_calls", "seconds")},
        "failed_tier": result.failed_tier, "failures": "; ".join(result.failures), "reason": result.reason,
        "checks": "; ".join(f"{c.kind}: {c.says or c.passed}" for c in result.checks),
    }  # fmt: skip


COLUMNS = tuple(flat(TrialResult(trial="", task="", cluster="", arm="", repeat=1, seed=0, state="")))


def as_csv(results: Sequence[TrialResult]) -> str:
    """One line a trial, with a header. Texts that a spreadsheet would take for a formula begin with an apostrophe."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: _harmless(v) for k, v in flat(r).items()} for r in results)
    return out.getvalue()


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def as_jsonl(results: Sequence[TrialResult] | Sequence[Verdict]) -> str:
    """One object a line; `read_jsonl` reads those of trials."""
    return "".join(r.model_dump_json() + "\n" for r in results)


def read_jsonl(text: str) -> list[TrialResult]:
    """The trials of `trials.jsonl`. Raises ValueError."""
    return [TrialResult.model_validate_json(line) for line in text.splitlines() if line.strip()]


def as_frame(results: Sequence[TrialResult]) -> Any:
    """A pandas DataFrame with a row a trial. Raises ImportError without pandas (the extra `experiments`)."""
    import pandas

    return pandas.DataFrame([flat(r) for r in results], columns=list(COLUMNS))


def write_parquet(results: Sequence[TrialResult], path: Path) -> None:
    """A Parquet file with a row a trial. Raises ImportError without pyarrow (the extra `experiments`)."""
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")

    rows = [flat(r) for r in results]
    table = pyarrow.table({name: pyarrow.array([row[name] for row in rows]) for name in COLUMNS})
    parquet.write_table(table, path)


def pretty(value: Any) -> str:
    """JSON for people and for version control: sorted, indented, ending with a line."""
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
