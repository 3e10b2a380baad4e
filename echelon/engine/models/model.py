"""What a model is: one method, `answer`, from a request to an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from echelon.engine.messages import Answer, ModelRequest
from echelon.settings import Environment, ModelSettings


class Model(Protocol):
    """Anything that answers. `name` is what configurations call it."""

    name: str

    def answer(self, request: ModelRequest) -> Answer:
        """One answer. Raises ModelUnavailable when there is none to be had."""
        ...


Factory = Callable[[str, ModelSettings, Environment], Model]
"""Makes the model that a name stands for, from what follows the scheme in the name."""
