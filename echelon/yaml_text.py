"""YAML as people write it: read safely, and a key that stands twice is refused; PyYAML takes the last one in silence."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml

MERGE = "tag:yaml.org,2002:merge"


class _Loader(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            key = None if key_node.tag == MERGE else self.construct_object(key_node, deep=True)  # pyright: ignore[reportUnknownMemberType]
            if key is None or not isinstance(key, Hashable):
                continue
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"'{key}' stands twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(text: str) -> Any:
    """The value of a YAML text. Raises yaml.YAMLError, also for a key that stands twice in a mapping."""
    return yaml.load(text, Loader=_Loader)  # a SafeLoader
