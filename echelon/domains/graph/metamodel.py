"""The metamodel: which nodes, properties and relationships the graph may hold, read from `configs/metamodel.yaml`."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from echelon.domains.graph.stores.port import RESERVED_PROPERTIES, GraphStore
from echelon.json_text import is_list
from echelon.yaml_text import read_yaml

_NAME = r"^[A-Za-z][A-Za-z0-9_]*$"


class MetamodelError(Exception):
    """The metamodel file is missing or wrong; the message names the file and the place."""


class PropertyType(StrEnum):
    """What a property holds."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    STRINGS = "strings"

    def holds(self, value: Any) -> bool:
        """Whether `value` is of this type. An integer is also a number; a boolean is neither."""
        match self:
            case PropertyType.STRING:
                return isinstance(value, str)
            case PropertyType.INTEGER:
                return isinstance(value, int) and not isinstance(value, bool)
            case PropertyType.NUMBER:
                return isinstance(value, (int, float)) and not isinstance(value, bool)
            case PropertyType.BOOLEAN:
                return isinstance(value, bool)
            case PropertyType.STRINGS:
                return is_list(value) and all(isinstance(item, str) for item in value)


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PropertyRule(_Part):
    """What one property has to be."""

    type: PropertyType
    required: bool = False
    values: tuple[str, ...] = Field(default=(), description="the only texts allowed; empty: any")


class _Element(_Part):
    description: str = ""
    properties: dict[str, PropertyRule] = {}

    @model_validator(mode="after")
    def _no_reserved_names(self) -> Self:
        taken = sorted(RESERVED_PROPERTIES.intersection(self.properties))
        if taken:
            raise ValueError(f"the property name {taken[0]!r} belongs to the database")
        return self

    def required(self) -> list[str]:
        return sorted(name for name, rule in self.properties.items() if rule.required)


class LabelRule(_Element):
    """What nodes of one label have to be. Each of them also has a unique text `key`."""

    full_text: str | None = Field(default=None, description="the property that full text search looks in")
    at_least_one: tuple[str, ...] = Field(default=(), description="relationships that must leave each node")


class RelationshipRule(_Element):
    """What relationships of one type may connect and have to hold. Each may also have a text `key`."""

    between: tuple[tuple[str, str], ...] = Field(min_length=1, description="pairs of source and target label")


class Metamodel(_Part):
    """The whole metamodel, consistent in itself."""

    version: int = Field(ge=1)
    labels: dict[str, LabelRule] = Field(min_length=1)
    relationships: dict[str, RelationshipRule] = {}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name in (*self.labels, *self.relationships):
            if not re.match(_NAME, name):
                raise ValueError(f"{name!r} is not a name of letters, digits and _")
        for name, relationship in self.relationships.items():
            for label in (label for pair in relationship.between for label in pair):
                if label not in self.labels:
                    raise ValueError(f"{name} connects the unknown label {label!r}")
        for name, rule in self.labels.items():
            unknown = sorted(set(rule.at_least_one) - self.relationships.keys())
            if unknown:
                raise ValueError(f"{name} needs the unknown relationship {unknown[0]!r}")
            if rule.full_text is not None and rule.full_text not in rule.properties:
                raise ValueError(f"{name} has full text over the unknown property {rule.full_text!r}")
        return self

    def full_text(self) -> dict[str, str]:
        """The property with full text, by label."""
        return {name: rule.full_text for name, rule in self.labels.items() if rule.full_text is not None}

    def prepare(self, store: GraphStore) -> None:
        """Give `store` the unique keys and the full text indexes of this metamodel."""
        store.prepare(list(self.labels), self.full_text())


def load_metamodel(path: Path) -> Metamodel:
    """Read the metamodel file at `path` (YAML). Raises MetamodelError with the place of the first mistake."""
    try:
        return Metamodel.model_validate(read_yaml(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise MetamodelError(f"{path.name} cannot be read: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise MetamodelError(f"{path.name} is not YAML: {str(error).splitlines()[0]}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise MetamodelError(f"{path.name}: {place + ': ' if place else ''}{first['msg']}") from error
