"""The examples run as they stand, in a process of their own."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.forked import ran
from tests.support.raw_server import raw_server

REPOSITORY = Path(__file__).parents[1]
EXAMPLES = sorted((REPOSITORY / "examples").glob("*.py"))
SAMPLE = REPOSITORY / "knowledge" / "records-retention-policy-2pages.pdf"
RUN_JOB = REPOSITORY / "examples" / "run_job.py"
AT_THE_TOP = "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"


def environment(home: Path) -> dict[str, str]:
    """That of a script with an empty home, which is made."""
    home.mkdir(exist_ok=True)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ECHELON_", "OPENAI_"))}
    return {**kept, "ECHELON_HOME": str(home), "PYTHONPATH": str(REPOSITORY)}


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`examples/run_job.py` in an empty folder."""
    return ran(AT_THE_TOP, str(RUN_JOB), *arguments, cwd=home, env=environment(home))


def test_the_example_finds_the_requirements_of_the_sample(tmp_path: Path) -> None:
    """Started as a user starts it, where nobody has told crewai to be silent: nothing leaves this machine."""
    home = tmp_path / "home"
    asked: list[object] = []
    with raw_server(lambda connection: asked.append(connection.getpeername())) as address:  # a proxy, for who asks it
        told = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), address)
        quiet = {k: v for k, v in environment(home).items() if not k.startswith(("CREWAI_", "OTEL_"))}
        done = subprocess.run(
            [sys.executable, str(RUN_JOB)], env=quiet | told | {"NO_PROXY": ""}, cwd=home, capture_output=True,
            text=True, timeout=300, check=False,
        )  # fmt: skip
    assert asked == []
    assert (done.returncode, done.stderr) == (0, "")
    first, figures, *outputs = done.stdout.splitlines()
    assert ": completed after " in first and "for $0.00" in first
    results = {Path(path).name: Path(path) for path in outputs}
    value = json.loads(results["requirements.json"].read_text(encoding="utf-8"))
    accepted = [r for r in value["requirements"] if r["status"] == "accepted"]
    assert figures.startswith(f"{len(accepted)} requirements: ") and accepted
    assert {"requirements.md", "summary.md"} <= set(results)


def test_the_example_takes_files_of_ones_own(tmp_path: Path) -> None:
    mine = tmp_path / "Prüfplan 1.md"
    mine.write_text("# 1 Rules\n\n1.1 The unit shall keep an inventory.\n", encoding="utf-8")
    done = run(tmp_path / "home", str(mine))
    assert done.returncode == 0, done.stderr
    assert "1 requirements: {'obligation': 1}" in done.stdout


def test_a_file_that_is_not_there_is_one_sentence_at_the_end(tmp_path: Path) -> None:
    """Scripts get a typed error: its last line says what is wrong."""
    done = run(tmp_path / "home", str(tmp_path / "missing.pdf"))
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].startswith("echelon.errors.UserError: There is no file")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_an_example_is_about_ten_lines(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) <= 15
