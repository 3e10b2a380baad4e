"""What a model gets to see: five layers, rebuilt every turn from state.

1 system prompt · 2 active todo list · 3 tool descriptions · 4 summary · 5 conversation. Layers 1 and 3 never change
inside a phase and stand first, so that a provider's prompt cache hits; the todo list changes most often and stands
last, where it also weighs most. Old tool results become pointers to the file that holds them, long ones are cut.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, ToolSchema
from echelon.engine.settings import ContextSettings, ModelSettings
from echelon.engine.tokens import count_tokens, cut_to_tokens


@dataclass
class Turn:
    """One exchange: what the model answered and what came of each call. `feedback` answers a turn without calls."""

    answer: Answer
    results: list[tuple[ToolCall, str, str]] = field(default_factory=list)
    """(call, text for the model, workspace path of the whole result)"""
    feedback: str | None = None


@dataclass
class Conversation:
    """A phase's context. `todo` renders layer 2 from the job's state whenever it is asked."""

    system: str
    task: str
    tools: tuple[ToolSchema, ...]
    todo: Callable[[], str | None]
    turns: list[Turn] = field(default_factory=list)
    summary: str | None = None

    def request(self, context: ContextSettings, model: ModelSettings) -> ModelRequest:
        """The next prompt, within the limits of `context`."""
        messages = [Message(role="system", content=self.system), Message(role="user", content=self.task)]
        if self.summary:
            messages.append(Message(role="user", content=f"Summary of the work so far:\n{self.summary}"))
        whole = self._whole_results(context.keep_results)
        for number, turn in enumerate(self.turns):
            messages += _rendered(turn, number, whole, context.result_tokens)
        if todo := self.todo():
            messages.append(Message(role="user", content=todo))
        return ModelRequest(
            messages=tuple(messages),
            tools=self.tools,
            max_output_tokens=model.max_output_tokens,
            temperature=model.temperature,
        )

    def _whole_results(self, keep: int) -> set[tuple[int, int]]:
        places = [(i, j) for i, turn in enumerate(self.turns) for j in range(len(turn.results))]
        return set(places[-keep:])


def _rendered(turn: Turn, number: int, whole: set[tuple[int, int]], most: int) -> list[Message]:
    out = [Message(role="assistant", content=turn.answer.text, calls=turn.answer.calls)]
    for place, (call, text, path) in enumerate(turn.results):
        shown = cut_to_tokens(text, most) if (number, place) in whole else pointer(call.name, text, path)
        out.append(Message(role="tool", content=shown, call_id=call.id, name=call.name))
    if turn.feedback:
        out.append(Message(role="user", content=turn.feedback))
    return out


def pointer(name: str, text: str, path: str) -> str:
    """What stands in the place of an old result; a short result is shorter than any pointer to it."""
    note = f"[result of {name}, {count_tokens(text):,} tokens: in {path}]"
    return text if len(text) <= len(note) else note


def prompt_tokens(request: ModelRequest) -> int:
    """Tokens of a prompt: texts, tool calls and tool schemas, with the four tokens that frame a message."""
    texts = [m.content + "".join(c.name + c.arguments for c in m.calls) for m in request.messages]
    schemas = [json.dumps(t.model_dump(), ensure_ascii=False) for t in request.tools]
    return sum(count_tokens(x) for x in (*texts, *schemas)) + 4 * len(texts)
