"""How much of the server one client may have: requests, wrong tokens, open streams."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from echelon.faces.http.problems import Refusal

CLIENTS = 10_000
"""Clients that are remembered: the ones that came last"""


@dataclass
class _Bucket:
    level: float
    at: float


class Rate:
    """A bucket a client: `burst` at once, then `per_second`."""

    def __init__(self, per_second: float, burst: float) -> None:
        self._rate, self._burst = per_second, burst
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, client: str, now: float | None = None) -> float:
        """Take one; 0, or the seconds after which there is one again."""
        bucket = self._bucket(client, time.monotonic() if now is None else now)
        if bucket.level < 1:
            return (1 - bucket.level) / self._rate
        bucket.level -= 1
        return 0.0

    def is_empty(self, client: str, now: float | None = None) -> bool:
        """Whether `client` has none left."""
        return self._bucket(client, time.monotonic() if now is None else now).level < 1

    def _bucket(self, client: str, now: float) -> _Bucket:
        bucket = self._buckets.pop(client, None) or _Bucket(self._burst, now)
        bucket.level = min(self._burst, bucket.level + (now - bucket.at) * self._rate)
        bucket.at = now
        self._buckets[client] = bucket
        while len(self._buckets) > CLIENTS:
            self._buckets.popitem(last=False)
        return bucket


class Streams:
    """Open streams, counted by client and together."""

    def __init__(self, each: int, together: int) -> None:
        self._each, self._together = each, together
        self._open: dict[str, int] = {}

    def check(self, client: str) -> None:
        """Raises Refusal where there are too many for one more."""
        if self._open.get(client, 0) >= self._each or self.count >= self._together:
            raise Refusal(429, "Too many streams are open; close some, or come again later.", {"Retry-After": "10"})

    @contextmanager
    def one(self, client: str) -> Generator[None]:
        """A stream while the block runs. Raises Refusal where there are too many."""
        self.check(client)
        self._open[client] = self._open.get(client, 0) + 1
        try:
            yield
        finally:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]

    @property
    def count(self) -> int:
        """How many are open."""
        return sum(self._open.values())
