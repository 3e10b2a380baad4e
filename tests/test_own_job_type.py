"""A type of job of a user's own: one folder, found where it is started, loaded only when it is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.command import Shell

EXAMPLE = Path(__file__).parents[1] / "examples" / "own_job_type"
TERMS = """# Terms

"Record" means information that a unit keeps as evidence. “Board” means the records board.
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A folder with the example's type of job and a document."""
    folder = tmp_path / "here"
    shutil.copytree(EXAMPLE / "crews", folder / "crews", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "terms.md").write_text(TERMS, encoding="utf-8")
    return Shell(folder)


def test_the_example_runs_and_is_shown_and_goes_on_from_another_folder(shell: Shell, tmp_path: Path) -> None:
    first = shell.echelon("run", "glossary", "terms.md", "--set", "budget.model_calls=4")
    assert first.code == 3, first
    job = first.out.split("Job ")[1].split()[0]
    elsewhere = Shell(tmp_path, {"ECHELON_HOME": str(shell.folder / ".echelon")})
    done = elsewhere.echelon("resume", job, "--set", "budget.model_calls=100", "--out", "results")
    assert done.code == 0, done
    written = (tmp_path / "results" / "glossary.md").read_text(encoding="utf-8")
    assert (
        "- **Record**: information that a unit keeps as evidence (terms.md)\n- **Board**: the records board" in written
    )
    assert "terms" in done.out


def test_another_type_runs_beside_it_and_does_not_load_it(shell: Shell) -> None:
    (shell.folder / "crews" / "glossary" / "tools.py").write_text("raise SystemExit('loaded')\n", encoding="utf-8")
    (shell.folder / "rules.md").write_text("# 1 Rules\n\n1.1 The unit shall keep an inventory.\n", encoding="utf-8")
    done = shell.echelon("run", "creator", "rules.md", "--quiet")
    assert done.code == 0, done


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("job_type.py", "JOB_TYPE = nothing\n", "cannot be used: NameError: name 'nothing' is not defined."),
        ("tools.py", "TOOLS = (\n", "tools.py cannot be used: SyntaxError"),
        ("settings.yaml", "extends: defaults\njob: glosary\n", "Unknown job type 'glosary'"),
    ],
)
def test_what_is_wrong_with_it_is_one_sentence(shell: Shell, file: str, text: str, says: str) -> None:
    (shell.folder / "crews" / "glossary" / file).write_text(text, encoding="utf-8")
    outcome = shell.echelon("run", "glossary", "terms.md")
    assert outcome.code == 2 and says in outcome.sentence
    assert not list(shell.folder.glob(".echelon/jobs/*"))
