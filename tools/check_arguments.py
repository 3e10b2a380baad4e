"""Checks as a role writes them: offered by kind, each with its own fields, and held to what a job can carry out."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from echelon.engine.held import one_each, with_properties, without_property
from echelon.engine.toolbox import PhaseState
from echelon.json_text import is_object
from echelon.tasks.contracts import as_check

KINDS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "judged": ("a role reads it", (), ()),
    "file": ("code looks at path", ("path",), ("headings", "keys", "items", "least")),
    "command": ("code sees that it ran and exited with 0", ("command",), ()),
    "quote": ("code looks the words up", ("path", "quote"), ()),
}
"""Kinds of checks that a role is offered: what each means, the fields it needs and those it may have. A model that sees
all fields of all kinds fills all."""


def _by_kind(schema: dict[str, Any]) -> None:
    """Offer one form a kind in place of one with every field of every kind; what is said once is not said again."""
    fields = {name: _plain(field) for name, field in schema["properties"].items()}
    schema.clear()
    schema["anyOf"] = [
        {
            "type": "object",
            "properties": {
                "says": fields["says"] if kind == "judged" else {"type": "string"},
                "kind": {"type": "string", "const": kind, "description": means},
                **{name: fields[name] for name in (*needs, *may)},
            },
            "required": ["says", "kind", *needs],
        }
        for kind, (means, needs, may) in KINDS.items()
    ]


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """A field that may be left out needs no null beside its type."""
    types = [each for each in field.get("anyOf", []) if each != {"type": "null"}]
    rest = {key: value for key, value in field.items() if key not in ("anyOf", "default", "title")}
    return {**types[0], **rest} if types else rest


class CheckArguments(BaseModel):
    model_config = ConfigDict(json_schema_extra=_by_kind)

    says: str = Field(description="what must hold, in one sentence")
    kind: Literal["judged", "file", "command", "quote", "query"] = Field(default="judged")
    path: str = Field(default="", description="file: the deliverable, in output/; quote: the document")
    headings: list[str] = Field(default=[], description="headings that it must have")
    keys: list[str] = Field(default=[], description="columns of its table, or keys of each JSON item")
    items: int | None = Field(default=None, description="exact number of items or rows, when it is known")
    least: int | None = Field(default=None, description="fewest items or rows")
    command: str = Field(default="", description="what is run in the workspace")
    page: SkipJsonSchema[int | None] = None
    quote: str = Field(default="", description="the exact words")
    query: SkipJsonSchema[str] = ""


NO_PATHS = r'^[^/"\\]{12,240}$'
"""What a check of a known outcome may say: a small model makes up names of files, and then nobody may write them."""
MOST_CHECKS = 6
"""Checks of a milestone or a task that an answer is held to."""


MOST_OF_KNOWN = 2
"""The same of a milestone that the type of job usually has: code holds it to more, and a small model fills the rest up."""


def held_checks(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """The arguments with few checks, of the kinds that this job can carry out."""
    return _narrowed(parameters, state.kinds) if state.kinds else parameters


def held_task(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a task with checks as above, and with what it is to deliver where code knows that."""
    narrowed = held_checks(state, parameters)
    if not state.deliverables:
        return narrowed
    narrowed = _without_counts(narrowed)
    if any(item.work for item in state.todos.items):  # what QA found is what is checked: a small model says it again
        narrowed = without_property(narrowed, "checks")
    path, most = {"type": "string", "enum": list(state.deliverables)}, len(state.deliverables)
    paths: dict[str, Any] = {"type": "array", "items": path, "minItems": 1, "maxItems": most}
    return with_properties(narrowed, deliverables=paths)


def _without_counts(task: dict[str, Any]) -> dict[str, Any]:
    """A task without checks that count items: a small planner makes up a number (1), and the right answer has four. Code
    holds a number that the request names."""
    checks = task["properties"]["checks"]
    forms = [without_property(without_property(form, "items"), "least") for form in checks["items"]["anyOf"]]
    return with_properties(task, checks={**checks, "items": {"anyOf": forms}})


def held_scope(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a scope with checks as above and the milestones that this type of job usually has, in order:
    a small model promises less than was asked for."""
    narrowed = held_checks(state, parameters)
    if not state.outcomes:
        return narrowed
    checks = _without_paths(narrowed["properties"]["milestones"]["items"]["properties"]["checks"])
    checks |= {"minItems": 1, "maxItems": MOST_OF_KNOWN}

    def milestone(outcome: str) -> dict[str, Any]:
        own = {"outcome": {"type": "string", "const": outcome}, "checks": checks}
        return {"type": "object", "properties": own, "required": list(own)}

    return with_properties(narrowed, milestones=one_each([milestone(outcome) for outcome in state.outcomes]))


def _without_paths(checks: dict[str, Any]) -> dict[str, Any]:
    says = {"type": "string", "pattern": NO_PATHS}
    forms = checks["items"]["anyOf"]
    named = [{**form, "properties": {**form["properties"], "says": says}} for form in forms]
    return {**checks, "items": {"anyOf": named}}


def _narrowed(schema: dict[str, Any], kinds: tuple[str, ...]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "checks" and is_object(value) and "items" in value:
            forms = [form for form in value["items"]["anyOf"] if form["properties"]["kind"]["const"] in kinds]
            out[key] = {**value, "items": {"anyOf": forms}, "maxItems": MOST_CHECKS}
        else:
            out[key] = _narrowed(value, kinds) if is_object(value) else value
    return out


AnyCheck = Annotated[CheckArguments, BeforeValidator(as_check)]
"""A check, or a bare sentence that a role judges."""


def as_values(given: list[CheckArguments]) -> list[dict[str, Any]]:
    """The checks as a contract takes them. No number of items is asked for with 0, which a small model fills in."""
    return [
        check.model_dump(mode="json") | {"items": check.items or None, "least": check.least or None} for check in given
    ]
