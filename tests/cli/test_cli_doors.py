"""What crewai's own commands call: the scripts kickoff, plot, test, replay and train; and the display on a terminal."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import xml.etree.ElementTree as ET

from echelon.crews.hierarchy.states import State
from tests.cli.command import SAMPLE, Shell
from tests.cli.conftest import Finished
from tests.support.forked import started

GOLD = json.loads(SAMPLE.with_suffix(".gold.json").read_text(encoding="utf-8"))


def on_a_terminal(shell: Shell, program: str) -> tuple[int, str]:
    """Run Python code on a pseudo-terminal of 100 columns; returns the exit code and what it wrote."""
    ours, theirs = pty.openpty()
    environment = shell.environment | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
    process = started(program, cwd=shell.folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    written = bytearray()
    with contextlib.suppress(OSError):  # the end of a pseudo-terminal
        while chunk := os.read(ours, 65536):
            written += chunk
    os.close(ours)
    return process.wait(timeout=120), written.decode("utf-8")


def test_kickoff_runs_the_sample_and_a_terminal_shows_a_panel(shell: Shell) -> None:
    code, written = on_a_terminal(shell, "import main; main.kickoff()")
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written)
    assert "\x1b[" in written and "╭─ creator-" in plain  # redrawn in place
    assert re.search(r"│ milestone +being defined", plain)
    assert re.search(r"│ milestone +1 of 1: ", plain)
    assert re.search(r"│ spent +\d+ calls, [\d,]+ tokens, \$0\.0000 · \d\d:\d\d", plain)
    assert re.search(r"Job creator-\w{8} is completed", plain)
    assert re.search(r"requirements +79", plain)
    assert not re.search(r"^\[\d\d:\d\d\]", plain, re.MULTILINE)  # the panel is all that is shown while it runs


def test_plot_writes_a_page_that_needs_nothing_else(shell: Shell) -> None:
    outcome = shell.call("plot")
    page = shell.folder / "echelon-states.html"
    assert (outcome.code, outcome.out, outcome.err) == (0, f"{page}\n", "")
    text = page.read_text(encoding="utf-8")
    assert not [state for state in State if state.name not in text]
    assert not re.search(r"(src|href)=\"(?!#)", text)
    ET.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])


def test_train_says_what_to_use_instead(shell: Shell) -> None:
    outcome = shell.call("train", "3", "agents.pkl")
    assert (outcome.code, outcome.err, outcome.out.count("\n")) == (0, "", 1)
    assert "crewai test" in outcome.out and "--set models.ROLE=NAME" in outcome.out


def test_test_runs_the_sample_and_scores_each_run(shell: Shell) -> None:
    outcome = shell.call("test", "2", "playbook")
    first, second, mean = map(json.loads, outcome.out.splitlines())
    assert (outcome.code, outcome.err) == (0, "")
    for number, line in enumerate((first, second), 1):
        assert (line["run"], line["state"], line["model"]) == (number, "completed", "playbook")
        assert line["gold"] == len(GOLD)
        assert line["f1"] >= 0.95
    assert first["f1"] == second["f1"] == mean["mean_f1"] == mean["lowest_f1"]
    assert (mean["runs"], mean["completed"]) == (2, 2)
    assert first["job"] != second["job"]


def test_replay_goes_on_from_a_step_as_a_new_job(finished: Finished, shell: Shell) -> None:
    """In a copy of the finished job's folder, as it makes a job more."""
    import shutil

    shutil.copytree(finished.shell.folder, shell.folder, dirs_exist_ok=True)
    old = json.loads(shell.echelon("show", finished.job, "--json").out)
    middle = len(old["steps"]) // 2
    outcome = shell.call("replay", str(middle))
    assert (outcome.code, outcome.err) == (0, "")
    recorded = sum(step["kind"] == "model" for step in old["steps"][: middle - 1])
    job = outcome.out.split()[1]
    assert outcome.out == (
        f"Job {job} took {recorded} recorded answers of {finished.job} and went on from step {middle}: completed. "
        f"See: echelon show {job}\n"
    )
    new = json.loads(shell.echelon("show", job, "--json").out)
    assert new["model"] == f"replay/{finished.job},{recorded},playbook/creator"
    assert [(s["kind"], s["name"], s["role"]) for s in new["steps"]] == [
        (s["kind"], s["name"], s["role"]) for s in old["steps"]
    ]


def test_replay_refuses_what_it_cannot_replay(finished: Finished, shell: Shell) -> None:
    nothing = shell.call("replay", "3")
    assert (nothing.code, nothing.sentence) == (2, "There is no job to replay; run one first.")
    wrong = finished.shell.call("replay", "scope_task")
    assert wrong.code == 2
    assert wrong.sentence.startswith(f"'scope_task' is no step of {finished.job}; give a number from 1 to ")
    number = shell.call("test", "none")
    assert (number.code, number.sentence) == (2, "'none' is no number of runs; give 1 or more.")
