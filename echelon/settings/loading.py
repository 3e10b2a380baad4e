"""Reading configurations: layers of YAML with `extends`, overrides on top, a misspelt key told with the nearest one."""

from __future__ import annotations

import copy
import functools
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from echelon import own
from echelon.errors import UnknownName, UserError
from echelon.json_text import is_object
from echelon.settings.sections import JobConfig
from echelon.yaml_text import read_yaml

T = TypeVar("T", bound=BaseModel)


def load_config(folder: Path, name: str, overrides: dict[str, Any] | None = None) -> JobConfig:
    """The configuration `name` (a file in `folder`, a type of job, or a path to a YAML file), with dotted `overrides`.

    Raises UserError for a file that does not exist or does not parse, and for a key that is not known.
    """
    layers = merged(_read_layers(folder, name, seen=()), overrides or {})
    return validated(JobConfig, layers, f"configuration '{name}'")


def merged(values: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    """`values` with dotted `overrides` on top."""
    for key, value in overrides.items():
        values = _merge(values, _nest(key, value))
    return values


def config_names(folder: Path) -> list[str]:
    """Names of the configurations of a job: files of `folder`, and types of job, which bring their own."""
    own = [p.parent.name for p in _own_settings(folder, "*")]
    return sorted({*own, *(p.stem for p in folder.glob("*.yaml") if "job" in read_mapping(p))})


def _own_settings(folder: Path, name: str) -> list[Path]:
    """The settings that a type of job brings in its own folder, beside the folder of configurations."""
    return sorted((folder.parent / "crews").glob(f"{name}/settings.yaml"))


def _found(folder: Path, name: str) -> Path:
    path = Path(name) if name.endswith((".yaml", ".yml")) else folder / f"{name}.yaml"
    if path.is_file() or not name.isidentifier():
        return path
    mine = own.found(name)
    there = [*_own_settings(folder, name), *([mine / "settings.yaml"] if mine is not None else [])]
    return next((p for p in there if p.is_file()), path)


def _read_layers(folder: Path, name: str, seen: tuple[str, ...]) -> dict[str, Any]:
    path = _found(folder, name)
    if not path.is_file() and not seen:
        raise UnknownName("job type", name, config_names(folder))
    if not path.is_file():
        raise UnknownName(
            f"configuration in 'extends' of {seen[-1]}:", name, sorted(p.stem for p in folder.glob("*.yaml"))
        )
    real = str(path.resolve())
    if real in seen:
        raise UserError(f"Configuration '{name}' extends itself: {' -> '.join((*seen, real))}.")
    here = read_mapping(path)
    parent = here.pop("extends", None)
    if parent is None:
        return here
    beside = path.parent if (path.parent / f"{parent}.yaml").is_file() else folder
    return _merge(_read_layers(beside, str(parent), (*seen, real)), here)


def read_mapping(path: Path) -> dict[str, Any]:
    """The mapping that a YAML file holds. Raises UserError for a file that cannot be read, or holds something else."""
    try:
        value = copy.deepcopy(_parsed(path.read_text(encoding="utf-8")))
    except yaml.YAMLError as error:
        raise UserError(f"{path} is not valid YAML: {' '.join(str(error).split())}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error
    if not is_object(value):
        raise UserError(f"{path} must hold a mapping of settings.")
    return value


@functools.lru_cache(maxsize=64)
def _parsed(text: str) -> object:
    """The YAML of a text, parsed once in a process: an experiment reads the same layers for each of its trials."""
    return read_yaml(text)


def _merge(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        both = is_object(value) and is_object(merged.get(key))
        merged[key] = _merge(merged[key], value) if both else value
    return merged


def _nest(key: str, value: Any) -> dict[str, Any]:
    head, _, rest = key.partition(".")
    return {head: _nest(rest, value) if rest else value}


def parse_override(text: str) -> tuple[str, Any]:
    """`key.sub=value` as (key, value); the value is read as YAML. Raises UserError for any other form."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UserError(f"'{text}' is not of the form key=value.")
    try:
        return key.strip(), yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise UserError(f"The value of '{key}' cannot be read: {' '.join(str(error).split())}.") from error


def validated(model: type[T], value: Any, what: str) -> T:
    """`value` as a `model`, or a UserError that names the first thing that is wrong with it."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise _explained(model, error, what) from error


def _explained(model: type[BaseModel], error: ValidationError, what: str) -> UserError:
    first, *others = error.errors()
    path = [str(part) for part in first["loc"]]
    if first["type"] == "extra_forbidden":
        known = [".".join((*path[:-1], name)) for name in _fields_at(model, path[:-1])]
        return UnknownName(f"key in {what}:", ".".join(path), known)
    place = _field_path(model, path)
    wrongs = [first, *(e for e in others if [str(part) for part in e["loc"]][: len(place)] == place)]
    said = "; ".join(dict.fromkeys(e["msg"].removeprefix("Value error, ") for e in wrongs))  # a union says several
    return UserError(f"In {what}, '{'.'.join(place)}': {said}." if place else f"In {what}: {said}.")


def _field_path(model: type[BaseModel], path: list[str]) -> list[str]:
    """The leading part of an error's place that names fields; what follows names branches of a union."""
    here: Any = model
    for depth, name in enumerate(path):
        if get_origin(here) in (Union, UnionType):
            return path[:depth]
        if not hasattr(here, "model_fields"):
            return path
        field = here.model_fields.get(name)
        here = field.annotation if field is not None else None
    return path


def _fields_at(model: type[BaseModel], path: list[str]) -> list[str]:
    """The keys that are known at a place of a configuration, as they are written there."""
    here: Any = model
    for name in path:
        here = _inside(here, name)
    fields = getattr(here, "model_fields", {})
    return sorted(field.alias or name for name, field in fields.items())


def _inside(here: Any, name: str) -> Any:
    """What the type `here` has under a key, a number, or the tag of a union; None when that is not known."""
    if hasattr(here, "model_fields"):
        fields = here.model_fields.items()
        return next((f.annotation for n, f in fields if name in (n, f.alias)), None)
    origin, given = get_origin(here), get_args(here)
    if origin is Annotated:
        return _inside(given[0], name)
    if origin in (Union, UnionType):
        models = [a for a in given if hasattr(a, "model_fields")]
        tagged = next((m for m in models for f in m.model_fields.values() if name in get_args(f.annotation)), None)
        return tagged or (_inside(models[0], name) if len(models) == 1 else None)
    return given[-1] if origin is dict else given[0] if given else None
