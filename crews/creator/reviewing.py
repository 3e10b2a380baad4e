"""The review queue in a job: what is offered, and how it is shown to who decides and to who judges without knowing that."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from echelon.crews.creator import results
from echelon.crews.creator.remit import remit
from echelon.crews.jobtype import Material
from echelon.digest import digest
from echelon.domains.requirements.review import ledger
from echelon.domains.requirements.review.ledger import DECISIONS, Ledger, Standing
from echelon.domains.requirements.review.types import Queue, ReviewItem
from echelon.domains.requirements.selection.choose import why_left_out
from echelon.domains.requirements.selection.types import Selection
from echelon.domains.requirements.types import Modality, Requirement
from echelon.engine.todos import Work
from echelon.engine.workspace import Workspace
from echelon.settings import ReviewSettings
from echelon.tasks.contracts import Finding, Task

BLIND = ("requirements/", "output/", "archive/", "notes/", "trace/", "todos.yaml")
"""What would tell QA how a place was decided, hidden until it has judged its sample."""
WORDS = 60
"""Characters of a place in a line of open work."""


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
    items = items_of(workspace, works)
    if not items:
        return Material()
    told = [shown(i) + _objection(said, i) for i in items]
    head = (
        f"Decide these {len(items)} places in ONE call of decide_doubts. Each stands in its context, its words between "
        "[[ and ]]. 'taken' says that the rules took it for a requirement; they may be wrong."
    )
    return Material(
        text="\n".join([head, *told]), block={"doubts": [block(i) | _objected(said, i) for i in items]},
        ids=tuple(i.id for i in items), tools=("decide_doubts",),
        in_one_call=f"Call decide_doubts once, for {', '.join(i.id for i in items)}",
    )  # fmt: skip


def blind(workspace: Workspace, works: Sequence[str], seed: str, size: int) -> Material:
    """A seeded sample of the places of a task, without what was decided, for who checks."""
    items = items_of(workspace, works)
    said = ledger.load_ledger(workspace)
    fresh = [i for i in items if said.standing(i.id) in (Standing.OPEN, Standing.DECIDED)]
    sample = sorted(fresh, key=lambda i: digest([seed, i.id]))[:size]
    if not sample:
        return _read_twice(said, items)
    head = (
        f"Judge these {len(sample)} of {len(fresh)} places yourself, in ONE call of judge_doubts, before the verdict. What "
        "was decided about them is hidden until then; code compares. Words stand between [[ and ]] in their context."
    )
    text = "\n".join([head, *(shown(i) for i in sample)])
    ids = tuple(i.id for i in sample)
    return Material(
        text=text, block={"judge": [block(i) for i in sample]}, ids=ids, tools=("judge_doubts",), hidden=BLIND,
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


def about_places(workspace: Workspace, ids: Iterable[str], given: Material) -> Material:
    """The same for who has to find fault with these places and not with the task: a small model had it done again since
    "the deliverables only specify the existence of a file"."""
    told = "\n".join(f"{item.id} {item.context} {item.text}" for item in items_of(workspace, ids))
    return given.model_copy(update={"sources": (told,) if told else ()})


def items_of(workspace: Workspace, ids: Iterable[str]) -> list[ReviewItem]:
    queue = ledger.load_queue(workspace) or Queue(sentences=0)
    wanted = set(ids)
    return [item for item in queue.items if item.id in wanted]


def block(item: ReviewItem) -> dict[str, object]:
    return {"id": item.id, "taken": item.taken}


def _objected(said: Ledger, item: ReviewItem) -> dict[str, object]:
    """What the other reader said about a contested place, as a decision that could be taken over."""
    entry = said.entries.get(item.id)
    if entry is None or entry.judged is None:
        return {}
    return {"objection": entry.judged.model_dump(mode="json", exclude_defaults=True)}


def shown(item: ReviewItem) -> str:
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
