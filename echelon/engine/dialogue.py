"""The dialogue of one phase with its model: what is asked, which calls of the answer can be run, and when it is over."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

from echelon.engine.asking import ask
from echelon.engine.context import summary
from echelon.engine.context.conversation import Conversation, Outcome, Turn
from echelon.engine.context.cut import LEFT_OUT, is_circling, prompt_tokens
from echelon.engine.ends import Failed, Limit, Stuck, Unusable
from echelon.engine.messages import Answer, ModelRequest, ToolCall, ToolResult, ToolSchema
from echelon.engine.run import Run, Where
from echelon.engine.stuck import Deed, Watch
from echelon.errors import LimitReached, ModelFault
from echelon.store.records.events import CallRefused, Compacted, LimitMet, ModelAsked, WentRound

if TYPE_CHECKING:
    from echelon.engine.models.model import Model

MORE_ROOM = 4
"""How many times as many tokens an answer gets, once, after one that was cut off while the model was thinking."""
LED = 12
"""Answers of a phase that are led by leaving out tools which could only be refused."""
FAULTS_IN_A_ROW = 5
"""Answers in a row that cannot be used before a phase is given up."""


@dataclass(frozen=True)
class Traits:
    """What the dialogue must know of a tool: whether it only reads, whether it waits for something outside, the name of the
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

    def can_succeed(self, name: str) -> bool:
        """Whether a call of it could succeed now, as far as the phase's state tells."""
        ...

    def held(self) -> tuple[ToolSchema, ...]:
        """What an answer is held to in place of some tools' own schemas, where the server can hold it."""
        ...


@dataclass(frozen=True)
class ReadyCall:
    """A tool call that can be run: its arguments were parsed and checked, once."""

    call: ToolCall
    given: dict[str, Any]
    """The arguments as the model wrote them."""
    arguments: Any
    """The same, as the tool's own type."""


