"""Each setting of how a person wants to be spoken to changes something."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.crews.planner.person import policy
from echelon.domains.planning.contracts.plan import InteractionPolicy, Plan
from echelon.domains.planning.exporting.summary import sentences_wanted, summary
from echelon.errors import UserError
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.store.records.jobs import Said
from tests.planning.planner_roles import SET
from tests.support.scripted import service

PLAN = Plan.model_validate_json(
    (Path(__file__).parents[1] / "golden/planning/Plan.v1.json").read_bytes()
)  # with a schedule
POLICIES = st.builds(
    InteractionPolicy,
    conversation_style=st.sampled_from(["concise", "standard", "conversational", "coach"]),
    talkativeness=st.floats(0, 1), autonomy=st.sampled_from(["high", "medium", "low"]),
    brainstorming_preference=st.sampled_from(["on_demand", "suggest_when_uncertain", "always_offer"]),
    approval_policy=st.sampled_from(["single_final", "milestone_approvals", "strict_every_step"]),
    probing_depth=st.integers(0, 3), tone=st.sampled_from(["neutral", "friendly", "clinical"]),
)  # fmt: skip


@given(POLICIES, POLICIES)
def test_whoever_is_more_talkative_hears_no_less_and_concise_is_short(
    one: InteractionPolicy, two: InteractionPolicy
) -> None:
    other = one.model_copy(update={"talkativeness": two.talkativeness})
    short, long = sorted((one, other), key=lambda p: p.talkativeness)
    assert len(summary(PLAN, short)) <= len(summary(PLAN, long))
    assert 2 <= policy.options(one) <= 3
    assert policy.most_questions(one) <= one.probing_depth
    if one.conversation_style == "concise":
        assert sentences_wanted(one) <= 2 and policy.options(one) == 2


def test_the_tone_is_heard_and_styles_add_what_they_are_for() -> None:
    base = InteractionPolicy()
    said = {tone: summary(PLAN, base.model_copy(update={"tone": tone})) for tone in ("neutral", "friendly", "clinical")}
    assert said["neutral"].startswith("The plan ends on") and said["friendly"].startswith("Good news")
    assert said["clinical"].startswith("End: ")
    assert summary(PLAN, base.model_copy(update={"conversation_style": "conversational"})).endswith(
        "Does that suit you?"
    )
    assert len(summary(PLAN, base.model_copy(update={"talkativeness": 0.0}))) < len(summary(PLAN, base))


@pytest.mark.parametrize(
    ("values", "approvals"),
    [
        ({}, "none"), ({"autonomy": "medium"}, "single_final"), ({"autonomy": "low"}, "milestones"),
        ({"autonomy": "medium", "approval_policy": "milestone_approvals"}, "milestones"),
        ({"autonomy": "low", "approval_policy": "strict_every_step"}, "every_step"),
    ],
)  # fmt: skip
def test_the_policy_says_when_a_person_approves(tmp_path: Path, values: dict[str, Any], approvals: str) -> None:
    with service(tmp_path) as jobs:
        assert jobs.configuration("planner", None, {"planning.policy": values}).approvals == approvals
        assert (
            jobs.configuration("planner", None, {"planning.policy": values, "approvals": "scope"}).approvals == "scope"
        )


def test_the_default_of_the_user_is_kept_and_a_job_overrides_it(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        home = jobs.environment.home
        policy.store(home, {"tone": "friendly", "probing_depth": 1})
        policy.store(home, {"autonomy": "medium"})
        config = jobs.configuration("planner", None, {"planning.policy": {"tone": "clinical"}})
        assert config.planning.policy == {"tone": "clinical", "probing_depth": 1, "autonomy": "medium"}
        with pytest.raises(UserError, match="probing_depth"):
            policy.store(home, {"probing_depth": 7})
        with pytest.raises(UserError, match="did you mean 'tone'"):
            jobs.configuration("planner", None, {"planning.policy": {"tune": "friendly"}})
        assert policy.stored(home) == {"tone": "friendly", "probing_depth": 1, "autonomy": "medium"}


def test_ideas_are_offered_as_the_preference_says() -> None:
    def offers(preference: str, confidence: float, asked: bool = False) -> bool:
        given = InteractionPolicy.model_validate({"brainstorming_preference": preference})
        return policy.brainstorms(given, confidence, asked)

    assert offers("always_offer", 0.9)
    assert offers("suggest_when_uncertain", 0.5) and not offers("suggest_when_uncertain", 0.9)
    assert offers("on_demand", 0.9, asked=True) and not offers("on_demand", 0.5)


GOAL = "Publish a book about birds"


def begun(jobs: Service, **values: Any) -> JobResult:
    return jobs.run(jobs.submit("planner", [], GOAL, None, {**SET, "planning.policy": values}))


def test_no_more_is_asked_than_the_person_likes_and_the_answers_are_followed(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        one = begun(jobs, autonomy="medium", probing_depth=1, conversation_style="concise", talkativeness=0.0)
        assert one.state == "needs_input" and one.reason.count("?") == 1
        assert one.figures["planning_status"] == "needs_clarification"
        three = begun(jobs, autonomy="medium", probing_depth=3)
        assert three.state == "needs_input" and three.reason.count("?") == 3
        said = Said(event="answered by a person", text="deadline 2026-06-30; nobody but me")
        asked = jobs.run(jobs.resume(one.job, said=said))
        assert asked.state == "needs_input" and asked.asks_approval, asked.reason
        done = jobs.run(jobs.resume(one.job, said=Said(event="approved")))
        assert done.state == "completed", done.reason
    plan = json.loads((done.folder / "output/plan.json").read_text())
    assert len(plan["roadmap"]["options_tried"]) == 2, "two options for whoever likes it concise"
    assert "You said: nobody but me" in plan["context"]["assumptions"]
    assert plan["adaptations"][0]["what"] == "the deadline moves"
    assert done.figures["summary"] == f"The plan ends on {done.figures['end']}."
