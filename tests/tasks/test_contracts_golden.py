"""Every stored shape loads in the form in which it was ever stored.

`tests/golden/<Shape>.v<version>.json` holds one instance with every field set, per shape and version. They are
written once and never changed. `schemas.json` holds a hash of the schema of each contract and version: a contract
whose schema changes without a new version fails here. To change one: raise its `schema_version`, let the old form
load, add the new golden file, and add the new hash that the failing test names.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from echelon.crews.job import JobState
from echelon.digest import digest
from echelon.domains.documents.types import Document
from echelon.domains.requirements.types import Requirement
from echelon.settings import JobConfig
from echelon.tasks.contracts import STORED, Contract, Escalation, Evidence

GOLDEN = Path(__file__).parents[1] / "golden"
GROWING: tuple[type[BaseModel], ...] = (JobState, JobConfig, Document, Requirement)
"""Shapes without a fixed schema: they may get fields with defaults, and what was stored before must still load."""

FILES = sorted(p for p in GOLDEN.glob("*.v*.json") if p.name[0].isupper())
SHAPES: dict[str, type[BaseModel]] = {shape.__name__: shape for shape in (*STORED, *GROWING)}
UNSTORED_WORDS = ("description", "title", "examples")


def shape_of(path: Path) -> type[BaseModel]:
    return SHAPES[path.name.split(".")[0]]


def version_of(contract: type[Contract]) -> int:
    return int(max(get_args(contract.model_fields["schema_version"].annotation)))


def newest(shape: type[BaseModel]) -> int:
    field = shape.model_fields.get("schema_version")
    return int(max(get_args(field.annotation))) if field is not None and shape in (*STORED, JobState) else 1


def schema_hash(shape: type[BaseModel]) -> str:
    """A hash of what is stored: names, types, bounds; not of what is said about them."""

    def bare(value: Any, names: bool = False) -> Any:
        if isinstance(value, dict):
            kept = {k: v for k, v in value.items() if names or k not in UNSTORED_WORDS}
            return {k: bare(v, names=k in ("properties", "$defs") and not names) for k, v in kept.items()}
        return [bare(v) for v in value] if isinstance(value, list) else value

    return digest(bare(shape.model_json_schema()))


def contains(whole: Any, part: Any) -> bool:
    """Whether everything that `part` says is said by `whole`: new fields may stand beside the old ones."""
    if isinstance(part, str) and isinstance(whole, dict):  # a bare sentence of version 1 says the same by now
        return bool(whole.get("says") == part)
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(k in whole and contains(whole[k], v) for k, v in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(whole) == len(part) and all(map(contains, whole, part))
    return bool(whole == part)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_what_was_stored_loads_and_is_stored_the_same_again(path: Path) -> None:
    stored = json.loads(path.read_text(encoding="utf-8"))
    loaded = shape_of(path).model_validate(stored)
    again = loaded.model_dump(mode="json")
    if shape_of(path) in STORED and path.stem.endswith(f".v{newest(shape_of(path))}"):
        assert again == stored
    assert contains(
        again, {**stored, **({"schema_version": again["schema_version"]} if "schema_version" in again else {})}
    )
    assert shape_of(path).model_validate_json(loaded.model_dump_json()) == loaded


@pytest.mark.parametrize("shape", [*STORED, *GROWING], ids=lambda s: s.__name__)
def test_every_stored_shape_has_a_golden_file_with_every_field_set(shape: type[BaseModel]) -> None:
    path = GOLDEN / f"{shape.__name__}.v{newest(shape)}.json"
    assert path.exists()
    if shape in STORED:
        stored = json.loads(path.read_text(encoding="utf-8"))
        assert set(stored) == set(shape.model_fields)
        assert all(value not in (None, [], "") for value in stored.values()), "an unset field proves nothing"


@pytest.mark.parametrize("contract", STORED, ids=lambda s: s.__name__)
def test_the_schema_of_a_contract_changes_only_with_its_version(contract: type[Contract]) -> None:
    known = json.loads((GOLDEN / "schemas.json").read_text(encoding="utf-8"))
    assert known.get(contract.__name__, {}).get(str(version_of(contract))) == schema_hash(contract)


@pytest.mark.parametrize("contract", STORED, ids=lambda s: s.__name__)
def test_contracts_are_versioned_frozen_and_refuse_what_they_do_not_know(contract: type[Contract]) -> None:
    loaded = contract.model_validate_json((GOLDEN / f"{contract.__name__}.v{version_of(contract)}.json").read_bytes())
    assert loaded.model_dump()["schema_version"] == version_of(contract)
    with pytest.raises(ValueError, match="frozen"):
        setattr(loaded, next(iter(contract.model_fields)), 2)
    with pytest.raises(ValueError, match="Extra inputs"):
        contract.model_validate({**loaded.model_dump(), "misspelt": 1})
    with pytest.raises(ValueError, match="schema_version"):
        contract.model_validate({**loaded.model_dump(), "schema_version": 99})


def test_the_hash_sees_types_and_bounds_but_not_words() -> None:
    class One(Contract):
        """First words."""

        title: str
        count: int = 1

    class Two(Contract):
        """Other words."""

        title: str
        count: int = 1

    class Three(Contract):
        count: int = 1

    Two.__name__ = Three.__name__ = "One"
    assert schema_hash(One) == schema_hash(Two)
    assert schema_hash(One) != schema_hash(Three), "a field called title is not a title"


def test_every_contract_with_a_version_is_among_the_stored_ones() -> None:
    def all_below(base: type[Contract]) -> set[type[Contract]]:
        return {c for child in base.__subclasses__() for c in {child, *all_below(child)}}

    ours = {c for c in all_below(Contract) if c.__module__ == "echelon.tasks.contracts"}
    assert {c for c in ours if "schema_version" in c.model_fields} == set(STORED)
    assert Evidence in ours and Escalation in STORED
