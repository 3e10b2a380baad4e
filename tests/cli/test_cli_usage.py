"""Bad usage: one sentence that says what is wrong and what to do, exit code 2, and nothing is made."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from echelon.faces.cli.commands import ELSEWHERE, parser
from tests.cli.command import Shell

NAMES: list[str] = parser().get_default("names")


def refused(shell: Shell, expected: Mapping[str, str]) -> None:
    """Each command line must be refused with a sentence that has these words, and make nothing."""
    before = sorted(shell.folder.rglob("*"))
    outcomes = shell.all_of([line.split() for line in expected])
    assert sorted(shell.folder.rglob("*")) == before
    for (line, says), outcome in zip(expected.items(), outcomes, strict=True):
        assert (outcome.code, outcome.out) == (2, ""), line
        assert says in outcome.sentence, line


def test_bad_usage(shell: Shell) -> None:
    (shell.folder / "a.md").write_text("The clerk shall sign.")
    refused(shell, {
        "": "Say what to do, such as 'echelon run creator FILE.pdf'",
        "runn": "Unknown command 'runn'; did you mean 'run'?",
        "list": "Unknown command 'list'; did you mean 'jobs'?",
        "run": "required: TYPE",
        "run creator a.md --reqest x": "Unrecognized arguments: --reqest x",
        "run creator a.md --request x --instructions y": "not allowed with argument --request",
        "resume": "There are no jobs in ",
        "show creator-1": "There are no jobs in ",
        "show creator-1 --json": "There are no jobs in ",
        "cancel creator-1": "There are no jobs in ",
        "answer creator-1 yes": "There are no jobs in ",
        "approve creator-1": "There are no jobs in ",
    })  # fmt: skip


def test_what_other_programs_call_a_command_is_none_here_and_names_one() -> None:
    assert not ELSEWHERE.keys() & set(NAMES) and set(ELSEWHERE.values()) <= set(NAMES)


def test_bad_settings(shell: Shell) -> None:
    (shell.folder / "a.md").write_text("The clerk shall sign.")
    (shell.folder / "blank.txt").write_text("\n")
    (shell.folder / "latin.txt").write_bytes("Prüfe".encode("latin-1"))
    settings = {
        "--model opnai/x": "Unknown model 'opnai/x'; did you mean 'openai/<name>'?",
        "--model openai/x": "needs OPENAI_API_KEY",
        "--set budgt.cost=2": "'budgt'; did you mean 'budget'?",
        "--set budget.cots=2": "'budget.cots'; did you mean 'budget.cost'?",
        "--set budget.cost=lots": "'budget.cost'",
        "--set budget.model_calls=-1": "'budget.model_calls'",
        "--set budget": "'budget' is not of the form key=value.",
        "--set budget.cost=[1": "The value of 'budget.cost' cannot be read",
        "--instructions none.txt": "none.txt cannot be read as text: No such file or directory.",
        "--instructions blank.txt": "blank.txt is empty; write what is asked for into it.",
        "--instructions latin.txt": "latin.txt cannot be read as text: it is not UTF-8.",
        "--out blank.txt": "blank.txt is a file; --out needs a folder.",
    }
    refused(shell, {f"run creator a.md {more}": says for more, says in settings.items()})


def test_bad_files(shell: Shell) -> None:
    (shell.folder / "a.md").write_text("The clerk shall sign.")
    (shell.folder / "empty.pdf").touch()
    with (shell.folder / "big.pdf").open("wb") as f:
        f.truncate(300_000_000)
    refused(shell, {
        "run creator none.pdf": "There is no file none.pdf.",
        "run creator none.pdf --json": "There is no file none.pdf.",
        "run creator a.md none.pdf": "There is no file none.pdf.",
        "run creator .": ". is a folder; name the files in it.",
        "run creator empty.pdf": "empty.pdf is empty.",
        "run creator big.pdf": "big.pdf has 300 MB; the most is 200 MB (inputs.max_megabytes).",
        "run creator": "needs at least 1 input file",
        "run creatr a.md": "did you mean 'creator'?",
    })  # fmt: skip


def test_looking_at_nothing_makes_nothing(shell: Shell) -> None:
    text, value = shell.all_of([["jobs"], ["jobs", "--json"]])
    assert (text.code, text.err) == (0, "")
    assert text.out == "There are no jobs; start one with: echelon run creator FILE.pdf\n"
    assert json.loads(value.out) == []
    assert not list(shell.folder.iterdir())


def test_help_lists_every_command_and_exit_code(shell: Shell) -> None:
    outcome = shell.echelon("--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert all(re.search(rf"^    {name}\s", outcome.out, re.MULTILINE) for name in NAMES)
    assert "130 interrupted" in outcome.out


def test_every_command_has_a_help_text(shell: Shell) -> None:
    for name, outcome in zip(NAMES, shell.all_of([[name, "--help"] for name in NAMES]), strict=True):
        assert (outcome.code, outcome.err) == (0, ""), name
        assert outcome.out.startswith(f"usage: echelon {name} ")
        says = " ".join(outcome.out.split("\n\n")[1].split())
        assert says[0].isupper() and says.endswith("."), name
        assert "--json" in outcome.out and "exit codes: " in outcome.out
