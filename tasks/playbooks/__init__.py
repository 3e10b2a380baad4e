"""Playbooks: how each phase of a type of job is done without a language model.

A playbook is a function from what a language model would see (messages and tool schemas) to one tool call. It keeps
nothing between two calls, so a cleared or summarised conversation does not confuse it.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from echelon.engine.errors import UnknownName
from echelon.engine.messages import Answer, ModelRequest, ToolCall
from echelon.engine.settings import Environment, ModelSettings
from tasks.playbooks.view import Move, View

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
    from tasks.playbooks.creator import creator
    from tasks.playbooks.validator import validator

    books: dict[str, Playbook] = {"creator": creator, "validator": validator}
    if name not in books:
        raise UnknownName("playbook", name, list(books))
    return PlaybookModel("playbook", books[name])
