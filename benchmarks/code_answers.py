"""Answers about code: 40 questions on three public packages that are installed with Echelon.

    python benchmarks/code_answers.py

The gold is written by hand, by file and function; its line is looked up in the installed version. Two figures: the share of
questions whose place is among the first five ranked ones (bar .80; no model is asked), and how many wrong lines pass as
evidence of an answer that names the right function (bar 0), with the right lines beside them.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from echelon.crews.coder.citing import looked_up
from echelon.domains.code.places.rank import FunctionPlace, rank_places
from echelon.domains.code.places.tree_index import TreeIndex, open_index

QUESTIONS = Path(__file__).with_name("code_questions.jsonl")
FIRST = 5
WIDEST = 80
"""Lines of a class that still lead to a line within it."""
WRONG = 10
"""Wrong places that are tried for each question."""
FAR = 30
"""Lines from the function's ends at which nothing of it stands."""


@dataclass(frozen=True)
class Question:
    package: str
    file: str
    symbol: str
    question: str


def questions() -> list[Question]:
    """The questions with their gold."""
    return [Question(**json.loads(line)) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


def folder_of(package: str) -> Path:
    """Where an installed package lies."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations is not None
    return Path(next(iter(spec.submodule_search_locations)))


def gold_lines(index: TreeIndex, q: Question) -> tuple[int, int]:
    """First and last line of the gold function in the installed version."""
    found = [s for n, s in enumerate(index.symbols) if index.paths[index.owners[n]] == q.file and s.name == q.symbol]
    assert found, f"{q.package} has no {q.symbol} in {q.file} any more"
    return found[0].first, found[0].last


def leads_to(place: FunctionPlace, q: Question, line: int) -> bool:
    """Whether a place opens at the gold: the function itself, or a short class around it."""
    around = place.first <= line <= place.last and place.last - place.first < WIDEST
    return place.path == q.file and (place.name == q.symbol or around)


def wrong_places(root: Path, index: TreeIndex, q: Question, pick: random.Random) -> Iterator[str]:
    """Lines that exist and where the name of the gold function does not stand near."""
    name = q.symbol.rpartition(".")[2]
    texts = {path: (root / path).read_text(encoding="utf-8", errors="replace").splitlines() for path in index.paths}
    lines = [(path, n) for path, text in texts.items() for n in range(1, len(text) + 1)]
    pick.shuffle(lines)
    found = 0
    for path, n in lines:
        if name not in "\n".join(texts[path][max(0, n - FAR) : n + FAR]):
            found += 1
            yield f"{path}:{n}"
        if found == WRONG:
            return


def main() -> int:
    """Measure and print; 1 when a bar is missed."""
    hits, right, wrong, tried, every = 0, 0, 0, 0, questions()
    pick = random.Random(1)
    with tempfile.TemporaryDirectory() as made:
        for q in every:
            root = folder_of(q.package)
            index = open_index(root, Path(made))
            first, _ = gold_lines(index, q)
            places = rank_places(index, q.question, functions=FIRST).functions
            rank = next((n for n, place in enumerate(places, 1) if leads_to(place, q, first)), None)
            hits += rank is not None
            answer = f"It is decided in `{q.symbol}`."
            right += bool(looked_up(root, answer, [f"{q.file}:{first}"])[0])
            bad = list(wrong_places(root, index, q, pick))
            tried += len(bad)
            wrong += len(looked_up(root, answer, bad)[0])
            line = {"benchmark": "code_answers", "package": q.package, "gold": f"{q.file}:{first}", "rank": rank}
            print(json.dumps({**line, "question": q.question}), flush=True)
    recall = round(hits / len(every), 3)
    figures = [
        {"figure": f"recall@{FIRST} of ranked places", "value": recall, "of": len(every), "bar": 0.8},
        {"figure": "wrong lines that pass", "value": wrong, "of": tried, "bar": 0},
        {"figure": "right lines that pass", "value": right, "of": len(every), "bar": len(every)},
    ]
    for figure in figures:
        print(json.dumps({"benchmark": "code_answers", **figure}), flush=True)
    return int(recall < 0.8 or wrong > 0 or right < len(every))


if __name__ == "__main__":
    raise SystemExit(main())
