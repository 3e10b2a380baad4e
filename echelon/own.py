"""A user's own types of job: where their folders are, and loading their modules below a name of their own.

A type stands in `./crews/<name>/` of the folder where it is started, or in a package that offers it as an entry point of the
group `echelon.job_types`. Only the type that a job names is loaded: nothing of a folder runs because somebody stands in it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.metadata import entry_points
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType

from echelon.errors import UserError

GROUP = "echelon.job_types"
BUILT_IN = Path(__file__).parent / "crews"

_loaded: dict[str, tuple[Path, str]] = {}
"""Folder and package name of each own type that this process has loaded, by the type's name."""


def found(name: str, beside: Path | None = None) -> Path | None:
    """The folder of the user's own type of job `name`, None where there is none (or where it is one of ours)."""
    if not name.isidentifier() or (BUILT_IN / name).is_dir():
        return None
    mine = (beside or Path.cwd()) / "crews" / name
    if (mine / "job_type.py").is_file():
        return mine.resolve()
    for entry in entry_points(group=GROUP, name=name):
        spec = find_spec(entry.value)
        if spec is not None and spec.submodule_search_locations:
            return Path(spec.submodule_search_locations[0]).resolve()
    return None


def load(folder: Path) -> None:
    """Make a type of job known to this process. Raises UserError where another of its name is, or where it is gone."""
    name = folder.name
    before = _loaded.get(name)
    if before is not None and before[0] == folder:
        return
    if before is not None:
        raise UserError(f"The job type '{name}' of {folder} cannot be used beside that of {before[0]}.")
    if not (folder / "job_type.py").is_file():
        raise UserError(f"The job type '{name}' is not in {folder} any more.")
    _loaded[name] = (folder, _package(folder))


def _package(folder: Path) -> str:
    """The name of the package that the modules of a folder are imported from."""
    for entry in entry_points(group=GROUP, name=folder.name):
        spec = find_spec(entry.value)
        if spec is not None and folder in map(Path, spec.submodule_search_locations or ()):
            return entry.value
    name = f"echelon_own_{folder.name}"
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    sys.modules[name] = module_from_spec(spec)
    return name


def modules(module: str) -> dict[str, ModuleType]:
    """A module of each own type that is loaded and has it, by the type's name. Raises UserError for one that fails."""
    there: dict[str, ModuleType] = {}
    for name, (folder, package) in sorted(_loaded.items()):
        if (folder / f"{module}.py").is_file():
            try:
                there[name] = import_module(f"{package}.{module}")
            except Exception as error:  # whatever a user's own code does wrong is told, not traced
                raise UserError(f"{folder / module}.py cannot be used: {type(error).__name__}: {error}.") from error
    return there


def loaded() -> tuple[str, ...]:
    """Names of the own types that are loaded, sorted."""
    return tuple(sorted(_loaded))
