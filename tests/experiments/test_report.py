"""The page, the tables, and that what is written can be read again."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from echelon.experiments.analysis.analyse import analyse
from echelon.experiments.calibration.confusion import Verdict, confusion
from echelon.experiments.report.page import Extras, page
from echelon.experiments.report.tables import COLUMNS, as_csv, as_jsonl, read_jsonl
from echelon.experiments.trials import Trial
from tests.experiments.making import experiment, planned, results

VERDICTS = [
    Verdict(arm=arm, task="t", document=f"d{n}", fault="wrong_page" if n % 2 else "", passed=n % 2 == 0 or arm == "b")
    for arm in "ab" for n in range(20)
]  # fmt: skip


def report(end: Any, **says: Any) -> str:
    definition = experiment(repeats=2, **says)
    trials = planned(definition, 8)
    done = results(trials, end)
    extras = Extras([confusion(arm, VERDICTS) for arm in "ab"], ["The judge agrees."], "echelon 0.1.0")
    return page(analyse(definition, trials, done), trials, done, extras)


class Tags(HTMLParser):
    """Every tag that was opened, with its attributes, and whether all were closed."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[tuple[str, dict[str, str | None]]] = []
        self.depth: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "br"):
            self.depth.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.depth.pop() == tag


def parsed(text: str) -> Tags:
    tags = Tags()
    tags.feed(text)
    assert tags.depth == []
    return tags


def test_the_page_is_whole_and_asks_nobody_for_anything() -> None:
    text = report(lambda t: {"success": t.arm == "a"})
    tags = parsed(text)
    assert not {"script", "img", "iframe", "object"} & {tag for tag, _ in tags.opened}
    assert not re.findall(r"""(?:src|href)=["'](?!data:,|#)""", text) and "url(" not in text and "@import" not in text
    ids = {a["id"] for _, a in tags.opened if "id" in a}
    assert {"answer", "arms", "differences", "plane", "failures", "qa", "missing", "trials"} <= ids
    assert sum(tag == "svg" for tag, _ in tags.opened) == 7, "five metrics, the plane, the ends"


def test_the_page_says_the_two_sentences_and_the_figures() -> None:
    text = report(lambda t: {"success": t.arm == "a"})
    assert "success is 100.0 points lower" in text and "0.0% (0 of 16" in text
    assert "not tested" in text and "COMPLETED but wrong" in text


def test_names_and_reasons_cannot_break_the_page() -> None:
    bad = '<script>alert("x")</script>'
    text = report(
        lambda t: {"reason": bad, "success": None, "checks": [{"kind": bad, "passed": None, "says": bad}]}, question=bad
    )
    assert "<script" not in text and "&lt;script&gt;" in text
    parsed(text)


def test_what_is_missing_stands_in_the_page() -> None:
    definition = experiment()
    trials = planned(definition, 6)
    done = results(trials, lambda t: {})[:-1]
    text = page(analyse(definition, trials, done), trials, done, Extras())
    assert "1 of 12 trials have nothing to be compared with" in text and "was not run" in text


@pytest.mark.parametrize("tasks", [1, 2, 5])
def test_a_page_of_little_or_nothing(tasks: int) -> None:
    definition = experiment()
    trials = planned(definition, tasks)
    for done in ([], results(trials, lambda t: {"success": False, "state": "crashed"})):
        parsed(page(analyse(definition, trials, done), trials, done, Extras()))


def odd(trial: Trial) -> dict[str, Any]:
    return {"reason": '=cmd|"x"\n, "quoted"', "escalations": {"tactical": 2}, "failures": ["FM-1.3 step repetition"]}


def test_tables_hold_every_trial_and_can_be_read_again() -> None:
    trials = planned(experiment(), 4)
    done = results(trials, odd)
    rows = list(csv.DictReader(io.StringIO(as_csv(done))))
    assert len(rows) == 8 and tuple(rows[0]) == COLUMNS
    assert rows[0]["reason"] == "'" + odd(trials[0])["reason"], "a spreadsheet must not take it for a formula"
    assert rows[0]["escalations_tactical"] == "2"
    assert read_jsonl(as_jsonl(done)) == done


def test_confusion_counts_each_document_once() -> None:
    many = [
        Verdict(arm="a", task="t", document=f"d{n % 5}", fault="drop_requirement", passed=n % 5 < 2) for n in range(40)
    ]
    found = confusion("a", [*many, Verdict(arm="a", task="t", document="d9", passed=None)])
    assert (found.missed, found.caught, found.none) == (16, 24, 1)
    assert found.false_accept.effective < 10 and found.by_fault == {"drop_requirement": (16, 40)}
