"""The stages of a plan: nothing is skipped, repairs are counted, every end is one of four, and facts decide the stage."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.crews.planner.stages import ENDS, RESUMABLE, RETRIES, TABLE, Event, NoSuchStep, Place, Stage, decide
from echelon.crews.planner.standing import GATES, Move, Standing, place, repairs
from echelon.faces.diagram import plan_stages

DOCS = Path(__file__).parents[2] / "docs"
PATH = [
    Stage.COLLECT_CONTEXT, Stage.DRAFT_OUTLINE, Stage.VALIDATE_OUTLINE, Stage.DRAFT_ROADMAP, Stage.VALIDATE_ROADMAP,
    Stage.DRAFT_SCHEDULE, Stage.VALIDATE_SCHEDULE, Stage.SEEK_APPROVAL, Stage.COMPLETE,
]  # fmt: skip
MADE = st.sampled_from(["missing", "bad", "good"])
STANDINGS = st.builds(
    Standing, asked=st.booleans(), impossible=st.booleans(), outline=MADE, roadmap=MADE, schedule=MADE,
    approval=st.sampled_from(["open", "given", "refused"]), fatal=st.booleans(),
    repairs=st.lists(st.tuples(st.sampled_from(GATES), st.integers(1, 5)), unique_by=lambda r: r[0]).map(tuple),
)  # fmt: skip


@given(st.lists(st.sampled_from(list(Event)), max_size=80))
def test_complete_is_only_reached_through_every_validation(events: list[Event]) -> None:
    here, seen = Place(), [Stage.COLLECT_CONTEXT]
    for event in events:
        try:
            here = decide(here, event)
        except NoSuchStep:
            continue
        seen.append(here.stage)
        assert all(count <= RETRIES for _, count in here.repairs)
    if here.stage is Stage.COMPLETE:
        steps = iter(seen)
        assert all(stage in steps for stage in PATH), "a stage was skipped"


@given(STANDINGS)
def test_whatever_is_there_has_a_stage_and_only_what_is_all_good_and_approved_is_complete(seen: Standing) -> None:
    stage = place(seen).stage
    is_good = seen.outline == seen.roadmap == seen.schedule == "good" and seen.approval == "given" and not seen.asked
    assert (stage is Stage.COMPLETE) == (is_good or (is_good_but_for_questions(seen) and seen.impossible))
    if "bad" in (seen.outline, seen.roadmap, seen.schedule):
        assert stage not in (Stage.COMPLETE, Stage.SEEK_APPROVAL)


def is_good_but_for_questions(seen: Standing) -> bool:
    return seen.outline == seen.roadmap == seen.schedule == "good" and seen.approval == "given"


@pytest.mark.parametrize(("gate", "piece"), [*zip(GATES, ("outline", "roadmap", "schedule"), strict=True)])
def test_a_draft_that_breaks_a_rule_stays_a_draft_until_it_was_repaired_too_often(gate: Stage, piece: str) -> None:
    good = dict.fromkeys(("outline", "roadmap", "schedule"), "good")
    draft = Stage(gate.value.replace("validate", "draft"))
    assert place(Standing(**{**good, piece: "bad"})).stage is draft  # type: ignore[arg-type]
    for count in range(1, RETRIES + 1):
        assert place(Standing(**{**good, piece: "missing"}, repairs=((gate, count),))).stage is draft  # type: ignore[arg-type]
    once_more = Standing(**{**good, piece: "missing"}, repairs=((gate, RETRIES + 1),))  # type: ignore[arg-type]
    assert place(once_more).stage is Stage.NEEDS_CLARIFICATION
    assert place(once_more, retries=RETRIES + 1).stage is draft


def test_what_a_person_says_gives_the_repairs_back() -> None:
    def move(step: int, event: Event) -> Move:
        return Move(step=step, stage=Stage.VALIDATE_OUTLINE, event=event, tool="t", confidence=0.5)

    refused = [move(n, Event.INVALID) for n in range(3)]
    assert repairs(tuple(refused)) == ((Stage.VALIDATE_OUTLINE, 3),)
    assert repairs((*refused, move(4, Event.ANSWERED), move(5, Event.INVALID))) == ((Stage.VALIDATE_OUTLINE, 1),)


@pytest.mark.parametrize("stage", [s for s in Stage if s not in ENDS])
def test_every_stage_can_be_left_and_every_end_that_asks_too(stage: Stage) -> None:
    assert any(here is stage for here, _ in TABLE)
    assert {here for here, _ in TABLE} & ENDS == RESUMABLE


def test_a_stage_that_is_repaired_too_often_asks_the_person() -> None:
    here = Place(Stage.VALIDATE_OUTLINE)
    for _ in range(RETRIES):
        here = decide(decide(here, Event.INVALID), Event.SUCCESS)
        assert here.stage is Stage.VALIDATE_OUTLINE
    assert decide(here, Event.INVALID).stage is Stage.NEEDS_CLARIFICATION


def test_what_no_row_names_cannot_happen() -> None:
    with pytest.raises(NoSuchStep, match="'approved' does not happen at collect_context"):
        decide(Place(), Event.APPROVED)


def test_the_documentation_shows_every_row() -> None:
    """If this fails: python -m echelon.faces.diagram.diagram docs/states.md"""
    assert (DOCS / "plan-stages.md").read_text(encoding="utf-8") == plan_stages.markdown()
    assert (DOCS / "plan-stages.svg").read_text(encoding="utf-8") == plan_stages.svg()
    drawn = " ".join(e.text or "" for e in ElementTree.fromstring(plan_stages.svg()).iter())
    for (stage, event), following in TABLE.items():
        assert f"| `{stage.value}` |" in plan_stages.markdown()
        assert event.value in drawn and (stage.name in drawn or stage.value in drawn), (stage, event, following)
