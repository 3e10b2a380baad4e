"""Requirement jobs whose roles all say the same that is not so: what they deliver is right, or they are not completed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.honesty_requirements import created, validated
from benchmarks.honesty_requirements_creator import CREATOR
from benchmarks.honesty_requirements_data import DOCUMENTS, lies
from benchmarks.honesty_requirements_honest import CREATOR_HONEST
from benchmarks.honesty_requirements_roles import Behaviour
from benchmarks.honesty_requirements_validator import VALIDATOR
from echelon.crews.creator import unsettled
from echelon.crews.validator.narrowing import narrowed
from echelon.domains.requirements.selection.types import Selection
from echelon.errors import UserError
from echelon.service.service import Service
from tests.support.scripted import service

GATES = (
    "rejects all for one reason", "merges shall with shall not", "makes a prohibition a permission",
    "cuts the exception off", "rejects a duty that nobody spoke of", "adds half a sentence without its not",
    "decides in a task that is about no place",
    "writes a list of its own beside it", "scope: only prohibitions", "scope: another section", "scope: a PDF was asked for",
    "scope: promises a file", "scope: no table", "an answer in the middle is ignored",
)  # fmt: skip
"""One behaviour for each gate"""
OF_GRAPHS = (
    "links to what nobody named",
    "empties the graph",
    "is given a text that is not cited",
    "a promise of the scope",
    "a German request is not read",
)
HONEST = ("rejects what binds nobody", "splits two duties", "says again what code has read", "three at most")


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, list[Path]]]:
    folder = tmp_path_factory.mktemp("honest")
    sources = [folder / name for name in DOCUMENTS]
    for source in sources:
        source.write_text(DOCUMENTS[source.name], encoding="utf-8")
    with service(folder) as found:
        yield found, sources


@pytest.mark.parametrize("name", GATES)
def test_nothing_false_is_completed(jobs: tuple[Service, list[Path]], name: str) -> None:
    [behaviour] = [b for b in CREATOR if b.name == name]
    result = created(*jobs, behaviour, name)
    assert result.state != "completed" or lies(result.folder, behaviour.wanted) == []


@pytest.mark.parametrize("name", HONEST)
def test_what_is_right_is_completed(jobs: tuple[Service, list[Path]], name: str) -> None:
    [behaviour] = [b for b in CREATOR_HONEST if b.name == name]
    result = created(*jobs, behaviour, name)
    assert result.state == "completed", result.reason
    assert lies(result.folder, behaviour.wanted) == []


def test_what_roles_reject_against_the_rules_is_said(jobs: tuple[Service, list[Path]]) -> None:
    [behaviour] = [b for b in CREATOR_HONEST if b.name == "rejects what binds nobody"]
    result = created(*jobs, behaviour, "said")
    text = (result.folder / "output" / "summary.md").read_text(encoding="utf-8")
    assert "- rejected by roles: It is expected that reports are short" in text
    [held] = [b for b in CREATOR if b.name == "rejects the prohibitions for one reason"]
    rows = json.loads(
        (created(*jobs, held, "held").folder / "output" / "requirements.json").read_text(encoding="utf-8")
    )
    marked = [r for r in rows["requirements"] if r["review"] and r["review"]["for_person"]]
    assert marked and all("code: its reason" in r["review"]["reason"] for r in marked)


@pytest.mark.parametrize("name", OF_GRAPHS)
def test_no_graph_is_completed_that_is_not_what_the_report_says(jobs: tuple[Service, list[Path]], name: str) -> None:
    first = created(*jobs, Behaviour("first"), "first")
    given = first.folder.parent / "first.json"
    given.write_bytes((first.folder / "output" / "requirements.json").read_bytes())
    [behaviour] = [c for c in VALIDATOR if c.name == name]
    _, found = validated(jobs[0], first.folder, given, behaviour, name)
    assert found == []


@pytest.mark.parametrize(
    ("request_", "modalities"),
    [
        ("Check the requirements that were handed over and integrate them into the graph.", None),
        ("Find duplicates among the prohibitions.", None),
        ("Only the prohibitions", ["prohibition"]),
        ("Nur die Verbote und Pflichten", ["prohibition", "obligation"]),
    ],
)
def test_a_request_narrows_what_is_integrated_only_where_it_says_so(
    request_: str, modalities: list[str] | None
) -> None:
    found = narrowed(request_, ["a.md"], "en")
    assert (found and sorted(m.value for m in found.modalities)) == (modalities and sorted(modalities))


@pytest.mark.parametrize("request_", ["Only what is urgent", "Integrate only what our lawyers care about"])
def test_a_narrow_request_that_is_not_understood_is_not_passed_over(request_: str) -> None:
    with pytest.raises(UserError, match="wants only some"):
        narrowed(request_, ["a.md"], "en")


@pytest.mark.parametrize(
    ("given", "is_taken"),
    [("register", True), ("the register", False), ("archive", False), ("register judge this", True), ("", False)],
)
def test_a_scope_agent_may_shorten_what_code_has_read_too_far(given: str, is_taken: bool) -> None:
    """Without a full stop code read "register judge this": fewer of these words leave nothing out, others would."""
    read, now = (Selection(words=(w,) if w else ()) for w in ("register Judge this", given))
    assert bool(unsettled.changed(read, now, ("own", "way"))) is not is_taken
