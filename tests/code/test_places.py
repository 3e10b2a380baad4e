"""Places for a text: what the text names, the ranking, its index, and that nothing is invented."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.code.map.reading import FactsStore
from echelon.domains.code.places import rank
from echelon.domains.code.places.features import features, pagerank
from echelon.domains.code.places.history import read_history
from echelon.domains.code.places.imports import import_edges
from echelon.domains.code.places.named import PathFinder
from echelon.domains.code.places.postings import Postings
from echelon.domains.code.places.rank import find_places, rank_places, weigh, weights
from echelon.domains.code.places.text import AboutCode
from echelon.domains.code.places.tree_index import open_index
from tests.code.conftest import MakeTree, patient

RETRIES = "Too few attempts\n\nWhen the server is slow we give up; `HttpClient` should retry more often."


def test_what_a_text_names() -> None:
    about = AboutCode(
        "# Crash in basket\n\nSee `shop/basket.py:5` and shop.prices.discount\n\n"
        'Traceback:\n  File "/home/me/lib/shop/retry.py", line 12, in fetch\n    at go (web/src/app.ts:7:3)\n'
    )
    assert about.title == "Crash in basket"
    assert ("shop/basket.py", 5) in about.paths and "shop.prices.discount" in about.dotted
    assert [(f.path, f.line, f.function) for f in about.frames] == [
        ("/home/me/lib/shop/retry.py", 12, "fetch"),
        ("web/src/app.ts", 7, ""),
    ]
    assert {"basket", "discount"} <= about.names_in_code


@patient
@given(st.text(max_size=400))
def test_any_text_can_be_taken_apart(text: str) -> None:
    about = AboutCode(text)
    assert all(weight >= 1 for weight in about.weights.values())
    assert about.code_names <= about.names_in_code and isinstance(about.paths, list) and isinstance(about.frames, list)


def test_bm25_prefers_the_rare_word_and_the_short_text() -> None:
    postings = Postings.of([{"retry": 1, "many": 9}, {"retry": 1}, {"many": 3}, {}])
    scores = postings.bm25({"retry": 1.0})
    assert scores[1] > scores[0] > 0 and scores[2] == scores[3] == 0
    assert postings.holders("retry") == [0, 1] and postings.holders("none") == []
    again = Postings(postings.arrays)
    assert list(again.bm25({"retry": 1.0, "many": 0.5})) == list(postings.bm25({"retry": 1.0, "many": 0.5}))


def test_an_empty_index_answers_with_nothing() -> None:
    assert list(Postings.of([]).bm25({"a": 1.0})) == []
    assert list(Postings.of([{}, {}]).bm25({"a": 1.0})) == [0.0, 0.0]


def test_paths_are_found_by_their_ends() -> None:
    finder = PathFinder(["src/a/app.py", "src/b/app.py", "src/b/db.py"])
    assert finder.find("/usr/lib/b/app.py") == [(1, 1.0)]
    assert finder.find("app.py") == [(0, 0.25), (1, 0.25)]
    assert finder.find("site-packages\\b\\db.py") == [(2, 1.0)] and finder.find("none.py") == []


def test_imports_are_edges() -> None:
    paths = ["p/__init__.py", "p/a.py", "p/q/b.py", "web/x.ts", "web/y/index.ts"]
    imports = [["p.a"], [".q.b", "os"], ["..a", ".."], ["import z from './y'"], ["import x from '../x'"]]
    assert import_edges(paths, imports) == [(0, 1), (1, 2), (2, 1), (2, 0), (3, 4), (4, 3)]


def test_pagerank_flows_along_edges_and_keeps_the_sum() -> None:
    import numpy as np

    start = np.array([0.5, 0.25, 0.25])
    ranks = pagerank(3, [(0, 2)], start, spread=0.5)
    assert ranks[2] > ranks[1] and abs(ranks.sum() - 1) < 1e-9


def test_the_file_that_a_text_is_about_comes_first(shop: Path, tmp_path: Path) -> None:
    places = find_places(shop, RETRIES, tmp_path / "index")
    assert places.files[0].path == "shop/retry.py" and places.files[0].reasons
    assert places.functions[0].name.startswith("HttpClient") and places.functions[0].path == "shop/retry.py"
    for place in places.files:
        assert (shop / place.path).is_file()
    for function in places.functions:
        lines = (shop / function.path).read_text().splitlines()
        assert 1 <= function.first <= function.last <= len(lines)
        assert function.name.rpartition(".")[2] in lines[function.first - 1]


def test_tests_are_no_places(shop: Path, tmp_path: Path) -> None:
    places = find_places(shop, "test_discount in tests/test_prices.py fails", tmp_path / "index")
    assert "tests/test_prices.py" not in [place.path for place in places.files]
    assert places.files[0].path == "shop/prices.py"


def test_a_stack_trace_leads_to_its_function(shop: Path, tmp_path: Path) -> None:
    text = 'It fails\n\nTraceback\n  File "x/shop/basket.py", line 5, in total\n'
    places = find_places(shop, text, tmp_path / "index")
    assert (places.functions[0].path, places.functions[0].name) == ("shop/basket.py", "total")


def test_the_index_is_used_again_and_follows_changes(shop: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    first = find_places(shop, RETRIES, folder)
    kept = next(folder.glob("tree-*.npz"))
    written = kept.stat().st_mtime_ns
    assert find_places(shop, RETRIES, folder) == first
    assert kept.stat().st_mtime_ns == written
    (shop / "shop/slow_server.py").write_text("class SlowServer:\n    def retry_more_often(self):\n        pass\n")
    assert "shop/slow_server.py" in [p.path for p in find_places(shop, RETRIES, folder).files]


def test_a_broken_index_is_made_anew(shop: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    first = find_places(shop, RETRIES, folder)
    next(folder.glob("tree-*.npz")).write_bytes(b"PK\x03\x04 broken")
    assert find_places(shop, RETRIES, folder) == first


def test_messages_of_commits_vote(shop_repository: Path, tmp_path: Path) -> None:
    history = read_history(shop_repository, tmp_path)
    assert history.messages[0].startswith("Give up politely") and history.changed[0] == ["shop/retry.py"]
    numbers = {"shop/prices.py": 0, "shop/retry.py": 1}
    votes = history.votes(numbers, {"politely": 1.0, "silent": 1.0})
    assert votes[1] > votes[0]
    assert read_history(shop_repository, tmp_path) == history


def test_the_stored_history_is_of_the_commit_that_is_checked_out(shop_repository: Path, tmp_path: Path) -> None:
    from tests.code.conftest import commit_all

    assert len(read_history(shop_repository, tmp_path).messages) == 2
    (shop_repository / "new.py").write_text("x = 1\n")
    commit_all(shop_repository, "Add a module")
    assert read_history(shop_repository, tmp_path).messages[0] == "Add a module"


def test_an_empty_tree_has_no_places(make_tree: MakeTree, tmp_path: Path) -> None:
    assert find_places(make_tree({"README.md": "x"}), "anything", tmp_path / "i") == rank.Places()


def test_each_weight_belongs_to_a_sign(shop: Path, tmp_path: Path) -> None:
    columns = features(open_index(shop, tmp_path), AboutCode(RETRIES))
    assert set(columns) == set(weights())
    for column in columns.values():
        assert len(column) == 4 and column.min() >= 0 and column.max() <= 1 + 1e-9


@pytest.mark.parametrize("sign", ["title", "body", "strings", "defines_code"])
def test_without_a_sign_the_answer_is_less_sure(shop: Path, tmp_path: Path, sign: str) -> None:
    """Each of these carries something for the text: taken out, the lead of the right file gets smaller."""
    text = "gave up after too many attempts\n\n`HttpClient` gave up"
    index = open_index(shop, tmp_path)
    columns, right = features(index, AboutCode(text)), index.paths.index("shop/retry.py")

    def lead(by: dict[str, float]) -> float:
        scores = weigh(columns, by)
        return float(scores[right] - max(value for at, value in enumerate(scores) if at != right))

    assert lead({**weights(), sign: 0.0}) < lead(weights())


def test_places_do_not_depend_on_where_the_tree_lies(make_tree: MakeTree, shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    shop.rename(other)
    again = make_tree(
        {path: (other / path).read_text() for path in ("shop/retry.py", "shop/prices.py", "shop/basket.py")}
    )
    first = [p.path for p in find_places(other, RETRIES, tmp_path / "i").files]
    assert find_places(again, RETRIES, tmp_path / "j").files[0].path == first[0]


def test_many_files_are_read_by_several_processes(make_tree: MakeTree, tmp_path: Path) -> None:
    from echelon.domains.code.map import reading

    root = make_tree({f"m{n}.py": f"def function_{n}():\n    pass\n" for n in range(reading.MANY + 1)})
    store = FactsStore(tmp_path / "facts.sqlite3")
    facts = store.facts(root, store.sources(root))
    store.close()
    assert len(facts) == reading.MANY + 1 and facts["m7.py"].defines == ["function_7"]


def test_rank_is_the_same_each_time(shop: Path, tmp_path: Path) -> None:
    index = open_index(shop, tmp_path)
    assert rank_places(index, RETRIES) == rank_places(index, RETRIES)
