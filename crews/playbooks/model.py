"""Playbooks: how each phase of a type of job is done without a language model.

A playbook is a function from what a language model would see (messages and tool schemas) to one tool call. It keeps
nothing between two calls, so a cleared or summarised conversation does not confuse it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable

from echelon.crews.job_types import of_each
from echelon.crews.playbooks.view import Move, View
from echelon.engine.messages import Answer, ModelRequest, ToolCall
from echelon.engine.models.opening import register_model
from echelon.errors import UnknownName
from echelon.settings import Environment, ModelSettings

Playbook = Callable[[View], Move]


class PlaybookModel:
    """Answers like a language model, by the rules of a playbook. Deterministic; needs no network and no key."""

    def __init__(self, name: str, playbook: Playbook) -> None:
        self.name, self._playbook = name, playbook

    def answer(self, request: ModelRequest) -> Answer:
        if not request.tools:  # a summary is asked for: nothing to say, so that code's own short lines are used
            return Answer()
        tool, arguments = self._playbook(View(request))
        return Answer(calls=(ToolCall(id="", name=tool, arguments=json.dumps(arguments, ensure_ascii=False)),))


def open_playbook(name: str, _settings: ModelSettings, _environment: Environment) -> PlaybookModel:
    """The playbook model of a type of job. Raises UnknownName."""
    books: dict[str, Playbook] = of_each("playbook", "PLAYBOOK")
    if name not in books:
        raise UnknownName("playbook", name, list(books))
    return PlaybookModel("playbook", books[name])


@functools.cache
def playbooks_are_registered() -> None:
    """Make `playbook/<name>` a model name."""
    register_model("playbook", open_playbook)
