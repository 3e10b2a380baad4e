"""The score of a trial, and models that take recorded answers before they ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.engine.models.opening import open_model
from echelon.errors import UserError
from echelon.service.service import Service
from echelon.service.trials.sample import f1
from echelon.settings import ModelSettings
from tests.support.scripted import LEAST, run_plain, service

TEXTS = st.lists(st.text("abcdefg äöü", min_size=1, max_size=40), max_size=6)
SETTINGS = ModelSettings()  # type: ignore[call-arg]


@given(TEXTS, TEXTS)
def test_f1_is_a_share_and_does_not_depend_on_the_side(found: list[str], gold: list[str]) -> None:
    score = f1(found, gold)
    assert 0 <= score <= 1
    assert score == f1(gold, found)


@given(TEXTS.filter(bool))
def test_f1_of_the_same_texts_is_1(texts: list[str]) -> None:
    assert f1(texts, texts) == 1
    assert f1(texts, []) == 0


def test_f1_counts_each_text_once_and_forgives_small_differences() -> None:
    gold = ["The clerk shall lock the door.", "The porter must not leave the gate."]
    assert f1(["the clerk shall lock the  door"], gold) == pytest.approx(2 / 3)
    assert f1(["The clerk shall lock the door."] * 2, gold) == pytest.approx(1 / 2)
    assert f1(["Something else entirely is said here."], gold) == 0


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path) as made:
        yield made


def test_recorded_answers_come_before_another_models(jobs: Service) -> None:
    recorded = run_plain(jobs, {})
    calls = recorded.spent["model_calls"]
    source = jobs.environment.home / "input.md"
    for taken in (0, calls // 2, calls):
        spec = f"replay/{recorded.job},{taken},scripted/test"
        again = jobs.run(jobs.submit("plain", [source], "Write the results.", spec, {"todos.least": LEAST}))
        assert again.state == "completed"
        assert again.spent["model_calls"] == calls
        assert [s.name for s in again.ledger] == [s.name for s in recorded.ledger]
        assert [p.read_bytes() for p in again.outputs] == [p.read_bytes() for p in recorded.outputs]


@pytest.mark.parametrize("rest", ["5", "x,playbook", "-1,playbook", "100000,playbook"])
def test_a_replay_that_cannot_be(jobs: Service, rest: str) -> None:
    recorded = run_plain(jobs, {})
    with pytest.raises(UserError, match="is not of the form replay/<job>,<n>,<model>"):
        open_model(f"replay/{recorded.job},{rest}", SETTINGS, jobs.environment)
