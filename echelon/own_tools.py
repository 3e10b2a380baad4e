"""A user's own tools: where each stands, and loading those that a job names.

A tool called `count_words` stands in `./tools/count_words.py` of the folder where the job is started, as `TOOL`, or in a
package that offers it as an entry point: group `echelon.tools`, name `count_words`, value `my_package.tools:COUNT_WORDS`.
Only what a job names is loaded: nothing runs because it lies there or is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from echelon.digest import digest
from echelon.errors import UserError

if TYPE_CHECKING:
    from echelon.engine.toolbox import Tool

GROUP = "echelon.tools"
OURS = Path(__file__).parent / "tools"
BEGINNINGS = ("submit_", "todo_")
"""How names of tools begin that end a phase or work on the todo list: those are gates, and none is a user's own"""


def found(name: str, beside: Path | None = None) -> str | None:
    """Where the user's own tool of this name is: a path, or `module:attribute`; None where there is none.

    Raises UserError where several packages offer one of this name.
    """
    folder = (beside or Path.cwd()) / "tools"
    if not name.isidentifier():
        return None
    if (mine := folder / f"{name}.py").is_file() and folder.resolve() != OURS.resolve():
        return str(mine.resolve())
    offered = sorted({entry.value for entry in entry_points(group=GROUP, name=name)})
    if len(offered) > 1:
        raise UserError(f"Several packages offer a tool '{name}' ({', '.join(offered)}); uninstall all but one.")
    return offered[0] if offered else None


def places(names: Iterable[str]) -> dict[str, str]:
    """Where the user's own tools of these names are; a name that nobody has is left out. Raises UserError."""
    there = {name: found(name) for name in sorted(set(names))}
    return {name: place for name, place in there.items() if place is not None}


def tools_of(known: Mapping[str, str]) -> dict[str, Tool]:
    """The tools that stand at these places, by name. Raises UserError for one that cannot be used."""
    return {name: _tool(name, place) for name, place in known.items()}


def _tool(name: str, place: str) -> Tool:
    from echelon.engine.toolbox import Tool

    try:
        there = _of_file(place, _text(place)) if place.endswith(".py") else EntryPoint(name, place, GROUP).load()
    except UserError:
        raise
    except Exception as error:  # whatever a user's own code does wrong is told, not traced
        raise UserError(f"The tool '{name}' of {place} cannot be used: {type(error).__name__}: {error}.") from error
    if not isinstance(there, Tool) or there.name != name:
        raise UserError(
            f"{place} holds no tool '{name}': it needs TOOL = Tool({name!r}, ...) of echelon.engine.toolbox."
        )
    if name.startswith(BEGINNINGS) or "__" in name or there.ends or there.apply or not there.in_step or there.decision:
        raise UserError(
            f"The tool '{name}' of {place} cannot be used: a tool of your own works and returns; it has no name of a gate "
            f"({', '.join(b + '...' for b in BEGINNINGS)}, '__'), ends no phase, and changes no state of it."
        )
    return there


def _text(place: str) -> str:
    path = Path(place)
    if not path.is_file():
        raise UserError(f"The tool '{path.stem}' is not in {path.parent} any more.")
    return path.read_text(encoding="utf-8")


@lru_cache(maxsize=256)
def _of_file(place: str, text: str) -> Any:
    """`TOOL` of a file with this text: one that was changed is another module, and nothing is written beside it."""
    name = f"echelon_own_tool_{Path(place).stem}_{digest([place, text])[:12]}"
    module = sys.modules[name] = ModuleType(name)  # its models look up their annotations there
    module.__file__ = place
    try:
        exec(compile(text, place, "exec"), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return getattr(module, "TOOL", None)