@dataclass
class Dialogue:
    """The conversation of one phase with its model, as the calls that are to be run one after another:

        for ready in dialogue:
            dialogue.add_result(run(ready), path)

    `over` tells whether the phase has ended, `end` ends it.
    """

    run: Run
    where: Where
    model: Model
    conversation: Conversation
    gate: Gate
    over: Callable[[], bool]
    end: Callable[[Failed], None]
    todos_done: Callable[[], int] = lambda: 0
    summary_prompt: str = "Summarise this work: what was decided, written, tried in vain, and what is left to do."
    calls: int = 0
    faults: int = 0
    first_prompt_tokens: int = 0
    compactions: list[summary.Compaction] = field(default_factory=list)
    waiting: list[ToolCall] = field(default_factory=list)
    current: ReadyCall | None = None
    watch: Watch = field(default_factory=Watch)

    def __iter__(self) -> Iterator[ReadyCall]:
        while (ready := self.next_call()) is not None:
            yield ready

    def next_call(self) -> ReadyCall | None:
        """The next tool call to run, None when the phase is over."""
        while not self.over():
            if self.waiting:
                self.current = self._usable(self.waiting.pop(0))
                if self.current is not None:
                    return self.current
            elif not self._may_ask():
                break
        return None

    def _may_ask(self) -> bool:
        try:
            return self._ask()
        except LimitReached as limit:  # what the call may take does not fit into what is left
            return self._stopped_by(limit)

    def add_result(self, result: ToolResult, path: str) -> None:
        """Put the result of the current call into the conversation. `path` is where the whole of it can be read."""
        assert self.current is not None
        self._take_in(Outcome(self.current.call, result, path), self.current.given)
        self.faults = 0 if result.ok else self.faults

    def _take_in(self, outcome: Outcome, given: dict[str, Any] | None) -> None:
        call, result = outcome.call, outcome.result
        traits = self.gate.traits(call.name)
        self.conversation.turns[-1].results.append(outcome)
        self.conversation.facts.add(call, result, reads=traits.reads, decision=traits.decision)
        said = result.data if result.ok and result.data is not None else result.explanations
        deed = Deed.of(
            call.name, call.arguments if given is None else given,
            [said, result.explanations] if result.ok else outcome.said, ok=result.ok,
            reads=traits.reads, waits=traits.waits, done_so_far=self.todos_done(),
        )  # fmt: skip
        self._judge(deed, "" if result.ok else " ".join(result.explanations[:1]))

    def _judge(self, deed: Deed, failure: str) -> None:
        finding = self.watch.saw(deed)
        if finding is None or self.over():
            return
        role, sort = self.where.role, finding.kind.value
        self.run.emit(WentRound(role=role, sort=sort, tool=finding.tool, stop=finding.stop))
        if finding.stop:
            self.end(Stuck(f"{finding.sentence} The latest: {failure}" if failure else finding.sentence))
        else:
            self.conversation.turns[-1].feedback = finding.sentence

    def _usable(self, call: ToolCall) -> ReadyCall | None:
        """The call, ready to be run; None, and the model is told, when it cannot be."""
        given = None
        try:
            given = call.parsed()
            if self.gate.traits(call.name).ends:
                given = _without_copied_evidence(given)
            if LEFT_OUT.search(json.dumps(given, ensure_ascii=False)):
                raise ModelFault(
                    f"The arguments of {call.name} hold a mark for text that was left out; write the whole text."
                )
            return ReadyCall(call, given, self.gate.checked(call.name, given))
        except ModelFault as fault:
            self._refuse(call, given, str(fault))
        except ValueError as fault:
            self._refuse(call, given, self._cut() or f"{call.name}: {fault}; call it again with a JSON object.")
        return None

    def _refuse(self, call: ToolCall, given: dict[str, Any] | None, sentence: str) -> None:
        self.run.spent.refused_calls += 1
        self.run.emit(CallRefused(role=self.where.role, tool=call.name, why=sentence))
        self._take_in(Outcome(call, ToolResult.failure(sentence)), given)
        self._fault(sentence)

    def _fault(self, why: str) -> None:
        self.faults += 1
        if self.faults >= FAULTS_IN_A_ROW and not self.over():
            self.end(Unusable(f"{self.faults} answers in a row could not be used; the latest: {why}"))

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
            self._fault(self._cut() or answer.fault or "it called no tool.")
        return True

    def _allowed(self) -> bool:
        try:
            self.run.check_budget()
            most = self.run.config.budget.calls_per_phase
            if self.calls >= most:
                raise LimitReached("calls_per_phase", most, self.calls, "phase")
        except LimitReached as limit:
            return self._stopped_by(limit)
        return True

    def _stopped_by(self, limit: LimitReached) -> bool:
        if limit.ends_job:
            self.run.limit = limit
        self.end(Limit(str(limit)) if limit.ends_job else Stuck(str(limit)))
        self.run.emit(LimitMet(limit=limit.limit, ceiling=limit.ceiling, spent=limit.spent, scope=limit.scope))
        return False

    def _request(self) -> ModelRequest:
        config = self.run.config
        request = self.conversation.request(config.context, config.model_settings)
        if self.calls == 0:
            self.first_prompt_tokens = prompt_tokens(request)
        more: dict[str, Any] = (
            {"max_output_tokens": request.max_output_tokens * MORE_ROOM} if self._needs_room() else {}
        )
        if self._is_held:
            more["held"] = self.gate.held()
        return self._numbered(request.model_copy(update={"barred": self._barred(request.tools), **more}))

    @property
    def _is_held(self) -> bool:
        """Whether the server holds an answer to a schema, so that a model can be led."""
        return self.run.config.model_settings.tool_calls == "json_schema"

    def _needs_room(self) -> bool:
        """Whether the latest answer was cut off before it said anything, and the one before was not."""
        cut = [t.answer.cut and not t.answer.text.strip() and not t.answer.calls for t in self.conversation.turns[-2:]]
        return bool(cut) and cut[-1] and not (len(cut) == 2 and cut[0])

    def _barred(self, tools: tuple[ToolSchema, ...]) -> tuple[str, ...]:
        """What is left out of the next answer's schema, sorted. A model that cannot stop by itself is led out."""
        if self.todos_done() and not self.conversation.open_todos():
            left = {t.name for t in tools if self.gate.traits(t.name).ends}
            left = left - {*self._not_yet(tools)} or left
            return tuple(sorted(t.name for t in tools if t.name not in left))
        circling = tuple(name for name in self.watch.circling() if not self.gate.traits(name).ends)
        return tuple(dict.fromkeys((*circling, *self._not_yet(tools))))

    def _not_yet(self, tools: tuple[ToolSchema, ...]) -> tuple[str, ...]:
        """Tools that could only be refused now. Native tool calls keep their list for the cache, and who is led for LED
        answers without an end may call what it likes."""
        if not self._is_held or self.calls >= LED:
            return ()
        return tuple(sorted(t.name for t in tools if not self.gate.can_succeed(t.name)))

    def _summarise(self, request: ModelRequest) -> bool:
        """Replace old turns by a summary where `request` would be too long; whether the model was asked for one."""
        config, conversation = self.run.config, self.conversation
        until = summary.to_summarise(conversation, request, config.context, config.model_settings)
        if not until:
            return False
        asking = summary.summary_request(
            conversation, self.summary_prompt, until, config.context, config.model_settings
        )
        answer = self._answer("summary", self._numbered(asking))
        done = summary.compacted(conversation, until, answer, config.context, config.model_settings)
        self.compactions.append(done)
        self.run.emit(Compacted(
            role=self.where.role, phase=self.where.phase, turns=done.turns, before=done.before, after=done.after,
            lost=done.lost,
        ))  # fmt: skip
        return True

    def _numbered(self, request: ModelRequest) -> ModelRequest:
        return request.model_copy(update={"number": self.run.spent.model_calls + 1})

    def _answer(self, name: str, request: ModelRequest) -> Answer:
        self.run.emit(ModelAsked(role=self.where.role, phase=self.where.phase, call=self.calls + 1))
        return ask(self.run, self.model, request, name, self.where)

    def _cut(self) -> str:
        """What to do when the latest answer was cut off, '' when it was not."""
        if not self.conversation.turns[-1].answer.cut:
            return ""
        longest = self.run.config.model_settings.max_output_tokens
        if not self.conversation.turns[-1].answer.text.strip() and not self.conversation.turns[-1].answer.calls:
            return (
                "The answer was cut off while the model was still thinking, before it said anything; "
                f"model_settings.max_output_tokens is {longest}, and once {MORE_ROOM} times as many were tried. "
                "Think less, and call a tool."
            )
        if is_circling(self.conversation.turns[-1].answer.text):
            return (
                f"The answer said the same again and again until it was cut off after {longest} tokens, so nothing of it "
                "was done. Say each thing once, in few lines, and end."
            )
        return (
            f"The answer was cut off after {longest} tokens, so nothing of it was done. Write less at once: "
            "a long text goes into a file in several calls."
        )

    def _nudge(self) -> str:
        if cut := self._cut():
            return cut
        tools, fault = self.conversation.tools(), self.conversation.turns[-1].answer.fault
        submits = [t.name for t in tools if t.name.startswith(("submit_", "job_complete"))]
        return (
            f"{fault} Answer with one tool call. When this phase's work is done, call {' or '.join(submits)}.".lstrip()
        )


def limits_of(run: Run, calls: int) -> tuple[str, ...]:
    """What a role is told once a ceiling is near: one sentence for each."""
    most = run.config.budget.calls_per_phase
    near = calls >= run.config.budget.warn_at * most
    own = f"Limit: {calls} of {most} model calls of this phase are used. Finish what matters and end your phase."
    return (own, *run.budget.warnings()) if near else run.budget.warnings()


def _without_copied_evidence(given: dict[str, Any]) -> dict[str, Any]:
    """A hand-over without the evidence that is a copy of a call as prompts show it, cut short: that proves nothing, and a
    small model whose hand-over is refused for it hands it in again."""
    if not isinstance(given.get("evidence"), list):
        return given
    cited = cast("list[Any]", given["evidence"])
    return given | {"evidence": [e for e in cited if not (isinstance(e, str) and LEFT_OUT.search(e))]}
