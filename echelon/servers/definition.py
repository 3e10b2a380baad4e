"""The definition of a server's tool: its hash, what is wrong with it, and what of it roles are shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from echelon.digest import digest
from echelon.json_text import is_list, is_object
from echelon.servers import words
from echelon.servers.settings import Approved, ServerTool, full_name
from echelon.shown import visible

MOST_CHARACTERS = 16_000
"""Of a whole definition as JSON"""
MOST_TEXT = 2_000
"""Characters of one text in it"""
MOST_DEPTH = 12
MOST_NAME = 64
"""Characters of a tool's name that model servers take"""
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_WORDS = ("title", "description", "examples", "example", "default", "$comment", "markdownDescription")
"""Keys of a schema that hold words or values of the server's choice, and change nothing of what fits"""
_LEFT_OUT = ("$schema", "$id", "pattern", "patternProperties", "format", "contentEncoding", "contentMediaType")
"""Keys that are not shown and not checked here: a pattern of a stranger may run for ever. The server checks them itself."""


@dataclass(frozen=True)
class Definition:
    """A tool as its server describes it, word for word."""

    server: str
    raw: dict[str, Any]

    @property
    def name(self) -> str:
        name = self.raw.get("name")
        return name if isinstance(name, str) else ""

    @property
    def sha256(self) -> str:
        """A hash of all of it: name, words, schemas, hints, and what no protocol knows yet."""
        return digest(self.raw)

    def problems(self, settings: ServerTool, others: Iterable[str] = ()) -> list[str]:
        """Why it cannot be used, one sentence each. `others` are the names of tools that it has no cause to name."""
        return _shape_problems(self) or _word_problems(self, settings, others)

    def approved(self, settings: ServerTool) -> Approved:
        """What is pinned when a person approves it. Only for one without `problems`."""
        description = settings.description or str(self.raw.get("description") or self.raw.get("title") or self.name)
        return Approved(sha256=self.sha256, description=description, parameters=_shown(self.raw, settings))


def _shape_problems(d: Definition) -> list[str]:
    if not _NAME.fullmatch(d.name) or len(full_name(d.server, d.name)) > MOST_NAME:
        return [
            f"'{visible(d.name)[:60]}' is no name that a model server takes: letters, digits, _ and -, not too long."
        ]
    if len(json.dumps(d.raw)) > MOST_CHARACTERS:
        return [f"its definition has more than {MOST_CHARACTERS:,} characters."]
    if _depth(d.raw) > MOST_DEPTH:
        return [f"its definition is nested more than {MOST_DEPTH} deep."]
    schema = d.raw.get("inputSchema")
    if not is_object(schema) or schema.get("type") != "object":
        return ["its inputSchema is no schema of an object."]
    return _schema_problems(schema)


def _schema_problems(schema: dict[str, Any]) -> list[str]:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    if any(key.startswith(("$dynamic", "$recursive")) for key, _ in _pairs(schema)):
        return ["its inputSchema refers to itself."]
    references = [v for key, v in _pairs(schema) if key == "$ref"]
    if any(not isinstance(v, str) or not v.startswith("#/") for v in references):
        return ["its inputSchema refers to another document."]
    try:
        Draft202012Validator.check_schema(_without(schema, _LEFT_OUT))
        _Inliner(schema).of(schema)
    except (SchemaError, _Circle, RecursionError) as error:
        return [f"its inputSchema cannot be used: {visible(str(error).splitlines()[0])[:120]}."]
    return []


def _word_problems(d: Definition, settings: ServerTool, others: Iterable[str]) -> list[str]:
    """What its words do beside describing it. With words of the user's own only what stays of the schema counts."""
    checked = {"name": d.name, "inputSchema": _shown(d.raw, settings)} if settings.description else d.raw
    names = [n for n in others if n != d.name]
    wrong: dict[str, None] = {}
    for text in _texts(checked):
        if len(text) > MOST_TEXT:
            wrong[f"a text in it has more than {MOST_TEXT:,} characters."] = None
        spaced = text.replace("_", " ") if " " not in text else text  # names of parameters are read like words
        for says in dict.fromkeys([*words.found(text, names), *words.found(spaced)]):
            wrong[f"{says}: {visible(text)[:100]}"] = None
    return list(wrong)


def _shown(raw: dict[str, Any], settings: ServerTool) -> dict[str, Any]:
    """The schema of the arguments as roles see it: without references, and without words where there are own ones."""
    schema = raw["inputSchema"]
    plain = _without(_Inliner(schema).of(schema), (*_LEFT_OUT, "$defs", "definitions"))
    shown: dict[str, Any] = _without(plain, _WORDS) if settings.description else plain
    return shown


class _Circle(Exception):
    """A schema that contains itself, or much of itself again and again."""


MOST_PARTS = 5_000
"""Parts of a schema once its references are replaced: a few references to references make millions"""


class _Inliner:
    """A schema with what its references point to in their place."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root, self._left = root, MOST_PARTS

    def of(self, value: Any, trail: tuple[str, ...] = ()) -> Any:
        """Raises _Circle."""
        self._left -= 1
        if self._left < 0:
            raise _Circle("it becomes too large without its references")
        if is_list(value):
            return [self.of(v, trail) for v in value]
        if not is_object(value):
            return value
        if isinstance(reference := value.get("$ref"), str):
            if reference in trail:
                raise _Circle(f"{reference} contains itself")
            target = self._target(reference)
            return self.of({**target, **{k: v for k, v in value.items() if k != "$ref"}}, (*trail, reference))
        return {k: self.of(v, trail) for k, v in value.items() if k not in ("$defs", "definitions")}

    def _target(self, reference: str) -> dict[str, Any]:
        here: Any = self._root
        for part in reference.removeprefix("#/").split("/"):
            here = here.get(part.replace("~1", "/").replace("~0", "~")) if is_object(here) else None
        if not is_object(here):
            raise _Circle(f"{reference} points nowhere")
        return here


def _without(value: Any, keys: tuple[str, ...], in_names: bool = False) -> Any:
    """A schema without some keywords. Names of properties are no keywords."""
    if is_list(value):
        return [_without(v, keys) for v in value]
    if not is_object(value):
        return value
    kept = {k: v for k, v in value.items() if in_names or k not in keys}
    return {k: _without(v, keys, in_names=not in_names and k == "properties") for k, v in kept.items()}


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    if is_object(value):
        for key, inner in value.items():
            yield key, inner
            yield from _pairs(inner)
    elif is_list(value):
        for inner in value:
            yield from _pairs(inner)


def _texts(value: Any) -> Iterator[str]:
    """Every text in it, the keys of objects included."""
    if isinstance(value, str):
        yield value
    elif is_object(value):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif is_list(value):
        for inner in value:
            yield from _texts(inner)


def _depth(value: Any, most: int = MOST_DEPTH + 2) -> int:
    if most <= 0:
        return 1
    inner = value.values() if is_object(value) else value if is_list(value) else ()
    return 1 + max((_depth(v, most - 1) for v in inner), default=0)
