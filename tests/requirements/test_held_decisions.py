"""Decisions that code does not carry out: without a reason, or against the plain words of their place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.requirements.review.holding import says_nothing, why_held
from echelon.domains.requirements.review.types import Decision, ReviewItem, Ruling, Sign
from echelon.domains.requirements.review.wording import left_away, plain_modality, taken_besides
from echelon.domains.requirements.types import Citation, Modality

KEYS = "Users must not share keys unless the security officer agrees."
LOSS = "The unit shall replace a key within 30 days of its loss."
FIRST = "The unit shall report losses to the board within 5 days"
TWO = "The unit shall report losses to the board within 5 days and shall inform the owner of the key."


def item(text: str, number: int = 1, **more: Any) -> ReviewItem:
    values: dict[str, Any] = {"taken": True, "modality": plain_modality(text), **more}
    cited = Citation(document="a.md", page=1, quote=text, start=0, end=len(text))
    return ReviewItem(
        id=f"D-{number:04d}", sign=Sign.CLOSE_CALL, why="", document="a.md", page=1, block=0, text=text,
        citations=(cited,), context=text, **values,
    )  # fmt: skip


def decision(ruling: str, reason: str = "It quotes another policy as an example.", **more: Any) -> Decision:
    return Decision(id="D-0001", ruling=Ruling(ruling), reason=reason, **more)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (KEYS, Modality.PROHIBITION), (LOSS, Modality.OBLIGATION), (TWO, Modality.OBLIGATION),
        ("Records may be kept on paper.", Modality.PERMISSION), ("The clerk should look.", Modality.RECOMMENDATION),
        ("Der Betreiber muss Daten sichern.", Modality.OBLIGATION),
        ("Schlüssel dürfen nicht geteilt werden.", Modality.PROHIBITION),
        ("Keys may only be seen by the clerk.", None), ("Die Stelle muss nicht melden.", None),
        ("It must be kept and may be copied.", None), ("Tapes are brown.", None),
    ],
)  # fmt: skip
def test_words_that_say_one_thing_have_a_plain_modality(text: str, expected: Modality | None) -> None:
    assert plain_modality(text) is expected


@pytest.mark.parametrize("reason", [
    "It is not a requirement.", "ok, this is so as it is", "........", KEYS, "Reason 7: this is not a requirement.",
    "It clearly binds the users: it is a requirement.", "Das ist eine Anforderung.", "Passt so nicht.",
    "Decide these places in ONE call of decide_doubts",
])  # fmt: skip
def test_a_reason_that_says_nothing_holds_a_rejection(reason: str) -> None:
    assert says_nothing(reason, KEYS)
    assert why_held(item(KEYS), decision("reject", reason), [])


@pytest.mark.parametrize("reason", [
    "It quotes another policy as an example.", "It only defines what sharing means.", "It binds nobody.",
    "nobody wants it", "Es beschreibt nur einen Brauch.", "This is a heading of the next part.",
])  # fmt: skip
def test_a_reason_of_ones_own_is_followed(reason: str) -> None:
    assert why_held(item(KEYS), decision("reject", reason), []) == ""


def test_one_reason_for_many_other_places_holds_the_rejection() -> None:
    earlier = [
        (decision("reject").model_copy(update={"id": f"D-{n:04d}"}), item(f"Rule {n} shall hold.", n)) for n in (2, 3)
    ]
    assert "2 other places" in why_held(item(KEYS), decision("reject"), earlier)
    assert why_held(item(KEYS), decision("reject"), earlier[:1]) == ""
    assert why_held(item(KEYS), decision("reject", "Another one: it defines sharing."), earlier) == ""


def test_what_the_rules_did_not_take_is_left_to_roles() -> None:
    assert why_held(item(KEYS, taken=False), decision("reject", "no"), []) == ""


@pytest.mark.parametrize(("text", "other", "held"), [
    (LOSS, "The unit shall replace a key within 60 days of its loss.", "other numbers"),
    ("The unit shall keep copies.", "The unit shall not keep copies.", "binds otherwise"),
    ("The unit shall keep all copies.", "The unit shall keep copies.", ""),
])  # fmt: skip
def test_what_binds_otherwise_is_no_repetition(text: str, other: str, held: str) -> None:
    why = why_held(item(text, other=other), decision("duplicate"), [])
    assert held in why and bool(held) == bool(why)


@pytest.mark.parametrize(("text", "modality", "is_held"), [
    (KEYS, "permission", True), (LOSS, "recommendation", True), ("Records may be kept on paper.", "obligation", True),
    ("Keys may only be seen by the clerk.", "prohibition", False), ("Tapes are needed.", "obligation", False),
])  # fmt: skip
def test_a_kind_against_plain_words_is_held(text: str, modality: str, is_held: bool) -> None:
    why = why_held(item(text), decision("accept", modality=Modality(modality)), [])
    assert bool(why) is is_held


@pytest.mark.parametrize(("text", "pieces", "split"), [
    (KEYS, ["Users must not share keys"], False), (KEYS, ["share keys unless the security officer agrees"], False),
    (LOSS, ["The unit shall replace a key"], False), (TWO, [FIRST], False),
    (TWO, ["The unit shall report losses to the board", "report losses to the board within 5 days"], True),
    ("The operator must not store backups in the same room.", ["The operator must not store backups"], False),
])  # fmt: skip
def test_words_that_matter_are_not_cut_off(text: str, pieces: list[str], split: bool) -> None:
    assert left_away(text, pieces, split)
    ruling = "split" if split else "accept"
    assert "leave out" in why_held(item(text), decision(ruling, texts=tuple(pieces)), [])


@pytest.mark.parametrize(("text", "pieces", "split"), [
    (TWO, ["The unit shall report losses to the board within 5 days", "shall inform the owner of the key."], True),
    ("2 Keys The unit shall replace a key.", ["The unit shall replace a key."], False),
    ("The unit shall (a) keep records and (b) tell the board.", ["keep records", "tell the board"], True),
    ("The unit shall replace a key. Guidance: see above", ["The unit shall replace a key."], False),
])  # fmt: skip
def test_an_honest_cut_goes_through(text: str, pieces: list[str], split: bool) -> None:
    assert why_held(item(text), decision("split" if split else "accept", texts=tuple(pieces)), []) == ""


def test_a_text_that_goes_on_into_the_next_requirement_is_held() -> None:
    both = f"{KEYS}\n\n2.2 {LOSS}"
    assert taken_besides(KEYS, [both])
    assert "into another requirement" in why_held(item(KEYS), decision("accept", texts=(both,)), [])


@given(st.text(max_size=80), st.lists(st.text(max_size=80), max_size=3))
def test_any_words_can_be_compared(place: str, texts: list[str]) -> None:
    assert left_away(place, [place]) == ""
    assert taken_besides(place, [place]) == ""
    assert isinstance(left_away(place, texts), str)
