"""A real small language model does the creator job on the two-page sample: how often, how well, at what price.

    OPENAI_BASE_URL=http://127.0.0.1:8091/v1 OPENAI_API_KEY=any python benchmarks/real_model.py --runs 5

Any OpenAI-compatible server does. Each run is a process of its own with a home of its own; one JSON line a run, and
one with the sums. A requirement is found when its text matches one of the gold list, one to one, with a ratio of 85.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "knowledge" / "records-retention-policy-2pages.pdf"
GOLD = ROOT / "knowledge" / "records-retention-policy-2pages.gold.json"
SAME = 85.0
"""Ratio (0 to 100, rapidfuzz) from which two normalised texts are the same requirement."""
WANTED_F1, WANTED_PROMPT = 0.8, 2_500


def normalised(text: str) -> str:
    """Lower case, words only: case, punctuation and line breaks do not count."""
    return " ".join(re.findall(r"\w+", text.lower()))


def score(found: Sequence[str], gold: Sequence[str]) -> dict[str, float]:
    """Precision, recall and F1 of texts against a gold list; each text of either list counts once at most.

    The best pairs are taken first, so a text that resembles two others goes to the nearer one.
    """
    from rapidfuzz.fuzz import ratio

    left, right = [normalised(t) for t in found], [normalised(t) for t in gold]
    pairs = sorted((-ratio(a, b), i, j) for i, a in enumerate(left) for j, b in enumerate(right))
    used_left: set[int] = set()
    used_right: set[int] = set()
    for minus, i, j in pairs:
        if -minus >= SAME and i not in used_left and j not in used_right:
            used_left.add(i)
            used_right.add(j)
    hits = len(used_left)
    precision, recall = hits / len(left) if left else 0.0, hits / len(right) if right else 0.0
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(f1, 4)}


def one_run(model: str, overrides: dict[str, Any]) -> dict[str, Any]:
    """Run the job once in this process and say how it went."""
    from echelon.service.service import Service

    service, began = Service(), time.monotonic()
    job = service.submit("creator", [SAMPLE], model=model, overrides=overrides)
    result = service.run(job)
    spent, events = result.spent, [row.event for row in service.store.events(job)]
    gold = [r["text"] for r in json.loads(GOLD.read_text(encoding="utf-8"))]
    return {
        "job": job, "state": str(result.state), "reason": result.reason, "seconds": round(time.monotonic() - began, 1),
        "calls": spent.get("model_calls"), "tool_calls": spent.get("tool_calls"), "refused": spent.get("refused_calls"),
        "prompt_tokens": spent.get("prompt_tokens"), "completion_tokens": spent.get("completion_tokens"),
        "rounds": result.rounds, **score(delivered(result.folder), gold), "first_prompts": first_prompts(result.ledger),
        "refusals": [f"{e.tool}: {e.why}"[:200] for e in events if e.kind == "refused"],
        "escalations": len(result.escalations), "folder": str(result.folder),
    }  # fmt: skip


def delivered(folder: Path) -> list[str]:
    """Texts of the accepted requirements in the job's JSON deliverable; none when there is no such file."""
    path = folder / "output" / "requirements.json"
    if not path.is_file():
        return []
    wanted = json.loads(path.read_text(encoding="utf-8"))["requirements"]
    return [r["text"] for r in wanted if r["status"] == "accepted"]


def first_prompts(ledger: Iterable[Any]) -> dict[str, int]:
    """The largest first prompt of each kind of phase, in tokens as the server counts them."""
    first: dict[str, int] = {}
    for step in ledger:
        if step.kind == "model":
            first.setdefault(step.phase, step.prompt_tokens or 0)
    largest: dict[str, int] = {}
    for phase, tokens in first.items():
        kind = phase.partition("-")[2]
        largest[kind] = max(largest.get(kind, 0), tokens)
    return dict(sorted(largest.items()))


def transcript(run: dict[str, Any]) -> str:
    """What the model answered and what came of it, step by step, as Markdown."""
    lines = [f"# {run['job']}: {run['state']}", ""]
    for path in sorted((Path(run["folder"]) / "trace").glob("[0-9]*-*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        number, _, name = path.stem.partition("-")
        lines += [f"## {int(number)} {name} ({kept['milliseconds'] / 1000:.1f} s)", ""]
        lines += [*_told(name, kept["value"]), ""]
    return "\n".join(lines)


def _told(name: str, value: dict[str, Any]) -> list[str]:
    if name != "model":
        return ["```json", json.dumps(value, ensure_ascii=False)[:1500], "```"]
    calls = [f"- {c['name']} `{c['arguments']}`" for c in value["calls"]]
    return [*([value["text"]] if value["text"] else []), *calls]


def summary(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The sums over all runs. A run without a state has crashed."""
    ended = [r for r in runs if r.get("state")]
    good = [r for r in ended if r["state"] == "completed" and r["f1"] >= WANTED_F1]
    prompts = [t for r in ended for t in r["first_prompts"].values()]
    return {
        "runs": len(runs), "crashed": len(runs) - len(ended),
        "completed": sum(r["state"] == "completed" for r in ended), "completed_with_f1": len(good),
        "largest_first_prompt": max(prompts, default=0), "wanted_prompt": WANTED_PROMPT,
        "states": sorted(r["state"] for r in ended), "seconds": round(sum(r["seconds"] for r in ended), 1),
    }  # fmt: skip


def run_apart(model: str, settings: Sequence[str], home: Path, most_seconds: float) -> dict[str, Any]:
    """One run in a process of its own; its last line of output is its result."""
    command = [sys.executable, __file__, "--one", "--model", model, *(x for s in settings for x in ("--set", s))]
    environment = {**os.environ, "ECHELON_HOME": str(home), "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=most_seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return {"crashed": f"no end after {most_seconds:g} seconds"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        return {"crashed": done.stderr[-1000:], "exit_code": done.returncode}
    result: dict[str, Any] = json.loads(lines[-1])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--model", default="openai/local")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="over the settings of the job")
    parser.add_argument("--seconds", type=float, default=3_600, help="most that one run may take")
    parser.add_argument("--home", type=Path, help="folder that keeps the jobs; a temporary one without it")
    parser.add_argument("--transcript", type=Path, help="where the steps of the first finished run are written")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    settings = ["model_settings.tool_calls=json_schema", "model_settings.timeout=900", *options.set]
    if options.one:
        from echelon.settings import parse_override

        print(json.dumps(one_run(options.model, dict(parse_override(s) for s in settings)), ensure_ascii=False))
        return
    with tempfile.TemporaryDirectory(prefix="real-model-") as temporary:
        measure(options, (options.home or Path(temporary)).resolve())


def measure(options: argparse.Namespace, home: Path) -> None:
    """All runs, a line each as it ends, and the sums."""
    runs: list[dict[str, Any]] = []
    for number in range(1, options.runs + 1):
        runs.append(run_apart(options.model, options.set, home / f"run-{number}", options.seconds))
        print(json.dumps({"benchmark": "real_model", "run": number, **runs[-1]}, ensure_ascii=False), flush=True)
        if options.transcript and runs[-1].get("state") and not options.transcript.exists():
            options.transcript.write_text(transcript(runs[-1]), encoding="utf-8")
    print(json.dumps({"benchmark": "real_model", **summary(runs)}), flush=True)


if __name__ == "__main__":
    main()
