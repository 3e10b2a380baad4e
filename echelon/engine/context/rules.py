"""What holds for every prompt, one class a rule. `enforce` mends what is broken and leaves alone what is not."""

from __future__ import annotations

from dataclasses import dataclass

from echelon.engine.context.facts import Fact, missing, put_back
from echelon.engine.messages import Message

NOT_RUN = "[this call was not run]"
NO_ANSWER = "[empty answer]"


@dataclass(frozen=True)
class ToolCallMatching:
    """Each tool call is followed by exactly one result of its own, and each result has its call."""

    def enforce(self, messages: list[Message]) -> list[Message]:
        out: list[Message] = []
        open_calls: dict[str, str] = {}
        for message in messages:
            if message.role == "tool":
                if open_calls.pop(message.call_id or "", None) is not None:
                    out.append(message)
                continue
            out += _not_run(open_calls)
            open_calls = {c.id: c.name for c in message.calls}
            out.append(message)
        return out + _not_run(open_calls)


def _not_run(open_calls: dict[str, str]) -> list[Message]:
    return [Message(role="tool", content=NOT_RUN, call_id=i, name=n) for i, n in open_calls.items()]


@dataclass(frozen=True)
class NoEmptyAnswer:
    """A message of the model has a text or a call: servers refuse one that has neither."""

    def enforce(self, messages: list[Message]) -> list[Message]:
        return [
            m.model_copy(update={"content": NO_ANSWER})
            if m.role == "assistant" and not m.calls and not m.content.strip()
            else m
            for m in messages
        ]


@dataclass(frozen=True)
class TaskPromptStays:
    """The system prompt comes first and the task second, word for word."""

    system: str
    task: str

    def enforce(self, messages: list[Message]) -> list[Message]:
        head = [Message(role="system", content=self.system), Message(role="user", content=self.task)]
        return messages if messages[:2] == head else [*head, *(m for m in messages if m not in head)]


@dataclass(frozen=True)
class TodosVisible:
    """The active todo list is the end of the prompt."""

    display: str | None

    def enforce(self, messages: list[Message]) -> list[Message]:
        if self.display is None or (messages and messages[-1].content.endswith(self.display)):
            return messages
        return [*messages, Message(role="user", content=self.display)]


@dataclass(frozen=True)
class FactsAnswerable:
    """Open todos, decisions, deliverables, failures and limits can be read; what cannot is put back."""

    facts: tuple[Fact, ...]
    display: str | None

    def enforce(self, messages: list[Message]) -> list[Message]:
        lost = self.lost(messages)
        if not lost:
            return messages
        is_tail = self.display is not None and messages[-1].role == "user" and messages[-1].content == self.display
        body = messages[:-1] if is_tail else messages
        tail = "\n\n".join(filter(None, [put_back(lost), self.display if is_tail else None]))
        return [*body, Message(role="user", content=tail)]

    def lost(self, messages: list[Message]) -> list[Fact]:
        """What cannot be read in `messages`."""
        return missing(self.facts, (text for m in messages for text in (m.content, *(c.arguments for c in m.calls))))


Rule = ToolCallMatching | NoEmptyAnswer | TaskPromptStays | TodosVisible | FactsAnswerable
