"""What models, documents and file names hold is seen at a terminal, and does nothing there."""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.faces.cli.display import PlainDisplay, Progress
from echelon.faces.cli.grammar import say
from echelon.faces.cli.printing import aligned, doctor_text, table
from echelon.service.doctor import Check
from echelon.shown import show, visible, visible_lines
from echelon.store.records.events import Escalated, TaskAccepted

ATTACK = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\nFAKE: Job creator-0 is completed\u202e\u2028\x00\ud800"
ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]")
SO_FAR = {"calls_so_far": 1, "tokens_so_far": 1, "cost_so_far": 0.0}


def test_what_acts_is_seen_for_what_it_is() -> None:
    assert visible(ATTACK) == (
        r"\x1b]0;owned\x07\x1b[2J\u009b31m  FAKE: Job creator-0 is completed\u202e\u2028\x00\ud800"
    )


@pytest.mark.parametrize(
    "text", ["Prüfung № 5 – ok", "日本語のテキスト", "می‌خواهم", "naïve é", "👩‍💻 works", "co\u00adop"]
)
def test_words_of_any_language_stay(text: str) -> None:
    assert visible(text) == text


@given(st.text())
def test_nothing_acts_and_there_is_one_line(text: str) -> None:
    assert not ACTS.search(visible(text)) and "\n" not in visible(text)
    visible(text).encode()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_that_is_shown_is_the_same_value(text: str) -> None:
    assert json.loads(visible_lines(json.dumps({"a": text}, ensure_ascii=False))) == {"a": text}


def surfaces() -> dict[str, str]:
    """Every place where words of others are printed, with the attack as the word."""
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        show(ATTACK.splitlines()[0])
        say(f"There is no file {ATTACK}.")
        display = PlainDisplay(Progress("creator-1", ATTACK))
        with display:
            display(TaskAccepted(title=ATTACK, commit="c", **SO_FAR))
            display(Escalated(by="QA", to="you", cause=ATTACK, **SO_FAR))
    return {
        "output": out.getvalue(), "errors": errors.getvalue(), "facts": "\n".join(aligned([("why", [ATTACK])])),
        "table": table([["1", ATTACK]], ["a", "b"]), "doctor": doctor_text([Check("x", "ok", ATTACK, ATTACK)]),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["output", "errors", "facts", "table", "doctor"])
def test_nothing_acts_on_any_surface_and_no_line_is_forged(name: str) -> None:
    said = surfaces()[name]
    assert not ACTS.search(said)
    assert not re.search(r"^FAKE", said, re.MULTILINE)
    assert r"\x1b" in said


def test_cells_of_a_table_hold_nothing_that_acts(tmp_path: Path) -> None:
    from echelon.domains.requirements.exports.csv import write_csv
    from tests.support.requirement_makers import requirement

    path = tmp_path / "a.csv"
    write_csv([requirement(text=f"The system shall {ATTACK[:-1]} stop.")], [], path)
    (row,) = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig")))
    assert not ACTS.search(row["text"])
    assert r"\x1b[2J" in row["text"]
