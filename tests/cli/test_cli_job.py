"""A job that completes: what a person and a program read of it, and what can no longer be done with it."""

from __future__ import annotations

import csv
import json
import subprocess

import pytest

from tests.cli.command import Shell
from tests.cli.conftest import Finished

FILES = [
    "report.html", "requirements.csv", "requirements.json", "requirements.md", "requirements.reqif",
    "requirements.xlsx", "summary.md",
]  # fmt: skip


def test_progress_and_summary_are_plain_lines_without_a_terminal(finished: Finished) -> None:
    lines = finished.outcome.out.splitlines()
    assert lines[0] == f"job {finished.job} · model playbook (rules, no language model; --model openai/<name> uses one)"
    assert "read Über Fristen, Teil 1.pdf (2 pages) · 0 calls, 0 tokens, $0.0000" in lines[1]
    assert any("scope with 1 milestone" in line for line in lines)
    assert any("milestone 1 of 1 reached" in line for line in lines)
    assert f"Job {finished.job} is completed" in lines
    assert "\x1b" not in finished.outcome.out and finished.outcome.err == ""


def test_the_summary_says_what_where_and_for_how_much(finished: Finished) -> None:
    summary = finished.outcome.out.split(f"Job {finished.job} is completed\n")[1]
    facts = {line.split()[0]: line.split(maxsplit=1)[1] for line in summary.splitlines() if line[2] != " "}
    assert facts["requirements"] == "12"
    assert "7 obligation" in facts["by"]
    assert facts["files"] == f"{finished.out}/"
    assert all(name in summary for name in FILES)
    assert facts["cost"].startswith("$0.0000 · ") and facts["cost"].endswith(" · model playbook")
    assert facts["escalated"] == "nothing"


def test_all_deliverables_are_copied_and_agree(finished: Finished) -> None:
    assert sorted(p.name for p in finished.out.iterdir()) == FILES
    value = json.loads((finished.out / "requirements.json").read_text(encoding="utf-8"))
    ids = [r["id"] for r in value["requirements"]]
    assert value["job"] == finished.job and len(ids) == 12
    with (finished.out / "requirements.csv").open(encoding="utf-8-sig", newline="") as f:
        assert [row["id"] for row in csv.DictReader(f)] == ids
    for name in ("requirements.md", "requirements.reqif", "report.html"):
        text = (finished.out / name).read_text(encoding="utf-8")
        assert all(i in text for i in ids), name
    summary = (finished.out / "summary.md").read_text(encoding="utf-8")
    assert all(f"- {name}: " in summary for name in FILES)


def test_requirements_md_comes_from_the_exports(finished: Finished) -> None:
    text = (finished.out / "requirements.md").read_text(encoding="utf-8")
    assert text.startswith("# Requirements\n\n| modality | requirements |\n")


def test_jobs_and_show_read_well(finished: Finished) -> None:
    jobs, show = finished.shell.all_of([["jobs"], ["show", finished.job]])
    header, row = jobs.out.splitlines()
    assert header.split() == ["JOB", "STATE", "ROUNDS", "CALLS", "COST", "CREATED", "ABOUT"]
    assert row.startswith(f"{finished.job}  completed  1 ")
    assert header.index("ABOUT") == row.index("Über Fristen, Teil 1.pdf")
    first, *facts = show.out.splitlines()
    assert first == f"Job {finished.job} is completed"
    assert ["inputs", "Über Fristen, Teil 1.pdf"] in [line.split(maxsplit=1) for line in facts]
    assert len({len(line) - len(line[2:].lstrip()) for line in facts if line.startswith("   ")}) == 1


def test_everything_is_one_json_value_on_request(finished: Finished) -> None:
    commands = [["jobs", "--json"], ["show", finished.job, "--json"], ["doctor", "--json"]]
    jobs, show, doctor = (json.loads(o.out) for o in finished.shell.all_of(commands))
    assert [(row["job"], row["state"], row["cost"]) for row in jobs] == [(finished.job, "completed", 0.0)]
    assert [step["number"] for step in show["steps"]] == list(range(1, len(show["steps"]) + 1))
    assert {check["state"] for check in doctor} <= {"ok", "missing"}


