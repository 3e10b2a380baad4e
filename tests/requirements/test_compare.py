"""Two editions compared: new, gone, changed word by word, moved; and names that stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echelon.domains.documents.types import Document
from echelon.domains.requirements.comparing.compare import Kind, compare, diff_words
from echelon.domains.requirements.comparing.keys import stable_key, unique_names
from echelon.domains.requirements.comparing.shown import as_html, as_json, as_text
from echelon.domains.requirements.types import Requirement, Status
from tests.support.requirement_makers import cite, document, requirement

OLD = document(
    "2.1 The archive shall be open.", "2.2 Keep logs for 5 years. 2.3 Gates must be shut. 2.4 Doors must be red."
)


def stated(
    number: int, label: str | None, text: str, source: Document = OLD, page: int = 1, **more: object
) -> Requirement:
    quote = source.page(page).text[:3]
    return requirement(number, text, source_id=label, citations=(cite(source, page, quote),), **more)


FIRST = [
    stated(1, "2.1", "The archive shall be open."),
    stated(2, "2.2", "Keep logs for 5 years.", page=2),
    stated(3, "2.3", "Gates must be shut.", page=2),
    stated(4, "2.4", "Doors must be red.", page=2),
]


def kinds(old: list[Requirement], new: list[Requirement]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for change in compare(old, new).changes:
        side = change.new or change.old
        assert side is not None
        found.setdefault(change.kind.value, []).append(side.source_id or side.id)
    return found


def test_each_requirement_is_new_gone_changed_moved_or_the_same() -> None:
    second = [
        stated(1, "2.0", "Boats shall float."),
        stated(2, "2.1", "The archive shall be open."),
        stated(3, "2.2", "Keep logs for 10 years.", page=2),
        stated(4, "2.5", "Gates must be shut.", page=2),
    ]
    assert kinds(FIRST, second) == {
        "new": ["2.0"], "same": ["2.1"], "changed": ["2.2"], "moved": ["2.5"], "gone": ["2.4"],
    }  # fmt: skip
    text = as_text(compare(FIRST, second))
    assert "Keep logs for [-5-] {+10+} years." in text and "number 2.3 -> 2.5" in text
    assert text.startswith("1 new, 1 gone, 1 changed, 1 moved, 1 same")


def test_a_page_that_moves_is_no_change_of_words() -> None:
    later = document("A new foreword.", *(page.text for page in OLD.pages))
    second = [stated(n, r.source_id, r.text, later, (r.citations[0].page or 0) + 1) for n, r in enumerate(FIRST, 1)]
    assert kinds(FIRST, second) == {"moved": ["2.1", "2.2", "2.3", "2.4"]}


def test_of_several_with_one_number_the_nearest_are_pairs() -> None:
    old = [stated(1, "A1", "The plan must show beds."), stated(2, "A1", "Fences must be made of wood.")]
    new = [stated(1, "A1", "Fences must be made of iron."), stated(2, "A1", "The plan must show beds and ways.")]
    pairs = {(c.old.text if c.old else None, c.new.text if c.new else None) for c in compare(old, new).changes}
    assert pairs == {(old[0].text, new[1].text), (old[1].text, new[0].text)}


def test_a_number_that_was_given_away_is_no_change() -> None:
    old = [stated(1, "A1", "The plan must show beds."), stated(2, "A1", "Fences must be made of wood.")]
    new = [stated(1, "A1", "Nobody may fish in the pond at night.")]
    assert kinds(old, new) == {"new": ["A1"], "gone": ["A1", "A1"]}


def test_repetitions_are_left_out() -> None:
    again = FIRST[0].model_copy(update={"id": "R-0009", "status": Status.DUPLICATE})
    assert kinds(FIRST, [*FIRST, again]) == {"same": ["2.1", "2.2", "2.3", "2.4"]}


@settings(deadline=None, max_examples=60)
@given(*(st.lists(st.sampled_from(["a", "b", "c", "shall", "10"]), max_size=8) for _ in range(2)))
def test_the_words_of_a_change_are_those_of_both_texts(old: list[str], new: list[str]) -> None:
    words = list(diff_words(" ".join(old), " ".join(new)))
    assert " ".join(w.old for w in words if w.old).split() == old
    assert " ".join(w.new for w in words if w.new).split() == new


@settings(deadline=None, max_examples=40)
@given(*(st.lists(st.tuples(st.sampled_from([None, "1", "2"]), st.sampled_from("abc")), max_size=6) for _ in range(2)))
def test_every_requirement_is_in_one_change(
    old: list[tuple[str | None, str]], new: list[tuple[str | None, str]]
) -> None:
    sides = [[stated(n, label, f"Rule {text} shall hold.") for n, (label, text) in enumerate(s, 1)] for s in (old, new)]
    changes = compare(*sides).changes
    assert sorted(c.old.id for c in changes if c.old) == [r.id for r in sides[0]]
    assert sorted(c.new.id for c in changes if c.new) == [r.id for r in sides[1]]
    assert all(c.kind is Kind.SAME for c in compare(sides[0], sides[0]).changes)


def test_a_name_stays_when_a_file_is_added_or_a_page_moves() -> None:
    moved = FIRST[1].model_copy(update={"id": "R-0077", "section": "Other", "citations": FIRST[0].citations})
    assert stable_key(moved) == stable_key(FIRST[1])
    assert stable_key(FIRST[1]) != stable_key(FIRST[1].model_copy(update={"text": "Keep logs for 10 years."}))
    twice = unique_names([FIRST[0], FIRST[0]], "requirement")
    assert len(set(twice)) == 2 and twice[0] == unique_names([FIRST[0]], "requirement")[0]
    assert twice[0] != unique_names([FIRST[0]], "place")[0]


def test_the_page_escapes_and_marks(tmp_path: Path) -> None:
    new = [stated(2, "2.2", "Keep logs for <b>10</b> years.", page=2)]
    page = as_html(compare(FIRST, new), "<old>", "new")
    assert "<del>5</del> <ins>&lt;b&gt;10&lt;/b&gt;</ins>" in page
    assert "&lt;old&gt;" in page and "<script" not in page and "default-src 'none'" in page


def test_json_counts_and_holds_both_sides() -> None:
    value = json.loads(json.dumps(as_json(compare(FIRST, FIRST[1:]))))
    assert value["counts"] == {"new": 0, "gone": 1, "changed": 0, "moved": 0, "same": 3}
    assert [change["old"]["source_id"] for change in value["changes"]] == ["2.1"]


def test_the_command_reads_documents_and_deliverables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from echelon.errors import UserError
    from echelon.faces.cli.commands import parse

    old, new = tmp_path / "old.md", tmp_path / "new.md"
    old.write_text("# Port\n\nREQ-1: The port shall keep logs for 5 years.\n\nREQ-2: The port shall be open.\n")
    delivered = [requirement(1, "The port shall keep logs for 10 years.", source_id="REQ-1").model_dump(mode="json")]
    new.with_suffix(".json").write_text(json.dumps({"requirements": delivered}))
    page = tmp_path / "changes.html"
    command = parse(["compare", str(old), str(new.with_suffix(".json")), "--html", str(page)])
    assert command.command(command) == 0
    said = capsys.readouterr().out
    assert "[-5-] {+10+}" in said and "gone     REQ-2" in said
    assert "<ins>10</ins>" in page.read_text(encoding="utf-8")
    new.with_suffix(".json").write_text("[]")
    with pytest.raises(UserError, match=r"is no requirements\.json"):
        command.command(command)
