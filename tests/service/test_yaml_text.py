"""YAML of users: everything that PyYAML reads is read alike, and a key that stands twice is said."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from echelon.agents.roster import roster
from echelon.errors import UserError
from echelon.experiments.definition.load import load
from echelon.settings.loading import load_config
from echelon.yaml_text import read_yaml

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=5) | st.integers(), v, max_size=4)
)
TWICE = "arms: 1\ntasks:\n  set: {a: 1}\n  inputs: []\n  set: {b: 2}\n"


@given(VALUES)
def test_what_has_no_key_twice_is_read_as_pyyaml_reads_it(value: object) -> None:
    text = yaml.safe_dump(value)
    assert read_yaml(text) == yaml.safe_load(text) == value


@pytest.mark.parametrize(
    "text", ["base: &b {a: 1}\nother:\n  <<: *b\n  a: 2\n", "one: {a: 1}\ntwo: {a: 2}\n", "? [1, 2]\n: x\n"]
)
def test_merged_and_nested_keys_are_no_repetition(text: str) -> None:
    if text.startswith("?"):
        with pytest.raises(yaml.YAMLError, match="unhashable"):
            read_yaml(text)
    else:
        assert read_yaml(text) == yaml.safe_load(text)


@pytest.mark.parametrize(("text", "key"), [(TWICE, "set"), ("a: 1\nb: 2\na: 1\n", "a"), ("[{1: x, 1: y}]", "1")])
def test_a_key_that_stands_twice_is_named_with_its_line(text: str, key: str) -> None:
    with pytest.raises(yaml.YAMLError, match=rf"'{key}' stands twice(.|\n)*line \d"):
        read_yaml(text)


def test_files_of_users_with_a_key_twice_are_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "given.yaml"
    path.write_text(TWICE)
    for reads in (lambda: load(path), lambda: load_config(tmp_path, str(path)), lambda: roster(str(tmp_path))):
        with pytest.raises(UserError, match=r"'set' stands twice.* line 5") as refused:
            reads()
        assert "\n" not in str(refused.value)
