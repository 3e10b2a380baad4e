"""Imports point one way, without circles: main -> faces -> service -> crews -> agents, tasks, tools -> echelon."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
LIBRARY = "echelon"
MAY_IMPORT: dict[str, frozenset[str]] = {
    "echelon": frozenset(),
    "tasks": frozenset({"echelon"}),
    "tools": frozenset({"echelon", "tasks"}),
    "agents": frozenset({"echelon", "tasks", "tools"}),
    "crews": frozenset({"echelon", "tasks", "tools", "agents"}),
    "service": frozenset({"echelon", "tasks", "tools", "agents", "crews"}),
    "faces": frozenset({"echelon", "tasks", "tools", "agents", "crews", "service"}),
    "main": frozenset({"echelon", "tasks", "tools", "agents", "crews", "service", "faces"}),
}
"""What each layer may import besides itself and other people's packages. Among the middle layers a contract (tasks)
knows no tool, and a tool knows no role."""
DOORS = frozenset({"echelon", "echelon.__main__"})
"""The names that users import and run: they pass on what stands above."""
ROOMS = frozenset(MAY_IMPORT) - {LIBRARY, "main"}
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
MOST_FILES = 12


def name_of(path: Path) -> str:
    """The name that a file of the repository is imported by."""
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts if parts[0] in (LIBRARY, "main") else (LIBRARY, *parts))


@functools.cache
def modules() -> dict[str, Path]:
    """Every module of ours by its name."""
    folders = sorted({*ROOMS, LIBRARY})
    paths = [p for folder in folders for p in sorted((REPOSITORY / folder).rglob("*.py")) if not in_a_link(p)]
    return {name_of(p): p for p in (*paths, REPOSITORY / "main.py")}


def in_a_link(path: Path) -> bool:
    """Whether a file is seen through one of the links of `echelon/` to the folders beside it."""
    parts = path.relative_to(REPOSITORY).parts
    return parts[0] == LIBRARY and (REPOSITORY / LIBRARY / parts[1]).is_symlink()


def layer_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS else parts[0]


def imports_of(path: Path, *, at_load: bool = False) -> Iterator[str]:
    """Modules of ours that a file imports: anywhere in it, or only what is imported when it is loaded."""
    for node in imported_nodes(ast.parse(path.read_text(encoding="utf-8")), at_load):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            assert node.level == 0, f"{path} has a relative import"
            module = node.module or ""
            names = [f"{module}.{a.name}" if f"{module}.{a.name}" in modules() else module for a in node.names]
        yield from (name for name in names if name in modules())


def imported_nodes(tree: ast.AST, at_load: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif at_load and (isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_for_types(node)):
            continue
        else:
            yield from imported_nodes(node, at_load)


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_imports_point_one_way(layer: str) -> None:
    wrong = {
        f"{module} imports {name}"
        for module, path in modules().items()
        if layer_of(module) == layer and module not in DOORS
        for name in imports_of(path)
        if layer_of(name) not in MAY_IMPORT[layer] | {layer}
    }
    assert not wrong


def test_no_module_is_imported_by_what_it_imports() -> None:
    arrows = {name: set(imports_of(path)) - {name} for name, path in modules().items() if name not in DOORS}
    assert not circles(arrows)


def circles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """Modules that reach themselves, as the paths that lead there."""
    found: list[list[str]] = []
    done: set[str] = set()

    def visit(name: str, trail: list[str]) -> None:
        if name in trail:
            found.append([*trail[trail.index(name) :], name])
        elif name not in done:
            for target in sorted(arrows.get(name, ())):
                visit(target, [*trail, name])
            done.add(name)

    for name in sorted(arrows):
        visit(name, [])
    return found


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == [["a", "b", "c", "a"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_no_folder_holds_more_files_than_one_looks_over() -> None:
    folders = {p.parent for p in modules().values()}
    full = {
        str(folder.relative_to(REPOSITORY)): count
        for folder in folders
        if not any(p.is_dir() and (p / "__init__.py").exists() for p in folder.iterdir())
        and (count := sum(p.name != "__init__.py" for p in folder.glob("*.py"))) > MOST_FILES
    }
    assert not full


def test_nothing_imports_tests_or_benchmarks() -> None:
    for path in modules().values():
        for node in imported_nodes(ast.parse(path.read_text(encoding="utf-8")), at_load=False):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            assert not {n.split(".")[0] for n in names} & {"tests", "configs", "benchmarks", "examples"}, path


def test_domains_do_not_know_jobs() -> None:
    """The algorithms are usable without a job: of the library they see the ground floor and each other."""
    for module, path in modules().items():
        if module.startswith("echelon.domains."):
            wrong = [
                n for n in imports_of(path) if n.startswith(("echelon.engine", "echelon.store", "echelon.experiments"))
            ]
            assert not wrong, f"{module}: {wrong}"


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
        "main",
        "echelon",
        "echelon.service.api",
        "echelon.crews.hierarchy.states",
        "echelon.settings",
        "echelon.errors",
        "echelon.engine.workspace",
        "echelon.tasks.contracts",
        "echelon.agents.roster",
        "echelon.crews.tool_sets",
    ],
)
def test_what_is_slow_is_imported_where_it_is_used(module: str) -> None:
    assert not modules_loaded_by(module) & set(SLOW)


def test_importing_settings_does_not_even_load_the_database() -> None:
    assert "sqlalchemy" not in modules_loaded_by("echelon.settings")


def test_the_command_line_knows_its_words_without_loading_models_of_data() -> None:
    assert not {"pydantic", "yaml", "sqlalchemy"} & modules_loaded_by("echelon.faces.cli.commands")
