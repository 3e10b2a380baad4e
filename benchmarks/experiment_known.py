"""Does an experiment find what is known? Work that is spoilt on purpose, with a QA that reads it and without one.

    python benchmarks/experiment_known.py [--short] [--repeats N]

Creator jobs on 12 documents. The Implementor throws a requirement away in most of its rounds (chaos `spoil`), which no check
of the form sees, and QA turns one verdict in twenty round (chaos `false_verdict`). Arms: `on` has a QA that reads what it
judges and sees what was thrown away, `off` has none, `clean` has the same QA and no chaos. What is true: `off` says
COMPLETED of spoilt work where `on` does not, and `clean` never does. Each repeat is an experiment with a seed of its own.
The false completions that the report counts are held against a count that compares the delivered files with the documents.

Prints one JSON line a repeat and one for all; exits with 1 when a direction, a significance or a count is wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.experiment_tasks import clauses, creator_experiment
from echelon.crews.playbooks.model import open_playbook
from echelon.engine.messages import Answer, Message, ModelRequest
from echelon.engine.models.model import Model
from echelon.engine.models.opening import register_model
from echelon.service.experiments.run import ExperimentResult, run_experiment_file
from echelon.service.service import Service
from echelon.settings import Environment, ModelSettings
from tests.support.scripted import call, service

TASKS = 12
SPOIL = "chaos/spoil=0.9,seed={seed}/playbook"
LIAR = "chaos/false_verdict=0.05,seed={seed}/reading/creator"
ARMS = {
    "on": {"set": {"models.implementor": SPOIL, "models.qa": LIAR}},
    "off": {"set": {"models.implementor": SPOIL, "without": ["qa"]}},
    "clean": {"set": {"models.qa": "reading/creator"}},
}


class Reading:
    """The playbook, whose QA reads every part that there is and says what binds there and was thrown away."""

    def __init__(self, model: Model) -> None:
        self.name, self._model = "reading", model

    def answer(self, request: ModelRequest) -> Answer:
        answer = self._model.answer(request)
        if not any(c.name == "submit_verdict" for c in answer.calls):
            return answer
        listed = [m for m in request.messages if m.role == "tool" and m.name == "list_files"]
        if not listed:
            return answer.model_copy(update={"calls": (call("list_files", folder="requirements"),)})
        files = [p for p in data_of(listed[-1]).get("files", []) if p.endswith(".json")]
        read = {m.call_id: m for m in request.messages if m.role == "tool" and m.name == "read_file"}
        if len(read) < len(files):
            return answer.model_copy(update={"calls": (call("read_file", path=files[len(read)]),)})
        wrong = [f for m in read.values() for f in thrown_away(m)]
        if not wrong:
            return answer
        return answer.model_copy(update={"calls": (call("submit_verdict", passed=False, findings=wrong[:5]),)})


def data_of(result: Message) -> dict[str, Any]:
    """The data of a tool result, {} when it has none that can be read."""
    try:
        found = json.loads(result.content)["data"]
    except (ValueError, KeyError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def thrown_away(result: Message) -> list[str]:
    """Requirements of a part that was read which somebody rejected although they say what must be done."""
    text = str(data_of(result).get("text", ""))
    try:
        rows = json.loads("\n".join(re.sub(r"^ *\d+(: |\t)", "", line) for line in text.splitlines()))
    except ValueError:
        return []
    found = rows if isinstance(rows, list) else []  # other files of the folder hold objects
    return [f"{r['id']} was rejected, and it binds" for r in found if r["status"] == "rejected"]


def register() -> None:
    """Make `reading/<type of job>` the name of a model."""

    def factory(name: str, settings: ModelSettings, environment: Environment) -> Model:
        return Reading(open_playbook(name, settings, environment))

    register_model("reading", factory)


def truly_false(jobs: Service, result: ExperimentResult) -> dict[str, int]:
    """Jobs of each arm that say COMPLETED while their texts are not those of the document, counted from the files."""
    counts = dict.fromkeys(ARMS, 0)
    for trial in result.trials:
        row = jobs.store.job(trial.job)
        path = row.folder / "output" / "requirements.json"
        found = json.loads(path.read_text())["requirements"] if path.exists() else []
        texts = {r["text"] for r in found if r["status"] not in ("duplicate", "rejected")}
        right = texts == set(clauses(int(trial.task[1:]) - 1))
        counts[trial.arm] += row.state == "completed" and not right
    return counts


def once(seed: int, tasks: int) -> dict[str, Any]:
    """One experiment, and whether it found what is true."""
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        compare = {"baseline": "on", "metrics": ["false_completion", "success", "tokens"]}
        path = creator_experiment(Path(folder), tasks, ARMS, name=f"known-{seed}", seed=seed, compare=compare)
        result = run_experiment_file(path, service=jobs, out=Path(folder) / "results")
        true = truly_false(jobs, result)
    counted = {a.name: a.false_completion.successes for a in result.analysis.arms}
    off, clean = result.analysis.of("off", "false_completion"), result.analysis.of("clean", "false_completion")
    return {
        "benchmark": "experiment_known", "seed": seed, "tasks": tasks, "false_completions": counted, "truly": true,
        "success": {a.name: a.success.successes for a in result.analysis.arms},
        "off": round(off.found.estimate, 3), "p": off.adjusted,
        "direction": off.found.estimate > 0 and clean.found.estimate <= 0, "significant": bool(off.significant),
        "counted_exactly": counted == true, "states": {a.name: a.states for a in result.analysis.arms},
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="one repeat")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--tasks", type=int, default=TASKS)
    given = parser.parse_args()
    register()
    repeats = 1 if given.short else given.repeats
    found = []
    for seed in range(1, repeats + 1):
        found.append(once(seed, given.tasks))
        print(json.dumps(found[-1]), flush=True)
    right = sum(f["direction"] and f["significant"] and f["counted_exactly"] for f in found)
    print(
        json.dumps({"benchmark": "experiment_known.all", "repeats": repeats, "right": right, "bar": repeats}),
        flush=True,
    )
    return 0 if right == repeats else 1


if __name__ == "__main__":
    sys.exit(main())
