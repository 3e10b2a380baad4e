"""What a model gets to see: five layers, rebuilt every turn from state.

1 system prompt · 2 active todo list · 3 tool descriptions · 4 summary · 5 conversation. Layers 1 and 3 never change
inside a phase (a found tool is added at the end) and stand first, so that a provider's prompt cache hits; the todo list
changes most often and stands last, where it also weighs most. The conversation keeps its size: results older than the
last five become pointers to the files that hold them, long texts in old arguments are cut, and turns before the last
five to ten become one line each, five at a time, so that the beginning of the prompt stays the same for five calls.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from echelon.engine.context.cut import broken_off, line_of, pointer, prompt_tokens, shortened, shown_result
from echelon.engine.context.facts import Fact, Facts
from echelon.engine.context.rules import (
    FactsAnswerable,
    NoEmptyAnswer,
    Rule,
    TaskPromptStays,
    TodosVisible,
    ToolCallMatching,
)
from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, ToolResult, ToolSchema
from echelon.engine.stuck import action_of
from echelon.settings import ContextSettings, ModelSettings

STEP = 5
"""Turns that are folded at once; between STEP and 2 * STEP turns stay as they were."""
LINES = 8
"""Folded turns that keep a line of their own; those before are only counted."""
WHOLE_ARGUMENTS = 1
"""Latest turns whose arguments stay whole."""


@dataclass(frozen=True)
class Outcome:
    """What came of one call. `path` is where the whole result is, '' when nothing is kept of it."""

    call: ToolCall
    result: ToolResult
    path: str = ""

    @functools.cached_property
    def text(self) -> str:
        """What the model reads."""
        return self.result.text()

    @property
    def said(self) -> str:
        return self.result.explanations[0] if self.result.explanations else "done" if self.result.ok else "no reason"


@dataclass
class Turn:
    """One exchange: what the model answered and what came of each call. `feedback` is what code says to it."""

    answer: Answer
    results: list[Outcome] = field(default_factory=list)
    feedback: str | None = None


@dataclass
class Conversation:
    """A phase's context. `todo`, `open_todos`, `limits` and `tools` are asked for the job's state at every prompt."""

    system: str
    task: str
    tools: Callable[[], tuple[ToolSchema, ...]]
    todo: Callable[[], str | None]
    open_todos: Callable[[], tuple[str, ...]] = tuple
    limits: Callable[[], tuple[str, ...]] = tuple
    turns: list[Turn] = field(default_factory=list)
    facts: Facts = field(default_factory=Facts)
    summary: str = ""
    summarised: int = 0
    """Turns that the summary stands for."""

    def request(self, context: ContextSettings, model: ModelSettings) -> ModelRequest:
        """The next prompt. Results are cut further where it would not fit the model's window otherwise."""
        ceiling = model.context_window - model.max_output_tokens
        first, *further = _levels(context)
        request = self._request(self.rendered(*first), model)
        for level in further:
            if prompt_tokens(request) <= ceiling:
                break
            request = self._request(self.rendered(*level), model)
        return request

    def _request(self, messages: list[Message], model: ModelSettings) -> ModelRequest:
        for rule in self.rules():
            messages = rule.enforce(messages)
        return ModelRequest(
            messages=tuple(messages), tools=self.tools(), max_output_tokens=model.max_output_tokens,
            temperature=model.temperature,
        )  # fmt: skip

    def rules(self) -> tuple[Rule, ...]:
        """What must hold for the next prompt."""
        display = self.todo()
        return (
            ToolCallMatching(), NoEmptyAnswer(), TaskPromptStays(self.system, self.task), TodosVisible(display),
            FactsAnswerable(tuple(self.must_know()), display),
        )  # fmt: skip

    def must_know(self) -> list[Fact]:
        """Everything that must be answerable from the next prompt."""
        return self.facts.all(self.open_todos(), self.limits())

    def rendered(self, keep: int, most: int, whole_arguments: int = WHOLE_ARGUMENTS) -> list[Message]:
        """Layers 1, 4 and 5, before the rules."""
        messages = [Message(role="system", content=self.system), Message(role="user", content=self.task)]
        first = self.first_open(keep)
        if history := self.history(first):
            messages.append(Message(role="user", content=history))
        whole, again = self._whole_results(keep), self._same_again()
        for number, turn in enumerate(self.turns[first:], first):
            shown = _without_arguments(turn) if number >= again else turn
            messages += _rendered(shown, number, whole, most, number < len(self.turns) - whole_arguments)
        return messages

    def _same_again(self) -> int:
        """Index from which on all turns are one failing call, made again and again.

        What it was called with is not shown: a small model copies what stands there, in place of trying something else.
        """
        last = self.turns[-1].answer.calls if self.turns else ()
        start = len(self.turns)
        while start and last and _is_failure(self.turns[start - 1]) and _is_same(self.turns[start - 1], last):
            start -= 1
        return start if start < len(self.turns) - 1 else len(self.turns)

    def first_open(self, keep: int) -> int:
        """Index of the first turn that is not folded: a function of the number of turns, so that it moves in steps."""
        folded = max(0, len(self.turns) // STEP - 1) * STEP
        oldest_whole = min((i for i, _ in self._whole_results(keep)), default=len(self.turns))
        return max(self.summarised, min(folded, oldest_whole))

    def history(self, until: int) -> str:
        """Layer 4: the summary, and the turns before `until` that it does not cover, '' when there are none."""
        parts: list[str] = []
        if self.summarised:
            parts.append(f"Turns 1 to {self.summarised} of this phase, summarised:\n{self.summary}")
        if until > self.summarised:
            parts.append(f"Turns {self.summarised + 1} to {until} of this phase, in short:\n{self._lines(until)}")
        return "\n\n".join(parts)

    def _lines(self, until: int) -> str:
        turns = list(enumerate(self.turns[self.summarised : until], self.summarised + 1))
        lines = [line for n, turn in turns[-LINES:] for line in _lines(n, turn)]
        before = Counter(o.call.name for _, turn in turns[:-LINES] for o in turn.results)
        if before:
            counted = ", ".join(f"{name} {count} times" for name, count in sorted(before.items()))
            lines.insert(0, f"First: {counted}.")
        return "\n".join(lines)

    def transcript(self, until: int, result_tokens: int) -> str:
        """The turns that a summary is to cover next, as text for the model that writes it."""
        parts = [self.summary] if self.summary else []
        for turn in self.turns[self.summarised : until]:
            parts += [turn.answer.text] if turn.answer.text.strip() else []
            for o in turn.results:
                parts.append(f"{o.call.name} {shortened(o.call).arguments}\n-> {shown_result(o.text, result_tokens)}")
        return "\n\n".join(parts)

    def _whole_results(self, keep: int) -> set[tuple[int, int]]:
        places: list[tuple[int, int]] = []
        for i in range(len(self.turns) - 1, -1, -1):
            places += [(i, j) for j in range(len(self.turns[i].results) - 1, -1, -1)]
            if len(places) >= keep:
                break
        return set(places[:keep])


def _levels(context: ContextSettings) -> list[tuple[int, int, int]]:
    """(whole results, tokens of one, turns with whole arguments): ever less, for windows that are too small."""
    keep, most = context.keep_results, context.result_tokens
    whole = WHOLE_ARGUMENTS
    return [
        (keep, most, whole),
        (min(keep, 3), most // 2, whole),
        (min(keep, 2), most // 5, 0),
        (1, most // 20 or 1, 0),
    ]


def _is_failure(turn: Turn) -> bool:
    return bool(turn.results) and not any(o.result.ok for o in turn.results)


def _is_same(turn: Turn, calls: tuple[ToolCall, ...]) -> bool:
    made = turn.answer.calls
    return [action_of(c.name, c.arguments) for c in made] == [action_of(c.name, c.arguments) for c in calls]


def _without_arguments(turn: Turn) -> Turn:
    calls = tuple(c.model_copy(update={"arguments": "{}"}) for c in turn.answer.calls)
    return Turn(turn.answer.model_copy(update={"calls": calls, "text": ""}), turn.results, turn.feedback)


def _rendered(turn: Turn, number: int, whole: set[tuple[int, int]], most: int, is_old: bool) -> list[Message]:
    calls = tuple(shortened(c) for c in turn.answer.calls) if is_old else turn.answer.calls
    text = broken_off(turn.answer.text) if turn.answer.cut and not calls else turn.answer.text
    out = [Message(role="assistant", content=text, calls=calls)]
    for place, o in enumerate(turn.results):
        shown = shown_result(o.text, most) if (number, place) in whole else pointer(o.call.name, o.text, o.path)
        out.append(Message(role="tool", content=shown, call_id=o.call.id, name=o.call.name))
    if turn.feedback:
        out.append(Message(role="user", content=turn.feedback))
    return out


def _lines(number: int, turn: Turn) -> list[str]:
    if not turn.results:
        return [f"{number}. (no tool call)"]
    return [line_of(number, o.call, o.result.ok, o.said) for o in turn.results]
