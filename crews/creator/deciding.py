"""Deciding doubtful places in one call, and judging them without knowing what was decided: the tools of the review."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from echelon.crews.creator import working
from echelon.crews.creator.asked import to_decide, to_judge
from echelon.crews.creator.reviewing import asked_about, block, items_of, shown
from echelon.domains.requirements import document_files
from echelon.domains.requirements.review import ledger
from echelon.domains.requirements.review.apply import check_decision
from echelon.domains.requirements.review.holding import why_held
from echelon.domains.requirements.review.ledger import Ledger, Standing
from echelon.domains.requirements.review.types import Decision, Queue, Ruling
from echelon.domains.requirements.types import Modality
from echelon.engine.messages import ToolResult
from echelon.engine.run import Run
from echelon.engine.toolbox import Arguments, Effect, PhaseState, Tool, ToolContext
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault

AND_NOW = "Code compares them, so none of them is a finding. Now call submit_verdict about the rest of the task."
"""What is said to QA once it has judged all of its sample."""
_PLACE = re.compile(r"\bD-\d{4,}\b")

LONGEST_REASON = 300


def _cut(reason: Any) -> Any:
    """A reason that goes on and on is cut, not refused: the decision is what counts."""
    return f"{reason[: LONGEST_REASON - 1]}…" if isinstance(reason, str) and len(reason) > LONGEST_REASON else reason


class DecisionArguments(BaseModel):
    id: str = Field(description="id of the place, such as D-0007")
    ruling: Literal["accept", "reject", "split", "duplicate", "conflict"] = Field(
        description="accept: it is a requirement; reject: it is none; split: it is several; duplicate, conflict: it "
        "repeats or contradicts the one beside it"
    )
    reason: Annotated[str, BeforeValidator(_cut)] = Field(
        description="why, in one sentence", min_length=5, max_length=LONGEST_REASON
    )
    modality: Literal["obligation", "prohibition", "permission", "recommendation"] | None = Field(
        default=None, description="only where the rules have another kind"
    )
    texts: list[str] = Field(
        default=[],
        description="exact words of the document: the pieces of a split, or where it begins or ends elsewhere",
    )


class Decisions(Arguments):
    decisions: list[DecisionArguments] = Field(description="one for each place", min_length=1, max_length=40)


def _read(context: ToolContext, given: Decisions, allowed: Iterable[str]) -> tuple[Queue, list[Decision]]:
    """The decisions, each checked. Raises ModelFault for the first that cannot be carried out; nothing is kept then."""
    queue = ledger.load_queue(context.workspace) or Queue(sentences=0)
    items, known = {i.id: i for i in queue.items}, set(allowed)
    decisions: list[Decision] = []
    for d in given.decisions:
        id_ = d.id.strip().strip("[]").upper()
        if id_ not in known:
            raise ModelFault(f"'{d.id[:20]}' is not asked about here; the places are {', '.join(sorted(known)[:20])}.")
        item = items[id_]
        modality = Modality(d.modality) if d.modality else None
        decision = Decision(
            id=id_, ruling=Ruling(d.ruling), reason=d.reason, texts=tuple(d.texts),
            modality=None if modality is item.modality else modality,
        )  # fmt: skip
        if decision.ruling is Ruling.ACCEPT and not decision.says_more_than(item.text):
            decision = decision.model_copy(update={"texts": ()})
        check_decision(document_files.document(context.workspace, item.document), item, decision)
        decisions.append(decision)
    return queue, _held(queue, decisions, ledger.load_ledger(context.workspace))


def _held(queue: Queue, decisions: list[Decision], said: Ledger) -> list[Decision]:
    """The decisions, each with the reason why code does not carry it out, where there is one."""
    items, mine = {i.id: i for i in queue.items}, {d.id for d in decisions}
    earlier = [e.now for e in said.entries.values() if e.first.id not in mine]
    others = [(d, items[d.id]) for d in (*decisions, *earlier) if d.id in items]
    return [d.model_copy(update={"held": why_held(items[d.id], d, others)}) for d in decisions]


def _told(decisions: Sequence[Decision]) -> tuple[str, ...]:
    """What is said about decisions that are not carried out: one sentence."""
    held = [d for d in decisions if d.held]
    if not held:
        return ()
    named = "; ".join(f"{d.id}: {d.held}" for d in held[:5]) + (f"; and {len(held) - 5} more" if len(held) > 5 else "")
    return (
        f"{len(held)} stay as the rules have them, marked for a person ({named}); where you are sure, decide those again "
        "and say in the reason, in words of your own, what stands there.",
    )


def decide_doubts(context: ToolContext, a: Decisions) -> ToolResult:
    """Keep the decisions and carry them out in the results."""
    wanted = [i.work for i in context.state.todos.items if i.work.startswith("D-")]
    asked = [*wanted, *_named(context.state)]
    if not context.state.todos.items:  # nobody divides the work: all that is asked about
        asked = [item.id for item in asked_about(context.workspace, context.run.config.requirements.review)]
    if not asked:
        raise ModelFault("No place is asked about in this task, so there is nothing to decide; go on with your todo.")
    queue, decisions = _read(context, a, asked)
    said = ledger.load_ledger(context.workspace)
    for decision in decisions:
        said = said.decided(decision)
    ledger.save(context.workspace, said)
    carry_out(context.run, context.workspace, queue, said, {d.id for d in decisions})
    left = [id_ for id_ in wanted if id_ not in said.entries]
    following = f"Left: {', '.join(left)}." if left else "All places are decided. Now call submit_report."
    return ToolResult(
        ok=True, explanations=(f"{len(decisions)} decisions are kept.", *_told(decisions), following),
        data={"decided": [d.id for d in decisions]},
    )  # fmt: skip


def _named(state: PhaseState) -> list[str]:
    """Places that a todo names in its words, as one that settles a finding does."""
    return [id_ for todo in state.todos.items for id_ in _PLACE.findall(todo.content)]


def carry_out(run: Run, workspace: Workspace, queue: Queue, said: Ledger, ids: set[str]) -> None:
    """Bring parts and results up to date with what was decided about some places."""
    for name in sorted({i.document for i in queue.items if i.id in ids}):
        working.rebuild(workspace, name, run.config.requirements, queue, said)
    working.do(workspace, run.job, run.config.requirements, working.WRITE)


def _completed(state: PhaseState, _: Decisions, result: ToolResult) -> None:
    state.todos = state.todos.completed_work(result.data["decided"])


def judge_doubts(context: ToolContext, a: Decisions) -> ToolResult:
    """Keep what was judged without knowing the decisions. What differs is decided once more, then it is for a person."""
    queue, decisions = _read(context, a, context.state.blind)
    said = ledger.load_ledger(context.workspace)
    for decision in decisions:
        if decision.id not in said.entries:
            raise ModelFault(f"{decision.id} was not decided, so there is nothing to compare; fail the task for it.")
        said = said.judged(decision)
    ledger.save(context.workspace, said)
    carry_out(context.run, context.workspace, queue, said, {d.id for d in decisions})
    done = {d.id for d in decisions} | set(context.state.opened)
    left = [id_ for id_ in context.state.blind if id_ not in done]
    more = [] if left else items_of(context.workspace, _widened(said, context.state))
    following = f"Left: {', '.join(left)}." if left else AND_NOW
    if more:
        following = f"Not all of them agree with what was decided, so judge the other {len(more)} of the task, too:"
    return ToolResult(
        ok=True, explanations=(f"{len(decisions)} places are judged.", following, *(shown(i) for i in more)),
        data={"judged": [d.id for d in decisions], "judge": [block(i) for i in more]},
    )  # fmt: skip


def _widened(said: Ledger, state: PhaseState) -> list[str]:
    """The places of the task outside of the sample, when the sample shows that decisions of the task may be wrong: all
    of a batch is looked at whose sample does not pass (rectifying inspection, Dodge and Romig 1929)."""
    differ = any(said.standing(id_) is Standing.CONTESTED for id_ in state.blind)
    return [id_ for id_ in state.spare if said.standing(id_) is Standing.DECIDED] if differ else []


def _judged(state: PhaseState, _: Decisions, result: ToolResult) -> None:
    state.opened = (*state.opened, *result.data["judged"])
    if more := [place["id"] for place in result.data.get("judge", [])]:
        state.blind, state.spare = (*state.blind, *more), ()
    elif all(id_ in state.opened for id_ in state.blind):
        state.hidden = ()


TOOLS = (
    Tool(
        "decide_doubts", "Decide doubtful places of the documents, many in one call, each with a reason.", Decisions,
        decide_doubts, Effect.IDEMPOTENT, _completed, held=to_decide,
    ),
    Tool(
        "judge_doubts", "Judge doubtful places yourself, without knowing what was decided about them.", Decisions,
        judge_doubts, Effect.IDEMPOTENT, _judged, ready=lambda state: bool(state.unjudged()), held=to_judge,
    ),
)  # fmt: skip
