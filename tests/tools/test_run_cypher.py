"""The tool `run_cypher`: what a model asks costs at most what the settings allow, and it is told why and what to do."""

from __future__ import annotations

from echelon.engine.toolbox import ToolContext
from tests.support.tool_use import use


def test_a_query_is_answered(context: ToolContext) -> None:
    answered = use(context, "run_cypher", query="UNWIND range(1, 3) AS n RETURN n")
    assert answered.ok and answered.data == {"rows": [{"n": 1}, {"n": 2}, {"n": 3}]}


def test_an_expensive_query_is_refused_with_a_way_out(context: ToolContext) -> None:
    asked = "RETURN size(reduce(s = $k, x IN range(1, 60) | s + s)) AS n"
    answered = use(context, "run_cypher", query=asked, parameters={"k": "x"})
    assert not answered.ok and "memory" in answered.explanations[0] and "LIMIT" in answered.explanations[0]


def test_a_refused_query_is_no_broken_tool(context: ToolContext) -> None:
    answered = use(context, "run_cypher", query="MATCH (n) DETACH DELETE n")
    assert not answered.ok and answered.explanations[0].startswith("DELETE is refused")
