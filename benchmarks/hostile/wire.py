"""A TCP server on the loopback that answers chat completions as its behaviour says, down to single bytes."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Completion = dict[str, Any]
Wire = Callable[[socket.socket], None]
"""Does with the connection what it likes."""


@dataclass(frozen=True)
class Http:
    """A whole HTTP answer. Without a Content-Length of its own it gets the right one."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    def sent(self) -> bytes:
        """As it goes over the wire."""
        headers = {"Content-Type": "application/json", "Content-Length": str(len(self.body)), **self.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value)
        return f"HTTP/1.1 {self.status} X\r\n{head}Connection: close\r\n\r\n".encode() + self.body


Reply = Completion | Http | Wire
Behaviour = Callable[[Completion], Reply]
"""From the answer that a good server would give to what this one does."""


def http(reply: Completion) -> Http:
    """A completion as a good server sends it. What Python can say and JSON cannot (NaN, half characters) goes out."""
    return Http(body=json.dumps(reply).encode())


@dataclass
class HostileServer:
    """Answers by `brain`, and every `every`-th time by `behaviour` instead; 0 is never."""

    brain: Callable[[dict[str, Any]], Completion]
    behaviour: Behaviour = lambda good: good
    every: int = 0
    requests: int = 0

    @contextlib.contextmanager
    def running(self) -> Iterator[str]:
        """The address of the server while the block runs."""
        with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
            thread = threading.Thread(target=self._accept, args=(listening,), daemon=True)
            thread.start()
            try:
                yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
            finally:
                listening.shutdown(socket.SHUT_RDWR)
                thread.join()

    def healthy(self) -> None:
        """Be a good server from now on."""
        self.every = 0

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            body = _request(connection)
            if body is None:
                return
            self.requests += 1
            good = self.brain(body) if "messages" in body else {"object": "list", "data": []}
            hostile = self.every and self.requests % self.every == 0
            reply = self.behaviour(good) if hostile else good
            reply = http(reply) if isinstance(reply, dict) else reply
            if isinstance(reply, Http):
                connection.sendall(reply.sent())
            else:
                reply(connection)


def _request(connection: socket.socket) -> dict[str, Any] | None:
    """The JSON that was sent, None where the client went away."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65_536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    wanted = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < wanted:
        more = connection.recv(65_536)
        if not more:
            return None
        body += more
    value = json.loads(body or b"{}")
    return value if isinstance(value, dict) else None
