"""QA that is wrong and an Implementor that skips or spoils work: does a job ever claim what it did not do?

    python benchmarks/false_qa.py [--short] [--jobs N] [--rate 0.2] [--why]

QA turns one verdict in five round: it passes what it found wrong and fails what it found right. The Implementor, one call in
five, completes a todo that it did not do, writes over a result, deletes one, or reports early. What no code can tell, that
a role judges a sentence otherwise than the rules do, is not part of this. A false COMPLETED is a job that says so while its
results are not those of a job without faults. Prints one JSON line; exits with 1 when there is one.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.chaos import SAMPLE, delivered
from echelon.crews.playbooks.model import open_playbook
from echelon.engine.messages import Answer, ModelRequest, ToolCall
from echelon.engine.models.model import Model
from echelon.engine.models.opening import register_model
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.settings import Environment, ModelSettings
from tests.support.scripted import call, service

TEXTS = ("requirements.md", "requirements.csv", "summary.md")


SPOILS = (
    call("todo_complete"),
    call("todo_complete"),
    call("submit_report", summary="Everything is done."),
    call("write_file", path="output/requirements.json", text='{"requirements": []}'),
    call("write_file", path="output/requirements.md", text="nothing"),
    call("delete_file", path="output/summary.md"),
    call("delete_file", path=f"requirements/{SAMPLE.name}/part-001.json"),
    call("write_file", path=f"requirements/{SAMPLE.name}/part-002.json", text="[]"),
)


class Spoiler:
    """`model`, that does harm instead of its work in a share `rate` of its calls."""

    def __init__(self, model: Model, rate: float, seed: int) -> None:
        self.name, self._model, self._rate, self._seed = "spoiler", model, rate, seed

    def answer(self, request: ModelRequest) -> Answer:
        draw = random.Random(f"{self._seed}:{request.number}")
        if draw.random() < self._rate:
            return Answer(calls=(draw.choice(SPOILS),))
        return self._model.answer(request)


class Liar:
    """`model`, a share `rate` of whose verdicts is turned round."""

    def __init__(self, model: Model, rate: float, seed: int) -> None:
        self.name, self._model, self._rate, self._seed = "liar", model, rate, seed

    def answer(self, request: ModelRequest) -> Answer:
        answer = self._model.answer(request)
        if random.Random(f"{self._seed}:{request.number}").random() >= self._rate:
            return answer
        return answer.model_copy(update={"calls": tuple(map(turned, answer.calls))})


def turned(given: ToolCall) -> ToolCall:
    """A verdict turned round; any other call as it is."""
    if given.name != "submit_verdict":
        return given
    passed = not given.parsed()["passed"]
    return call("submit_verdict", passed=passed, findings=[] if passed else ["This does not look right."])


def register(rate: float) -> None:
    """Make `spoiler/<seed>` and `liar/<seed>` names of models."""

    def opened(kind: type[Spoiler] | type[Liar]) -> Any:
        def factory(seed: str, settings: ModelSettings, environment: Environment) -> Model:
            return kind(open_playbook("creator", settings, environment), rate, int(seed))

        return factory

    register_model("spoiler", opened(Spoiler))
    register_model("liar", opened(Liar))


def results(done: JobResult) -> dict[str, Any]:
    """What a job delivered, without its own name."""
    files = {n: done.folder / "output" / n for n in TEXTS}
    texts = {
        n: p.read_text(encoding="utf-8").replace(done.job, "JOB") if p.exists() else None for n, p in files.items()
    }
    return {"json": delivered(done.folder), **texts}


def measure(jobs: Service, count: int, rate: float, why: bool) -> dict[str, Any]:
    """Run the jobs and count."""
    register(rate)
    whole = jobs.run(jobs.submit("creator", [SAMPLE], None, "playbook"))
    expected, states, right, caught = results(whole), Counter[str](), 0, 0
    for seed in range(1, count + 1):
        models = {"models.implementor": f"spoiler/{seed}", "models.qa": f"liar/{seed}"}
        done = jobs.run(jobs.submit("creator", [SAMPLE], None, "playbook", models))
        is_right = results(done) == expected
        states[done.state] += 1
        right += done.state == "completed" and is_right
        caught += sum(row.event.kind == "verdict" for row in jobs.store.events(done.job))
        if why and not (is_right and done.state == "completed"):
            print(json.dumps({"seed": seed, "state": done.state, "reason": done.reason}), file=sys.stderr, flush=True)
    return {
        "benchmark": "false_qa",
        "rate": rate,
        "jobs": count,
        "states": dict(sorted(states.items())),
        "right": round(right / count, 4),
        "tasks_sent_back": caught,
        "false_completed": states["completed"] - right,
        "bar": 0,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="three jobs")
    parser.add_argument("--jobs", type=int, default=40)
    parser.add_argument("--rate", type=float, default=0.2)
    parser.add_argument("--why", action="store_true", help="say on standard error which jobs were not right")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        figures = measure(jobs, 3 if given.short else given.jobs, given.rate, given.why)
    print(json.dumps(figures))
    return 1 if figures["false_completed"] else 0


if __name__ == "__main__":
    sys.exit(main())
