"""A chain of models: the first that has an answer gives it.

`a | b` is asked as `a`; where `a` has no answer to give (it cannot be reached, refuses the key, knows no such model), `b`
is asked the same. The next call begins with `a` again, but for a while with the one that answered last, so that a
server that is down is not waited for at every call. Which model answered stands in the ledger.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from echelon.engine.messages import Answer, ModelRequest
from echelon.engine.models.model import Model
from echelon.errors import ContextTooLong, ModelUnavailable

BETWEEN = "|"
REST = 300.0
"""Seconds for which a model that had no answer is not asked first again."""


def names_in(spec: str) -> tuple[str, ...]:
    """The names of a chain, in their order; of a single name that name."""
    return tuple(name for part in spec.split(BETWEEN) if (name := part.strip()))


class Chain:
    """Models that stand in for each other. `clock` gives seconds that only grow."""

    def __init__(self, models: Sequence[Model], clock: Callable[[], float] = time.monotonic) -> None:
        self.name = f" {BETWEEN} ".join(m.name for m in models)
        self._models, self._clock = tuple(models), clock
        self._down: dict[str, float] = {}

    def answer(self, request: ModelRequest) -> Answer:
        """One answer. Raises ModelUnavailable of the last one when none has any, ContextTooLong at once."""
        failures: list[ModelUnavailable] = []
        for model in self._in_turn():
            try:
                answer = model.answer(request)
            except ContextTooLong:
                raise
            except ModelUnavailable as failure:
                self._down[model.name] = self._clock()
                failures.append(failure)
                continue
            self._down.pop(model.name, None)
            return answer.model_copy(update={"model": answer.model or model.name})
        raise _all_failed(failures)

    def _in_turn(self) -> list[Model]:
        """The models in their order, those that had no answer a while ago at the end."""
        now = self._clock()
        return sorted(self._models, key=lambda m: now - self._down.get(m.name, -REST) < REST)


def _all_failed(failures: Sequence[ModelUnavailable]) -> ModelUnavailable:
    """One error for all: the names, and why the last one had no answer."""
    said = "; before it: " + "; ".join(f"{f.model}: {f.reason}" for f in failures[:-1]) if len(failures) > 1 else ""
    last = failures[-1]
    return ModelUnavailable(last.model, f"{last.reason}{said}", sum(f.attempts for f in failures))
