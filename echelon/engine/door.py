"""The model door: a crewai `BaseLLM` through which every model call of a role passes.

crewai runs the role's loop; the door decides what the model sees and what crewai gets to hear. It keeps the phase's own
conversation, so crewai's quirks cannot reach the model: crewai gets one valid tool call at a time (several of one answer
would run in threads, a list as arguments would crash it), text beside tool calls is kept, and `{tools}` in a user's text
stays text. A phase ends with a final text for crewai, never with an exception that a handler might swallow.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from echelon.engine.context import Conversation, Turn, prompt_tokens
from echelon.engine.errors import LimitReached, ModelFault
from echelon.engine.messages import Answer, ModelRequest, ToolCall, ToolResult
from echelon.engine.run import Run, Where

if TYPE_CHECKING:
    from crewai.llms.base_llm import BaseLLM

    from echelon.engine.models import Model

FAULTS_IN_A_ROW = 5
"""Answers in a row that cannot be used before a phase is given up."""


class Gate(Protocol):
    """Says which tool calls are valid in a phase."""

    def checked(self, name: str, arguments: dict[str, Any]) -> Any:
        """Validated arguments. Raises ModelFault."""
        ...


@dataclass
class PhaseTalk:
    """The conversation of one phase with its model. `ended` tells why the phase is over, None while it goes on."""

    run: Run
    where: Where
    model: Model
    conversation: Conversation
    gate: Gate
    ended: Callable[[], str | None]
    end: Callable[[str], None]
    calls: int = 0
    faults: int = 0
    first_prompt_tokens: int = 0
    waiting: list[ToolCall] = field(default_factory=list)
    current: ToolCall | None = None
    warned: bool = False

    def next_call(self) -> ToolCall | None:
        """The next tool call to run, None when the phase is over."""
        while self.ended() is None:
            if self.waiting:
                self.current = self.waiting.pop(0)
                if self._usable(self.current):
                    return self.current
            elif not self._ask():
                break
        return None

    def add_result(self, result: ToolResult, path: str) -> str:
        """Put the result of the current call into the conversation; returns the text that the model will read."""
        assert self.current is not None
        text = result.text()
        self.conversation.turns[-1].results.append((self.current, text, path))
        self.faults = 0 if result.ok else self.faults
        return text

    def _usable(self, call: ToolCall) -> bool:
        try:
            self.gate.checked(call.name, call.parsed())
        except (ModelFault, ValueError) as fault:
            sentence = (
                str(fault)
                if isinstance(fault, ModelFault)
                else f"{call.name}: {fault}; call it again with a JSON object."
            )
            self.run.spent.refused_calls += 1
            self.run.emit("refused", role=self.where.role, tool=call.name, why=sentence)
            self.conversation.turns[-1].results.append((call, ToolResult.failure(sentence).text(), ""))
            self._fault()
            return False
        return True

    def _fault(self) -> None:
        self.faults += 1
        if self.faults >= FAULTS_IN_A_ROW:
            self.end("no usable answer")

    def _ask(self) -> bool:
        """One model call; False when a ceiling forbids it."""
        try:
            self.run.check_budget()
            most = self.run.config.budget.calls_per_phase
            if self.calls >= most:
                raise LimitReached("calls_per_phase", most, self.calls, "phase")
        except LimitReached as limit:
            self.end("limit" if limit.scope == "job" else "too many calls")
            self.run.emit("limit", limit=limit.limit, ceiling=limit.ceiling, spent=limit.spent, scope=limit.scope)
            return False
        request = self._request()
        answer = self._answer(request)
        self.calls += 1
        self.run.charge(answer.usage)
        calls = tuple(c.model_copy(update={"id": f"call_{self.run.number}_{i}"}) for i, c in enumerate(answer.calls))
        self.conversation.turns.append(Turn(answer=answer.model_copy(update={"calls": calls})))
        self.waiting = list(calls)
        if not calls:
            self.conversation.turns[-1].feedback = self._nudge()
            self._fault()
        return True

    def _request(self) -> ModelRequest:
        config = self.run.config
        request = self.conversation.request(config.context, config.model_settings)
        if self.calls == 0:
            self.first_prompt_tokens = prompt_tokens(request)
        return request.model_copy(update={"number": self.run.spent.model_calls + 1})

    def _answer(self, request: ModelRequest) -> Answer:
        from echelon.engine.digest import digest

        def work() -> dict[str, Any]:
            answer = self.model.answer(request)
            if answer.usage.prompt_tokens == 0:  # a model that does not count: count for it
                usage = answer.usage.model_copy(
                    update={"prompt_tokens": prompt_tokens(request), "completion_tokens": _tokens(answer)}
                )
                answer = answer.model_copy(update={"usage": usage})
            return answer.model_dump(mode="json")

        asked = digest([self.model.name, request.model_dump(mode="json")])
        self.run.emit("model", role=self.where.role, phase=self.where.phase, call=self.calls + 1)
        return Answer.model_validate(self.run.step("model", "model", work, asked, self.where))

    def _nudge(self) -> str:
        submits = [t.name for t in self.conversation.tools if t.name.startswith(("submit_", "job_complete"))]
        return f"Answer with one tool call. When this phase's work is done, call {' or '.join(submits)}."


def _tokens(answer: Answer) -> int:
    from echelon.engine.tokens import count_tokens

    return count_tokens(answer.text + "".join(c.name + c.arguments for c in answer.calls))


def door(talk: PhaseTalk) -> BaseLLM:
    """The crewai side of a conversation."""
    from crewai.llms.base_llm import BaseLLM, llm_call_context

    class Door(BaseLLM):
        def supports_function_calling(self) -> bool:
            return True

        def get_context_window_size(self) -> int:
            return talk.run.config.model_settings.context_window

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
                call = talk.next_call()
                if call is None:
                    return f"[phase over: {talk.ended()}]"
                arguments = json.dumps(call.parsed(), ensure_ascii=False)
                return [{"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}]

        async def acall(self, messages: Any, *_: Any, **__: Any) -> Any:
            return self.call(messages)

    return Door(model=talk.model.name)
