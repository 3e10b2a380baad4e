"""The stage that the roles play on: a job, its workspace, and how a role is called."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, assert_never

from pydantic import TypeAdapter

from echelon import own_tools
from echelon.agents.roster import Role, roster
from echelon.crews import guidance
from echelon.crews.hierarchy.states import Event
from echelon.crews.job import Exchange, JobState
from echelon.crews.jobtype import JobType, are_shown_whole
from echelon.crews.phase import Phase
from echelon.crews.tool_sets import take
from echelon.engine.ends import Asked, End, Failed, InDoubt, Limit, Rewound, Stuck, Submitted, Unusable
from echelon.engine.messages import ToolResult
from echelon.engine.models.model import Model
from echelon.engine.models.opening import open_model, with_playbook
from echelon.engine.run import Run, Where, ceilings_of
from echelon.engine.todos import Dropped, TodoList
from echelon.engine.toolbox import PhaseState
from echelon.engine.workspace import Workspace
from echelon.servers import tool as server_tools
from echelon.settings import Grant
from echelon.store.records.events import Escalated, SubagentAnswered
from echelon.tasks.contracts import Answer, Contract, Escalation, Evidence, Tier
from echelon.tasks.prompts import render

C = TypeVar("C", bound=Contract)
T = TypeVar("T")

CALLS_OF = {"explain_code": 30.0, "ask": 8.0}
"""Model calls that a question may take: an explanation reads around, a question is one targeted check."""
NOTHING = Grant(core=(), deferred=())
ASK = "ask_person"
HEARD = 5
"""Answers of a person that a prompt shows."""
SHAPE = "3"
"""Version of what a step of code records: what another version kept in `trace/` is not taken for it."""


@dataclass(frozen=True)
class Played(Generic[C]):
    """A phase that was played: how it ended, and the todo list as its role left it."""

    end: End[C]
    todos: TodoList
    dropped: tuple[Dropped, ...] = ()


class Stage:
    """One segment of a job at work."""

    def __init__(self, run: Run, state: JobState, job_type: JobType) -> None:
        self.run, self.state, self.type = run, state, job_type
        self.workspace = Workspace(run.folder)
        self.inputs: list[str] = []
        """Paths of the files that the job was given."""
        self._models: dict[str, Model] = {}
        self.own_tools = own_tools.tools_of(run.config.own_tools)
        """The user's own tools of this job."""
        self._more = {**self.own_tools, **server_tools.tools_of(run.config.mcp)}

    def play(
        self,
        role_name: str,
        phase: str,
        contract: type[C],
        state: PhaseState | None = None,
        *,
        is_shown: bool = False,
        does: Sequence[str] | None = None,
        block: Mapping[str, Any],
        **values: Any,
    ) -> Played[C]:
        """Let a role play a phase, which it ends by submitting a `contract`.

        `is_shown` says that the prompt shows all it needs: then a guided role keeps few tools, of its domain those that
        `does` names, and the core ones without it. `values` fill its prompt; `block` is what of it can be read by rules, and
        stands at its end as JSON.
        """
        grant = self._grant(role_name)
        role = roster(self.run.config.role_folder)[role_name].given(grant.core, grant.deferred)
        gone = (*self.run.config.without, *self.type.leaves_out)
        is_lean = (is_shown or are_shown_whole(self.state.documents)) and self.run.config.is_guided
        offered = role.lean_in(phase, grant.core if does is None else does) if is_lean else role.tools_in(phase)
        names = tuple(n for n in offered if n not in gone and self._may(role_name, n))
        submits = [n for n in names if n.startswith("submit_") or n == "job_complete"]
        self.state.phases += 1
        where = Where(
            role=role.role,
            phase=f"{self.state.phases:04d}-{phase}",
            round=self.state.round,
            milestone=self.state.milestone + 1,
        )
        performance = Phase(
            run=self.run,
            workspace=self.workspace,
            role=role,
            name=phase,
            model=self._model(role_name),
            where=where,
            system=self._system(role_name, role, submits),
            task=render(phase, folder=self.run.config.prompt_folder, block=block, more=self._besides(role), **values),
            tools=take(names, self._more),
            state=self._checkable(asking_at_once(state or PhaseState(), phase)),
            ask=None if role.tier == "subagent" else self._ask,
        )
        with self._scopes(role.tier, phase):
            left = performance.play()
        return Played(self._ended(role.role, contract, left.end), left.todos, left.dropped)

    def _system(self, role_name: str, role: Role, submits: list[str]) -> str:
        """The system prompt. Instructions and what was learnt are for models: who plays by rules reads neither."""
        config = self.run.config
        is_told = not config.model_of(role_name).startswith("playbook") and role.tier != "subagent"
        return render(
            "system", folder=config.prompt_folder, role=role, job=config, submits=submits, guided=config.is_guided,
            instructions=guidance.instructions(config) if is_told else "",
            learnt=self.state.learnt if is_told and not config.is_guided else "",
        )  # fmt: skip

    def _checkable(self, state: PhaseState) -> PhaseState:
        """The state of a phase that knows which kinds of checks can be carried out in this job.

        Where the outcomes are known before (of a type of job, of a scope), a small model names files that nobody makes, and
        commands that fail whatever is done; what tests have to say then, code asks for itself.
        """
        is_known = self.type.outcomes or state.outcomes
        by_code = ("file", "quote", *(["command"] if self.type.can_run else []))
        state.kinds = ("judged",) if self.run.config.is_guided and is_known else ("judged", *by_code)
        return state

    def _besides(self, role: Role) -> str:
        """What every role but a subagent sees: short inputs whole, and what a person answered."""
        return "" if role.tier == "subagent" else "\n\n".join(filter(None, (self._whole(), self._heard())))

    def _whole(self) -> str:
        if not are_shown_whole(self.state.documents):
            return ""
        return self.type.shown({d.file: d.text for d in self.state.documents}, self.state.request)

    def _heard(self) -> str:
        """What roles asked a person so far, and the answers: for all of them, the latest."""
        if not self.state.exchanges:
            return ""
        said = [f"- {e.role} asked: {e.question}\n  The person: {e.answer}" for e in self.state.exchanges[-HEARD:]]
        return "\n".join(["What a person answered:", *said])

    def _may(self, role: str, tool: str) -> bool:
        """Whether the policy of the job lets a role have a tool: who may ask a person is a setting."""
        who = self.run.config.may_ask
        return tool != ASK or who == "all" or (who == "scope_agent" and role == "scope_agent")

    def _grant(self, role: str) -> Grant:
        """The domain tools of a role and those of servers; one that works alone has those of all."""
        own = self._domain_grant(role)
        alone = roster(self.run.config.role_folder)[role].tier == "single"
        core, deferred = server_tools.names_for(self.run.config.mcp, None if alone else role)
        return Grant(core=(*own.core, *core), deferred=(*own.deferred, *deferred))

    def _domain_grant(self, role: str) -> Grant:
        granted = self.run.config.tools
        if role in granted or roster(self.run.config.role_folder)[role].tier != "single":
            return granted.get(role, NOTHING)
        return Grant(
            core=tuple(dict.fromkeys(t for g in granted.values() for t in g.core)),
            deferred=tuple(dict.fromkeys(t for g in granted.values() for t in g.deferred if not _is_core(t, granted))),
        )

    def _ended(self, role: str, contract: type[C], end: End[Any] | None) -> End[C]:
        assert end is not None
        if isinstance(end, Submitted):
            assert isinstance(end.value, contract), f"{role} submitted a {type(end.value).__name__}"
            return end
        if isinstance(end, InDoubt):
            self.state.questions = (end.issue,)
        if isinstance(end, Asked):
            self.state.questions = (f"{role} asks: {end.issue}",)
            self.state.asking = Exchange(role=role, question=end.issue)
            return end
        self.state.trouble = f"{role}: {end.issue}"[:400]
        return end

    @contextmanager
    def _scopes(self, tier: str, phase: str) -> Generator[None]:
        """The scopes of the budget that a phase works in; those of a subagent are inside those of who asks."""
        run, ceilings = self.run, self.run.config.budget
        with ExitStack() as stack:
            if tier != "subagent" and self.state.scope is not None:
                began = run.began("milestone", self.state.milestone + 1)
                stack.enter_context(run.budget.scope("milestone", ceilings_of(ceilings.milestone), began))
            if phase in ("implement", "qa"):
                began = run.began("task", self.state.round)
                stack.enter_context(run.budget.scope("task", ceilings_of(ceilings.task), began))
            own = ("subagent", ceilings.subagent) if tier == "subagent" else ("phase", ceilings.phase)
            stack.enter_context(run.budget.scope(own[0], ceilings_of(own[1])))
            yield

    def code(self, name: str, type_: type[T], work: Callable[[], T]) -> T:
        """Run code that looks at files or changes them, as a durable step with a `type_` as its result."""
        where = Where(role="code", phase=name, round=self.state.round, milestone=self.state.milestone + 1)
        key: Any = type_
        adapter: TypeAdapter[T] = _adapter(key)
        recorded = self.run.step(
            "code", name, lambda: {"value": adapter.dump_python(work(), mode="json")}, SHAPE, where
        )
        return adapter.validate_python(recorded["value"])

    def commit(self, message: str) -> str:
        """Commit the workspace; returns the commit's id."""
        return self.code("commit", str, lambda: self.workspace.commit(message))

    def escalate(
        self, by: str, to: Tier, cause: str, tried: tuple[str, ...] = (), evidence: tuple[Evidence, ...] = ()
    ) -> Escalation:
        """Hand a failure up one tier, with its dossier; the same cause cannot be tried again unchanged."""
        fingerprint = Escalation.fingerprint_of(by, to.value, cause)
        escalation = Escalation(
            raised_by=by,
            to=to,
            cause=cause[:400],
            round=self.state.round,
            milestone=self.state.milestone,
            tried=tried or tuple(self.state.recent),
            findings=tuple(f[:400] for f in self.state.findings),
            evidence=evidence,
            fingerprint=fingerprint,
        )
        self.state.escalations.append(escalation)
        if to is not Tier.TACTICAL:  # what QA finds is mended by the next attempt, not given up
            self.state.ruled_out[fingerprint] = cause[:400]
        self.run.emit(Escalated(by=by, to=to.value, cause=cause[:400]))
        return escalation

    def _model(self, role: str) -> Model:
        spec = with_playbook(self.run.config.model_of(role), self.run.config.playbook)
        if spec not in self._models:
            self._models[spec] = open_model(spec, self.run.config.model_settings, self.run.environment)
        return self._models[spec]

    def _ask(self, kind: str, question: str) -> ToolResult:
        """A subagent answers in a conversation of its own."""
        files = [f"documents/{d.file}.txt" for d in self.state.documents] or ["instructions.md"]
        with self.run.budget.scope("question", {"model_calls": CALLS_OF[kind]}, self.run.meter()):
            played = self.play(
                "explainer",
                "answer",
                Answer,
                block={"files": files, "question": question},
                kind=kind,
                question=question,
                files=files,
            )
        match played.end:
            case Submitted(answer):
                there, gone = self.code(
                    "look_up",
                    tuple[list[str], list[str]],
                    lambda: self.type.look_up(self.workspace, answer.answer, answer.evidence),
                )
                self.run.emit(SubagentAnswered(tool=kind, question=question, answer=answer.answer))
                left_out = (
                    (f"The helper named what is not there; rely on nothing that rests on it: {', '.join(gone)}.",)
                    if gone
                    else ()
                )
                said = answer.answer
                for place in gone:
                    said = said.replace(place, "[a place that is not there]")
                return ToolResult(ok=True, explanations=(said, *left_out), data={"evidence": there})
            case Limit() | Stuck() | Rewound() | InDoubt() | Asked() | Unusable():
                return ToolResult.failure("The helper found no answer; look into the files yourself.")
            case _:
                assert_never(played.end)


def asking_at_once(state: PhaseState, phase: str) -> PhaseState:
    """Outside the scope a question ends the phase; the ScopeAgent hands its questions over with the scope."""
    state.asks_at_once = phase != "scope"
    return state


def event_of(end: Failed, otherwise: Event) -> Event:
    """What the table is told of a phase without a submission: `otherwise`, unless the job stops or a person is asked."""
    match end:
        case Limit():
            return Event.LIMIT_REACHED
        case InDoubt():
            return Event.IN_DOUBT
        case Asked():
            return Event.ASKED
        case Stuck() | Rewound() | Unusable():
            return otherwise
        case _:
            assert_never(end)


def _is_core(tool: str, granted: Mapping[str, Grant]) -> bool:
    return any(tool in grant.core for grant in granted.values())


@functools.cache
def _adapter(type_: Any) -> TypeAdapter[Any]:
    return TypeAdapter(type_)
