"""Whether a text is valid in the language of its file."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

from echelon.domains.code.map.languages import language_of


def syntax_error(path: str, text: str) -> str | None:
    """One sentence with the line when the text is not valid; None when it is, or nobody can tell."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in (".py", ".pyi"):
        return _python(text)
    if suffix == ".json":
        return _json(text)
    if suffix == ".toml":
        return _toml(text)
    if suffix in (".yaml", ".yml"):
        return _yaml(text)
    language = language_of(path)
    return _grammar(text, language) if language else None


def _python(text: str) -> str | None:
    from echelon.domains.code.map.python_file import parse

    try:
        parse(text)
    except SyntaxError as error:
        line = f"line {error.lineno}: " if error.lineno else ""
        return f"{line}{error.msg}"
    return None


def _json(text: str) -> str | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg}"
    return None


def _toml(text: str) -> str | None:
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error)
    return None


def _yaml(text: str) -> str | None:
    import yaml

    try:
        for _ in yaml.parse(text, Loader=yaml.SafeLoader):
            pass
    except yaml.MarkedYAMLError as error:
        return f"line {error.problem_mark.line + 1 if error.problem_mark else '?'}: {error.problem}"
    except yaml.YAMLError as error:
        return str(error).splitlines()[0]
    return None


def _grammar(text: str, language: str) -> str | None:
    from echelon.domains.code.map.grammar_file import first_error

    line = first_error(text, language)
    return f"line {line}: not valid {language}" if line else None
