"""JSON Schema of arguments that an answer is held to, made from the arguments of a tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def with_properties(parameters: dict[str, Any], **properties: dict[str, Any]) -> dict[str, Any]:
    """The arguments with other schemas for some of them."""
    return parameters | {"properties": parameters["properties"] | properties}


def without_property(parameters: dict[str, Any], name: str) -> dict[str, Any]:
    """The arguments without one that has nothing to say."""
    return parameters | {
        "properties": {n: schema for n, schema in parameters["properties"].items() if n != name},
        "required": [n for n in parameters.get("required", ()) if n != name],
    }


def one_each(forms: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A list with one item of each form, in order, and no more."""
    return {"type": "array", "prefixItems": list(forms), "minItems": len(forms), "maxItems": len(forms)}
