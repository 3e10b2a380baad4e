"""One phase alone, played by a script with any tools: real door, real crewai Agent, real durable steps on SQLite.

with service(tmp_path) as jobs:
    played = play(jobs, lambda seen: call("submit_report", summary="done"), tools=[my_tool])
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echelon.agents.roster import Role, roster
from echelon.crews.driving import Driver, by_crewai
from echelon.crews.phase import Phase
from echelon.crews.tool_sets import take
from echelon.engine import durable
from echelon.engine.dialogue import Dialogue
from echelon.engine.ends import Submitted, name_of
from echelon.engine.messages import ToolResult
from echelon.engine.run import Run, Where
from echelon.engine.todos import Planned, PlannedCall, TodoList
from echelon.engine.toolbox import Arguments, Effect, PhaseState, Tool, ToolContext
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from echelon.service.service import Service
from echelon.store.records.jobs import Settings
from echelon.tasks.prompts import render
from tests.support.scripted import Reply, Script, ScriptedModel, Seen, call, register

_NUMBERS = itertools.count(1)


@dataclass
class Played:
    """A phase that was played. `phase` is the last attempt of this process; None when it never started."""

    job: str
    model: ScriptedModel
    jobs: Service
    phase: Phase | None = None

    @property
    def state(self) -> PhaseState:
        assert self.phase is not None
        return self.phase.state

    @property
    def how(self) -> str | None:
        """The name of the way in which the phase ended, None while it goes on."""
        return None if self.state.end is None else name_of(self.state.end)

    @property
    def submitted(self) -> Any:
        """What the role handed over."""
        assert isinstance(self.state.end, Submitted)
        return self.state.end.value

    @property
    def dialogue(self) -> Dialogue:
        assert self.phase is not None
        return self.phase.dialogue

    @property
    def run(self) -> Run:
        assert self.phase is not None
        return self.phase.run

    @property
    def toolbox(self) -> dict[str, Tool]:
        """The tools of the phase by name."""
        assert self.phase is not None
        return self.phase.toolbox.tools

    @property
    def steps(self) -> list[str]:
        """Names of the recorded steps, in order."""
        return [s.name for s in self.jobs.store.steps(self.job)]


def play(jobs: Service, script: Script, tools: Iterable[Tool] = (), **more: Any) -> Played:
    """Play one phase to its end. Errors of the surroundings are raised as `Service.run` would meet them."""
    played = prepared(jobs, script, tools, **more)
    go_on(played)
    return played


def go_on(played: Played) -> None:
    """Run a prepared phase, or go on with one that was interrupted."""
    durable.run(played.job, 1, {})


def prepared(
    jobs: Service,
    script: Script,
    tools: Iterable[Tool] = (),
    *,
    shelf: Iterable[str] = ("submit_report",),
    deferred: Iterable[str] = (),
    todos: Iterable[str] = (),
    calls: Mapping[str, PlannedCall] | None = None,
    task: str = "Do the work.",
    overrides: dict[str, Any] | None = None,
    drive: Driver = by_crewai,
) -> Played:
    """A phase of an Implementor with `tools`, and with the tools of the `shelf` that are named, ready to run."""
    name = f"phase-{next(_NUMBERS)}"
    model = register(script, name)
    config = jobs.configuration("plain", model.name, overrides)
    folder = jobs.environment.home / "jobs" / name
    jobs.store.add_job(name, "plain", "", Settings(config=config.model_dump(mode="json")), str(folder))
    played = Played(name, model, jobs)
    box = (*tools, *take(shelf))
    planned = [Planned(content=t, call=(calls or {}).get(t)) for t in todos]
    role = _role(box, tuple(deferred))

    def body(job: str, _segment: int, _given: dict[str, Any]) -> dict[str, Any]:
        run = Run(job=job, folder=folder, config=config, store=jobs.store, environment=jobs.environment)
        run.step("code", "create", lambda: _created(folder))
        played.phase = Phase(
            run=run, workspace=Workspace(folder), role=role, name="implement", model=model,
            where=Where(role=role.role, phase="implement", round=1), task=task, tools=box,
            system=render(
                "system", role=role, job=config, submits=["submit_report"], guided=config.is_guided,
                instructions="", learnt="",
            ),
            state=PhaseState(todos=TodoList.of("the task", planned)), drive=drive,
        )  # fmt: skip
        played.phase.play()
        return {"ended": played.how}

    durable.launch(jobs.store, body)
    return played


def _created(folder: Path) -> dict[str, Any]:
    Workspace(folder).create()
    return {}


def _role(tools: tuple[Tool, ...], deferred: tuple[str, ...]) -> Role:
    names = tuple(t.name for t in tools)
    return roster()["implementor"].model_copy(update={"tools": {"implement": names}, "deferred": deferred})


class Text(Arguments):
    """Arguments of the tools of tests: one text."""

    text: str = ""


def tool(name: str, work: Any, **more: Any) -> Tool:
    """A tool that gets a text; `work(text)` returns a sentence, a ToolResult, or raises."""

    def run(_context: ToolContext, a: Text) -> ToolResult:
        value = work(a.text)
        return value if isinstance(value, ToolResult) else ToolResult(ok=True, explanations=(str(value),))

    return Tool(name, f"Do {name}.", Text, run, **{"effect": Effect.READ, **more})


def refused(sentence: str) -> ToolResult:
    """For `work`: what a tool answers that was used wrongly."""
    raise ModelFault(sentence)


def saying(*replies: Reply) -> Script:
    """A script that gives these replies in turn and then submits."""
    return lambda seen: replies[seen.number - 1] if seen.number <= len(replies) else call("submit_report", summary="ok")


def echo(**more: Any) -> Tool:
    """A tool that says what it was told."""
    return tool("echo", lambda text: f"you said {text}", **more)


def results(played: Played) -> list[str]:
    """What the model saw as results in its last prompt, first explanations only."""
    return [json.loads(r)["explanations"][0] for r in Seen(played.model.asked[-1]).results]
