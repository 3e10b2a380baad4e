"""The reference pages, generated from the code: settings, tools, commands, and what a job delivers.

`python -m echelon.faces.reference.pages docs/reference` writes them; a test holds that they are up to date.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Any, get_args

from pydantic import BaseModel

from echelon.files import write_atomically

MADE = "Written by `python -m echelon.faces.reference.pages docs/reference`; a test holds that it is up to date."


def settings_page() -> str:
    """Every setting with its type, its default and what it means."""
    from echelon.settings import JobConfig

    rows = [row for _, row in _settings(JobConfig, "")]
    lines = [
        "# Settings", "", MADE, "",
        "A setting is given with `--set KEY=VALUE`, in a YAML file with `extends`, or in `overrides` from Python.",
        "A key that does not exist is refused with the nearest known one.", "",
        "| key | value | default | means |", "|---|---|---|---|", *rows,
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _settings(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, str]]:
    for name, field in model.model_fields.items():
        key, below = f"{prefix}{name}", field.annotation
        if isinstance(below, type) and issubclass(below, BaseModel):
            yield from _settings(below, f"{key}.")
            continue
        default = "required" if field.is_required() else _shown(field.get_default(call_default_factory=True))
        yield key, f"| `{key}` | {_type(below)} | {default} | {_cell(field.description or '')} |"


def _type(annotation: Any) -> str:
    """A type in words that a person writes in YAML."""
    if isinstance(annotation, type) and not get_args(annotation):
        return {str: "text", int: "whole number", float: "number", bool: "true or false", NoneType: "empty"}.get(
            annotation, annotation.__name__
        )
    parts = [_type(a) if not isinstance(a, str) else f"`{a}`" for a in get_args(annotation) if _is_shown(a)]
    head = str(getattr(annotation, "__origin__", annotation))
    if "dict" in head:
        return f"mapping of {parts[-1]}"
    if "tuple" in head or "list" in head:
        return f"list of {parts[0]}"
    return " or ".join(dict.fromkeys(parts)) or _cell(str(annotation))


def _is_shown(argument: Any) -> bool:
    return argument is not Ellipsis and (isinstance(argument, type | str) or bool(get_args(argument)))


def _shown(value: Any) -> str:
    if value in ("", (), {}, None):
        return "empty"
    return f"`{value}`"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def tools_page() -> str:
    """Every tool with its arguments, what running it twice does, and who has it in which type of job."""
    from echelon.crews.tool_sets import all_tools

    lines = [
        "# Tools",
        "",
        MADE,
        "",
        "Which role has which tool in which phase stands in `agents/*.yaml` and in the `tools` of a type of job.",
        "",
    ]
    for name, tool in sorted(all_tools().items()):
        lines += [f"## {name}", "", tool.description, "", f"Effect: {tool.effect.value}.", ""]
        fields = tool.arguments.model_fields
        if fields:
            lines += ["| argument | value | means |", "|---|---|---|"]
            lines += [
                f"| `{key}` | {_type(f.annotation)} | {_cell(f.description or '')} |" for key, f in fields.items()
            ]
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def commands_page() -> str:
    """Every command with its arguments."""
    from echelon.faces.cli.commands import parser_and_commands

    _, chosen = parser_and_commands()
    says = {a.dest: a.help or "" for a in chosen._choices_actions}
    lines = ["# Commands", "", MADE, ""]
    for name, command in sorted(chosen.choices.items()):
        lines += [f"## echelon {name}", "", f"{says[name][:1].upper()}{says[name][1:]}.", ""]
        rows = [_argument(a) for a in command._actions if a.dest != "help"]
        lines += ["| argument | means |", "|---|---|", *rows, ""]
    return "\n".join(lines).rstrip() + "\n"


def _argument(action: argparse.Action) -> str:
    shown = action.metavar if isinstance(action.metavar, str) else ""
    name = ", ".join(action.option_strings)
    return f"| `{' '.join(part for part in (name, shown) if part)}` | {_cell(action.help or '')} |"


def results_page() -> str:
    """The shapes of what a job gives to programs."""
    from echelon.domains.documents.types import Document
    from echelon.domains.requirements.types import Citation, Requirement
    from echelon.tasks.contracts import Escalation, Evidence, Report, Scope, Verdict

    lines = [
        "# Shapes",
        "",
        MADE,
        "",
        "What stands in `requirements.json`, in `--json` and in what passes between roles.",
        "",
    ]
    for model in (Requirement, Citation, Document, Scope, Report, Verdict, Evidence, Escalation):
        about = " ".join((model.__doc__ or "").split())
        lines += [f"## {model.__name__}", "", about, "", "| field | value | means |", "|---|---|---|"]
        for key, f in model.model_fields.items():
            lines.append(f"| `{key}` | {_type(f.annotation)} | {_cell(f.description or '')} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


PAGES = {"settings": settings_page, "tools": tools_page, "commands": commands_page, "shapes": results_page}


def write(folder: Path) -> None:
    """Write every page. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        write_atomically(folder / f"{name}.md", page())


if __name__ == "__main__":
    write(Path(sys.argv[1]))
