"""The submit tools: how a role hands over its contract and ends its phase."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError
from pydantic.json_schema import SkipJsonSchema

from echelon.engine.ends import Asked, Submitted
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Apply, Arguments, Effect, PhaseState, Tool, ToolContext, explained
from echelon.errors import ModelFault
from echelon.tasks import contracts as c
from echelon.tasks.checks import is_result
from echelon.tasks.deliverables import named_in
from echelon.tasks.evidence import evidence_of
from echelon.tasks.results import request_of
from echelon.tasks.texts.placeholders import is_placeholder
from echelon.tools.check_arguments import AnyCheck, as_values, held_scope, held_task
from echelon.tools.groundless import AGAIN, why_groundless, why_no_advice, why_no_reason
from echelon.tools.judging import OFF_COURSE, PointArguments, held_assessment, held_verdict, lacks_nothing

A = TypeVar("A", bound=Arguments)

CONFIDENCE = "how sure you are, from 0 to 1"
EVIDENCE = "what it rests on: file paths, 'call 12', or 'file.pdf, page 3: \"quote\"'"


def _submitted(contract: type[c.Contract], values: dict[str, Any]) -> ToolResult:
    try:
        built = contract.model_validate(values)
    except ValidationError as error:
        raise ModelFault(f"That cannot be submitted: {explained(error)}. {AGAIN}") from error
    return ToolResult(ok=True, explanations=("Submitted.",), data=built.model_dump(mode="json"))


def _hand_over(contract: type[c.Contract]) -> Apply:
    def apply(state: PhaseState, _: Any, result: ToolResult) -> None:
        state.end = Submitted(contract.model_validate(result.data))

    return apply


class MilestoneArguments(BaseModel):
    outcome: str = Field(description="what a user can do or see when it is reached")
    checks: list[AnyCheck] = Field(description="how a user can tell")
    areas: list[str] = Field(default=[], description="areas that it touches, as a sketch")


class SubmitScope(Arguments):
    in_scope: list[str] = Field(description="what the job is about")
    out_of_scope: list[str] = Field(default=[], description="what it is not about")
    success: list[str] = Field(description="how a user recognises success")
    milestones: list[MilestoneArguments] = Field(description="outcomes that a user can test, in order")
    questions: SkipJsonSchema[list[str]] = Field(
        default=[], description="as ask_person; not offered: who sees it, fills it"
    )
    confidence: float = Field(description=CONFIDENCE, ge=0, le=1)


def submit_scope(context: ToolContext, a: SubmitScope) -> ToolResult:
    remit = {"in_scope": a.in_scope, "out_of_scope": a.out_of_scope, "success": a.success}
    milestones = [m.model_dump() | {"checks": as_values(m.checks)} for m in a.milestones]
    questions = list(dict.fromkeys([*context.state.questions, *a.questions]))
    return _submitted(
        c.Scope, {"remit": remit, "milestones": milestones, "questions": questions, "confidence": a.confidence}
    )


class AskPerson(Arguments):
    question: str = Field(
        description="what only the person who started the job can answer", min_length=10, max_length=400
    )


def ask_person(context: ToolContext, a: AskPerson) -> ToolResult:
    """Keep a question for the person; the job waits for the answer: at once, or once the scope is submitted."""
    if context.state.asks_at_once:
        return ToolResult(ok=True, explanations=("The job waits for the answer; your phase begins again with it.",))
    return ToolResult(ok=True, explanations=("The question is kept. Now call submit_scope.",))


def _ask(state: PhaseState, a: AskPerson, _: ToolResult) -> None:
    if state.asks_at_once:
        state.end = Asked(a.question)
    else:
        state.questions = (*state.questions, a.question)


class SubmitTask(Arguments):
    title: str = Field(description="the task in a few words")
    rationale: str = Field(description="why this is the next thing to do")
    deliverables: list[str] = Field(description="workspace paths that exist when it is done")
    checks: list[AnyCheck] = Field(default=[], description="how QA can tell that it is done")
    notes: list[str] = Field(default=[], description="up to 7 short notes for later rounds")
    confidence: float = Field(default=0.8, description=CONFIDENCE, ge=0, le=1)


def submit_task(context: ToolContext, a: SubmitTask) -> ToolResult:
    items = context.state.todos.items
    if not items:
        raise ModelFault("Write the todos with todo_write first, then call submit_task.")
    todos = [item.model_dump(mode="json", exclude={"done"}) for item in items]
    task = {
        "title": a.title,
        "rationale": a.rationale,
        "todos": todos,
        "deliverables": a.deliverables,
        "checks": as_values(a.checks),
    }
    notes = [" ".join(n.split())[:100] for n in a.notes if n.strip()][:7]
    return _submitted(
        c.PlannerDecision, {"decision": "task", "task": task, "window": {"notes": notes}, "confidence": a.confidence}
    )


class SubmitMilestoneDone(Arguments):
    reason: str = Field(description="why the outcome is reached")
    evidence: list[str] = Field(default=[], description=EVIDENCE)


def submit_milestone_done(context: ToolContext, a: SubmitMilestoneDone) -> ToolResult:
    evidence = evidence_of(context, a.evidence)
    return _submitted(c.PlannerDecision, {"decision": "milestone_done", "reason": a.reason, "evidence": evidence})


class SubmitAbort(Arguments):
    reason: str = Field(description="why the milestone cannot be reached this way", min_length=10)


def submit_abort(context: ToolContext, a: SubmitAbort) -> ToolResult:
    return _submitted(c.PlannerDecision, {"decision": "abort", "reason": a.reason})


class SubmitReport(Arguments):
    summary: str = Field(description="what was done, in two or three sentences")
    outcome: Literal["done", "partial"] = Field(default="done", description="partial when something is left undone")
    deliverables: list[str] = Field(default=[], description="workspace paths that were written")
    evidence: list[str] = Field(default=[], description=EVIDENCE)
    issue: str = Field(default="", description="what stood in the way, if anything did")
    confidence: float = Field(default=0.8, description=CONFIDENCE, ge=0, le=1)


def submit_report(context: ToolContext, a: SubmitReport) -> ToolResult:
    left = [item for item in context.state.todos.items if not item.done]
    if left and a.outcome == "done":
        raise ModelFault(
            f"Todo {left[0].id} '{left[0].content[:80]}' is not done; do it and call todo_complete, "
            "or report outcome 'partial'."
        )
    values = a.model_dump() | {"evidence": evidence_of(context, [*a.evidence, *a.deliverables])}
    return _submitted(c.Report, values)


class FindingArguments(BaseModel):
    says: str = Field(description="what is wrong, in one sentence")
    about: str = Field(default="", description="what it is about: a file and line, a requirement's id, a check")


class SubmitVerdict(Arguments):
    passed: bool = Field(description="true when the task holds")
    findings: list[Annotated[FindingArguments, BeforeValidator(c.as_check)]] = Field(
        default=[], description="what is wrong and where; empty when it holds"
    )
    points: SkipJsonSchema[list[PointArguments]] = Field(
        default=[], description="what the result does with lines of the inputs"
    )
    settled: list[str] = Field(
        default=[], description="ids of open findings that you looked at and that hold no longer"
    )
    evidence: list[str] = Field(default=[], description=EVIDENCE)
    confidence: float = Field(default=0.8, description=CONFIDENCE, ge=0, le=1)


def submit_verdict(context: ToolContext, a: SubmitVerdict) -> ToolResult:
    state = context.state
    a = _without_nothing(a, settled=state.unsettled)
    if unknown := [f for f in a.settled if f not in state.unsettled]:
        raise ModelFault(f"There is no open finding '{unknown[0]}'; open are: {', '.join(state.unsettled) or 'none'}.")
    if unjudged := state.unjudged():
        raise ModelFault(f"{unjudged[0]} is not judged yet; call judge_doubts for {', '.join(unjudged)} first.")
    if a.passed and (unopened := state.unopened()):
        raise ModelFault(f"Nothing passes unread: open '{unopened[0]}' with read_file first.")
    if double := [f.about for f in a.findings if f.about.strip().strip("[]").upper() in state.judged()]:
        raise ModelFault(
            f"You judged {double[0]} already, and code compares that with what was decided: leave the finding out. "
            "Where nothing else is wrong, submit passed=true without findings."
        )
    if groundless := next(filter(None, (why_groundless(context, f.says, f.about) for f in a.findings)), ""):
        raise ModelFault(
            f"{groundless} Say what is wrong in what was made, or submit passed=true without that finding."
        )
    about = state.objects[0] if state.objects else ""
    found = [*a.findings, *(FindingArguments(says=p.fault, about=about) for p in a.points if p.fault)]
    if a.passed and found:
        raise ModelFault("A verdict that names findings does not pass; submit passed=false, or leave them out.")
    if a.passed and (left := [f for f in state.unsettled if f not in a.settled]):
        raise ModelFault(
            f"Finding {left[0]} is open. Look at what it is about: where it holds no longer, name it in 'settled'; "
            "where it holds, submit passed=false with it as a finding."
        )
    if a.settled and state.must_open and not state.opened:
        raise ModelFault("Nothing is settled unread: open what the finding is about with read_file first.")
    values = a.model_dump(exclude={"points"}) | {"findings": [f.model_dump() for f in found]}
    return _submitted(c.Verdict, values | {"evidence": evidence_of(context, a.evidence)})


class SubmitAssessment(Arguments):
    trajectory: Literal["continue", "milestone_met", "misaligned", "hopeless"] = Field(
        description="continue: more tasks are needed; milestone_met: the outcome is reached; "
        "misaligned: the wrong thing is being built; hopeless: it cannot be reached"
    )
    reasons: list[str] = Field(description="why, one line each")
    advice: str = Field(default="", description="what the planner should do next")
    settled: list[str] = Field(
        default=[], description="ids of QA's findings that you looked at and that do not hold; the reasons say why"
    )
    let_go: list[str] = Field(
        default=[], description="ids of work that the planner left out and the milestone does without"
    )
    evidence: list[str] = Field(default=[], description=EVIDENCE)
    confidence: float = Field(default=0.8, description=CONFIDENCE, ge=0, le=1)


def submit_assessment(context: ToolContext, a: SubmitAssessment) -> ToolResult:
    state = context.state
    a = _without_nothing(a, settled=state.unsettled, let_go=state.droppable)
    if a.trajectory == "milestone_met" and (unopened := state.unopened()):
        raise ModelFault(f"No milestone is met unread: open '{unopened[0]}' with read_file first.")
    if unknown := [f for f in a.settled if f not in state.unsettled]:
        raise ModelFault(f"There is no open finding '{unknown[0]}'; open are: {', '.join(state.unsettled) or 'none'}.")
    if unknown := [d for d in a.let_go if d not in state.droppable]:
        raise ModelFault(f"'{unknown[0]}' was not left out; left out are: {', '.join(state.droppable) or 'none'}.")
    if a.trajectory in OFF_COURSE and (groundless := why_no_reason(context, a.reasons)):
        raise ModelFault(f"{groundless} Say what is wrong in what was made, or submit another trajectory.")
    if a.trajectory == "continue" and lacks_nothing(state) and (nothing := why_no_advice(context, a.advice)):
        raise ModelFault(f"{nothing} Say in 'advice' what is missing in what was made, or submit milestone_met.")
    if a.settled and not state.opened:
        raise ModelFault("No finding is set aside unread: open what it is about with read_file first.")
    reasons = list(dict.fromkeys(" ".join(reason.split()) for reason in a.reasons))  # a person reads each once
    return _submitted(c.Assessment, a.model_dump() | {"reasons": reasons, "evidence": evidence_of(context, a.evidence)})


def _without_nothing(arguments: A, **open_ids: tuple[str, ...]) -> A:
    """The arguments without ids where nothing is open: what is named all the same settles nothing, and is no reason to
    refuse."""
    return arguments.model_copy(update={name: [] for name, ids in open_ids.items() if not ids})


class SubmitAnswer(Arguments):
    answer: str = Field(description="the answer, in a few sentences")
    evidence: list[str] = Field(
        default=[], description="where it stands, at most three: 'file:line' or 'document, page 3'"
    )


def submit_answer(context: ToolContext, a: SubmitAnswer) -> ToolResult:
    return _submitted(c.Answer, a.model_dump())


class JobComplete(Arguments):
    summary: str = Field(description="what the user gets, in two or three sentences")
    deliverables: list[str] = Field(description="workspace paths of the results")
    confidence: float = Field(description=CONFIDENCE, ge=0, le=1)
    notes: str = Field(default="", description="what a person should look at")


def job_complete(context: ToolContext, a: JobComplete) -> ToolResult:
    missing = [path for path in a.deliverables if context.workspace.sha256(path) is None]
    if missing:
        raise ModelFault(f"There is no file '{missing[0]}'; name only files that exist.")
    if given := [path for path in a.deliverables if not is_result(path)]:
        raise ModelFault(f"'{given[0]}' is no result of this job; name files in output/.")
    if context.run.config.is_guided:  # it has not read the results, and said of two plans that they cost the same
        return _submitted(c.JobComplete, a.model_dump() | {"summary": _plain_summary(context, a.deliverables)})
    if gone := [path for path in named_in([a.summary]) if context.workspace.sha256(path) is None]:
        raise ModelFault(f"The summary speaks of '{gone[0]}', which is not there; speak of files that exist.")
    if is_placeholder(a.summary):
        raise ModelFault("The summary says nothing; say in one or two sentences what was delivered.")
    return _submitted(c.JobComplete, a.model_dump())


def _plain_summary(context: ToolContext, deliverables: Sequence[str]) -> str:
    """What was asked for and where it stands, in place of what a small model makes up of it."""
    said = f"What was asked for stands in {', '.join(deliverables)}. The request: {request_of(context.workspace)}"
    return " ".join(said.split())[:1000]


def _always(_: PhaseState) -> bool:
    return True


def _looked(state: PhaseState) -> bool:
    return not state.unopened() and not state.unjudged()


def _looked_into_findings(state: PhaseState) -> bool:
    return _looked(state) and bool(state.opened or not state.unsettled or not state.at_hand)


READY: dict[str, Callable[[PhaseState], bool]] = {
    "submit_task": lambda state: bool(state.todos.items),
    "submit_milestone_done": lambda state: not state.offered,
    "submit_abort": lambda state: not state.offered and not state.is_through,
    "submit_report": lambda state: bool(state.called),
    "submit_verdict": _looked,
    "submit_assessment": _looked_into_findings,
}
"""When a role can hand over what it is asked for; the others always can."""


HELD = {
    "submit_scope": held_scope,
    "submit_task": held_task,
    "submit_verdict": held_verdict,
    "submit_assessment": held_assessment,
}
"""What a model in JSON mode is held to in place of the arguments."""

SUBMITS = tuple(
    Tool(
        name,
        says,
        arguments,
        work,
        Effect.IDEMPOTENT,
        _hand_over(contract),
        ends=True,
        ready=READY.get(name, _always),
        held=HELD.get(name),
    )
    for name, says, arguments, work, contract in (
        (
            "submit_scope",
            "Hand over the remit and the milestones. Ends your phase.",
            SubmitScope,
            submit_scope,
            c.Scope,
        ),
        (
            "submit_task",
            "Hand over the planned task. Call todo_write first. Ends your phase.",
            SubmitTask,
            submit_task,
            c.PlannerDecision,
        ),
        (
            "submit_milestone_done",
            "Say that the milestone's outcome is reached. Ends your phase.",
            SubmitMilestoneDone,
            submit_milestone_done,
            c.PlannerDecision,
        ),
        (
            "submit_abort",
            "Say that the milestone cannot be reached this way. Ends your phase.",
            SubmitAbort,
            submit_abort,
            c.PlannerDecision,
        ),
        ("submit_report", "Report what was done. Ends your phase.", SubmitReport, submit_report, c.Report),
        ("submit_verdict", "Say whether the task holds. Ends your phase.", SubmitVerdict, submit_verdict, c.Verdict),
        (
            "submit_assessment",
            "Say where the work leads. Ends your phase.",
            SubmitAssessment,
            submit_assessment,
            c.Assessment,
        ),
        ("submit_answer", "Answer the question. Ends your phase.", SubmitAnswer, submit_answer, c.Answer),
        ("job_complete", "Finish the job. Ends your phase.", JobComplete, job_complete, c.JobComplete),
    )
)

TOOLS = (
    Tool(
        "ask_person",
        "Ask the person who started the job; only when no work can start without the answer.",
        AskPerson,
        ask_person,
        Effect.IDEMPOTENT,
        _ask,
    ),
    *SUBMITS,
)
