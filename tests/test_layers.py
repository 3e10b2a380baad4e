"""Imports point one way: main -> crews -> agents, tasks, tools -> echelon; and what is slow to import stays out."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
MAY_IMPORT: dict[str, frozenset[str]] = {
    "echelon": frozenset(),
    "tasks": frozenset({"echelon"}),
    "tools": frozenset({"echelon", "tasks"}),
    "agents": frozenset({"echelon", "tasks", "tools"}),
    "crews": frozenset({"echelon", "tasks", "tools", "agents"}),
    "main": frozenset({"echelon", "tasks", "tools", "agents", "crews"}),
}
"""What each layer may import besides itself and other people's packages. Among the three middle layers a contract
(tasks) knows no tool, and a tool knows no role."""

OURS = frozenset(MAY_IMPORT)
SLOW = (
    "crewai",
    "langchain_core",
    "langchain_openai",
    "pandas",
    "numpy",
    "scipy",
    "wordllama",
    "kglite",
    "pdfplumber",
    "dbos",
)


def files_of(layer: str) -> list[Path]:
    single = REPOSITORY / f"{layer}.py"
    return [single] if single.exists() else sorted((REPOSITORY / layer).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Top-level names that a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names.add((node.module or "").split(".")[0])
    return names


@pytest.mark.parametrize("layer", [name for name in MAY_IMPORT if files_of(name)])
def test_imports_point_one_way(layer: str) -> None:
    wrong = {
        f"{path.relative_to(REPOSITORY)} imports {name}"
        for path in files_of(layer)
        for name in (imported(path) & OURS) - MAY_IMPORT[layer] - {layer}
    }
    assert not wrong


def test_nothing_imports_tests_or_configs() -> None:
    for layer in MAY_IMPORT:
        for path in files_of(layer):
            assert not imported(path) & {"tests", "configs", "benchmarks", "examples"}, path


def test_domains_do_not_know_the_store_or_durable_steps() -> None:
    """The algorithms are usable without a job: of the engine they see at most errors, files, digests and settings."""
    allowed = {"errors", "files", "digest", "settings", "tokens"}
    for path in sorted((REPOSITORY / "echelon" / "domains").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("echelon.engine", "echelon.store")):
                assert (node.module or "").removeprefix("echelon.engine.") in allowed, f"{path}: {node.module}"


def modules_loaded_by(module: str) -> set[str]:
    """Names in `sys.modules` of a fresh interpreter that imported `module`."""
    code = f"import sys, {module}; print('\\n'.join(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=120
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        *(["main"] if files_of("main") else []),
        "crews",
        "crews.states",
        "echelon.engine.settings",
        "echelon.engine.errors",
        "echelon.engine.workspace",
        "tasks.contracts",
        "agents.roster",
        "tools.shelf",
    ],
)
def test_what_is_slow_is_imported_where_it_is_used(module: str) -> None:
    assert not modules_loaded_by(module) & set(SLOW)


def test_importing_settings_does_not_even_load_the_database() -> None:
    assert "sqlalchemy" not in modules_loaded_by("echelon.engine.settings")
