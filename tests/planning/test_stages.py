"""The stages of a plan: nothing is skipped, repairs are counted, every end is one of four."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.crews.planner.stages import ENDS, RESUMABLE, RETRIES, TABLE, Event, NoSuchStep, Place, Stage, decide

PATH = [
    Stage.COLLECT_CONTEXT, Stage.DRAFT_OUTLINE, Stage.VALIDATE_OUTLINE, Stage.DRAFT_ROADMAP, Stage.VALIDATE_ROADMAP,
    Stage.DRAFT_SCHEDULE, Stage.VALIDATE_SCHEDULE, Stage.SEEK_APPROVAL, Stage.COMPLETE,
]  # fmt: skip


@given(st.lists(st.sampled_from(list(Event)), max_size=80))
def test_complete_is_only_reached_through_every_validation(events: list[Event]) -> None:
    place, seen = Place(), [Stage.COLLECT_CONTEXT]
    for event in events:
        try:
            place = decide(place, event)
        except NoSuchStep:
            continue
        seen.append(place.stage)
        assert all(count <= RETRIES for _, count in place.repairs)
    if place.stage is Stage.COMPLETE:
        steps = iter(seen)
        assert all(stage in steps for stage in PATH), "a stage was skipped"


@pytest.mark.parametrize("stage", [s for s in Stage if s not in ENDS])
def test_every_stage_can_be_left_and_every_end_that_asks_too(stage: Stage) -> None:
    assert any(here is stage for here, _ in TABLE)
    assert {here for here, _ in TABLE} & ENDS == RESUMABLE


def test_a_stage_that_is_repaired_too_often_asks_the_person() -> None:
    place = Place(Stage.VALIDATE_OUTLINE)
    for _ in range(RETRIES):
        place = decide(decide(place, Event.INVALID), Event.SUCCESS)
        assert place.stage is Stage.VALIDATE_OUTLINE
    assert decide(place, Event.INVALID).stage is Stage.NEEDS_CLARIFICATION


def test_what_no_row_names_cannot_happen() -> None:
    with pytest.raises(NoSuchStep, match="'approved' does not happen at collect_context"):
        decide(Place(), Event.APPROVED)
