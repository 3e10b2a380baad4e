"""Known faults for the work of a creator job: a decision that is wrong, a requirement that is lost, a citation that lies."""

from __future__ import annotations

import random
from collections.abc import Callable

from echelon.crews.creator import working
from echelon.crews.jobtype import Planting
from echelon.domains.requirements import document_files
from echelon.domains.requirements.review import ledger
from echelon.domains.requirements.review.ledger import Entry, Ledger, Standing
from echelon.domains.requirements.review.types import Decision, Queue, Ruling
from echelon.domains.requirements.types import Modality, Requirement, Status
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically

SHIFTED = {
    Modality.OBLIGATION: Modality.RECOMMENDATION, Modality.RECOMMENDATION: Modality.OBLIGATION,
    Modality.PERMISSION: Modality.PROHIBITION, Modality.PROHIBITION: Modality.PERMISSION,
}  # fmt: skip
REASON = "It reads like that."
"""The reason that a planted decision gives; it tells nothing"""

Turn = Callable[[Entry, Modality | None], Decision | None]


def plant(given: Planting, workspace: Workspace) -> str:
    """Put a fault, or another form of the same, into what was found and decided; says what was done, '' where it cannot."""
    draw = random.Random(given.seed)
    if given.kind in FORMS:
        return _reformed(workspace)
    by_decision, by_part = FAULTS[given.kind]
    says = _by_decision(workspace, given, by_decision, draw) if by_decision else ""
    says = says or (_by_part(workspace, by_part, draw) if by_part else "")
    if says:
        working.do(workspace, given.job, given.config.requirements, working.WRITE)
    return says


# wrong decisions


def _turned(entry: Entry, _by_rule: Modality | None) -> Decision | None:
    ruling = {Ruling.ACCEPT: Ruling.REJECT, Ruling.REJECT: Ruling.ACCEPT}.get(entry.first.ruling)
    return None if ruling is None else Decision(id=entry.first.id, ruling=ruling, reason=REASON)


def _rejected(entry: Entry, _by_rule: Modality | None) -> Decision | None:
    if entry.first.ruling is not Ruling.ACCEPT:
        return None
    return Decision(id=entry.first.id, ruling=Ruling.REJECT, reason=REASON)


def _otherwise(entry: Entry, by_rule: Modality | None) -> Decision | None:
    if entry.first.ruling is not Ruling.ACCEPT:
        return None
    before = entry.first.modality or by_rule
    return None if before is None else entry.first.model_copy(update={"modality": SHIFTED[before], "reason": REASON})


def _by_decision(workspace: Workspace, given: Planting, turn: Turn, draw: random.Random) -> str:
    """Turn one of the task's decisions that nobody has judged yet, and carry it out."""
    queue, said = ledger.load_queue(workspace) or Queue(sentences=0), ledger.load_ledger(workspace)
    works = {todo.work for todo in given.task.todos}
    fresh = [i for i in queue.items if i.id in works and said.standing(i.id) is Standing.DECIDED]
    for item in draw.sample(fresh, len(fresh)):
        other = turn(said.entries[item.id], item.modality)
        if other is not None:
            said = Ledger(entries={**said.entries, item.id: Entry(first=other)})
            ledger.save(workspace, said)
            working.rebuild(workspace, item.document, given.config.requirements, queue, said)
            return f"{item.id} was decided as {other.essence}: {item.text[:80]}"
    return ""


# wrong requirements


def _lost(r: Requirement, _draw: random.Random) -> Requirement:
    return r.model_copy(update={"status": Status.REJECTED})


def _of_other_kind(r: Requirement, _draw: random.Random) -> Requirement:
    return r.model_copy(update={"modality": SHIFTED[r.modality]})


def _misquoted(r: Requirement, draw: random.Random) -> Requirement:
    words = r.citations[0].quote.split(" ")
    words[draw.randrange(len(words))] = "otherwise"
    citation = r.citations[0].model_copy(update={"quote": " ".join(words)})
    return r.model_copy(update={"citations": (citation, *r.citations[1:])})


def _by_part(
    workspace: Workspace, change: Callable[[Requirement, random.Random], Requirement], draw: random.Random
) -> str:
    """Change one accepted requirement where it is kept."""
    accepted = [(n, p, r) for n, p, r in document_files.all_found(workspace) if r.status is Status.ACCEPTED]
    if not accepted:
        return ""
    name, part, chosen = draw.choice(accepted)
    found = [change(r, draw) if r == chosen else r for r in document_files.load(workspace, name, part)]
    path = document_files.save(workspace, name, part, found)
    return f"{path}: {chosen.id} {chosen.text[:80]}"


def _reformed(workspace: Workspace) -> str:
    """The same decisions with other white space."""
    said = ledger.load_ledger(workspace)
    if not said.entries:
        return ""
    write_atomically(workspace.root / ledger.DECISIONS, said.model_dump_json(indent=4, exclude_defaults=True) + "\n\n")
    return f"{ledger.DECISIONS}: other white space"


FAULTS: dict[str, tuple[Turn | None, Callable[[Requirement, random.Random], Requirement] | None]] = {
    "wrong_ruling": (_turned, None), "dropped_clause": (_rejected, _lost), "wrong_modality": (_otherwise, _of_other_kind),
    "wrong_citation": (None, _misquoted),
}  # fmt: skip
"""How a fault is planted: by a decision of the task, or else into what was found"""
FORMS = ("other_spacing",)
