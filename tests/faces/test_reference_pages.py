"""The reference pages say what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from echelon.crews.tool_sets import all_tools
from echelon.faces.cli.commands import parser
from echelon.faces.reference.pages import PAGES, commands_page, settings_page, tools_page

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
AGAIN = "write them again with: python -m echelon.faces.reference.pages docs/reference"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_up_to_date(name: str) -> None:
    assert (FOLDER / f"{name}.md").read_text(encoding="utf-8") == PAGES[name](), AGAIN


def test_settings_are_named_as_they_are_given() -> None:
    page = settings_page()
    assert "| `budget.cost` | number or `unlimited` | `5.0` | US dollars |" in page
    assert "| `todos.most` | whole number | `20` |" in page
    assert "| `job` | text | required |" in page


def test_every_tool_and_every_command_has_its_place() -> None:
    assert all(f"\n## {name}\n" in tools_page() for name in all_tools())
    assert all(f"\n## echelon {name}\n" in commands_page() for name in parser().get_default("names"))


def test_no_table_is_broken_by_its_cells() -> None:
    for page in PAGES.values():
        rows = [line for line in page().splitlines() if line.startswith("|")]
        assert rows and all(line.endswith("|") for line in rows)
