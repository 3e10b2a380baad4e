"""What is small and seen at once: the version, quiet runs, jobs by a part of their name, completion, removing."""

from __future__ import annotations

import json

import pytest

import echelon
from tests.cli.command import Shell

RULES = "# 1 Rules\n\n1.1 The unit shall keep an inventory.\n"


def test_the_version(shell: Shell) -> None:
    version, here = shell.all_of([["--version"], ["jobs", "--version"]])
    assert (version.code, version.out, version.err) == (0, f"echelon {echelon.__version__}\n", "")
    assert here.code == 2


def test_a_quiet_run_says_how_it_ended_and_the_job_is_found_and_removed(shell: Shell) -> None:
    (shell.folder / "rules.md").write_text(RULES, encoding="utf-8")
    quiet = shell.echelon("run", "creator", "rules.md", "--quiet")
    assert (quiet.code, quiet.err) == (0, "")
    first, *more = quiet.out.strip().splitlines()
    job = first.split()[1]
    assert first == f"Job {job} is completed" and len(more) < 12
    last, part, removed, gone = shell.all_of(
        [["show", "last", "--json"], ["cost", job[:-3], "--json"], ["remove", job[-8:]], ["jobs", "--json"]]
    )
    assert json.loads(last.out)["job"] == json.loads(part.out)["job"] == job
    assert (removed.code, removed.out) == (0, f"Job {job} is removed.\n")
    assert json.loads(gone.out) == []
    assert not (shell.folder / ".echelon" / "jobs" / job).exists()


def test_a_report_is_opened_in_the_browser_that_there_is(shell: Shell) -> None:
    (shell.folder / "rules.md").write_text(RULES, encoding="utf-8")
    script = shell.folder / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" > {shell.folder}/opened\n', encoding="utf-8")
    script.chmod(0o755)
    run = shell.with_(BROWSER=f"{script} %s").echelon("run", "creator", "rules.md", "--quiet", "--open")
    assert run.code == 0, run.err
    assert (shell.folder / "opened").read_text(encoding="utf-8").strip().endswith("/output/report.html")


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_completion_knows_the_commands(shell: Shell, name: str) -> None:
    outcome = shell.echelon("completion", name)
    assert (outcome.code, outcome.err) == (0, "")
    assert all(word in outcome.out for word in ("resume", "doctor", "--quiet"))
