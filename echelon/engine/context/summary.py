"""The summary that a conversation gets when it would grow too long, and the audit of what the summary lost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from echelon.engine.context.conversation import Conversation
from echelon.engine.context.cut import prompt_tokens
from echelon.engine.context.facts import FactKind
from echelon.engine.context.rules import FactsAnswerable
from echelon.engine.messages import Answer, Message, ModelRequest
from echelon.settings import ContextSettings, ModelSettings
from echelon.tokens import cut_to_tokens

LEAST = 4
"""Turns that a new summary must cover: a prompt that is long for another reason is not summarised at every call."""
SUMMARY_TOKENS = 800
RESULT_TOKENS = 300
"""Tokens of one result in the text that is summarised."""


@dataclass(frozen=True)
class Compaction:
    """What a summary covers, and how many facts of each kind it lost: they are put back into every later prompt."""

    turns: int
    before: int
    after: int
    lost: dict[str, int]


def threshold(context: ContextSettings, model: ModelSettings) -> int:
    """Prompt tokens from which a summary is written."""
    return min(context.compact_at_tokens, int(context.compact_at_share * model.context_window))


def to_summarise(talk: Conversation, request: ModelRequest, context: ContextSettings, model: ModelSettings) -> int:
    """How many turns, from the first, a summary should cover before `request` is sent; 0 when none is needed."""
    until = len(talk.turns) - context.keep_results
    if until - talk.summarised < LEAST:
        return 0
    return until if prompt_tokens(request) > threshold(context, model) else 0


def summary_request(
    talk: Conversation, instructions: str, until: int, context: ContextSettings, model: ModelSettings
) -> ModelRequest:
    """The prompt that asks for the summary: no tools, and never longer than the threshold."""
    room = max(200, threshold(context, model) - SUMMARY_TOKENS)
    text = cut_to_tokens(talk.transcript(until, RESULT_TOKENS), room)
    messages = (Message(role="system", content=instructions), Message(role="user", content=f"{talk.task}\n\n{text}"))
    return ModelRequest(messages=messages, max_output_tokens=min(SUMMARY_TOKENS, model.max_output_tokens))


def compacted(
    talk: Conversation, until: int, answer: Answer, context: ContextSettings, model: ModelSettings
) -> Compaction:
    """Put the summary into the conversation and check what can still be answered from it.

    An empty answer is replaced by the short lines of code, so that a bad summary is never worse than none.
    """
    before = prompt_tokens(talk.request(context, model))
    text = cut_to_tokens(answer.text.strip(), SUMMARY_TOKENS) or talk.history(until)
    talk.summary, talk.summarised = text, until
    display = talk.todo()
    rule = FactsAnswerable(tuple(talk.must_know()), display)
    lost = rule.lost([*talk.rendered(context.keep_results, context.result_tokens), *_tail(display)])
    counts = Counter(fact.kind for fact in lost)
    after = prompt_tokens(talk.request(context, model))
    return Compaction(until, before, after, {k.value: counts[k] for k in FactKind if counts[k]})


def _tail(display: str | None) -> list[Message]:
    return [Message(role="user", content=display)] if display else []
