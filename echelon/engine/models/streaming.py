"""A chat completion that arrives in pieces (server-sent events), put together to what it would be in one piece.

Nothing of it is trusted: what is no event, no object or of another type is left out, as in `completion`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from echelon.engine.models.completion import UNREADABLE
from echelon.engine.models.retry import TransientFailure
from echelon.engine.words import Hearer
from echelon.json_text import is_list, is_object

EVENTS = "text/event-stream"
MOST_CALLS = 64


@dataclass
class Assembled:
    """An answer as far as it has arrived."""

    words: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    calls: dict[int, dict[str, str]] = field(default_factory=dict)
    reason: str | None = None
    usage: Any = None
    is_done: bool = False
    has_choice: bool = False

    def take(self, chunk: dict[str, Any]) -> str:
        """Take a piece in; returns the words in it. Raises TransientFailure where the server says that it failed."""
        if is_object(chunk.get("error")):
            raise TransientFailure("the server stopped in the middle of its answer with an error")
        self.usage = chunk.get("usage") or self.usage
        choices = chunk.get("choices")
        choice = choices[0] if is_list(choices) and choices and is_object(choices[0]) else None
        if choice is None:
            return ""
        self.has_choice = True
        reason = choice.get("finish_reason")
        self.reason = reason if isinstance(reason, str) else self.reason
        delta = choice.get("delta")
        return self._delta(delta) if is_object(delta) else ""

    def _delta(self, delta: dict[str, Any]) -> str:
        refused, said = delta.get("refusal"), delta.get("content")
        if isinstance(refused, str):
            self.refusal.append(refused)
        calls = delta.get("tool_calls")
        for position, call in enumerate(calls if is_list(calls) else []):
            if is_object(call):
                self._call(call, position)
        if not isinstance(said, str):
            return ""
        self.words.append(said)
        return said

    def _call(self, call: dict[str, Any], position: int) -> None:
        index = call.get("index")
        place = index if isinstance(index, int) and 0 <= index < MOST_CALLS else position
        kept = self.calls.setdefault(place, {"id": "", "name": "", "arguments": ""})
        function = call.get("function")
        said = {"id": call.get("id"), **(function if is_object(function) else {})}
        for name in kept:
            value = said.get(name)
            kept[name] += value if isinstance(value, str) else ""

    def body(self) -> bytes:
        """The answer as a server sends it in one piece. Raises TransientFailure for one that broke off."""
        if not self.has_choice:
            raise TransientFailure(UNREADABLE)
        if self.reason is None and not self.is_done:
            raise TransientFailure("its answer broke off")
        calls = [
            {"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": c["arguments"]}}
            for _, c in sorted(self.calls.items())
        ]
        message: dict[str, Any] = {"role": "assistant", "content": "".join(self.words), "tool_calls": calls}
        message["refusal"] = "".join(self.refusal) or None
        whole = {"choices": [{"message": message, "finish_reason": self.reason}], "usage": self.usage}
        return json.dumps(whole, ensure_ascii=False).encode()


def assembled(lines: Iterable[str], hearer: Hearer) -> bytes:
    """The answer that the lines of a stream make; `hearer` is told the words as they come. Raises TransientFailure."""
    answer = Assembled()
    for line in lines:
        name, colon, value = line.partition(":")
        if name.strip() != "data" or not colon:
            continue
        if value.strip() == "[DONE]":
            answer.is_done = True
            break
        try:
            chunk: Any = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise TransientFailure(UNREADABLE) from error
        if is_object(chunk) and (words := answer.take(chunk)):
            hearer(words)
    return answer.body()
