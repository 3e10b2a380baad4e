"""Acceptance checks: which of them check something, and how each stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from echelon.engine.workspace import Workspace
from echelon.tasks.checks import (
    NO_RESULTS,
    Looking,
    Standing,
    cannot_be_carried_out,
    carried_out,
    failures,
    is_result,
    named_by,
    not_there,
    shows_nothing_made,
)
from echelon.tasks.contracts import Check


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    found = Workspace(tmp_path_factory.mktemp("job"))
    found.create()
    found.write("output/a.md", "# Duties\n\n- 1.1 keep a record\n")
    (found.root / "documents").mkdir(exist_ok=True)
    (found.root / "documents" / "policy.md").write_text("Passwords are not shared.\n")
    return found


def check(**fields: Any) -> Check:
    return Check.model_validate({"says": "the file is right", **fields})


EMPTY_CHECKS: list[dict[str, Any]] = [
    {"says": "x"},
    {"says": "ok"},
    {"says": "none"},
    {"says": "no check needed"},
    {"says": "always passes"},
    {"says": "..."},
    {"kind": "file"},
    {"kind": "file", "path": "documents/policy.md"},
    {"kind": "file", "path": "./plan.md"},
    {"kind": "file", "path": "../up.md"},
    {"kind": "file", "path": "notes/a.md"},
    {"kind": "file", "path": "output/"},
    {"kind": "file", "path": "output", "items": 2},
    {"kind": "file", "path": "output/chapters/"},
    {"kind": "command"},
    {"kind": "command", "command": "true"},
    {"kind": "command", "command": "pytest || true"},
    {"kind": "command", "command": "exit 0"},
    {"kind": "command", "command": "echo all is well"},
    {"kind": "quote", "path": "policy.md"},
    {"kind": "query", "query": "RETURN 1"},
    {"kind": "query", "query": "RETURN 1", "least": 0},
]


@pytest.mark.parametrize("fields", EMPTY_CHECKS, ids=str)
def test_a_check_that_checks_nothing_is_refused_with_a_reason(workspace: Workspace, fields: dict[str, Any]) -> None:
    assert cannot_be_carried_out(check(**fields), workspace, can_run=True, has_graph=True)


@pytest.mark.parametrize(
    "fields",
    [
        {"says": "open the files"},
        {"says": "alle fünf"},
        {"kind": "file", "path": "output/b.md"},
        {"kind": "command", "command": "pytest -q"},
        {"kind": "command", "command": "test -s output/a.md && grep -q 1.1 output/a.md"},
        {"kind": "quote", "path": "policy.md", "quote": "not shared"},
        {"kind": "query", "query": "RETURN 1", "least": 1},
    ],
    ids=str,
)
def test_a_check_that_can_fail_is_taken(workspace: Workspace, fields: dict[str, Any]) -> None:
    assert cannot_be_carried_out(check(**fields), workspace, can_run=True, has_graph=True) == ""


def test_what_nobody_can_carry_out_is_refused(workspace: Workspace) -> None:
    command, query = check(kind="command", command="pytest"), check(kind="query", query="RETURN 1", least=1)
    assert "nobody can run" in cannot_be_carried_out(command, workspace, can_run=False, has_graph=True)
    assert "no graph" in cannot_be_carried_out(query, workspace, can_run=True, has_graph=False)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(NO_RESULTS), st.sampled_from(["", "./", " "]), st.sampled_from(["", "a.md", "b/c"]))
def test_what_is_given_or_written_about_the_job_is_no_result(top: str, before: str, name: str) -> None:
    assert not is_result(f"{before}{top}{name}")


def looking(workspace: Workspace, **fields: Any) -> Looking:
    return Looking(workspace, (), **{"changed": frozenset({"output/a.md"}), **fields})


def standing(workspace: Workspace, fields: dict[str, Any], **seen: Any) -> Standing:
    return carried_out(check(**fields), looking(workspace, **seen)).standing


def test_how_each_kind_stands(workspace: Workspace) -> None:
    file, quote = (
        {"kind": "file", "path": "output/a.md"},
        {"kind": "quote", "path": "documents/policy.md", "quote": "not shared"},
    )
    command, query = {"kind": "command", "command": "pytest"}, {"kind": "query", "query": "RETURN 2", "least": 2}
    assert standing(workspace, {}) is Standing.OPEN, "code proves no judgement"
    assert standing(workspace, file) is Standing.PROVEN
    assert standing(workspace, file, changed=frozenset()) is Standing.FAILED, "it was there before"
    assert standing(workspace, {**file, "headings": ["Fines"]}) is Standing.FAILED
    assert standing(workspace, quote) is Standing.PROVEN
    assert standing(workspace, {**quote, "quote": "are shared freely"}) is Standing.FAILED
    assert standing(workspace, command) is Standing.FAILED, "it did not run since the last change"
    assert standing(workspace, command, has_run=lambda said: said == "pytest") is Standing.PROVEN
    assert (
        standing(workspace, query) is Standing.FAILED
        and standing(workspace, query, count=lambda _: 1) is Standing.FAILED
    )
    assert standing(workspace, query, count=lambda _: 2) is Standing.PROVEN


def test_failures_become_findings_about_their_check(workspace: Workspace) -> None:
    failed = carried_out(check(kind="file", path="output/never.md"), looking(workspace))
    (finding,) = failures([failed, carried_out(check(), looking(workspace))])
    assert finding.about == "the file is right" and "is not there" in finding.says


def test_a_milestone_names_its_results_in_words_and_checks() -> None:
    checks = [check(kind="file", path="./output/b.csv"), check(says="output/c.md lists them")]
    assert named_by("A reader opens output/a.md and sees all", checks) == ["output/b.csv", "output/a.md", "output/c.md"]
    assert not_there(["output/b.csv", "output/c.md"], ["output/parts/b.json"]) == ["output/c.md"]


def test_quotes_of_inputs_alone_show_nothing_that_was_made() -> None:
    quote = check(kind="quote", path="documents/policy.md", quote="not shared")
    assert shows_nothing_made([quote]) and not shows_nothing_made([quote, check()])
    assert not shows_nothing_made([check(kind="quote", path="output/a.md", quote="keep")])


def test_a_workspace_outside_is_no_place_for_a_result(tmp_path: Path) -> None:
    assert cannot_be_carried_out(check(kind="file", path="/etc/passwd"), Workspace(tmp_path), False, False)
