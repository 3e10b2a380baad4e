"""Ranking of short texts, and how often it has the right tool among the first five."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echelon.domains.search.bm25 import Ranker, rank, words

METATOOL = Path(__file__).parents[2] / ".." / "shared" / "data" / "metatool"
TOOLS = [
    "read_file: Shows the lines of a file.",
    "web_search: Finds pages on the internet.",
    "cite_document: Marks a quote on the page of a document.",
    "run_tests: Runs the test suite of the project.",
]


def test_words_and_meaning() -> None:
    assert rank("quote from a document", TOOLS)[0][0] == 2
    assert rank("look something up online", TOOLS)[0][0] == 1
    assert rank("execute the unit checks", TOOLS)[0][0] == 3
    assert rank("readFile", TOOLS)[0][0] == 0


def test_every_text_is_ranked_once() -> None:
    order = [index for index, _ in rank("anything", TOOLS)]
    assert sorted(order) == [0, 1, 2, 3]
    scores = [score for _, score in rank("anything", TOOLS)]
    assert scores == sorted(scores, reverse=True)
    assert len(Ranker(TOOLS).rank("anything", limit=2)) == 2


def test_nothing_to_rank() -> None:
    assert rank("x", []) == []
    assert [index for index, _ in rank("", TOOLS)] == [0, 1, 2, 3]
    assert [index for index, _ in rank("x", ["", "", ""])] == [0, 1, 2]


def test_names_are_taken_apart() -> None:
    assert words("find_toolsByName HTTPServer x2") == ["find", "tool", "by", "name", "http", "serv", "x2"]


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=6))
def test_any_text_is_ranked_the_same_each_time(query: str, texts: list[str]) -> None:
    ranked = rank(query, texts)
    assert ranked == rank(query, texts)
    assert sorted(index for index, _ in ranked) == list(range(len(texts)))


def test_the_right_tool_is_among_the_first_five() -> None:
    if not METATOOL.is_dir():
        pytest.skip(f"the development data is not in {METATOOL}")
    described = json.loads((METATOOL / "plugin_des.json").read_text(encoding="utf-8"))
    names = sorted(described)
    ranker = Ranker([f"{name}: {described[name]}" for name in names])
    with (METATOOL / "queries_dev.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[::10]
    found = sum(row["Tool"] in [names[index] for index, _ in ranker.rank(row["Query"], limit=5)] for row in rows)
    assert found / len(rows) >= 0.60
