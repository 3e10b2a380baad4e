"""Checks of files: the expected bytes, or JSON that fits a schema."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echelon.experiments.definition.checks import JSONSchemaCheck, SameFileCheck
from echelon.experiments.scoring.finished import CheckResult, Finished, broken, passed

if TYPE_CHECKING:
    from jsonschema import ValidationError


def same_file(check: SameFileCheck, trial: Finished) -> CheckResult:
    """The file has the expected bytes."""
    path = trial.output / check.file
    if not path.is_file():
        return passed("same_file", False, f"there is no {check.file}")
    try:
        expected = (trial.task / check.expected).read_bytes()
    except OSError as error:
        return broken("same_file", f"{check.expected} cannot be read: {error.strerror}")
    found = path.read_bytes()
    return passed("same_file", found == expected, "" if found == expected else _where(found, expected, check.file))


def _where(found: bytes, expected: bytes, name: str) -> str:
    pairs = zip(found.splitlines(), expected.splitlines(), strict=False)
    line = next((n for n, (a, b) in enumerate(pairs, 1) if a != b), None)
    return f"{name} differs in line {line}" if line else f"{name} has {len(found)} bytes, expected {len(expected)}"


def json_schema(check: JSONSchemaCheck, trial: Finished) -> CheckResult:
    """The file is JSON that fits the schema; the first place that does not is named."""
    from jsonschema import SchemaError

    path = trial.output / check.file
    if not path.is_file():
        return passed("json_schema", False, f"there is no {check.file}")
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        return passed("json_schema", False, f"{check.file} is no JSON: {error}")
    try:
        validator = validator_of(trial.task / check.json_schema)
    except (OSError, ValueError, SchemaError) as error:
        return broken("json_schema", f"{check.json_schema} cannot be used: {error}")
    wrong = _worst(validator.iter_errors(value))
    return passed("json_schema", wrong is None, f"{wrong.json_path}: {wrong.message}"[:300] if wrong else "")


def _worst(errors: Iterable[ValidationError]) -> Any:
    # The stubs of jsonschema say Callable without of what.
    from jsonschema.exceptions import best_match  # pyright: ignore[reportUnknownVariableType]

    return best_match(errors)  # pyright: ignore[reportUnknownVariableType]


def validator_of(path: Path) -> Any:
    """The validator of a schema file. Raises OSError, ValueError, jsonschema.SchemaError."""
    from jsonschema.validators import validator_for

    schema = json.loads(path.read_text(encoding="utf-8"))
    kind = validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)
