"""A real small language model in four arms on the same programs: one prompt, one agent, the hierarchy, and it without QA.

    export OPENAI_BASE_URL=http://127.0.0.1:8091/v1 OPENAI_API_KEY=any
    python benchmarks/real_experiment.py --tasks ../shared/data/quixbugs [--only PROGRAM ...] [--tokens N]
        [--out FOLDER]

An experiment file over QuixBugs: a repository a task, the same ceiling of tokens for every trial, and success is that all
cases hold, most of which no role sees. `prompt` asks the model once for the whole file and proves nothing; `single` and the
hierarchy have the tools of the coder job. Any OpenAI-compatible server does. Prints one JSON line a trial, one an arm and
the sentences of the report, whatever they say; `report.html` lies in `--out`. `--resume` goes on with one that was stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import yaml

sys.path[0] = str(Path(__file__).resolve().parents[1])

from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall
from echelon.engine.models.model import Model
from echelon.engine.models.opening import open_model, register_model
from echelon.service.experiments.coordinator import Progress
from echelon.service.experiments.run import ExperimentResult, run_experiment_file
from echelon.settings import Environment, ModelSettings

TOKENS = 60_000
"""Ceiling of each trial, unless another is given"""
SETTINGS = {"model_settings.tool_calls": "json_schema", "model_settings.timeout": 900, "code.seconds": 60}
PROMPT = """{request}

```python
{text}```

Answer with the whole corrected file in one block of code."""
SCORER = """
import runpy

def grade(trial):
    program = trial.workspace / "repository" / "{task}.py"
    return program.is_file() and runpy.run_path({grader!r})["grade"](trial.task, program.read_text())[0]
"""
_BLOCK = re.compile(r"```(?:python|py)?\n(?P<code>.*?)```", re.DOTALL)


class Once:
    """A model that is asked once, for the whole file; code writes what it says and ends.

    Its tokens are counted too high: what is sent in its place is the prompt of one agent.
    """

    def __init__(self, model: Model, task: Path) -> None:
        self.name, self._model, self._task, self._was_asked = "once", model, task, False

    def answer(self, request: ModelRequest) -> Answer:
        if self._was_asked:
            return Answer(
                calls=(_call("submit_report", outcome="partial", summary="Asked once.", issue="Not proven."),)
            )
        self._was_asked = True
        path = f"{self._task.name}.py"
        text = (self._task / "source" / path).read_text(encoding="utf-8")
        asked = PROMPT.format(request=(self._task / "request.md").read_text(encoding="utf-8"), text=text)
        said = self._model.answer(
            request.model_copy(update={"messages": (Message(role="user", content=asked),), "tools": (), "held": ()})
        )
        found = _BLOCK.search(said.text)
        new = found["code"] if found is not None else text
        return said.model_copy(update={"text": "", "calls": (_call("edit_code", path=path, old=text, new=new),)})


def _call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id="once", name=name, arguments=json.dumps(arguments))


def written(folder: Path, tasks: list[Path], grader: Path, model: str, tokens: int) -> Path:
    """The experiment file, and a folder a task: what a role sees in `source`, what grades it beside that."""
    for task in tasks:
        place = folder / "tasks" / task.name
        shutil.copytree(task, place / "source", ignore=shutil.ignore_patterns(".*", "request.md"))
        shutil.copytree(task / ".grade", place / ".grade")
        shutil.copy(task / "request.md", place / "request.md")
        (place / "scorer.py").write_text(SCORER.format(task=task.name, grader=str(grader)))
    given = {
        "name": "quixbugs",
        "question": "What do the tools and the tiers of the hierarchy add to a small model?",
        "tasks": {
            "from": "tasks/*", "job_type": "coder", "inputs": ["source"], "request_file": "request.md", "set": SETTINGS,
            "checks": [{"kind": "python", "function": "scorer:grade"}],
        },
        "arms": {
            "hierarchy": {"model": model},
            "without_qa": {"model": model, "set": {"without": ["qa"]}},
            "single": {"model": model, "crew": "single"},
            "prompt": {"crew": "single", "set": {"model": "once/{task}"}},
        },
        "budget": {"per_trial": {"tokens": tokens}},
        "compare": {"metrics": ["success", "false_completion", "tokens", "seconds"]},
    }  # fmt: skip
    path = folder / "quixbugs.yaml"
    path.write_text(yaml.safe_dump(given, sort_keys=False), encoding="utf-8")
    return path


def shown(result: ExperimentResult) -> None:
    """The arms and what may be said of them."""
    for arm in result.analysis.arms:
        print(json.dumps({
            "benchmark": "real_experiment", "arm": arm.name, "trials": arm.success.n,
            "success": arm.success.successes, "false_completions": arm.false_completion.successes, "states": arm.states,
        }), flush=True)  # fmt: skip
    print(json.dumps({"benchmark": "real_experiment", "state": result.state, "says": list(result.sentences)}))


def trial_of(progress: Progress) -> None:
    """A line a trial as it ends."""
    if (t := progress.ended) is not None:
        print(json.dumps({
            "benchmark": "real_experiment", "task": t.task, "arm": t.arm, "state": t.state, "success": t.success,
            "calls": t.used.model_calls, "tokens": t.used.tokens, "seconds": round(t.used.seconds, 1),
        }), flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=Path, required=True, help="folder with a folder for each program")
    parser.add_argument("--grader", type=Path, help="script that grades; quixbugs.py beside the data without it")
    parser.add_argument("--only", nargs="*", default=[], metavar="PROGRAM")
    parser.add_argument("--model", default="openai/local")
    parser.add_argument("--tokens", type=int, default=TOKENS, help="ceiling of each trial (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("results/real_experiment"), help="folder of everything")
    parser.add_argument("--resume", action="store_true", help="go on with an experiment that was stopped")
    given = parser.parse_args()
    out = given.out.resolve()
    tasks = sorted(p for p in given.tasks.iterdir() if p.is_dir() and (not given.only or p.name in given.only))
    path = out / "quixbugs.yaml"
    if not given.resume:
        grader = (given.grader or given.tasks.parents[1] / "score" / "quixbugs.py").resolve()
        path = written(out, tasks, grader, given.model, given.tokens)

    def once(task: str, settings: ModelSettings, environment: Environment) -> Model:
        return Once(open_model(given.model, settings, environment), out / "tasks" / task)

    register_model("once", once)
    os.environ["ECHELON_HOME"] = str(out / "home")
    shown(run_experiment_file(path, resume=given.resume, out=out / "results", report=trial_of))


if __name__ == "__main__":
    main()
