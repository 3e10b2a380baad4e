"""The prompt templates: one file a task, strict about variables."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

FOLDER = Path(__file__).parent / "prompts"


@functools.cache
def _environment(folder: str) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*([folder] if folder else []), FOLDER]),
        undefined=jinja2.StrictUndefined, trim_blocks=False, lstrip_blocks=True,
        keep_trailing_newline=False, autoescape=False,
    )  # fmt: skip
    environment.filters["tojson"] = _quoted
    return environment


_LINE_ENDS = {ord(c): f"\\u{ord(c):04x}" for c in "\x7f\x85\u2028\u2029"}
"""Characters that JSON leaves as they are and that end a line all the same."""


def _quoted(text: Any) -> str:
    """In quotes, as a model can copy it: jinja's own filter would write `ü` and `&` as escapes."""
    return json.dumps(text, ensure_ascii=False).translate(_LINE_ENDS)


def render(
    template: str, /, *, folder: str = "", block: Mapping[str, Any] | None = None, more: str = "", **values: Any
) -> str:
    """The prompt from a template; one of the same name in `folder` stands in for ours.

    `block` stands at the end as one line of fenced JSON: what a playbook reads, however the words around it are put.
    `more` stands between the two. Raises jinja2.UndefinedError for a variable that is missing.
    """
    text = _environment(folder).get_template(f"{template}.md").render(**values)
    lines = "\n".join(line.rstrip() for line in text.splitlines()).strip() + "\n"
    lines += f"\n{more.strip()}\n" if more.strip() else ""
    return lines if block is None else f"{lines}\n{FENCE}\n{_quoted(block)}\n```\n"


FENCE = "```json"
"""What opens the data of a prompt; the last one counts."""