def test_nothing_more_can_be_done_with_a_completed_job(finished: Finished) -> None:
    job = finished.job
    commands = [["resume", job], ["resume"], ["cancel", job], ["answer", job, "yes"], ["approve", job], ["reject", job]]
    outcomes = finished.shell.all_of(commands)
    assert [o.code for o in outcomes] == [2] * len(commands)
    assert [o.sentence for o in outcomes] == [
        f"Job {job} is completed; there is nothing to go on with.",
        "There is no job to go on with; start one with 'echelon run creator FILE'.",
        f"Job {job} is completed already.",
        *[f"Job {job} asks nothing: it is completed."] * 3,
    ]


def test_an_unknown_job_is_named_with_the_nearest(finished: Finished) -> None:
    wrong = finished.job[:-1] + ("0" if finished.job[-1] != "0" else "1")
    commands = [["show", wrong], ["resume", wrong], ["cancel", wrong], ["answer", wrong, "yes"], ["reject", "zzz"]]
    outcomes = finished.shell.all_of(commands)
    near = f"Unknown job '{wrong}'; did you mean '{finished.job}'?"
    assert [o.sentence for o in outcomes] == [near] * 4 + [f"Unknown job 'zzz'; known: {finished.job}."]
    assert {o.code for o in outcomes} == {2}


def test_the_git_repository_around_the_jobs_is_left_alone(finished: Finished) -> None:
    git = ["git", "-c", "core.quotepath=off", "-C", str(finished.shell.folder)]
    status = subprocess.run([*git, "status", "--porcelain"], capture_output=True, encoding="utf-8", check=True).stdout
    assert sorted(status.splitlines()) == ['?? "Über Fristen, Teil 1.pdf"', "?? results/"]
    assert subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, check=False).returncode != 0
    own = ["git", "-C", str(finished.shell.folder / ".echelon" / "jobs" / finished.job), "log", "--format=%s"]
    assert "Deliver the results" in subprocess.run(own, capture_output=True, text=True, check=True).stdout


def test_jobs_are_found_from_another_folder_and_by_a_dotenv_file(finished: Finished, shell: Shell) -> None:
    home = str(finished.shell.folder / ".echelon")
    assert finished.job in shell.with_(ECHELON_HOME=home).echelon("jobs").out
    (shell.folder / ".env").write_text(f"ECHELON_HOME={home}\n")
    assert finished.job in shell.echelon("jobs").out


@pytest.mark.parametrize("command", ["jobs", "show"])
def test_a_reader_that_stops_early_is_no_error(finished: Finished, command: str) -> None:
    arguments = [command, finished.job] if command == "show" else [command]
    with finished.shell.start(*arguments, "--json") as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.wait(timeout=60) in (0, 1)
        assert process.stderr.read() == ""


def test_a_job_that_goes_on_delivers_where_it_was_told_to_at_first(shell: Shell) -> None:
    (shell.folder / "a.md").write_text("# Rules\n\n1.1 The clerk shall lock the door.\n\n1.2 Nobody shall open it.\n")
    limited = shell.echelon("run", "creator", "a.md", "--out", "results", "--set", "budget.model_calls=12")
    assert (limited.code, limited.err) == (3, "")
    elsewhere = shell.folder / "elsewhere"
    elsewhere.mkdir()
    other = Shell(elsewhere).with_(ECHELON_HOME=str(shell.folder / ".echelon"))
    resumed = other.echelon("resume", "--set", "budget.model_calls=500", "--json")
    assert resumed.code == 0
    delivered = json.loads((shell.folder / "results" / "requirements.json").read_text())["requirements"]
    assert [r["source_id"] for r in delivered] == ["1.1", "1.2"]
    assert str(shell.folder / "results" / "requirements.json") in json.loads(resumed.out)["outputs"]
