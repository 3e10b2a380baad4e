"""One job while it runs: its folder, its ledger, its budget, and `step`, through which every effect passes."""

from __future__ import annotations

import hashlib
import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from echelon.engine import durable
from echelon.engine.budget import LIMITS, Amounts, Budget, Scope
from echelon.engine.integrity import Seen, changes
from echelon.engine.kept import Answered, kept_at
from echelon.engine.messages import Usage
from echelon.engine.redact import Redactor
from echelon.engine.tracing import Place, Told, begin
from echelon.errors import Halted, LimitReached, UserError
from echelon.files import write_atomically
from echelon.settings import Environment, JobConfig, ScopeCeilings
from echelon.sharing.shared import VARIABLE, shared_folder
from echelon.store import files as noted
from echelon.store.records.events import Event, EventRow, ModelAsked, ToolCalled, event_of
from echelon.store.records.steps import Begun, Ended
from echelon.store.store import Store

LARGE = 64 * 1024
"""Bytes of JSON above which DBOS records where a result is, instead of the result."""


WITH_THE_NEXT = (ModelAsked, ToolCalled)
"""Events that a step or another event follows at once: they are written together with it. A resumed job tells them again."""


class Spent(BaseModel):
    """What a job has used so far. `seconds` is the time inside steps."""

    model_config = ConfigDict(extra="forbid")

    model_calls: int = 0
    tool_calls: int = 0
    refused_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    thinking_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class Mark(BaseModel):
    """Where the milestone or task `number` began on the meter."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int
    at: Amounts


def ceilings_of(settings: ScopeCeilings) -> dict[str, float]:
    """The ceilings of a scope; what is unlimited is left out."""
    rows = ((name, getattr(settings, name)) for name in LIMITS)
    return {name: float(value) for name, value in rows if value != "unlimited"}


@dataclass(frozen=True)
class Where:
    """The place of a step in the hierarchy, for the ledger."""

    role: str = ""
    phase: str = ""
    round: int = 0
    milestone: int = 0


Listener = Callable[[Event], None]
_listeners: dict[str, list[Listener]] = {}


def listen(job: str, listener: Listener) -> None:
    """Call `listener` with each event of `job` that happens in this process."""
    _listeners.setdefault(job, []).append(listener)


def stop_listening(job: str) -> None:
    _listeners.pop(job, None)


@dataclass
class Run:
    """What the code of a job needs around it. `number` and `events` count deterministically, also over a resume."""

    job: str
    folder: Path
    config: JobConfig
    store: Store
    environment: Environment
    number: int = 0
    events: int = 0
    spent: Spent = field(default_factory=Spent)
    marks: dict[str, Mark] = field(default_factory=dict)

    def __post_init__(self) -> None:
        settings = self.config.budget
        self.budget = Budget(self.meter, [Scope("job", ceilings_of(settings))], settings.warn_at)
        self.redactor = Redactor(self.environment.values)
        self.trace = begin(self.environment, self.store, self.job, self.config.job, self.redactor)
        self.shared = shared_folder(self.environment.get(VARIABLE), self.store, self.job, self.folder)
        """The folder where other machines reach it, None where it stays on this one"""
        self._files = Seen(self.folder)
        self._answered = Answered(self.folder)
        self._events: list[EventRow] = []
        self._left: dict[str, str] | None = None
        self.limit: LimitReached | None = None
        """The ceiling that ended a phase last."""
        self.prompts: deque[int] | None = None
        """Numbers of the steps whose prompts are kept, in order; None before this process kept one."""

    def step(
        self,
        kind: str,
        name: str,
        work: Callable[[], dict[str, Any]],
        asked: str = "",
        where: Where | None = None,
        told: Told | None = None,
    ) -> dict[str, Any]:
        """Run `work` once, durably, and return its JSON result. `asked` is a hash of what is asked, `told` is for traces.

        A result is kept in `trace/` before it is recorded: a process that dies between the two does not ask again.
        """
        self.number += 1
        number, place = self.number, where or Where()
        path = self.trace_path(number, name)
        traced = Place(place.role, place.phase, place.round, place.milestone)

        def body() -> dict[str, Any]:
            try:
                return done()
            except Exception as error:  # DBOS would record it, and every resume would meet it again
                raise Halted(error) from error

        def done() -> dict[str, Any]:
            kept = kept_at(path, asked)
            begun = Begun(kind, name, place.role, place.phase, place.round, place.milestone, asked)
            if kept is not None:
                self.store.know_step(self.job, number, begun)
            else:
                self.store.begin_step(self.job, number, begun, self._untold())
                kept = self._answered.take(asked, path) if kind == "model" else None
            if kept is None:
                began = time.perf_counter()
                with self.trace.step(kind, name, number, traced, told) as ended:
                    value = work() if kind == "code" else self.redactor.data(work())
                    ended(value)
                kept = {"asked": asked, "milliseconds": (time.perf_counter() - began) * 1000, "value": value}
                kept |= {"files": self._changed_files()} if kind != "model" else {}
                write_atomically(path, json.dumps(kept, ensure_ascii=False))
            if self.shared is not None:
                self.shared.push()
            self._end(number, kept)
            return _recordable(kept, path)

        recorded = durable.run_step(name, body)
        kept = _read(path.parent / recorded["in"], recorded.get("sha256")) if "in" in recorded else recorded
        self.spent.seconds += kept["milliseconds"] / 1000
        value: dict[str, Any] = kept["value"]
        return value

    def trace_path(self, number: int, name: str) -> Path:
        """Where the result of a step is kept."""
        return self.folder / "trace" / f"{number:05d}-{name}.json"

    def charge(self, usage: Usage) -> None:
        """Add one model call, with the requests that it took, to what is spent."""
        self.spent.model_calls += usage.calls
        self.spent.prompt_tokens += usage.prompt_tokens
        self.spent.completion_tokens += usage.completion_tokens
        self.spent.thinking_tokens += usage.thinking_tokens
        self.spent.cost += usage.cost

    def check_budget(self) -> None:
        """Raises LimitReached when one more model call would pass a ceiling."""
        self.budget.check()

    def meter(self) -> Amounts:
        """What the job has spent, as its budget counts it."""
        s = self.spent
        return Amounts(model_calls=s.model_calls, tokens=s.tokens, cost=s.cost, seconds=s.seconds)

    def began(self, scope: str, number: int) -> Amounts:
        """What was spent when the `number`-th milestone or task began: now, when it is asked for the first time."""
        known = self.marks.get(scope)
        if known is None or known.number != number:
            known = self.marks[scope] = Mark(number=number, at=self.meter())
        return known.at

    def emit(self, event: Event) -> None:
        """Write an event down, without secrets and with what is spent, and tell who listens in this process."""
        self.events += 1
        s = self.spent
        spent = {"calls_so_far": s.model_calls, "tokens_so_far": s.tokens, "cost_so_far": s.cost}
        told = event_of(event.kind, {**self.redactor.data(event.model_dump(exclude={"kind"})), **spent})
        self._events.append(EventRow(self.events, time.time(), told))
        if not isinstance(event, WITH_THE_NEXT):
            self.store.add_events(self.job, self._untold())
        for listener in _listeners.get(self.job, []):
            listener(told)

    def _untold(self) -> list[EventRow]:
        """The events that are not written down yet: they are whoever asks for them's to write."""
        told, self._events = self._events, []
        return told

    def _changed_files(self) -> dict[str, str]:
        """What differs in the folder from what the steps before left, by path: the new hash, "" for what is gone."""
        before = noted.known(self.store.engine, self.job) if self._left is None else self._left
        self._left = self._files.now()
        return changes(before, self._left)

    def _end(self, number: int, kept: dict[str, Any]) -> None:
        value = kept["value"]
        used: dict[str, Any] = value.get("usage") or {}
        usage = Usage.model_validate({k: v for k, v in used.items() if k in Usage.model_fields})
        ended = Ended(
            value.get("ok", True), kept["milliseconds"],
            hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest(),
            usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens, usage.cost, usage.thinking_tokens,
            str(value.get("model") or "") if "usage" in value else "",
        )  # fmt: skip
        self.store.end_step(self.job, number, ended, kept.get("files", {}))


def _recordable(kept: dict[str, Any], path: Path) -> dict[str, Any]:
    small = {k: kept[k] for k in ("milliseconds", "value")}
    if path.stat().st_size <= LARGE or len(json.dumps(small, ensure_ascii=False).encode()) <= LARGE:
        return small
    return {"in": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def _read(path: Path, sha256: str | None) -> dict[str, Any]:
    """A result that is too large to be recorded. Raises Halted when it is not there as it was written."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Halted(UserError(f"The result of a finished step, {path}, is gone; put it back and go on.")) from error
    if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256:
        raise Halted(UserError(f"The result of a finished step, {path}, was changed; put it back and go on."))
    kept: dict[str, Any] = json.loads(content)
    return kept
