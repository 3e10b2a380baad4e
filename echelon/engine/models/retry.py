"""The one layer that tries a model call again: which failures pass, how long to wait, what to say in the end."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from echelon.engine.models import tally
from echelon.errors import ContextTooLong, EchelonError, ModelUnavailable
from echelon.json_text import is_object

T = TypeVar("T")

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
"""Seconds: waits start with the first and double up to the second, each 25 % shorter or longer at random."""

_TOO_LONG = re.compile(
    r"context.?(length|window|size)|maximum context|too many tokens|prompt is too long", re.IGNORECASE
)
UNREADABLE_ERRORS = {
    "ValueError", "TypeError", "LookupError", "AttributeError", "RecursionError", "ArithmeticError", "APIError",
    "OpenAIError", "HTTPError", "InvalidURL", "StreamError",
}  # fmt: skip
"""What libraries raise over an answer that makes no sense to them, by the names of the classes."""
_KEY = re.compile(r"\b(sk|pk|key|tok)[-_][\w*.-]{6,}|(?<=Bearer )\S+", re.IGNORECASE)


class TransientFailure(EchelonError):
    """A server's failure that may pass. `retry_after` is in seconds; `free` says that the server did no work for it."""

    def __init__(self, reason: str, retry_after: float | None = None, *, free: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.retry_after, self.free = reason, retry_after, free


class Refused(EchelonError):
    """A failure that no repetition mends: the reason is the whole sentence after the colon."""


@dataclass(frozen=True)
class Retries:
    """How one model is tried again. A server that asks to wait longer than `patience` seconds is not waited for."""

    model: str
    attempts: int
    patience: float
    secrets: Sequence[str] = ()
    """Texts that must stand in no error."""
    pays: bool = False
    """Whether a try may cost money, so that it is counted before it is made."""
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))

    def run(self, call: Callable[[], T]) -> T:
        """`call()`, again while its failure may pass. Raises ModelUnavailable with one sentence."""
        counted = tally.current() if self.pays else None
        for attempt in range(1, self.attempts + 1):
            if counted is not None:
                counted.out()
            try:
                return call()
            except Exception as error:  # a provider's library raises what it likes; `_judged` knows what is what
                failure = self._weighed(error, attempt, counted)
                if attempt == self.attempts:
                    raise ModelUnavailable(self.model, f"{failure.reason} ({attempt} tries)", attempt) from error
                self.sleep(self._wait(failure, attempt))
        raise AssertionError("unreachable")

    def _weighed(self, error: Exception, attempt: int, counted: tally.Tally | None) -> TransientFailure:
        """The failure when it may pass; a request for which nothing is to be paid is taken back."""
        try:
            failure = self._judged(error, attempt)
        except ModelUnavailable:
            if counted is not None:
                counted.back()
            raise
        if failure.free and counted is not None:
            counted.back()
        return failure

    def _judged(self, error: Exception, attempt: int) -> TransientFailure:
        """The failure when it may pass. Raises ModelUnavailable for one that will not, and what is not the server's."""
        ours = _behind(error)
        if isinstance(ours, TransientFailure):
            return ours
        if isinstance(ours, Refused):
            raise self._final(str(ours), attempt) from error
        status = getattr(error, "status_code", None)
        if isinstance(status, int):
            return self._by_status(error, status, attempt)
        names = {c.__name__ for c in type(error).__mro__}
        if names & {"APITimeoutError", "TimeoutException", "TimeoutError"}:
            return TransientFailure(
                f"it did not answer within {self.patience:g} seconds; is the server overloaded, "
                "or model_settings.timeout too short?"
            )
        if names & {"APIConnectionError", "TransportError", "ConnectionError"}:
            never = {c.__name__ for c in type(error.__cause__ or error).__mro__} & {"ConnectError", "ConnectTimeout"}
            sentence = "the server cannot be reached; check OPENAI_BASE_URL and the network"
            return TransientFailure(sentence, free=bool(never))
        if names & UNREADABLE_ERRORS:
            return TransientFailure("the server's answer cannot be read; is it an OpenAI-compatible server?")
        raise error

    def _by_status(self, error: Exception, status: int, attempt: int) -> TransientFailure:
        said, code = self._redacted(_said(error)), str(getattr(error, "code", None) or "")
        if status == 429 and "quota" in code:
            raise self._final("the account has no quota left; check its plan and billing", attempt) from error
        if status in (408, 409, 425, 429) or status >= 500:
            asked = self._retry_after(error)
            if asked is not None and asked > self.patience:
                raise self._final(
                    f"the server asks to wait {asked:.0f} seconds (status {status}); resume the job later", attempt
                ) from error
            return TransientFailure(f"the server answered with status {status}", asked, free=True)
        if status in (401, 403):
            raise self._final("the server refuses the key; check OPENAI_API_KEY", attempt) from error
        if status == 404:
            raise self._final(
                "the server does not know this model or this address; check the name and OPENAI_BASE_URL", attempt
            ) from error
        if status in (400, 413) and (_TOO_LONG.search(code.replace("_", " ")) or _TOO_LONG.search(said)):
            raise ContextTooLong(self.model, attempt) from error
        reason = f"the server refuses the request with status {status}: {said}"
        raise self._final(reason, attempt, outage=False) from error

    def _final(self, reason: str, attempt: int, *, outage: bool = True) -> ModelUnavailable:
        return ModelUnavailable(self.model, reason, attempt, outage=outage)

    def _redacted(self, text: str) -> str:
        for secret in filter(None, self.secrets):
            text = text.replace(secret, "***")
        return _KEY.sub("***", text)

    def _wait(self, failure: TransientFailure, attempt: int) -> float:
        if failure.retry_after is not None:
            return failure.retry_after
        return min(FIRST_WAIT * 2.0 ** (attempt - 1), LONGEST_WAIT) * random.uniform(0.75, 1.25)

    def _retry_after(self, error: Exception) -> float | None:
        """Seconds that the server asks to wait (RFC 9110, 10.2.3: a number or a date), None when it does not say."""
        response = getattr(error, "response", None)
        value = response.headers.get("retry-after", "").strip() if response is not None else ""
        try:
            seconds = float(value)
        except ValueError:
            return self._until(value)
        return max(0.0, seconds) if seconds < float("inf") else None  # also leaves out nan

    def _until(self, value: str) -> float | None:
        try:
            date = parsedate_to_datetime(value)
        except ValueError:
            return None
        aware = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max(0.0, (aware - self.now()).total_seconds())


def _behind(error: BaseException) -> BaseException | None:
    """Our own error among the causes of what a library raised, None where there is none."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, (TransientFailure, Refused)):
        cause = cause.__cause__
    return cause


def _said(error: Exception) -> str:
    body = getattr(error, "body", None)
    message = body.get("message") if is_object(body) else None
    return " ".join(str(message or error).split())[:300].rstrip(".")
