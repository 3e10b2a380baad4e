"""The model door: a crewai `BaseLLM` through which every model call of a role passes.

crewai runs the role's loop; the door decides what crewai gets to hear: one valid tool call at a time (several of one
answer would run in threads, a list as arguments would crash it). The conversation that the model sees is kept in
`Dialogue`, so text beside tool calls stays and `{tools}` in a user's text stays text. A phase ends with a final text
for crewai. What must not end as a message to the model, an error of ours or of the surroundings, leaves as `Halted`,
which crewai's handlers do not catch.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

from echelon.engine.dialogue import Dialogue
from echelon.errors import Halted

if TYPE_CHECKING:
    from crewai.llms.base_llm import BaseLLM


def door(dialogue: Dialogue) -> BaseLLM:
    """The crewai side of a conversation."""
    made: BaseLLM = _door_class()(model=dialogue.model.name, dialogue=dialogue)
    return made


@functools.cache
def _door_class() -> Any:
    from crewai.llms.base_llm import BaseLLM, llm_call_context
    from pydantic import Field

    class Door(BaseLLM):
        dialogue: Any = Field(exclude=True)

        def supports_function_calling(self) -> bool:
            return True

        def get_context_window_size(self) -> int:
            size: int = self.dialogue.run.config.model_settings.context_window
            return size

        def get_input_tokens_count(self, messages: Any, tools: Any = None, response_model: Any = None) -> int:
            return 0  # the door bounds its own prompts: crewai's compaction must never run

        def is_context_window_overflowing_threshold(self, *_: Any, **__: Any) -> bool:
            return False

        def is_tool_result_overflowing_threshold(self, tool_result: str) -> tuple[bool, int]:
            return False, 0

        def summarize_messages(self, *_: Any, **__: Any) -> Any:
            raise AssertionError("the door bounds its own prompts")

        def call(self, messages: Any, *_: Any, **__: Any) -> Any:
            with llm_call_context():
                try:
                    return _for_crewai(self.dialogue)
                except Exception as error:  # crewai would try again, or tell the model
                    raise Halted(error) from error

        async def acall(self, messages: Any, *_: Any, **__: Any) -> Any:
            return self.call(messages)

    return Door


def _for_crewai(dialogue: Dialogue) -> Any:
    """The next call in OpenAI's form, or a final text."""
    ready = dialogue.next_call()
    if ready is None:
        return "[the phase is over]"
    function = {"name": ready.call.name, "arguments": json.dumps(ready.given, ensure_ascii=False)}
    return [{"id": ready.call.id, "type": "function", "function": function}]
