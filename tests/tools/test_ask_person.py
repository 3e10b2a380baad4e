"""A question for a person is asked with a tool of its own, and reaches the person with the scope."""

from __future__ import annotations

from echelon.crews.tool_sets import all_tools
from echelon.engine.toolbox import ToolContext
from tests.tools.conftest import use

SCOPE = {
    "in_scope": ["the policy"],
    "success": ["a reader finds every obligation"],
    "milestones": [{"outcome": "A reader finds every obligation of the policy", "checks": ["open the list"]}],
    "confidence": 0.9,
}


def test_the_question_is_part_of_the_scope_that_is_submitted(context: ToolContext) -> None:
    assert use(context, "ask_person", question="Which of the two editions counts?").ok
    assert use(context, "ask_person", question="Which of the two editions counts?").ok
    assert context.state.end is None
    assert use(context, "submit_scope", **SCOPE).ok
    assert context.state.end.value.questions == ("Which of the two editions counts?",)


def test_without_a_question_nobody_is_asked(context: ToolContext) -> None:
    assert use(context, "submit_scope", **SCOPE).ok
    assert context.state.end.value.questions == ()


def test_the_field_is_not_offered_since_small_models_fill_what_they_see() -> None:
    assert "questions" not in all_tools()["submit_scope"].schema.parameters["properties"]
