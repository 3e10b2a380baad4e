"""A real HTTP server on the loopback that speaks the OpenAI chat completions protocol and answers from a script.

    with ChatServer([rate_limited(retry_after=0), calls(Call("read_file", {"path": "a.md"})), text("done")]) as server:
        ChatOpenAI(base_url=server.base_url, api_key="any", model="scripted", max_retries=0)
        ...
    assert server.requests[0].body["model"] == "scripted"

An entry of the script is a `Reply`, or a function of the request body that returns one. A single function instead of a
list answers every request. A request beyond the script gets 400, which no client retries.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, TypeAlias

MODEL = "scripted"
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Call:
    """One tool call. `arguments` as text goes out as it is, so that it may be broken JSON."""

    name: str
    arguments: str | Mapping[str, Any] = "{}"
    id: str | None = None

    def arguments_text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True)
class Reply:
    """What the server does with one request. Make one with the functions below."""

    content: str | None = None
    calls: tuple[Call, ...] = ()
    finish_reason: str | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None
    delay: float = 0.0
    hang: bool = False
    reset: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0


Script: TypeAlias = "Callable[[dict[str, Any]], Reply] | Sequence[Reply | Callable[[dict[str, Any]], Reply]]"


@dataclass(frozen=True)
class Recorded:
    """One request that arrived. `headers` has lower-case names; `body` is the JSON that was sent."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


def text(content: str, **changes: Any) -> Reply:
    """An answer in words. `changes` are further fields of Reply, such as delay (seconds) or prompt_tokens."""
    return Reply(content=content, **changes)


def calls(*wanted: Call, **changes: Any) -> Reply:
    """An answer with one or more native tool calls."""
    return Reply(calls=wanted, **changes)


def json_content(value: Any, **changes: Any) -> Reply:
    """JSON as content: the answer to a request with `response_format` json_schema or json_object."""
    return Reply(content=json.dumps(value, ensure_ascii=False), **changes)


def empty() -> Reply:
    """A message with neither text nor tool calls."""
    return Reply(content="")


