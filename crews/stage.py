"""The stage that the roles play on: a job, its workspace, and how a role is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from echelon.agents.roster import roster
from echelon.crews.hierarchy.states import Event
from echelon.crews.job import JobState
from echelon.crews.jobtype import JobType
from echelon.crews.phase import Phase
from echelon.crews.tool_sets import take
from echelon.engine.messages import ToolResult
from echelon.engine.models.model import Model
from echelon.engine.models.opening import open_model, with_playbook
from echelon.engine.run import Run, Where, ceilings_of
from echelon.engine.toolbox import PhaseState
from echelon.engine.workspace import Workspace
from echelon.settings import Grant
from echelon.tasks.contracts import Answer, Contract, Escalation, Tier
from echelon.tasks.prompts import render

C = TypeVar("C", bound=Contract)

NOTHING = Grant(core=(), deferred=())

BREAKS = {"limit": Event.LIMIT_REACHED, "in doubt": Event.IN_DOUBT}
"""How a phase can end that the table has a row for everywhere."""


class Stage:
    """One segment of a job at work."""

    def __init__(self, run: Run, state: JobState, job_type: JobType) -> None:
        self.run, self.state, self.type = run, state, job_type
        self.workspace = Workspace(run.folder)
        self._models: dict[str, Model] = {}

    def play(self, role_name: str, phase: str, state: PhaseState | None = None, **values: Any) -> PhaseState:
        """Let a role play a phase; `values` fill its prompt."""
        grant = self.run.config.tools.get(role_name, NOTHING)
        role = roster()[role_name].given(grant.core, grant.deferred)
        names = role.tools_in(phase)
        tools = take(names)
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
            system=render("system", role=role, job=self.run.config, submits=submits),
            task=render(phase, **values),
            tools=tools,
            state=state or PhaseState(),
            ask=None if role.tier == "subagent" else self._ask,
        )
        with self._scopes(role.tier, phase):
            played = performance.play()
        if played.ended == "in doubt":
            self.state.questions = (played.issue,)
        return played

    @contextmanager
    def _scopes(self, tier: str, phase: str) -> Iterator[None]:
        """The scopes of the budget that a phase works in; those of a subagent are inside those of who asks."""
        run, ceilings = self.run, self.run.config.budget
        with ExitStack() as stack:
            if tier != "subagent" and self.state.scope is not None:
                began = run.mark("milestone", self.state.milestone + 1)
                stack.enter_context(run.budget.scope("milestone", ceilings_of(ceilings.milestone), began))
            if phase in ("implement", "qa"):
                began = run.mark("task", self.state.round)
                stack.enter_context(run.budget.scope("task", ceilings_of(ceilings.task), began))
            own = ("subagent", ceilings.subagent) if tier == "subagent" else ("phase", ceilings.phase)
            stack.enter_context(run.budget.scope(own[0], ceilings_of(own[1])))
            yield

    def code(self, name: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Run code that looks at files or changes them, as a durable step."""
        where = Where(role="code", phase=name, round=self.state.round, milestone=self.state.milestone + 1)
        return self.run.step("code", name, work, where=where)

    def commit(self, message: str) -> str:
        """Commit the workspace; returns the commit's id."""
        return str(self.code("commit", lambda: {"commit": self.workspace.commit(message)})["commit"])

    def escalate(self, by: str, to: Tier, cause: str, tried: tuple[str, ...] = ()) -> Escalation:
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
            fingerprint=fingerprint,
        )
        self.state.escalations.append(escalation)
        if to is not Tier.TACTICAL:  # what QA finds is mended by the next attempt, not given up
            self.state.ruled_out[fingerprint] = cause[:400]
        self.run.emit("escalation", by=by, to=to.value, cause=cause[:400])
        return escalation

    def _model(self, role: str) -> Model:
        spec = with_playbook(self.run.config.model_of(role), self.run.config.playbook)
        if spec not in self._models:
            self._models[spec] = open_model(spec, self.run.config.model_settings, self.run.environment)
        return self._models[spec]

    def _ask(self, kind: str, question: str) -> ToolResult:
        """A subagent answers in a conversation of its own."""
        files = [f"documents/{d['file']}.txt" for d in self.state.documents] or ["instructions.md"]
        played = self.play("explainer", "answer", kind=kind, question=question, files=files)
        if not isinstance(played.submitted, Answer):
            return ToolResult.failure("The helper found no answer; look into the files yourself.")
        answer = played.submitted
        self.run.emit("subagent", tool=kind, question=question, answer=answer.answer)
        return ToolResult(ok=True, explanations=(answer.answer,), data={"evidence": list(answer.evidence)})


def ended_early(played: PhaseState) -> Event | None:
    """The event of a phase that a ceiling of the job ended; None for all others."""
    return BREAKS.get(played.ended or "")
