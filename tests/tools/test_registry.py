"""The gate in front of the tools, and the schemas that models see."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, Field

from echelon.crews.tool_sets import all_tools, take
from echelon.engine.toolbox import Arguments, Effect, Toolbox, inlined_schema
from echelon.errors import ModelFault, UnknownName

ALL = sorted(all_tools())


def test_what_a_phase_does_not_have_is_refused() -> None:
    box = Toolbox(take(["read_file", "submit_verdict"]))
    with pytest.raises(ModelFault, match=r"no tool 'write_file' in this phase"):
        box.checked("write_file", {"path": "output/a.md", "text": "x"})
    assert [schema.name for schema in box.schemas()] == ["read_file", "submit_verdict"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [({}, "path: Field required"), ({"path": "a", "misspelt": 1}, "misspelt"), ({"path": "a", "lines": 0}, "lines")],
)
def test_arguments_that_do_not_fit_are_refused_with_what_is_wrong(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelFault) as caught:
        Toolbox(take(["read_file"])).checked("read_file", arguments)
    text = str(caught.value)
    assert said in text and "call read_file again" in text
    assert "pydantic" not in text and "\n" not in text


def test_an_unknown_tool_on_the_shelf_comes_with_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        take(["read_fil"])
    assert caught.value.nearest == "read_file"


def nodes(value: Any) -> list[dict[str, Any]]:
    """All objects in a schema."""
    if isinstance(value, list):
        return [node for item in value for node in nodes(item)]
    if isinstance(value, dict):
        return [value, *(node for item in value.values() for node in nodes(item))]
    return []


@pytest.mark.parametrize("name", ALL)
def test_the_schema_of_every_tool_is_plain(name: str) -> None:
    """Small servers and strict ones understand neither references nor free objects."""
    schema = all_tools()[name].schema
    assert "$ref" not in json.dumps(schema.parameters) and "$defs" not in schema.parameters
    assert schema.parameters["type"] == "object"
    for node in nodes(schema.parameters):
        assert not isinstance(node.get("title"), str), "titles say nothing that the names do not"
    assert set(schema.parameters.get("required", [])) == {
        key for key, field in all_tools()[name].arguments.model_fields.items() if field.is_required()
    }


@pytest.mark.parametrize("name", ALL)
def test_every_tool_and_every_argument_says_what_it_is_for(name: str) -> None:
    tool = all_tools()[name]
    assert tool.name == name and name.islower()
    assert 10 <= len(tool.description) <= 200 and "\n" not in tool.description and tool.description.endswith(".")
    for key, field in tool.arguments.model_fields.items():
        assert field.description, f"{name}.{key}"
        assert len(field.description) <= 220, f"{name}.{key}"


def test_references_are_inlined_wherever_they_stand() -> None:
    class Leaf(BaseModel):
        title: str = Field(description="a field that is called title")

    class Branch(BaseModel):
        leaf: Leaf = Field(description="its own words win")
        leaves: list[Leaf] = []
        maybe: Leaf | None = None

    class Tree(Arguments):
        branch: Branch

    schema = inlined_schema(Tree)
    assert "$ref" not in json.dumps(schema)
    branch = schema["properties"]["branch"]["properties"]
    assert branch["leaf"]["properties"]["title"]["description"] == "a field that is called title"
    assert branch["leaf"]["description"] == "its own words win"
    assert branch["leaves"]["items"]["properties"]["title"]["type"] == "string"
    assert branch["maybe"]["anyOf"][0]["properties"]["title"]["type"] == "string"


def test_only_subagents_run_outside_a_step_and_no_tool_must_not_run_twice() -> None:
    assert {t.name for t in all_tools().values() if not t.in_step} == {"explain_code", "ask"}
    assert {t.effect for t in all_tools().values()} <= {Effect.READ, Effect.IDEMPOTENT}
