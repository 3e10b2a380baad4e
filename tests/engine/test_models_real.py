"""The benchmark of a real model: how it scores, what it counts, and that a run ends in one line of JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.real_model import GOLD, delivered, first_prompts, normalised, run_apart, score, summary, transcript
from echelon.store.records.steps import Step

TEXTS = st.lists(st.text(alphabet="abcdefgh ", min_size=12, max_size=30), max_size=6)


def gold() -> list[str]:
    return [r["text"] for r in json.loads(GOLD.read_text(encoding="utf-8"))]


def test_the_gold_list_scores_one_against_itself() -> None:
    assert score(gold(), gold()) == {"precision": 1.0, "recall": 1.0, "f1": 1.0}


def test_case_punctuation_and_line_breaks_do_not_count() -> None:
    assert normalised("The  Unit\nshall: keep,\tit.") == "the unit shall keep it"
    assert score([t.upper().replace(" ", "\n") + "!" for t in gold()], gold())["f1"] == 1.0


def test_nothing_found_scores_zero() -> None:
    assert score([], gold()) == score(gold(), []) == {"precision": 0.0, "recall": 0.0, "f1": 0.0}


def test_each_text_counts_once() -> None:
    assert score(["keep every record"] * 3, ["keep every record"]) == {"precision": 0.3333, "recall": 1.0, "f1": 0.5}


def test_the_nearest_pair_is_taken_first() -> None:
    right = ["records are kept for ten years", "records are kept for six years"]
    assert score(["records are kept for six years", "records are kept for ten year"], right)["f1"] == 1.0


def test_half_of_the_gold_list() -> None:
    half = gold()[: len(gold()) // 2]
    assert score(half, gold())["precision"] == 1.0
    assert score(half, gold())["recall"] == pytest.approx(len(half) / len(gold()), abs=1e-4)


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_scores_are_shares_and_f1_does_not_mind_the_order(found: list[str], wanted: list[str]) -> None:
    there, back = score(found, wanted), score(wanted, found)
    assert all(0 <= v <= 1 for v in there.values())
    assert there["precision"] == back["recall"]
    assert there["f1"] == pytest.approx(back["f1"])


def step(kind: str, phase: str, prompt_tokens: int) -> Step:
    """A row of a ledger of which only this matters."""
    return Step(
        job="j", number=1, kind=kind, name=kind, role="", phase=phase, round=0, milestone=0, ok=True,
        prompt_tokens=prompt_tokens, completion_tokens=0, cached_tokens=0, cost=0.0, milliseconds=0.0, asked="",
        answered="", starts=1, started=0.0,
    )  # fmt: skip


def test_the_largest_first_prompt_of_each_kind_of_phase() -> None:
    told = [
        ("model", "0001-plan", 900),
        ("tool", "0001-plan", 0),
        ("model", "0001-plan", 5000),
        ("model", "0002-implement", 0),
        ("model", "0003-plan", 1200),
    ]
    ledger = [step(kind=kind, phase=phase, prompt_tokens=tokens) for kind, phase, tokens in told]
    assert first_prompts(ledger) == {"implement": 0, "plan": 1200}


def test_a_job_without_its_deliverable_delivered_nothing(tmp_path: Path) -> None:
    assert delivered(tmp_path) == []


def test_the_sums_tell_crashes_ends_and_good_results_apart() -> None:
    ended = {"state": "completed", "f1": 0.9, "first_prompts": {"plan": 1200}, "seconds": 10.0}
    sums = summary([ended, ended | {"f1": 0.5}, ended | {"state": "limit"}, {"crashed": "boom"}])
    assert (sums["runs"], sums["crashed"], sums["completed"], sums["completed_with_f1"]) == (4, 1, 2, 1)
    assert (sums["largest_first_prompt"], sums["states"]) == (1200, ["completed", "completed", "limit"])


def test_the_sums_of_crashes_alone() -> None:
    assert summary([{"crashed": "boom"}])["completed"] == 0


def test_a_run_with_the_playbook_in_a_process_of_its_own(tmp_path: Path) -> None:
    run = run_apart("playbook", [], tmp_path, most_seconds=300)
    assert (run["state"], run["f1"], run["refused"]) == ("completed", 1.0, 0)
    assert run["calls"] >= 8, "scope, plan, decide, report, judge, verdict, claim, hand over"
    told = transcript(run)
    assert told.startswith(f"# {run['job']}: completed")
    assert "- submit_scope `{" in told


def test_a_run_that_cannot_start_is_a_crash(tmp_path: Path) -> None:
    run = run_apart("no-such-model", [], tmp_path, most_seconds=300)
    assert "Unknown model" in run["crashed"]
    assert "state" not in run
