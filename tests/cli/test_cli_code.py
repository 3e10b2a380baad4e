"""`echelon ask` and `echelon explain`: places that open, for people and for programs, and bad usage in one sentence."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.cli.command import Shell
from tests.code.conftest import SHOP

QUESTION = "Where is it decided how many attempts the HttpClient makes?"


@pytest.fixture
def code(shell: Shell) -> Shell:
    """A folder with a small package in `shop-tree`."""
    for path, text in SHOP.items():
        file = shell.folder / "shop-tree" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return shell


def test_places_open(code: Shell) -> None:
    outcome = code.echelon("ask", "shop-tree", QUESTION)
    assert outcome.code == 0 and outcome.err == "" and "no language model was asked" in outcome.out
    first = outcome.out.splitlines()[1].split()[0]
    path, line = first.split(":")
    assert path == "shop/retry.py"
    assert "class HttpClient" in (code.folder / "shop-tree" / path).read_text().splitlines()[int(line) - 1]


def test_files_are_printed_alone_for_an_issue_in_a_file(code: Shell) -> None:
    (code.folder / "issue.md").write_text("# Too few attempts\n\n`HttpClient.fetch` gives up\n")
    outcome = code.echelon("ask", "shop-tree", "@issue.md", "--files", "--limit", "2")
    assert outcome.out.splitlines()[0] == "shop/retry.py" and len(outcome.out.splitlines()) == 2
    as_list = code.echelon("ask", "shop-tree", "@issue.md", "--files", "--json")
    assert json.loads(as_list.out)[0] == "shop/retry.py"


@pytest.mark.parametrize("command", ["ask", "explain"])
def test_what_has_no_code_is_told_from_a_question_that_nothing_answers(code: Shell, command: str) -> None:
    (code.folder / "notes").mkdir()
    subprocess.run(["git", "init", "-q", "--bare", "bare.git"], cwd=code.folder, check=True)
    for folder in ("notes", "bare.git"):
        outcome = code.echelon(command, folder, "where is it")
        assert outcome.code == 2 and f"'{folder}' has no source file" in outcome.sentence and not outcome.out


def test_explain_shows_uses_and_an_outline(code: Shell) -> None:
    outcome = code.echelon("explain", "shop-tree", "How does with_tax work?", "--json")
    value = json.loads(outcome.out)
    assert "def with_tax(net):" in value["outline"]
    lines = {(use["path"], use["line"]) for use in value["uses"]["with_tax"]}
    assert {("shop/prices.py", 6), ("shop/retry.py", 12), ("tests/test_prices.py", 5)} <= lines
    assert "Uses of with_tax" in code.echelon("explain", "shop-tree", "How does with_tax work?").out


def test_the_tree_is_left_as_it_is(code: Shell) -> None:
    before = sorted(path for path in (code.folder / "shop-tree").rglob("*"))
    code.echelon("ask", "shop-tree", QUESTION)
    assert sorted((code.folder / "shop-tree").rglob("*")) == before
    assert (code.folder / ".echelon" / "code").is_dir()


def test_state_within_the_tree_is_no_part_of_it(code: Shell) -> None:
    inside = Shell(code.folder / "shop-tree")
    first = inside.echelon("ask", ".", QUESTION, "--json")
    assert inside.echelon("ask", ".", QUESTION, "--json").out == first.out
    assert ".echelon" not in first.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none", "x"], "is no folder; name a git repository"),
        (["shop-tree", " "], "The question is empty"),
        (["shop-tree", "@none.md"], "'none.md' cannot be read: No such file or directory."),
        (["shop-tree", "x", "--limit", "0"], "--limit needs a number from 1"),
    ],
)
def test_bad_usage_is_one_sentence(code: Shell, arguments: list[str], says: str) -> None:
    outcome = code.echelon("ask", *arguments)
    assert outcome.code == 2 and says in outcome.sentence
