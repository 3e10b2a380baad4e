"""An HTTP client whose calls end after their time, also when the server sends a byte now and then.

httpx bounds each wait for the next bytes; a call as a whole has no bound of its own there.
"""

from __future__ import annotations

import atexit
import functools
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

STARTED = "echelon_started"


@functools.cache
def bounded_client(seconds: float) -> httpx.Client:
    """A client for the openai SDK; a body that is not there after `seconds` raises httpx.ReadTimeout.

    One client for all models with the same bound: it keeps its connections, and the process closes it.
    """
    import httpx
    from openai import DefaultHttpxClient

    class Bounded(httpx.SyncByteStream):
        def __init__(self, response: httpx.Response) -> None:
            self._stream, self._request = response.stream, response.request

        def __iter__(self) -> Iterator[bytes]:
            assert isinstance(self._stream, httpx.SyncByteStream)
            for chunk in self._stream:
                if time.monotonic() - self._request.extensions[STARTED] > seconds:
                    raise httpx.ReadTimeout(f"no whole answer within {seconds:g} seconds", request=self._request)
                yield chunk

        def close(self) -> None:
            assert isinstance(self._stream, httpx.SyncByteStream)
            self._stream.close()

    def start(request: httpx.Request) -> None:
        request.extensions[STARTED] = time.monotonic()

    def bound(response: httpx.Response) -> None:
        response.stream = Bounded(response)

    client = DefaultHttpxClient(timeout=seconds, event_hooks={"request": [start], "response": [bound]})
    atexit.register(client.close)
    return client
