"""What an experiment file may say, and the one sentence for each thing that makes no sense."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from echelon.errors import UserError
from echelon.experiments.definition.load import load
from echelon.experiments.definition.sense import make_sense
from tests.experiments.making import experiment_file, task_folder


def test_an_experiment_with_its_tasks(tmp_path: Path) -> None:
    task_folder(tmp_path, "t1", cluster="policy", request="Only prohibitions.", set={"language": "de"})
    loaded = load(experiment_file(tmp_path, 3, repeats=2))
    make_sense(load(experiment_file(tmp_path, 3)))
    assert [t.name for t in loaded.tasks] == ["t1", "t2", "t3"]
    assert (loaded.tasks[0].cluster, loaded.tasks[1].cluster) == ("policy", "t2")
    assert (loaded.tasks[0].request, loaded.tasks[0].set) == ("Only prohibitions.", {"language": "de"})
    assert loaded.tasks[0].inputs == ((tmp_path / "tasks/t1/input.md").resolve(),)
    assert (loaded.experiment.baseline, loaded.experiment.others) == ("one", ("two",))
    assert loaded.experiment.budget.total.cost == 25.0, "a ceiling for the whole experiment is on by default"


def test_what_all_tasks_have_in_common_need_not_be_said_again(tmp_path: Path) -> None:
    folder = tmp_path / "tasks/bare"
    folder.mkdir(parents=True)
    (folder / "bare.py").write_text("x = 1\n")
    (folder / "request.md").write_text("Mend it.\n")
    common = {
        "from": ["tasks/*"],
        "job_type": "plain",
        "inputs": ["*.py"],
        "request_file": "request.md",
        "cluster": "{task}-group",
        "checks": [{"kind": "command", "run": ["true"]}],
    }
    [task] = load(experiment_file(tmp_path, 0, tasks=common)).tasks
    assert (task.job_type, task.request, task.cluster) == ("plain", "Mend it.", "bare-group")
    assert [p.name for p in task.inputs] == ["bare.py"] and task.checks[0].kind == "command"


BAD: list[tuple[dict[str, Any], str]] = [
    (
        {"arms": {"one": {}, "two": {"sett": {}}}},
        "Unknown key in experiment.yaml: 'arms.two.sett'; did you mean 'arms.two.set'?",
    ),
    ({"repeets": 3}, "did you mean 'repeats'?"),
    ({"compare": {"basline": "one"}}, "did you mean 'compare.baseline'?"),
    ({"budget": {"total": {"costs": 3}}}, "did you mean 'budget.total.cost'?"),
    ({"arms": {"one": {}}}, "at least two arms"),
    ({"arms": {"one": {}, "two": {}}}, "Arms 'one' and 'two' do not differ; write same_as: one"),
    ({"arms": {"one": {}, "two": {"same_as": "tow"}}}, "Unknown arm in same_as of 'two': 'tow'"),
    ({"arms": {"one": {}, "two": {"same_as": "one", "model": "x"}}}, "leave one of the two out"),
    ({"arms": {"one": {}, "two": {"set": {"budget.cost": 1}}}}, "all arms have the same"),
    ({"compare": {"baseline": "thre"}}, "Unknown arm in compare.baseline: 'thre'"),
    ({"compare": {"metrics": ["sucess"]}}, "'sucess' is no metric"),
    ({"compare": {"looks": [0.5, 0.2, 1]}}, "rising shares"),
    ({"compare": {"looks": [0.2, 1.0]}}, "comes after 1 of 5 clusters; an interval needs 5"),
    ({"budget": {"per_trial": {"cost": 3}, "total": {"cost": 2}}}, "too small for one trial"),
    ({"budget": {"per_trial": {"tokens": 0}}}, "too small for one trial"),
    ({"tasks": {"from": "nothing/*"}}, "No folder of a task fits 'nothing/*'"),
    ({"name": "../x"}, "'name'"),
    ({"qa": {"plant": []}}, "'qa': Tuple should have at least 1 item"),
    ({"from": "qa", "arms": {"one": {}, "two": {"crew": "single"}}}, "cannot fork at 'qa'"),
]


@pytest.mark.parametrize(("says", "sentence"), BAD)
def test_one_sentence_before_anything_runs(tmp_path: Path, says: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError) as raised:
        make_sense(load(experiment_file(tmp_path, 5, **says)))
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


BAD_TASKS: list[tuple[dict[str, Any], str]] = [
    ({"checks": None}, "Task 't3' has no checks"),
    ({"job_type": None}, "Task 't3' names no job_type"),
    ({"inputs": ["*.pdf"]}, "Task 't3' has no input that fits '*.pdf'"),
    ({"request": "a", "request_file": "b"}, "not both"),
    ({"checks": [{"kind": "comand", "run": ["x"]}]}, "does not match any of the expected tags"),
    ({"checks": [{"kind": "command", "runn": ["x"]}]}, "'checks.0.command.run'"),
    (
        {"checks": [{"kind": "command", "run": ["true"], "must_chnge": []}]},
        "did you mean 'checks.0.command.must_change'?",
    ),
    ({"checks": [{"kind": "command", "run": ["no-such-program"]}]}, "there is no program 'no-such-program'"),
    (
        {"checks": [{"kind": "requirements", "gold": "gold.json"}]},
        "gold.json of the check 'requirements' cannot be used",
    ),
    ({"checks": [{"kind": "same_file", "file": "a", "expected": "b"}]}, "b of the check 'same_file' cannot be used"),
    ({"checks": [{"kind": "json_schema", "file": "a", "schema": "input.md"}]}, "input.md of the check 'json_schema'"),
    ({"checks": [{"kind": "python", "function": "scorer_t3:missing"}]}, "scorer_t3:missing raised AttributeError"),
    ({"checks": [{"kind": "python", "function": "raising:scorer"}]}, "raising:scorer raised ZeroDivisionError"),
    ({"checks": [{"kind": "python", "function": "raising:words"}]}, "returned 'good'"),
    (
        {"checks": [{"kind": "rubric", "rubric": "r", "file": "f", "model": "m", "labels": "input.md"}]},
        "input.md of the check",
    ),
    ({"set": {"budget.tokens": 3}}, "Task 't3' sets budget"),
]


@pytest.mark.parametrize(("says", "sentence"), BAD_TASKS)
def test_one_sentence_about_a_task(tmp_path: Path, says: dict[str, Any], sentence: str) -> None:
    folder = task_folder(tmp_path, "t3", **says)
    (folder / "raising.py").write_text("def scorer(trial):\n    return 1 / 0\n\ndef words(trial):\n    return 'good'\n")
    with pytest.raises(UserError) as raised:
        make_sense(load(experiment_file(tmp_path, 5)))
    assert sentence in str(raised.value)


def test_one_task_only_is_no_experiment(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="One task only, 't1'"):
        make_sense(load(experiment_file(tmp_path, 1)))


def test_an_arm_may_be_the_same_on_purpose(tmp_path: Path) -> None:
    arms = {"a": {"model": "m"}, "b": {"same_as": "a"}, "c": {"same_as": "a"}}
    loaded = load(experiment_file(tmp_path, 5, arms=arms))
    make_sense(loaded)
    assert loaded.experiment.arm("c").model == "m"


@pytest.mark.parametrize("text", ["- a\n- b\n", "a: [\n", ""])
def test_a_file_that_is_no_mapping(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=r"x\.yaml"):
        load(path)
    with pytest.raises(UserError, match="There is no experiment file"):
        load(tmp_path / "y.yaml")


def test_tasks_of_the_same_name_are_refused(tmp_path: Path) -> None:
    task_folder(tmp_path, "t1")
    task_folder(tmp_path / "other", "t1")
    with pytest.raises(UserError, match="Two tasks are called 't1'"):
        load(experiment_file(tmp_path, 2, tasks={"from": ["tasks/*", "other/tasks/*"]}))


def test_the_file_is_kept_as_it_was_written(tmp_path: Path) -> None:
    path = experiment_file(tmp_path, 2, question="Does it?")
    assert yaml.safe_load(load(path).text)["question"] == "Does it?"
