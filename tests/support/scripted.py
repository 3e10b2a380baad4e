"""A model that follows a script, so that whole jobs can be driven by tests and benchmarks without a language model.

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"implement": lambda seen: call("todo_complete")})

A script is a function from what the model sees (`Seen`) to what it answers: one tool call, several, a text, a whole
`Answer`, or an exception to raise. Scripts are named by phase: scope, plan, implement, qa, assess, deliver, answer.
A phase without a script of its own is played by `willing`, which does a small plain job well.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from echelon.crews.playbooks.view import View
from echelon.engine import durable
from echelon.engine.messages import Answer, ModelRequest, ToolCall
from echelon.engine.models.opening import register_model
from echelon.service.job_result import JobResult
from echelon.service.service import Service, make_home
from echelon.settings import Environment, ModelSettings

with warnings.catch_warnings():  # importing crewai warns about its own packages, and in tests a warning is an error
    warnings.simplefilter("ignore")
    import crewai  # noqa: F401

Reply = Answer | ToolCall | Sequence[ToolCall] | str | BaseException
Script = Callable[["Seen"], Reply]

PHASES = {
    "submit_scope": "scope",
    "submit_task": "plan",
    "submit_report": "implement",
    "submit_verdict": "qa",
    "submit_assessment": "assess",
    "job_complete": "deliver",
    "submit_answer": "answer",
}
_CURRENT = re.compile(r"^\[ \] (\d+)\. (.*?) +← CURRENT$", re.MULTILINE)
_FEWEST = re.compile(r"Call todo_write with (\d+) to \d+ todos")
_FOLDED = re.compile(r"^Turns \d+ to (\d+) of this phase", re.MULTILINE)


class Seen:
    """One request, as a script likes to read it."""

    def __init__(self, request: ModelRequest) -> None:
        self.request = request
        self.tools = tuple(t.name for t in request.tools)
        self.system = request.messages[0].content
        self.task = next((m.content for m in request.messages if m.role == "user"), "")
        self.number = request.number
        """Which model call of the whole job this is, from 1."""

    @property
    def role(self) -> str:
        """Name of the role, such as 'Implementor'."""
        found = re.search(r"^You are the (.*)\.$", self.system, re.MULTILINE)
        return found[1] if found else ""

    @property
    def phase(self) -> str:
        """scope, plan, implement, qa, assess, deliver or answer."""
        return next((PHASES[t] for t in self.tools if t in PHASES), "")

    @property
    def turn(self) -> int:
        """How many answers this phase has had; also when its first turns are folded or summarised."""
        folded = [int(n) for m in self.request.messages if m.role == "user" for n in _FOLDED.findall(m.content)]
        return max(folded, default=0) + sum(m.role == "assistant" for m in self.request.messages)

    @property
    def text(self) -> str:
        """Everything that is seen, as one text."""
        return "\n".join(m.content + "".join(c.arguments for c in m.calls) for m in self.request.messages)

    @property
    def results(self) -> list[str]:
        """Texts of the tool results that are still in the conversation, oldest first."""
        return [m.content for m in self.request.messages if m.role == "tool"]

    @property
    def last(self) -> dict[str, Any]:
        """The latest tool result, {} before the first one and when it is no JSON object."""
        try:
            value = json.loads(self.results[-1]) if self.results else {}
        except json.JSONDecodeError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def last_tool(self) -> str:
        """Name of the tool that was called last, '' before the first call."""
        return next((m.name or "" for m in reversed(self.request.messages) if m.role == "tool"), "")

    @property
    def values(self) -> dict[str, Any]:
        """The data at the end of the prompt."""
        return View(self.request).values

    def has_read(self, path: str) -> bool:
        """Whether a file was opened in this conversation."""
        calls = [c for m in self.request.messages for c in m.calls if c.name == "read_file"]
        return any(json.loads(c.arguments or "{}").get("path") == path for c in calls)

    @property
    def todo(self) -> tuple[int, str] | None:
        """Number and words of the current todo, None when there is none."""
        found = _CURRENT.search(self.request.messages[-1].content)
        return (int(found[1]), found[2]) if found else None


def call(name: str, **arguments: Any) -> ToolCall:
    """A tool call with well-formed arguments."""
    return ToolCall(id="", name=name, arguments=json.dumps(arguments, ensure_ascii=False))


def raw(name: str, arguments: str) -> ToolCall:
    """A tool call whose arguments are this text, whatever it is."""
    return ToolCall(id="", name=name, arguments=arguments)


class ScriptedModel:
    """Answers by scripts. `asked` keeps every request that it has seen in this process."""

    def __init__(self, name: str, scripts: Mapping[str, Script] | Script) -> None:
        self.name, self._scripts = name, scripts
        self.asked: list[ModelRequest] = []

    def answer(self, request: ModelRequest) -> Answer:
        self.asked.append(request)
        seen = Seen(request)
        script = self._scripts if callable(self._scripts) else self._scripts.get(seen.phase, willing)
        return _as_answer(script(seen))


def _as_answer(reply: Reply) -> Answer:
    if isinstance(reply, BaseException):
        raise reply
    if isinstance(reply, Answer):
        return reply
    if isinstance(reply, str):
        return Answer(text=reply)
    return Answer(calls=(reply,) if isinstance(reply, ToolCall) else tuple(reply))


def register(scripts: Mapping[str, Script] | Script, name: str = "test") -> ScriptedModel:
    """Make `scripted/<name>` a model name; the model that answers for it is returned."""
    model = ScriptedModel(f"scripted/{name}", scripts)
    _MODELS[name] = model
    register_model("scripted", _open)
    return model


_MODELS: dict[str, ScriptedModel] = {}


def _open(name: str, _settings: ModelSettings, _environment: Environment) -> ScriptedModel:
    return _MODELS[name]


# a small plain job, done well


TASKS = 2
"""Tasks that `willing` does before it says that the milestone is reached."""
LEAST = 2
"""Todos of a task of `submit_plain`: each more costs every such job a dozen steps that show nothing new"""


def willing(seen: Seen) -> Reply:
    """Plays every phase of a plain job so that it completes after `TASKS` tasks of as few todos as the job allows."""
    return played(seen, TASKS)


def played(seen: Seen, tasks: int, todos: int = 0) -> Reply:
    """As `willing`, for any number of tasks, and of todos in each."""
    match seen.phase:
        case "plan":
            return _planned(seen, tasks, todos)
        case "implement":
            return _implemented(seen)
        case "assess":
            met = "the milestone is reached" in seen.task
            if met and (unread := [p for p in seen.values.get("deliverables", []) if not seen.has_read(p)]):
                return call("read_file", path=unread[0])
            return call(
                "submit_assessment", trajectory="milestone_met" if met else "continue", reasons=["as code found"]
            )
        case "scope":
            return call(
                "submit_scope", in_scope=["what the request asks for"], success=["the files in output/ are there"],
                milestones=[{"outcome": "A reader finds every result in output/", "checks": ["open the files"]}],
                confidence=0.9,
            )  # fmt: skip
        case "qa":
            return passing(seen)
        case "deliver":
            files = re.findall(r'^- "(.*)"$', seen.task, re.MULTILINE)
            return call("job_complete", summary="It is done.", deliverables=files, confidence=0.9)
        case _:
            return call("submit_answer", answer="Nothing stands there.")


def passing(seen: Seen) -> Reply:
    """QA that opens what it has to, settles what is open, and passes."""
    unread = [p for p in seen.values.get("look_at", []) if not seen.has_read(p)]
    if unread:
        return call("read_file", path=unread[0])
    return call("submit_verdict", passed=True, settled=seen.values.get("open_findings", []), confidence=0.9)


def _planned(seen: Seen, tasks: int, todos: int) -> Reply:
    found = re.search(r"Done so far: (\d+) tasks", seen.task)
    done = int(found[1]) if found else 0
    if done >= tasks:
        return call("submit_milestone_done", reason="All tasks are done.")
    if seen.last_tool != "todo_write":
        fewest = _FEWEST.search(seen.task)
        parts = todos or (int(fewest[1]) if fewest else 5)
        return call("todo_write", todos=[f"write part {n} of result {done + 1}" for n in range(1, parts + 1)])
    path = f"output/result-{done + 1}.md"
    return call("submit_task", title=f"result {done + 1}", rationale="It is next.", deliverables=[path])


def _implemented(seen: Seen) -> Reply:
    paths = re.findall(r'"(output/[^"]+)"', seen.task)
    if seen.todo is None:
        return call("submit_report", summary="All parts are written.", deliverables=paths)
    if seen.last_tool in ("", "todo_complete"):
        number, words = seen.todo
        return call("append_file", path=paths[0], text=f"{number}. {words}\n")
    return call("todo_complete")


def written_anew() -> Script:
    """An Implementor whose first todo begins the file anew, each time in other words: a second try repeats nothing."""
    tries = itertools.count(1)

    def implement(seen: Seen) -> Reply:
        reply = _implemented(seen)
        if seen.todo is not None and seen.todo[0] == 1 and isinstance(reply, ToolCall) and reply.name == "append_file":
            given = reply.parsed()
            return call("write_file", path=given["path"], text=f"Try {next(tries)}.\n{given['text']}")
        return reply

    return implement


# jobs


@contextmanager
def service(home: Path, **environment: str) -> Iterator[Service]:
    """Jobs on a SQLite database below `home`; DBOS is stopped and the database closed afterwards."""
    jobs = Service(Environment({"ECHELON_HOME": str(home / "home"), **environment}))
    if not jobs.has_store:
        make_home(jobs.environment.home)
        (jobs.environment.home / "echelon.sqlite").write_bytes(new_database())
    try:
        yield jobs
    finally:
        durable.shut_down()
        jobs.store.engine.dispose()


@functools.cache
def new_database() -> bytes:
    """What a new database has in it before its first job: to make the tables of DBOS costs more than a copy of them."""
    from dbos import DBOS

    with tempfile.TemporaryDirectory() as folder:
        store = Service(Environment({"ECHELON_HOME": folder})).store
        DBOS.migrate(store.engine.url.render_as_string(hide_password=False))
        store.engine.dispose()
        return (Path(folder) / "echelon.sqlite").read_bytes()


def submit_plain(
    jobs: Service,
    scripts: Mapping[str, Script] | Script,
    *,
    name: str = "test",
    text: str = "Write two results.\n",
    overrides: dict[str, Any] | None = None,
) -> str:
    """Submit a plain job on one small text file, played by `scripts`; returns the job's id."""
    register(scripts, name)
    source = jobs.environment.home / "input.md"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(f"# Wishes\n\n{text}", encoding="utf-8")
    settings = {"todos.least": LEAST, **(overrides or {})}
    return jobs.submit("plain", [source], "Write the results.", f"scripted/{name}", settings)


def run_plain(jobs: Service, scripts: Mapping[str, Script] | Script, **more: Any) -> JobResult:
    """Submit a plain job and run it to its end."""
    return jobs.run(submit_plain(jobs, scripts, **more))


def contents(result: JobResult) -> dict[str, bytes]:
    """What a job delivered, by the names of its files."""
    return {path.name: path.read_bytes() for path in result.outputs}
