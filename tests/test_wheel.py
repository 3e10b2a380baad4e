"""What is installed: one import name, one command, and nothing that another package or a script's own folder could hide."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
KEPT = ("README.md", "LICENSE", "pyproject.toml", "main.py")
FOLDERS = ("echelon", "crews", "agents", "tasks", "tools", "configs", "knowledge", "service", "faces")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of what belongs to it, without a network."""
    import shutil

    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    for name in KEPT:
        shutil.copy2(REPOSITORY / name, source / name)
    for name in FOLDERS:
        shutil.copytree(REPOSITORY / name, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(built)], cwd=source, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return next(built.glob("*.whl"))


def test_one_import_name_and_one_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as z:
        tops = {name.split("/")[0] for name in z.namelist()}
        commands = next(z.read(n).decode() for n in z.namelist() if n.endswith("entry_points.txt"))
    assert {top for top in tops if not top.endswith(".dist-info")} == {"echelon"}
    assert commands.split() == ["[console_scripts]", "echelon", "=", "echelon.faces.cli.main:cli"]


def test_everything_that_is_no_module_is_in_the_wheel(wheel: Path) -> None:
    tracked = subprocess.run(["git", "ls-files", *FOLDERS], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    files = [Path(p) for p in tracked.stdout.splitlines() if Path(p).suffix not in (".py", ".toml", "")]
    with zipfile.ZipFile(wheel) as z:
        names = set(z.namelist())
    assert files
    for path in files:
        inside = path if path.parts[0] == "echelon" else Path("echelon") / path
        assert inside.as_posix() in names, path


def test_a_script_with_folders_and_packages_of_the_same_names_runs_a_job(wheel: Path, tmp_path: Path) -> None:
    """A `tools` folder beside the script, and an `agents` package of somebody else, as openai-agents installs one."""
    installed, beside = tmp_path / "installed", tmp_path / "script"
    with zipfile.ZipFile(wheel) as z:
        z.extractall(installed)
    for folder in (beside / "tools", beside / "crews", installed / "agents"):
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("MINE = True\n", encoding="utf-8")
    (beside / "rules.md").write_text("# 1 Rules\n\n1.1 The unit shall keep an inventory.\n", encoding="utf-8")
    (beside / "mine.py").write_text(
        "import agents, crews, tools\n"
        "from echelon import __version__, run_job\n"
        "assert agents.MINE and crews.MINE and tools.MINE and __version__\n"
        "result = run_job('creator', inputs='rules.md')\n"
        "print(result.state, result.figures['requirements'])\n",
        encoding="utf-8",
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ECHELON_", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-P", str(beside / "mine.py")], cwd=beside, text=True, timeout=300, check=False,
        env={**environment, "PYTHONPATH": f"{beside}{os.pathsep}{installed}"}, capture_output=True,
    )  # fmt: skip
    assert done.stdout == "completed 1\n", done.stderr
