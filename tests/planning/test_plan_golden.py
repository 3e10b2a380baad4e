"""Every stored shape of a plan loads in the form in which it was ever stored; a schema changes only with its version.

`tests/golden/planning/<Shape>.v<version>.json` holds one instance with every field set,
`schemas.json` a hash of each schema.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from echelon.domains.planning.contracts.plan import (
    AdaptationLogEntry,
    InteractionPolicy,
    PatternSpec,
    Plan,
    PlanContext,
    PlanOutline,
    Roadmap,
)
from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.contracts.schedule import Schedule
from tests.tasks.test_contracts_golden import schema_hash

GOLDEN = Path(__file__).parents[1] / "golden" / "planning"
SHAPES: tuple[type[BaseModel], ...] = (
    PatternSpec, InteractionPolicy, PlanContext, PlanOutline, Roadmap, Schedule, AdaptationLogEntry, Project, Plan,
)  # fmt: skip
FILES = sorted(GOLDEN.glob("*.v*.json"))


def version_of(shape: type[BaseModel]) -> int:
    return int(max(get_args(shape.model_fields["schema_version"].annotation)))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_what_was_stored_loads_and_is_stored_the_same_again(path: Path) -> None:
    shape = next(s for s in SHAPES if s.__name__ == path.name.split(".")[0])
    stored = json.loads(path.read_text(encoding="utf-8"))
    loaded = shape.model_validate(stored)
    if path.stem.endswith(f".v{version_of(shape)}"):
        assert loaded.model_dump(mode="json") == stored
    assert shape.model_validate_json(loaded.model_dump_json()) == loaded


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.__name__)
def test_every_shape_has_a_golden_file_with_every_field_set_and_its_schema_stands(shape: type[BaseModel]) -> None:
    stored = json.loads((GOLDEN / f"{shape.__name__}.v{version_of(shape)}.json").read_text(encoding="utf-8"))
    assert set(stored) == set(shape.model_fields)
    assert all(value not in (None, [], "") for value in stored.values()), "an unset field proves nothing"
    known = json.loads((GOLDEN / "schemas.json").read_text(encoding="utf-8"))
    assert known[shape.__name__][str(version_of(shape))] == schema_hash(shape)
    with pytest.raises(ValueError, match="Extra inputs"):
        shape.model_validate({**stored, "misspelt": 1})
    with pytest.raises(ValueError, match="schema_version"):
        shape.model_validate({**stored, "schema_version": 99})
