"""Traces of jobs for OpenTelemetry: a span for a job, milestone, round, phase, model call and tool call.

Nothing is imported and nothing is sent unless OTEL_EXPORTER_OTLP_ENDPOINT (or ..._TRACES_ENDPOINT) is set. Only what
really runs has a span: a resume replays its finished steps without one, and its trace links to that which it continues.
What is asked and answered is told only with OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, without secrets.
Attributes: https://opentelemetry.io/docs/specs/semconv/gen-ai/. No fault of a trace reaches the job.
"""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from echelon.engine.redact import Redactor
from echelon.json_text import is_object
from echelon.settings import Environment
from echelon.store import traces
from echelon.store.store import Store

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
CONTENTS = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
EXPORT_SECONDS = 5
"""That a collector has to answer, in a thread beside the job"""
FLUSH_SECONDS = 1.0
"""That the end of a job waits for its spans to be sent, while the collector is there"""
MOST_CONTENT = 32_000
"""Characters of a text in a span"""

Attributes = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """What a span says of a step: attributes, and contents, which are only made where they are asked for."""

    attributes: Attributes = field(default_factory=dict[str, Any])
    contents: Callable[[], Attributes] = dict


@dataclass(frozen=True)
class Place:
    """Where a step stands; a milestone and a round of 0 are none."""

    role: str
    phase: str
    round: int
    milestone: int


Ended = Callable[[Mapping[str, Any]], None]
"""Tells the result of a step to its span"""


class NoTrace:
    """Where no collector is named."""

    @contextlib.contextmanager
    def step(self, kind: str, name: str, number: int, place: Place, told: Told | None) -> Generator[Ended]:
        """The span of a step that runs now."""
        yield lambda _value: None

    def end(self, state: str, error: BaseException | None = None) -> None:
        """The segment has ended."""


def begin(environment: Environment, store: Store, job: str, type_: str, redactor: Redactor) -> NoTrace | Trace:
    """The trace of a segment of a job: one that does nothing unless a collector is named."""
    if not (environment.get(ENDPOINT) or environment.get(TRACES_ENDPOINT)):
        return NoTrace()
    try:
        provider, exporter = _provider(_endpoint(environment))
    except Exception:  # an address that is none, a package that is not there
        return NoTrace()
    contents = (environment.get(CONTENTS) or "").lower() in ("true", "1")
    return Trace(provider, exporter, store, job, type_, redactor, contents)


def _endpoint(environment: Environment) -> str:
    return environment.get(TRACES_ENDPOINT) or f"{(environment.get(ENDPOINT) or '').rstrip('/')}/v1/traces"


