"""What .env.example and CONTRIBUTING.md name is there."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from dotenv import dotenv_values

ROOT = Path(__file__).parents[2]
PACKAGES = ["agents", "crews", "echelon", "tasks", "tools"]
VARIABLE = re.compile(r"\b(?:ECHELON|OPENAI|TAVILY|NEO4J|CREWAI)_[A-Z_]+\b")


def example() -> str:
    return (ROOT / ".env.example").read_text(encoding="utf-8")


def uncommented() -> dict[str, str | None]:
    """The variables of the example as if somebody had uncommented all of them."""
    return dict(dotenv_values(stream=io.StringIO(re.sub(r"(?m)^# (?=[A-Z0-9_]+=)", "", example()))))


def test_a_copy_of_the_example_changes_nothing() -> None:
    assert dict(dotenv_values(stream=io.StringIO(example()))) == {}


def test_the_example_parses_when_it_is_uncommented() -> None:
    assert {"ECHELON_HOME", "ECHELON_DATABASE_URL", "OPENAI_API_KEY", "NEO4J_URI"} <= set(uncommented())


def test_each_variable_has_its_explanation() -> None:
    for block in example().strip().split("\n\n")[1:]:
        assert block.startswith("# ") and not re.match(r"# [A-Z0-9_]+=", block), block
        assert len(block.splitlines()) > 1, block


def test_every_variable_that_the_code_names_is_in_the_example() -> None:
    files = [ROOT / "main.py", *(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))]
    # Set by Echelon itself: the folder of the job, and what the fenced test runs of the coder are told.
    ours = {"CREWAI_STORAGE_DIR", "ECHELON_SPECTRUM_FILE", "ECHELON_SPECTRUM_ROOT", "ECHELON_TEST_SECONDS"}
    ours |= {"ECHELON_REPEAT", "ECHELON_WATCH_ROOT", "ECHELON_WATCH_RESULTS"}
    named = {name for path in files for name in VARIABLE.findall(path.read_text(encoding="utf-8"))}
    assert named - ours <= set(uncommented())


CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`((?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:py|md))`", CONTRIBUTING)))


@pytest.mark.parametrize("path", [path for path in PATHS if "NNN" not in path and not path.startswith("..")])
def test_what_contributing_names_is_there(path: str) -> None:
    assert (ROOT / path).exists() or (ROOT / "crews" / "creator" / path).exists(), path  # files of a type of job
