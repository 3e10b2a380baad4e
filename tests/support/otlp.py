"""A receiver of traces on the loopback: takes what an OTLP exporter posts, and keeps the spans."""

from __future__ import annotations

import contextlib
import gzip
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class Received:
    """A span as it came in."""

    name: str
    trace: str
    id: str
    parent: str
    links: list[tuple[str, str]]
    attributes: dict[str, Any]
    is_error: bool
    began: int
    ended: int


@dataclass
class Receiver:
    """Where spans arrive."""

    url: str = ""
    spans: list[Received] = field(default_factory=list)
    resources: list[dict[str, Any]] = field(default_factory=list)
    posts: int = 0

    def named(self, beginning: str) -> list[Received]:
        return [s for s in self.spans if s.name.startswith(beginning)]

    def take(self, body: bytes) -> None:
        request = ExportTraceServiceRequest.FromString(body)
        for of_resource in request.resource_spans:
            self.resources.append(_values(of_resource.resource.attributes))
            for scope in of_resource.scope_spans:
                self.spans += [
                    Received(
                        s.name, s.trace_id.hex(), s.span_id.hex(), s.parent_span_id.hex(),
                        [(link.trace_id.hex(), link.span_id.hex()) for link in s.links], _values(s.attributes),
                        s.status.code == 2, s.start_time_unix_nano, s.end_time_unix_nano,
                    )
                    for s in scope.spans
                ]  # fmt: skip


def _values(attributes: Any) -> dict[str, Any]:
    return {a.key: _value(a.value) for a in attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return [_value(v) for v in value.array_value.values] if kind == "array_value" else getattr(value, kind)


@contextlib.contextmanager
def receiver(*, answers: bool = True) -> Iterator[Receiver]:
    """A receiver while the block runs; one that does not answer keeps every request open until the end."""
    taken, over = Receiver(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            taken.posts += 1
            if not answers:
                over.wait(60)
                return
            taken.take(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    taken.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield taken
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()
