"""Known faults in the work of a creator job: wrong decisions, which QA judges without knowing them, and wrong citations."""

from __future__ import annotations

from pathlib import Path

import yaml

from echelon.crews.creator.playbook import creator
from echelon.crews.playbooks.view import View
from tests.experiments.running import run
from tests.support.documents import DOUBTFUL_POLICY
from tests.support.scripted import Reply, Seen, call, register, service

SCORER = "def grade(trial):\n    return (trial.output / 'requirements.json').exists()\n"
PLANT = ["wrong_ruling", "wrong_citation"]
OTHER = {"accept": "reject", "reject": "accept"}


def contrary(seen: Seen) -> Reply:
    """Judges every place otherwise than the rules do, and passes."""
    tool, arguments = creator(View(seen.request))
    for decision in arguments.get("decisions", ()):
        decision["ruling"] = OTHER[decision["ruling"]]
    return call(tool, **arguments)


def test_a_qa_that_judges_as_the_rules_do_finds_what_was_turned_round_and_a_contrary_one_finds_everything_wrong(
    tmp_path: Path,
) -> None:
    task = tmp_path / "tasks" / "t1"
    for folder in (task, task.with_name("t2")):
        folder.mkdir(parents=True)
        (folder / "policy.md").write_text(DOUBTFUL_POLICY)
        (folder / "scorer.py").write_text(SCORER)
    register(contrary, "contrary")
    review = {"requirements.review.share": 1, "requirements.review.sample": 20}
    given = {
        "name": "known",
        "arms": {"rules": {"set": {**review}}, "contrary": {"set": {**review, "models.qa": "scripted/contrary"}}},
        "tasks": {
            "from": "tasks/*", "job_type": "creator", "inputs": ["*.md"],
            "checks": [{"kind": "python", "function": "scorer:grade"}],
        },
        "qa": {"plant": PLANT, "forms": []},
    }  # fmt: skip
    path = tmp_path / "experiment.yaml"
    path.write_text(yaml.safe_dump(given))
    with service(tmp_path) as jobs:
        result = run(path, jobs)
    by_arm = {c.arm: c for c in result.qa.confusion}
    rules, other = by_arm["rules"], by_arm["contrary"]
    assert result.qa.unused == () and rules.none == other.none == 0
    assert rules.by_code == other.by_code == 2, "a quote that does not stand there is found by code"
    assert (rules.caught, rules.missed, rules.passed, rules.refused) == (2, 0, 2, 0)
    assert (other.passed, other.refused) == (0, 2)
    assert any("judged otherwise: D-" in v.says for v in result.qa.verdicts if v.fault == "wrong_ruling")
