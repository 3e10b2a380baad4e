"""The review queue in a job: what is offered, how it is shown, decided in one call, and judged without knowing that."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from echelon.crews.creator import asked, results, working
from echelon.crews.creator.remit import remit
from echelon.crews.jobtype import Material
from echelon.digest import digest
from echelon.domains.requirements import document_files
from echelon.domains.requirements.review import ledger
from echelon.domains.requirements.review.apply import check_decision
from echelon.domains.requirements.review.ledger import DECISIONS, Ledger, Standing
from echelon.domains.requirements.review.types import Decision, Queue, ReviewItem, Ruling
from echelon.domains.requirements.selection.choose import why_left_out
from echelon.domains.requirements.selection.types import Selection
from echelon.domains.requirements.types import Modality, Requirement
from echelon.engine.messages import ToolResult
from echelon.engine.run import Run
from echelon.engine.todos import Work
from echelon.engine.toolbox import Arguments, Effect, PhaseState, Tool, ToolContext
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from echelon.settings import ReviewSettings
from echelon.tasks.contracts import Finding, Task

BLIND = ("requirements/", "output/", "archive/", "notes/", "trace/", "todos.yaml")
"""What would tell QA how a place was decided, hidden until it has judged its sample."""
WORDS = 60
"""Characters of a place in a line of open work."""


AND_NOW = "Code compares them, so none of them is a finding. Now call submit_verdict about the rest of the task."
"""What is said to QA once it has judged all of its sample."""
UNDECIDED = (Standing.OPEN, Standing.CONTESTED)


# what is offered


def asked_about(workspace: Workspace, settings: ReviewSettings) -> list[ReviewItem]:
    """The places that roles are asked about: the first of the queue, where the remit wants what stands there."""
    queue = ledger.load_queue(workspace) or Queue(sentences=0)
    selection = remit(workspace).selection
    place = Selection(documents=selection.documents, pages=selection.pages, sections=selection.sections)
    wanted = [item for item in queue.items if why_left_out(_as_requirement(item), place) is None]
    pages = sum(len(d.pages) for d in results.read_documents(workspace))
    return wanted[: max(settings.least, math.floor(settings.per_page * pages))]


def _as_requirement(item: ReviewItem) -> Requirement:
    return Requirement(
        id="R-0000", source_id=item.source_id, text=item.text, modality=item.modality or Modality.OBLIGATION,
        language="und", confidence=0, citations=item.citations, section=item.section,
    )  # fmt: skip


def open_work(workspace: Workspace, settings: ReviewSettings) -> tuple[Work, ...]:
    """The places that nobody has decided yet, and those that are to be decided once more."""
    said = ledger.load_ledger(workspace)
    standing = [(item, said.standing(item.id)) for item in asked_about(workspace, settings)]
    return tuple(_work(i, s) for i, s in standing if s in UNDECIDED)


def _work(item: ReviewItem, standing: Standing) -> Work:
    once_more = "decide once more" if standing is Standing.CONTESTED else "decide"
    says = f"{once_more} {item.id} ({item.sign.value}, page {item.page}): {_words(item)}"
    return Work(id=item.id, says=" ".join(says.split()), deliverable=DECISIONS)


def _words(item: ReviewItem) -> str:
    return item.text if len(item.text) <= WORDS else item.text[:WORDS] + "…"


def undecided(workspace: Workspace, task: Task) -> list[Finding]:
    """The places of a task that were reported as decided and are not."""
    said = ledger.load_ledger(workspace)
    open_ = [t.work for t in task.todos if t.work.startswith("D-") and said.standing(t.work) in UNDECIDED]
    return [
        Finding(says=f"{id_} is not decided; call decide_doubts for it", about=id_, code="undecided") for id_ in open_
    ]


def objections(workspace: Workspace) -> tuple[str, ...]:
    """Ids of the places that the two readings judge differently, decided again or not."""
    entries = ledger.load_ledger(workspace).entries.items()
    return tuple(id_ for id_, e in entries if e.judged is not None and not e.judged.agrees_with(e.first))


# how it is shown


def brief(workspace: Workspace, works: Sequence[str]) -> Material:
    """The places of a task with their context, for who decides them; empty where the task has none."""
    said = ledger.load_ledger(workspace)
    items = _items(workspace, works)
    if not items:
        return Material()
    shown = [_shown(i) + _objection(said, i) for i in items]
    head = (
        f"Decide these {len(items)} places in ONE call of decide_doubts. Each stands in its context, its words between "
        "[[ and ]]. 'taken' says that the rules took it for a requirement; they may be wrong."
    )
    return Material(
        text="\n".join([head, *shown]), block={"doubts": [_block(i) | _objected(said, i) for i in items]},
        ids=tuple(i.id for i in items), tools=("decide_doubts",),
        in_one_call=f"Call decide_doubts once, for {', '.join(i.id for i in items)}",
    )  # fmt: skip


def blind(workspace: Workspace, works: Sequence[str], seed: str, size: int) -> Material:
    """A seeded sample of the places of a task, without what was decided, for who checks."""
    items = _items(workspace, works)
    said = ledger.load_ledger(workspace)
    fresh = [i for i in items if said.standing(i.id) in (Standing.OPEN, Standing.DECIDED)]
    sample = sorted(fresh, key=lambda i: digest([seed, i.id]))[:size]
    if not sample:
        return _read_twice(said, items)
    head = (
        f"Judge these {len(sample)} of {len(fresh)} places yourself, in ONE call of judge_doubts, before the verdict. What "
        "was decided about them is hidden until then; code compares. Words stand between [[ and ]] in their context."
    )
    text = "\n".join([head, *(_shown(i) for i in sample)])
    ids = tuple(i.id for i in sample)
    return Material(
        text=text, block={"judge": [_block(i) for i in sample]}, ids=ids, tools=("judge_doubts",), hidden=BLIND,
        covers=(DECISIONS,), spare=tuple(i.id for i in fresh if i.id not in ids),
    )  # fmt: skip


def _read_twice(said: Ledger, items: Sequence[ReviewItem]) -> Material:
    """Places that were decided, judged, and decided once more where the two differed: nothing is left to judge."""
    entries = [(item, said.entries[item.id]) for item in items if item.id in said.entries]
    lines = [
        f"- {item.id} ({_words(item)}): one said {entry.first.essence}, you said {entry.judged.essence}, then "
        f"{entry.now.essence}: {entry.now.reason}"
        for item, entry in entries
        if entry.judged is not None
    ]
    if not lines:
        return Material()
    head = (
        "These places were read twice, and decided once more where you differed. Where you still differ, code marks them "
        "for a person in every output, so that alone is no finding."
    )
    return Material(shown="\n".join([head, *lines]), tools=("judge_doubts",), covers=(DECISIONS,))


def _items(workspace: Workspace, ids: Iterable[str]) -> list[ReviewItem]:
    queue = ledger.load_queue(workspace) or Queue(sentences=0)
    wanted = set(ids)
    return [item for item in queue.items if item.id in wanted]


def _block(item: ReviewItem) -> dict[str, object]:
    return {"id": item.id, "taken": item.taken}


def _objected(said: Ledger, item: ReviewItem) -> dict[str, object]:
    """What the other reader said about a contested place, as a decision that could be taken over."""
    entry = said.entries.get(item.id)
    if entry is None or entry.judged is None:
        return {}
    return {"objection": entry.judged.model_dump(mode="json", exclude_defaults=True)}


def _shown(item: ReviewItem) -> str:
    taken = f"taken, {item.modality.value}" if item.taken and item.modality else "not taken"
    section = f", {item.section.rpartition(' > ')[2]}" if item.section else ""
    quote = " ".join(item.citations[-1].quote.split())
    context = item.context.replace(quote, f"[[{quote}]]", 1) if quote in item.context else f"[[{quote}]]"
    lines = [f"{item.id} ({taken}; page {item.page}{section}; {item.why})", f"  {context}"]
    if " ".join(item.text.split()) != quote:
        lines.append(f"  read as: {item.text[:400]}")
    if item.other:
        lines.append(f"  beside: {item.other[:300]}")
    return "\n".join(lines)


def _objection(said: Ledger, item: ReviewItem) -> str:
    entry = said.entries.get(item.id)
    if entry is None or entry.judged is None:
        return ""
    return (
        f"\n  You said {entry.first.essence}: {entry.first.reason}\n  Another reader, who did not know that, said "
        f"{entry.judged.essence}: {entry.judged.reason}\n  Decide once more; where you still differ, a person will look."
    )


# deciding and judging


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
    return queue, decisions


def decide_doubts(context: ToolContext, a: Decisions) -> ToolResult:
    """Keep the decisions and carry them out in the results."""
    wanted = [i.work for i in context.state.todos.items if i.work.startswith("D-")]
    settings = context.run.config.requirements
    queue, decisions = _read(context, a, wanted or (i.id for i in asked_about(context.workspace, settings.review)))
    said = ledger.load_ledger(context.workspace)
    for decision in decisions:
        said = said.decided(decision)
    ledger.save(context.workspace, said)
    carry_out(context.run, context.workspace, queue, said, {d.id for d in decisions})
    left = [id_ for id_ in wanted if id_ not in said.entries]
    following = f"Left: {', '.join(left)}." if left else "All places are decided. Now call submit_report."
    return ToolResult(
        ok=True, explanations=(f"{len(decisions)} decisions are carried out.", following),
        data={"decided": [d.id for d in decisions]},
    )  # fmt: skip


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
    more = [] if left else _items(context.workspace, _widened(said, context.state))
    following = f"Left: {', '.join(left)}." if left else AND_NOW
    if more:
        following = f"Not all of them agree with what was decided, so judge the other {len(more)} of the task, too:"
    return ToolResult(
        ok=True, explanations=(f"{len(decisions)} places are judged.", following, *(_shown(i) for i in more)),
        data={"judged": [d.id for d in decisions], "judge": [_block(i) for i in more]},
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
        decide_doubts, Effect.IDEMPOTENT, _completed, held=asked.to_decide,
    ),
    Tool(
        "judge_doubts", "Judge doubtful places yourself, without knowing what was decided about them.", Decisions,
        judge_doubts, Effect.IDEMPOTENT, _judged, ready=lambda state: bool(state.unjudged()), held=asked.to_judge,
    ),
)  # fmt: skip
