"""The record of steps in `trace/`: what is kept, what is set aside when a segment begins again, what is taken from there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from echelon.engine.kept import BEFORE, Answered, kept_at, set_aside

ANSWER = {"text": "It is so.", "calls": []}


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    (tmp_path / "trace").mkdir()
    return tmp_path / "trace"


def record(trace: Path, number: int, asked: str, value: Any = ANSWER, **more: Any) -> Path:
    path = trace / f"{number:05d}-model.json"
    path.write_text(json.dumps({"asked": asked, "milliseconds": 1.0, "value": value, **more}))
    return path


def there(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.rglob("*") if p.is_file())


@pytest.mark.parametrize("text", ["", '{"asked": "a"', "[]", '"a"', "\udcff"])
def test_half_a_record_and_one_of_something_else_are_none(trace: Path, text: str) -> None:
    path = trace / "00001-model.json"
    assert kept_at(path, "a") is None
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert kept_at(path, "a") is None
    assert kept_at(record(trace, 1, "b"), "a") is None
    assert kept_at(record(trace, 1, "a"), "a") == {"asked": "a", "milliseconds": 1.0, "value": ANSWER}


def test_the_files_of_later_steps_are_set_aside_and_nothing_else(trace: Path) -> None:
    later = ["00003-model.json", "00003.prompt.json.gz", "00012-submit.txt", "100000-model.json", "00004-x.error.txt"]
    stays = ["00002-model.json", "00002.prompt.json.gz", "00003-model.tries", "job.json", "stages.json", "index"]
    for name in (*later, *stays):
        (trace / name).write_text(name)
    (trace / "changed" / "1").mkdir(parents=True)
    (trace / "changed" / "1" / "00009-of-a-user.md").write_text("")
    set_aside(trace.parent, 2)
    assert there(trace.parent / BEFORE) == sorted(later)
    assert sorted(p.name for p in trace.iterdir() if p.is_file()) == sorted(stays)
    assert there(trace / "changed") == ["00009-of-a-user.md"]
    set_aside(trace.parent, 2)
    assert there(trace.parent / BEFORE) == sorted(later)


def test_without_a_record_there_is_nothing_to_set_aside_and_nothing_to_take(tmp_path: Path) -> None:
    set_aside(tmp_path, 0)
    assert Answered(tmp_path).take("a", tmp_path / "x.json") is None and list(tmp_path.iterdir()) == []


def test_answers_are_taken_once_each_in_the_order_in_which_they_were_given(trace: Path) -> None:
    for number, asked, text in ((3, "a", "third"), (1, "a", "first"), (2, "b", "other")):
        record(trace, number, asked, {"text": text})
    set_aside(trace.parent, 0)
    record(trace, 1, "a", {"text": "of the second time"})
    set_aside(trace.parent, 0)
    taken = Answered(trace.parent)
    found = [taken.take("a", trace / f"0000{n}-model.json") for n in (7, 8)]
    assert [f["value"]["text"] for f in found if f] == ["first", "third"]
    assert kept_at(trace / "00008-model.json", "a") == found[1], "it is a record of the step that took it"
    again = Answered(trace.parent)  # as a process does that goes on after this one
    last = again.take("a", trace / "00009-model.json")
    assert last is not None and last["value"]["text"] == "of the second time"
    assert again.take("a", trace / "00010-model.json") is None
    assert there(trace.parent / BEFORE) == ["00002-model.json"]


@pytest.mark.parametrize(
    ("value", "more"),
    [
        ({"ok": False, "limit": {"name": "budget.cost"}}, {}),
        ({"ok": True, "explanations": ["Written."]}, {"files": {"output/a.md": "abc"}}),
        ({"value": "a commit"}, {"files": {}}),
        ("no answer", {}),
    ],
)
def test_only_what_a_model_said_is_taken(trace: Path, value: Any, more: dict[str, Any]) -> None:
    """A ceiling may be another one today, and what tools and code did was undone."""
    record(trace, 1, "a", value, **more)
    set_aside(trace.parent, 0)
    assert Answered(trace.parent).take("a", trace / "00001-model.json") is None
    assert there(trace) == ["00001-model.json"]


def test_half_an_answer_is_not_taken(trace: Path) -> None:
    whole = record(trace, 1, "a")
    record(trace, 2, "a").write_bytes(whole.read_bytes()[:-9])
    set_aside(trace.parent, 0)
    taken = Answered(trace.parent)
    assert taken.take("a", trace / "00001-model.json") is not None
    assert taken.take("a", trace / "00002-model.json") is None
