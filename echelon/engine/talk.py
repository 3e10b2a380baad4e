"""The talk of one phase with its model: what is asked, what of the answer can be used, and when it is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from echelon.engine.asking import ask
from echelon.engine.context import summary
from echelon.engine.context.conversation import Conversation, Outcome, Turn
from echelon.engine.context.cut import LEFT_OUT, prompt_tokens
from echelon.engine.messages import Answer, ModelRequest, ToolCall, ToolResult, ToolSchema
from echelon.engine.run import Run, Where
from echelon.engine.stuck import Deed, Watch
from echelon.errors import LimitReached, ModelFault

if TYPE_CHECKING:
    from echelon.engine.models.model import Model

FAULTS_IN_A_ROW = 5
"""Answers in a row that cannot be used before a phase is given up."""


@dataclass(frozen=True)
class Traits:
    """What the talk must know of a tool: whether it only reads, whether it waits for something outside, the name of the
    argument that says what was decided ('' when a call of it decides nothing), and whether it ends the phase."""

    reads: bool = True
    waits: bool = False
    decision: str = ""
    ends: bool = False


class Gate(Protocol):
    """Says which tool calls are valid in a phase."""

    def checked(self, name: str, arguments: dict[str, Any]) -> Any:
        """Validated arguments. Raises ModelFault."""
        ...

    def traits(self, name: str) -> Traits:
        """What kind of tool it is; a tool that is not known only reads."""
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
    end: Callable[[str, str], None]
    """(why, the sentence about it for whoever plans next)"""
    todos_done: Callable[[], int] = lambda: 0
    summary_prompt: str = "Summarise this work: what was decided, written, tried in vain, and what is left to do."
    calls: int = 0
    faults: int = 0
    first_prompt_tokens: int = 0
    compactions: list[summary.Compaction] = field(default_factory=list)
    waiting: list[ToolCall] = field(default_factory=list)
    current: ToolCall | None = None
    watch: Watch = field(default_factory=Watch)

    def next_call(self) -> ToolCall | None:
        """The next tool call to run, None when the phase is over."""
        while self.ended() is None:
            if self.waiting:
                self.current = self.waiting.pop(0)
                if self._usable(self.current):
                    return self.current
            elif not self._may_ask():
                break
        return None

    def _may_ask(self) -> bool:
        try:
            return self._ask()
        except LimitReached as limit:  # what the call may take does not fit into what is left
            return self._over(limit)

    def add_result(self, result: ToolResult, path: str) -> None:
        """Put the result of the current call into the conversation. `path` is where the whole of it can be read."""
        assert self.current is not None
        self._take_in(Outcome(self.current, result, path))
        self.faults = 0 if result.ok else self.faults

    def _take_in(self, outcome: Outcome) -> None:
        call, result = outcome.call, outcome.result
        traits = self.gate.traits(call.name)
        self.conversation.turns[-1].results.append(outcome)
        self.conversation.facts.add(call, result, reads=traits.reads, decision=traits.decision)
        said = result.data if result.ok and result.data is not None else result.explanations
        deed = Deed.of(
            call.name, call.arguments, [said, result.explanations] if result.ok else outcome.said, ok=result.ok,
            reads=traits.reads, waits=traits.waits, mark=self.todos_done(),
        )  # fmt: skip
        self._judge(deed)

    def _judge(self, deed: Deed) -> None:
        finding = self.watch.saw(deed)
        if finding is None or self.ended() is not None:
            return
        self.run.emit("stuck", role=self.where.role, sort=finding.kind.value, tool=finding.tool, stop=finding.stop)
        if finding.stop:
            self.end("stuck", finding.sentence)
        else:
            self.conversation.turns[-1].feedback = finding.sentence

    def _usable(self, call: ToolCall) -> bool:
        try:
            if LEFT_OUT.search(call.arguments):
                raise ModelFault(
                    f"The arguments of {call.name} hold a mark for text that was left out; write the whole text."
                )
            self.gate.checked(call.name, call.parsed())
        except ModelFault as fault:
            return self._refuse(call, str(fault))
        except ValueError as fault:
            return self._refuse(call, self._cut() or f"{call.name}: {fault}; call it again with a JSON object.")
        return True

    def _refuse(self, call: ToolCall, sentence: str) -> bool:
        self.run.spent.refused_calls += 1
        self.run.emit("refused", role=self.where.role, tool=call.name, why=sentence)
        self._take_in(Outcome(call, ToolResult.failure(sentence)))
        self._fault()
        return False

    def _fault(self) -> None:
        self.faults += 1
        if self.faults >= FAULTS_IN_A_ROW and self.ended() is None:
            self.end("no usable answer", f"{self.faults} answers in a row could not be used.")

    def _ask(self) -> bool:
        """One answer of the model; False when a ceiling forbids it."""
        if not self._allowed():
            return False
        request = self._request()
        if self._summarise(request):
            if not self._allowed():
                return False
            request = self._request()
        answer = self._answer("model", request)
        self.calls += 1
        calls = tuple(c.model_copy(update={"id": f"call_{self.run.number}_{i}"}) for i, c in enumerate(answer.calls))
        self.conversation.turns.append(Turn(answer=answer.model_copy(update={"calls": calls})))
        self.waiting = list(calls)
        if not calls:
            self.conversation.turns[-1].feedback = self._nudge()
            self._fault()
        return True

    def _allowed(self) -> bool:
        try:
            self.run.check_budget()
            most = self.run.config.budget.calls_per_phase
            if self.calls >= most:
                raise LimitReached("calls_per_phase", most, self.calls, "phase")
        except LimitReached as limit:
            return self._over(limit)
        return True

    def _over(self, limit: LimitReached) -> bool:
        if limit.ends_job:
            self.run.limit = limit
        self.end("limit" if limit.ends_job else "too many calls", str(limit))
        self.run.emit("limit", limit=limit.limit, ceiling=limit.ceiling, spent=limit.spent, scope=limit.scope)
        return False

    def _request(self) -> ModelRequest:
        config = self.run.config
        request = self.conversation.request(config.context, config.model_settings)
        if self.calls == 0:
            self.first_prompt_tokens = prompt_tokens(request)
        return self._numbered(request.model_copy(update={"barred": self._barred(request.tools)}))

    def _barred(self, tools: tuple[ToolSchema, ...]) -> tuple[str, ...]:
        """What is left out of the next answer's schema, sorted. A model that cannot stop by itself is led out."""
        if self.todos_done() and not self.conversation.open_todos():
            return tuple(sorted(t.name for t in tools if not self.gate.traits(t.name).ends))
        return tuple(name for name in self.watch.circling() if not self.gate.traits(name).ends)

    def _summarise(self, request: ModelRequest) -> bool:
        """Replace old turns by a summary where `request` would be too long; whether the model was asked for one."""
        config, talk = self.run.config, self.conversation
        until = summary.to_summarise(talk, request, config.context, config.model_settings)
        if not until:
            return False
        asking = summary.summary_request(talk, self.summary_prompt, until, config.context, config.model_settings)
        answer = self._answer("summary", self._numbered(asking))
        done = summary.compacted(talk, until, answer, config.context, config.model_settings)
        self.compactions.append(done)
        self.run.emit(
            "compaction", role=self.where.role, phase=self.where.phase, turns=done.turns, before=done.before,
            after=done.after, lost=done.lost,
        )  # fmt: skip
        return True

    def _numbered(self, request: ModelRequest) -> ModelRequest:
        return request.model_copy(update={"number": self.run.spent.model_calls + 1})

    def _answer(self, name: str, request: ModelRequest) -> Answer:
        self.run.emit("model", role=self.where.role, phase=self.where.phase, call=self.calls + 1)
        return ask(self.run, self.model, request, name, self.where)

    def _cut(self) -> str:
        """What to do when the latest answer was cut off, '' when it was not."""
        if not self.conversation.turns[-1].answer.cut:
            return ""
        longest = self.run.config.model_settings.max_output_tokens
        return (
            f"The answer was cut off after {longest} tokens, so nothing of it was done. Write less at once: "
            "a long text goes into a file in several calls."
        )

    def _nudge(self) -> str:
        if cut := self._cut():
            return cut
        tools = self.conversation.tools()
        submits = [t.name for t in tools if t.name.startswith(("submit_", "job_complete"))]
        return f"Answer with one tool call. When this phase's work is done, call {' or '.join(submits)}."


def limits_of(run: Run, calls: int) -> tuple[str, ...]:
    """What a role is told once a ceiling is near: one sentence for each."""
    most = run.config.budget.calls_per_phase
    near = calls >= run.config.budget.warn_at * most
    own = f"Limit: {calls} of {most} model calls of this phase are used. Finish what matters and end your phase."
    return (own, *run.budget.warnings()) if near else run.budget.warnings()
