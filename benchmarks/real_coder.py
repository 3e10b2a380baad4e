"""A real small language model repairs QuixBugs programs as coder jobs: the hierarchy with its tools, and one agent alone.

    export OPENAI_BASE_URL=http://127.0.0.1:8091/v1 OPENAI_API_KEY=any
    python benchmarks/real_coder.py --tasks ../shared/data/quixbugs

Any OpenAI-compatible server does. A role sees the program, its request and some of its tests; the other cases stay
outside of every workspace and grade what comes out. Each run is a process of its own with a home of its own; one JSON
line a run, and one with the sums of each crew. A program counts as repaired when all cases hold; a COMPLETED job
without that is false.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

SETTINGS = [
    "model_settings.tool_calls=json_schema",
    "model_settings.timeout=900",
    "code.search_seconds=60",
    "code.seconds=60",
]
CREWS = ("hierarchy", "single")
WANTED = 10


def one_run(task: Path, model: str, crew: str, overrides: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run the job on a copy without what grades it, and say how it went."""
    from echelon.service.service import Service

    source = folder / task.name
    shutil.copytree(task, source, ignore=shutil.ignore_patterns(".*"))
    request = (source / "request.md").read_text(encoding="utf-8")
    (source / "request.md").unlink()
    service, began = Service(), time.monotonic()
    job = service.submit("coder", [source], request, model, {"crew": crew, **overrides})
    result = service.run(job)
    spent = result.spent
    program = Path(result.folder) / "repository" / f"{task.name}.py"
    is_there = program.is_file()
    text = program.read_text(encoding="utf-8") if is_there else ""
    return {
        "program": task.name, "crew": crew, "state": str(result.state), "reason": result.reason[:200],
        "changed": text != (task / f"{task.name}.py").read_text(encoding="utf-8"), "text": text,
        "calls": spent.get("model_calls"), "tool_calls": spent.get("tool_calls"), "refused": spent.get("refused_calls"),
        "prompt_tokens": spent.get("prompt_tokens"), "completion_tokens": spent.get("completion_tokens"),
        "rounds": result.rounds, "seconds": round(time.monotonic() - began, 1), "folder": str(result.folder),
    }  # fmt: skip


def grader(path: Path) -> ModuleType:
    """The script that holds a program against all cases: it has `grade(task, text) -> (held, output)`."""
    spec = importlib.util.spec_from_file_location("quixbugs_grader", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_apart(task: Path, options: argparse.Namespace, crew: str, home: Path) -> dict[str, Any]:
    """One run in a process of its own; its last line of output is its result."""
    command = [
        sys.executable,
        "-W",
        "ignore",
        __file__,
        "--one",
        task.name,
        "--tasks",
        str(options.tasks),
        "--crews",
        crew,
    ]
    command += ["--model", options.model, *(x for s in options.set for x in ("--set", s))]
    environment = {**os.environ, "ECHELON_HOME": str(home), "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=options.seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return {"program": task.name, "crew": crew, "crashed": f"no end after {options.seconds:g} seconds"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        return {"program": task.name, "crew": crew, "crashed": done.stderr[-1000:]}
    result: dict[str, Any] = json.loads(lines[-1])
    return result


def sums(crew: str, runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The sums of one crew. A run without a state has crashed."""
    ended = [r for r in runs if r.get("state")]
    repaired = [r for r in ended if r["repaired"]]
    return {
        "crew": crew, "runs": len(runs), "crashed": len(runs) - len(ended), "repaired": len(repaired),
        "completed": sum(r["state"] == "completed" for r in ended),
        "false_completed": [r["program"] for r in ended if r["state"] == "completed" and not r["repaired"]],
        "calls": sum(r["calls"] or 0 for r in ended), "prompt_tokens": sum(r["prompt_tokens"] or 0 for r in ended),
        "completion_tokens": sum(r["completion_tokens"] or 0 for r in ended),
        "seconds": round(sum(r["seconds"] for r in ended), 1), "bar": WANTED,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=Path, required=True, help="folder with a folder for each program")
    parser.add_argument("--grader", type=Path, help="script that grades; quixbugs.py beside the data without it")
    parser.add_argument("--only", nargs="*", default=[], metavar="PROGRAM")
    parser.add_argument("--crews", nargs="*", default=list(CREWS), choices=CREWS)
    parser.add_argument("--model", default="openai/local")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="over the settings of the job")
    parser.add_argument("--seconds", type=float, default=1_800, help="most that one run may take")
    parser.add_argument("--home", type=Path, help="folder that keeps the jobs; a temporary one without it")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        from echelon.settings import parse_override

        overrides = dict(parse_override(s) for s in [*SETTINGS, *options.set])
        with tempfile.TemporaryDirectory() as made:
            found = one_run(options.tasks / options.one, options.model, options.crews[0], overrides, Path(made))
        print(json.dumps(found, ensure_ascii=False))
        return
    with tempfile.TemporaryDirectory(prefix="real-coder-") as temporary:
        measure(options, (options.home or Path(temporary)).resolve())


def measure(options: argparse.Namespace, home: Path) -> None:
    """All runs, a line each as it ends, and the sums of each crew."""
    grading = grader(options.grader or options.tasks.parents[1] / "score" / "quixbugs.py")
    tasks = sorted(p for p in options.tasks.iterdir() if p.is_dir() and (not options.only or p.name in options.only))
    for crew in options.crews:
        runs: list[dict[str, Any]] = []
        for task in tasks:
            found = run_apart(task, options, crew, home / crew / task.name)
            text = found.pop("text", "")
            if found.get("state"):
                found["repaired"] = bool(text) and bool(grading.grade(task, text)[0])
            runs.append(found)
            print(json.dumps({"benchmark": "real_coder", **found}, ensure_ascii=False), flush=True)
        print(json.dumps({"benchmark": "real_coder", **sums(crew, runs)}), flush=True)


if __name__ == "__main__":
    main()