class Trace:
    """The open spans of a segment. Those around a step are begun when the first step in them runs."""

    def __init__(
        self, provider: TracerProvider, exporter: _Watched, store: Store, job: str, type_: str, redactor: Redactor,
        contents: bool,
    ) -> None:  # fmt: skip
        self._provider, self._exporter, self._store, self._job, self._type = provider, exporter, store, job, type_
        self._redactor, self._contents = redactor, contents
        self._tracer = provider.get_tracer("echelon")
        self._root: Span | None = None
        self._open: dict[tuple[str, str], Span] = {}
        self._now: tuple[int, int] = (0, 0)
        self._last = 0

    @contextlib.contextmanager
    def step(self, kind: str, name: str, number: int, place: Place, told: Told | None) -> Generator[Ended]:
        """The span of a model call or tool call that runs now; code has none of its own."""
        span = self._safely(lambda: self._step_span(kind, name, number, place, told or Told()))
        try:
            yield lambda value: self._safely(lambda: self._result(span, kind, value))
        except BaseException as error:
            self._safely(lambda said=error: self._failed(span, said))  # type: ignore[misc]
            raise
        finally:
            self._safely(lambda: self._close(span))

    def end(self, state: str, error: BaseException | None = None) -> None:
        """End all spans, and give them a moment to be sent."""
        self._safely(lambda: self._end(state, error))

    def _safely(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except Exception:  # a trace is no reason to stop a job
            return None

    def _step_span(self, kind: str, name: str, number: int, place: Place, told: Told) -> Span | None:
        if kind not in ("model", "tool"):
            return None
        parent = self._parent(place)
        span = self._child(parent, _name_of(kind, name, told), {
            "gen_ai.operation.name": "chat" if kind == "model" else "execute_tool", "gen_ai.conversation.id": self._job,
            "gen_ai.agent.name": place.role, "echelon.step": number, **told.attributes,
            **({"gen_ai.tool.name": name, "gen_ai.tool.type": "function"} if kind == "tool" else {}),
        }, is_call=kind == "model")  # fmt: skip
        if self._contents:
            span.set_attributes(self._told(told.contents()))
        return span

    def _told(self, contents: Attributes) -> dict[str, str]:
        return {k: self._redactor.text(str(v))[:MOST_CONTENT] for k, v in contents.items()}

    def _result(self, span: Span | None, kind: str, value: Mapping[str, Any]) -> None:
        if span is None:
            return
        if kind == "model":
            span.set_attributes(_usage(value))
        elif value.get("ok") is False:
            self._failed(span, None, " ".join(value.get("explanations") or ())[:200])
        if self._contents:
            key = "gen_ai.output.messages" if kind == "model" else "gen_ai.tool.call.result"
            span.set_attributes(self._told({key: _output(kind, value)}))

    def _failed(self, span: Span | None, error: BaseException | None, said: str = "") -> None:
        from opentelemetry.trace import Status, StatusCode

        if span is not None:
            cause = getattr(error, "cause", error)
            span.set_attribute("error.type", type(cause).__name__ if cause is not None else "tool_error")
            span.set_status(Status(StatusCode.ERROR, self._redactor.text(said or str(error))[:200]))

    def _close(self, span: Span | None) -> None:
        self._last = time.time_ns()
        if span is not None:
            span.end(self._last)

    def _parent(self, place: Place) -> Span:
        """The phase of a step, inside its round, milestone and job."""
        if (place.milestone, place.round) != self._now:
            self._end_open(place)
            self._now = (place.milestone, place.round)
        around = self._around(
            ("milestone", str(place.milestone)), self._job_span(), {"echelon.milestone": place.milestone}
        )
        if place.round:
            around = self._around(("round", str(place.round)), around, {"echelon.round": place.round})
        return self._around(("invoke_agent", place.phase), around, {
            "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": place.role, "echelon.phase": place.phase,
            "gen_ai.conversation.id": self._job,
        }, place.role)  # fmt: skip

    def _around(self, key: tuple[str, str], parent: Span, attributes: Attributes, shown: str = "") -> Span:
        if key not in self._open:
            self._open[key] = self._child(parent, f"{key[0]} {shown or key[1]}", attributes)
        return self._open[key]

    def _end_open(self, place: Place | None) -> None:
        """End what the next step is not in, the innermost first; its time ends with its last step."""
        kept = ("milestone", str(place.milestone)) if place is not None else None
        for key in [k for k in reversed(self._open) if k != kept]:
            self._open.pop(key).end(self._last or None)

    def _child(self, parent: Span, name: str, attributes: Attributes, is_call: bool = False) -> Span:
        from opentelemetry.trace import SpanKind, set_span_in_context

        kind = SpanKind.CLIENT if is_call else SpanKind.INTERNAL
        return self._tracer.start_span(name, set_span_in_context(parent), kind, attributes)

    def _job_span(self) -> Span:
        if self._root is None:
            from opentelemetry.context import Context
            from opentelemetry.trace import Link

            before = traces.latest(self._store.engine, self._job)
            links = [Link(context, {"echelon.link": "continues"})] if (context := _context_of(before)) else []
            facts = {"echelon.job": self._job, "echelon.job.type": self._type, "gen_ai.conversation.id": self._job}
            self._root = self._tracer.start_span(f"job {self._type}", Context(), attributes=facts, links=links)
            traces.keep(self._store.engine, self._job, _as_text(self._root))
        return self._root

    def _end(self, state: str, error: BaseException | None) -> None:
        self._end_open(None)
        if self._root is None:
            return
        self._root.set_attribute("echelon.job.state", state)
        if error is not None:
            self._failed(self._root, error)
        self._root.end()
        self._root = None
        if not self._exporter.is_away:
            flush = threading.Thread(target=self._provider.force_flush, name="traces", daemon=True)
            flush.start()
            flush.join(FLUSH_SECONDS)


class _Watched:
    """An exporter that remembers whether the collector answered last, and says nothing of it."""

    def __init__(self, inner: SpanExporter) -> None:
        self._inner, self.is_away = inner, False

    def export(self, spans: Any) -> Any:
        from opentelemetry.sdk.trace.export import SpanExportResult

        result = SpanExportResult.FAILURE
        try:
            result = self._inner.export(spans)
        finally:
            self.is_away = result is not SpanExportResult.SUCCESS
        return result

    def shutdown(self) -> None:
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True


@functools.cache
def _provider(endpoint: str) -> tuple[TracerProvider, _Watched]:
    """A provider of our own: what others trace in this process does not go through it."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from echelon import __version__

    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    exporter = _Watched(OTLPSpanExporter(endpoint=endpoint, timeout=EXPORT_SECONDS))
    resource = Resource({"service.name": "echelon", "service.version": __version__}).merge(Resource.create())
    named = {k: v for k, v in resource.attributes.items() if not (k == "service.name" and "unknown_service" in str(v))}
    provider = TracerProvider(resource=Resource({"service.name": "echelon", **named}), shutdown_on_exit=False)
    queue: Any = exporter  # it has the methods of a SpanExporter, which is imported late
    provider.add_span_processor(BatchSpanProcessor(queue, max_queue_size=4_096, schedule_delay_millis=1_000))
    return provider, exporter


def _name_of(kind: str, name: str, told: Told) -> str:
    return f"chat {told.attributes.get('gen_ai.request.model', '')}" if kind == "model" else f"execute_tool {name}"


def _usage(answer: Mapping[str, Any]) -> dict[str, Any]:
    used: Any = answer.get("usage") or {}
    reason = "length" if answer.get("cut") else "tool_calls" if answer.get("calls") else "stop"
    return {
        "gen_ai.usage.input_tokens": used.get("prompt_tokens", 0),
        "gen_ai.usage.output_tokens": used.get("completion_tokens", 0), "echelon.cost": used.get("cost", 0.0),
        "gen_ai.usage.cache_read.input_tokens": used.get("cached_tokens", 0), "gen_ai.response.finish_reasons": [reason],
    }  # fmt: skip


def _output(kind: str, value: Mapping[str, Any]) -> str:
    if kind != "model":
        return json.dumps(value, ensure_ascii=False)
    parts = [{"type": "text", "content": value.get("text", "")}] if value.get("text") else []
    calls = [
        {"type": "tool_call", "id": c["id"], "name": c["name"], "arguments": c["arguments"]}
        for c in value.get("calls") or ()
        if is_object(c)
    ]
    return json.dumps([{"role": "assistant", "parts": [*parts, *calls]}], ensure_ascii=False)


def _as_text(span: Span) -> str:
    """A span as the header `traceparent` has it."""
    context = span.get_span_context()
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags):02x}"


def _context_of(text: str | None) -> Any:
    from opentelemetry.trace import SpanContext, TraceFlags

    if not text:
        return None
    _, trace, span, flags = text.split("-")
    return SpanContext(int(trace, 16), int(span, 16), is_remote=True, trace_flags=TraceFlags(int(flags, 16)))
