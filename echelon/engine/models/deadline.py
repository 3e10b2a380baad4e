"""An HTTP client for servers that nobody vouches for: one deadline and one size for a whole answer, no way elsewhere.

httpx bounds each wait for the next bytes; a call as a whole has no bound of its own there. Here every read and write of
a call, headers included, has what is left of the call's time; a body has a largest size, and is not unpacked; and a
redirect is followed nowhere: a request with a key and a whole prompt goes to the address that was configured.
"""

from __future__ import annotations

import atexit
import functools
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from echelon.addresses import without_password
from echelon.engine.models.retry import Refused, TransientFailure

if TYPE_CHECKING:
    import httpx

LARGEST_ANSWER = 16 * 1024 * 1024
"""Bytes of an answer; the longest one that is asked for is a hundredth of it."""
WRITTEN_AT_ONCE = 16 * 1024

_call = threading.local()


def bounded_client(seconds: float) -> httpx.Client:
    """A client for the openai SDK; an answer that is not there after `seconds` raises httpx.ReadTimeout.

    Raises TransientFailure for one that is too large or packed, Refused for a redirect. One client for all models with
    the same bound: it keeps its connections, and the process closes it.
    """
    return _bounded_client(seconds)


@functools.cache
def _bounded_client(seconds: float) -> httpx.Client:
    from openai import DefaultHttpxClient

    client = DefaultHttpxClient(
        timeout=seconds,
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"request": [functools.partial(_start, seconds)], "response": [_bound]},
    )
    # httpx has no public way to name a backend.
    for transport in [client._transport, *client._mounts.values()]:  # pyright: ignore[reportPrivateUsage]
        pool: Any = getattr(transport, "_pool", None)
        if pool is not None:
            pool._network_backend = _backend_class()(pool._network_backend)
    atexit.register(client.close)
    return client


def _start(seconds: float, request: httpx.Request) -> None:
    _call.ends, _call.seconds = time.monotonic() + seconds, seconds


def _left() -> float:
    """Seconds that the call of this thread still has. Raises httpcore.ReadTimeout when there are none."""
    import httpcore

    left: float = _call.ends - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout(f"no whole answer within {_call.seconds:g} seconds")
    return left


def _bound(response: httpx.Response) -> None:
    if 300 <= response.status_code < 400 and "location" in response.headers:
        raise Refused(_redirected(response))
    packing = response.headers.get("content-encoding", "identity")
    if packing.lower() != "identity":
        raise TransientFailure(f"the server packs its answer ({packing[:40]!r}), which was not asked for")
    response.stream = _bounded_class()(response.stream)


def _redirected(response: httpx.Response) -> str:
    place = response.url.join(response.headers["location"])
    to = f"{place.scheme}://{place.netloc.decode('ascii', 'replace').rpartition('@')[2]}"
    return (
        f"the server sends the request on to {to} (status {response.status_code}), which is not followed with a key "
        f"and a prompt; set OPENAI_BASE_URL to the right address instead of {without_password(str(response.url))}"
    )


@functools.cache
def _bounded_class() -> Any:
    import httpx

    class Bounded(httpx.SyncByteStream):
        """A body that ends at the largest size."""

        def __init__(self, stream: Any) -> None:
            self._stream = stream

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for chunk in self._stream:
                size += len(chunk)
                if size > LARGEST_ANSWER:
                    raise TransientFailure(f"its answer is larger than {LARGEST_ANSWER // 1024**2} MB")
                yield chunk

        def close(self) -> None:
            self._stream.close()

    return Bounded


@functools.cache
def _backend_class() -> Any:
    import httpcore

    class Stream(httpcore.NetworkStream):
        """A connection whose every wait is cut to what is left of the call."""

        def __init__(self, inner: httpcore.NetworkStream) -> None:
            self._inner = inner

        def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            return self._inner.read(max_bytes, _left())

        def write(self, buffer: bytes, timeout: float | None = None) -> None:
            for start in range(0, len(buffer), WRITTEN_AT_ONCE):
                self._inner.write(buffer[start : start + WRITTEN_AT_ONCE], _left())

        def close(self) -> None:
            self._inner.close()

        def start_tls(
            self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
        ) -> httpcore.NetworkStream:
            return Stream(self._inner.start_tls(ssl_context, server_hostname, _left()))

        def get_extra_info(self, info: str) -> Any:
            return self._inner.get_extra_info(info)

    class Backend(httpcore.NetworkBackend):
        def __init__(self, inner: httpcore.NetworkBackend) -> None:
            self._inner = inner

        def connect_tcp(self, host: str, port: int, timeout: float | None = None, *more: Any, **named: Any) -> Any:
            return Stream(self._inner.connect_tcp(host, port, _left(), *more, **named))

        def connect_unix_socket(self, path: str, timeout: float | None = None, socket_options: Any = None) -> Any:
            return Stream(self._inner.connect_unix_socket(path, _left(), socket_options))

        def sleep(self, seconds: float) -> None:
            self._inner.sleep(seconds)

    return Backend
