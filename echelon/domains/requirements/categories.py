"""Which sets of rules a requirement is relevant for, by a configurable scheme of patterns with their sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError

from echelon.domains.documents.types import Frozen
from echelon.yaml_text import read_yaml

FEW = 20
ONE_IN = 1 / 30
SHIPPED = Path(__file__).with_name("categories.yaml")


class CategoryRule(Frozen):
    """One rule: a requirement with one of `patterns` in its text is relevant because of `source`."""

    id: str
    source: str = Field(min_length=1, description="paragraph of the law, letter or standard")
    patterns: tuple[str, ...] = Field(min_length=1, description="regular expressions, case is ignored")


class Category(Frozen):
    """A set of rules under one name, such as `gobd`."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    subjects: tuple[str, ...] = Field(
        default=(),
        description="regular expressions; without one in enough of its requirements a document is not about it",
    )
    rules: tuple[CategoryRule, ...] = Field(min_length=1)


class CategoryScheme(Frozen):
    """All categories, in the order in which they are given to requirements."""

    schema_version: Literal[1]
    categories: tuple[Category, ...]


class CategoryMatch(Frozen):
    """Why a requirement has a category."""

    category: str
    rule: str
    source: str
    words: str


class CategorySchemeError(ValueError):
    """A scheme file cannot be used; the message names the file and what is wrong in it."""


@lru_cache(maxsize=8)
def load_scheme(path: Path = SHIPPED) -> CategoryScheme:
    """The scheme in a YAML file, by default the shipped one (GoBD and GDPR). Raises CategorySchemeError."""
    try:
        scheme = CategoryScheme.model_validate(read_yaml(path.read_text(encoding="utf-8")))
        for category in scheme.categories:
            _compiled(category.rules)
            _subjects(category.subjects)
    except (OSError, yaml.YAMLError, ValidationError, re.error) as error:
        raise CategorySchemeError(f"{path}: {error}") from error
    return scheme


def about(texts: Sequence[str], scheme: CategoryScheme) -> CategoryScheme:
    """The scheme without the categories whose subject a document does not have.

    `texts` are its requirements. A word such as "audit trail" or "retention period" means bookkeeping where the document
    is about bookkeeping: one in thirty of its requirements names it, and at least two of twenty or more.
    """
    least = max(1 if len(texts) < FEW else 2, ONE_IN * len(texts))

    def is_about(category: Category) -> bool:
        patterns = _subjects(category.subjects)
        return not patterns or sum(any(p.search(text) for p in patterns) for text in texts) >= least

    return scheme.model_copy(update={"categories": tuple(filter(is_about, scheme.categories))})


def match_categories(text: str, scheme: CategoryScheme) -> list[CategoryMatch]:
    """The first matching rule of each category that is found in `text`, with the words it found."""
    matches: list[CategoryMatch] = []
    for category in scheme.categories:
        for rule, patterns in _compiled(category.rules):
            found = next((m for pattern in patterns if (m := pattern.search(text))), None)
            if found is not None:
                matches.append(
                    CategoryMatch(category=category.id, rule=rule.id, source=rule.source, words=found.group().strip())
                )
                break
    return matches


def categorise(text: str, scheme: CategoryScheme) -> tuple[str, ...]:
    """Ids of the categories that `text` belongs to, in the order of the scheme."""
    return tuple(match.category for match in match_categories(text, scheme))


@lru_cache(maxsize=64)
def _subjects(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(p, re.I) for p in patterns)


@lru_cache(maxsize=64)
def _compiled(rules: tuple[CategoryRule, ...]) -> tuple[tuple[CategoryRule, tuple[re.Pattern[str], ...]], ...]:
    return tuple((rule, tuple(re.compile(p, re.I) for p in rule.patterns)) for rule in rules)