def over_long(characters: int) -> Reply:
    """An answer that was cut off at the model's length limit."""
    return Reply(content="long " * (characters // 5), finish_reason="length")


def rate_limited(retry_after: float | None = None) -> Reply:
    """429, with Retry-After in seconds if it is given."""
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
    return failure(429, "Rate limit reached", "rate_limit_exceeded", headers)


def server_error() -> Reply:
    """500."""
    return failure(500, "The server had an error", "server_error")


def unauthorized() -> Reply:
    """401, as for a wrong key."""
    return failure(401, "Incorrect API key provided", "invalid_api_key")


def failure(status: int, message: str, code: str, headers: Mapping[str, str] | None = None) -> Reply:
    """Any other error status with an error body as OpenAI writes it."""
    body = {"error": {"message": message, "type": code, "param": None, "code": code}}
    return Reply(status=status, error=body, headers=headers or {})


def hang() -> Reply:
    """No answer at all until the client gives up or the server stops."""
    return Reply(hang=True)


def reset() -> Reply:
    """The connection is reset after the request was read."""
    return Reply(reset=True)


class ChatServer:
    """Context manager. `base_url` ends in /v1; `requests` holds each chat request in the order of arrival."""

    def __init__(self, script: Script, models: Sequence[str] = (MODEL,)) -> None:
        self.requests: list[Recorded] = []
        self.models = tuple(models)
        self.stopping = threading.Event()
        self._script = script
        self._next = 0
        self._lock = threading.Lock()
        self._http = _Http(self)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def remaining(self) -> int:
        """Entries of the script that no request has reached; 0 for a function, which never runs out."""
        return 0 if callable(self._script) else max(0, len(self._script) - self._next)

    def reply_to(self, request: Recorded) -> tuple[int, Reply]:
        """Records the request and takes its number, from 1, and its reply."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            if callable(self._script):
                entry: Reply | Callable[[dict[str, Any]], Reply] = self._script
            elif self._next < len(self._script):
                entry = self._script[self._next]
                self._next += 1
            else:
                return number, failure(400, f"request {number} is beyond the script", "script_exhausted")
        return number, entry(request.body) if callable(entry) else entry

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    # A SYN that finds the queue full is sent again after a second: a test with many clients would stall.
    request_queue_size = 128

    def __init__(self, chat: ChatServer) -> None:
        self.chat = chat
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests; anything else is reported as usual."""
        import sys

        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"
    # Headers and body leave in two writes: without this each answer waits for a delayed acknowledgement (40 ms).
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            models = [{"id": m, "object": "model", "created": 0, "owned_by": "tests"} for m in self.server.chat.models]
            self._send_json(200, {"object": "list", "data": models})
        else:
            self._send_json(404, {"error": {"message": f"no such path: {self.path}"}})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/v1/chat/completions":
            self._send_json(404, {"error": {"message": f"no such path: {self.path}"}})
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Recorded(self.path, headers, json.loads(raw))
        number, reply = self.server.chat.reply_to(request)
        self._perform(number, request.body, reply)

    def _perform(self, number: int, body: dict[str, Any], reply: Reply) -> None:
        if reply.hang or reply.delay:
            self.server.chat.stopping.wait(None if reply.hang else reply.delay)
        if reply.hang:
            self.close_connection = True
        elif reply.reset:
            self._reset_connection()
        elif reply.error is not None:
            self._send_json(reply.status, reply.error, reply.headers)
        elif body.get("stream"):
            self._send_events(_chunks(number, body, reply))
        else:
            self._send_json(reply.status, _completion(number, body, reply), reply.headers)

    def _reset_connection(self) -> None:
        """Closing with zero linger time sends RST in place of FIN."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.rfile.close()
        self.connection.close()

    def _send_json(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        payload = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        for name, content in (headers or {}).items():
            self.send_header(name, content)
        self.end_headers()
        self.wfile.write(payload)

    def _send_events(self, chunks: list[dict[str, Any]]) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for line in [*(json.dumps(chunk, ensure_ascii=False) for chunk in chunks), "[DONE]"]:
            self.wfile.write(f"data: {line}\n\n".encode())


def _usage(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """Numbers that grow with the texts, unless the reply names them."""
    sent = len(json.dumps([body.get("messages"), body.get("tools")], ensure_ascii=False))
    said = len(reply.content or "") + sum(len(call.name) + len(call.arguments_text()) for call in reply.calls)
    prompt = sent // CHARACTERS_PER_TOKEN if reply.prompt_tokens is None else reply.prompt_tokens
    completion = said // CHARACTERS_PER_TOKEN if reply.completion_tokens is None else reply.completion_tokens
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
    }


def _message(number: int, reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.content}
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": call.id or f"call_{number}_{position}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments_text()},
            }
            for position, call in enumerate(reply.calls, start=1)
        ]
    return message


def _envelope(kind: str, number: int, body: dict[str, Any]) -> dict[str, Any]:
    return {"id": f"chatcmpl-{number}", "object": kind, "created": 0, "model": body.get("model", MODEL)}


def _finish_reason(reply: Reply) -> str:
    return reply.finish_reason or ("tool_calls" if reply.calls else "stop")


def _completion(number: int, body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    choice = {"index": 0, "message": _message(number, reply), "finish_reason": _finish_reason(reply)}
    return {**_envelope("chat.completion", number, body), "choices": [choice], "usage": _usage(body, reply)}


def _in_pieces(message: dict[str, Any]) -> list[dict[str, Any]]:
    """A message as real servers stream it: the words one by one, a call by its name and then its arguments in halves."""
    words = re.findall(r"\S*\s*", message.get("content") or "")[:-1]
    pieces: list[dict[str, Any]] = [{"role": "assistant", "content": None}, *({"content": word} for word in words)]
    for call in message.get("tool_calls", []):
        arguments = call["function"]["arguments"]
        half = len(arguments) // 2
        pieces.append({"tool_calls": [{**call, "function": {**call["function"], "arguments": arguments[:half]}}]})
        pieces.append({"tool_calls": [{"index": call["index"], "function": {"arguments": arguments[half:]}}]})
    return pieces


def _chunks(number: int, body: dict[str, Any], reply: Reply) -> list[dict[str, Any]]:
    envelope = _envelope("chat.completion.chunk", number, body)
    delta = _message(number, reply)
    for position, call in enumerate(delta.get("tool_calls", [])):
        call["index"] = position
    chunks: list[dict[str, Any]] = [
        *({**envelope, "choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in _in_pieces(delta)),
        {**envelope, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish_reason(reply)}]},
    ]
    if (body.get("stream_options") or {}).get("include_usage"):
        chunks.append({**envelope, "choices": [], "usage": _usage(body, reply)})
    return chunks
