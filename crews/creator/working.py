"""What code does of a creator job by itself: extract, look for doubtful places, apply what was decided, mark repetitions."""

from __future__ import annotations

from echelon.crews.creator import results
from echelon.domains.documents.types import Document
from echelon.domains.likeness.duplicates import find_duplicates
from echelon.domains.requirements import document_files, examine, extract_part, extract_requirements
from echelon.domains.requirements.extract import ExtractOptions
from echelon.domains.requirements.review import ledger
from echelon.domains.requirements.review.apply import applied, place_of
from echelon.domains.requirements.review.ledger import Ledger
from echelon.domains.requirements.review.queue import review_queue
from echelon.domains.requirements.review.types import Queue, Ruling
from echelon.domains.requirements.structure.profile import Unit
from echelon.domains.requirements.types import Requirement, Status
from echelon.engine.workspace import Workspace
from echelon.settings import RequirementSettings

EXTRACT, QUEUE, WRITE = "extract ", "look for doubtful places", "write the results"


def unit_of(settings: RequirementSettings) -> Unit | None:
    """What the user says a requirement is; None where each document tells."""
    return None if settings.profile == "auto" else Unit(settings.profile)


def chores(workspace: Workspace, job: str, settings: RequirementSettings) -> tuple[str, ...]:
    """What is left for code to do, in order."""
    names = document_files.names(workspace)
    unread = [name for name in names if open_parts(workspace, name, settings)]
    queue = ledger.load_queue(workspace) is None
    stale = unread or queue or not results.is_current(workspace, job)
    return (*(EXTRACT + name for name in unread), *([QUEUE] if queue else []), *([WRITE] if stale else []))


def do(workspace: Workspace, job: str, settings: RequirementSettings, chore: str) -> str:
    """Do one chore; returns what came of it in a few words. Again it does the same."""
    if chore == QUEUE:
        queue = doubtful(workspace, settings)
        ledger.save(workspace, queue)
        return f"{len(queue.items)} doubtful places in {queue.sentences} sentences"
    if chore == WRITE:
        mark_repetitions(workspace)
        for kind in results.FILES:
            results.write(workspace, job, kind)
        return f"{len(results.asked(workspace))} requirements written"
    name = chore.removeprefix(EXTRACT)
    extract(workspace, name, settings)
    accepted = [r for n, _, r in document_files.all_found(workspace) if n == name and r.status is Status.ACCEPTED]
    return f"{len(accepted)} requirements in {name}"


def open_parts(workspace: Workspace, name: str, settings: RequirementSettings) -> list[int]:
    """Numbers of the parts of a document that nothing was extracted from yet."""
    done = set(document_files.done_parts(workspace, name))
    parts = document_files.parts(document_files.document(workspace, name), settings.part_chars)
    return [p.number for p in parts if p.number not in done]


def extract(workspace: Workspace, name: str, settings: RequirementSettings) -> None:
    """Find and keep the requirements of a document, and what the extraction cannot vouch for."""
    document = document_files.document(workspace, name)
    results.keep_examination(workspace, name, examine(document, unit_of(settings)))
    rebuild(workspace, name, settings, Queue(sentences=0), Ledger())


def rebuild(workspace: Workspace, name: str, settings: RequirementSettings, queue: Queue, decided: Ledger) -> None:
    """Write the parts of a document anew: what the rules find, what roles added or rejected, what was decided."""
    document = document_files.document(workspace, name)
    numbers = _numbers(workspace, document, settings)
    for part in document_files.parts(document, settings.part_chars):
        fresh = _by_rule(document, part.number, settings, numbers)
        before = {
            place_of(r.citations): r
            for r in document_files.load(workspace, name, part.number)
            if (r.review is None or r.review.item == r.id) and r.status is not Status.DUPLICATE  # others are made anew
        }
        mine = [before.pop(place_of(r.citations), r) for r in fresh] + list(before.values())
        own = (i for i in queue.items if i.document == name and part.first_block <= i.block <= part.last_block)
        found = applied(document, mine, own, decided.entries)
        document_files.save(workspace, name, part.number, found)


def _by_rule(
    document: Document, number: int, settings: RequirementSettings, numbers: dict[str, str]
) -> list[Requirement]:
    part = document_files.part(document, number, settings.part_chars)
    return [
        r.model_copy(update={"id": numbers[r.id], "status": _status(r, settings)})
        for r in extract_part(document, part, _options(settings))
    ]


def _options(settings: RequirementSettings) -> ExtractOptions:
    return ExtractOptions(min_confidence=min(0.3, settings.accept_at), profile=unit_of(settings))


def _status(r: Requirement, settings: RequirementSettings) -> Status:
    return Status.ACCEPTED if r.confidence >= settings.accept_at else Status.CANDIDATE


def _numbers(workspace: Workspace, document: Document, settings: RequirementSettings) -> dict[str, str]:
    """Id of a requirement in its document -> its id in the job, by which roles, results and people know it.

    Ids go on from those of the documents before it. What is accepted is counted first, so that the list has no gaps.
    """
    names = document_files.names(workspace)
    before = document_files.numbers(workspace, names[: names.index(document.file)])
    first = max((n for n in before if n < document_files.ADDED), default=0) + 1
    found = extract_requirements(document, _options(settings))
    counted = sorted(found, key=lambda r: _status(r, settings) is Status.CANDIDATE)
    return {r.id: f"R-{n:04d}" for n, r in enumerate(counted, first)}


def doubtful(workspace: Workspace, settings: RequirementSettings) -> Queue:
    """The review queue of all documents."""
    return ledger.merged([
        review_queue(d, unit_of(settings), settings.accept_at, settings.review.share)
        for d in results.read_documents(workspace)
    ])  # fmt: skip


def mark_repetitions(workspace: Workspace) -> int:
    """Mark later repetitions of a requirement, over all documents, and unmark what repeats nothing (any more).

    Returns how many repeat an earlier one.
    """
    kept = _kept(workspace)
    firsts = {later: kept[first] for later, first in _repeats([r for _, _, r in kept]).items()}
    originals = {(name, part, r.id): firsts.get(n) for n, (name, part, r) in enumerate(kept)}
    for name, part in sorted({(name, part) for name, part, _ in kept}):
        before = document_files.load(workspace, name, part)
        after = [_marked(r, originals[name, part, r.id]) if (name, part, r.id) in originals else r for r in before]
        if after != before:
            document_files.save(workspace, name, part, after)
    return len(firsts)


def _kept(workspace: Workspace) -> list[tuple[str, int, Requirement]]:
    """What a rule may mark: all that was accepted, but not what a role said to be a repetition."""
    statuses = (Status.ACCEPTED, Status.DUPLICATE)
    return [
        (name, part, r)
        for name, part, r in document_files.all_found(workspace)
        if r.status in statuses and not (r.review is not None and r.review.ruling == Ruling.DUPLICATE.value)
    ]


def _repeats(requirements: list[Requirement]) -> dict[int, int]:
    """Place of each repetition -> place of the first requirement of which it is one."""
    numbered = [r.model_copy(update={"id": f"R-{n:04d}"}) for n, r in enumerate(requirements)]
    same = [(int(b[2:]), int(a[2:])) for a, b, score in find_duplicates(numbered) if score >= results.SAME]
    first: dict[int, int] = {}
    for later, earlier in sorted(same):
        first.setdefault(later, first.get(earlier, earlier))
    return first


def _marked(r: Requirement, first: tuple[str, int, Requirement] | None) -> Requirement:
    if first is not None:
        return r.model_copy(
            update={"status": Status.DUPLICATE, "duplicate_of": document_files.reference(first[0], first[2].id)}
        )
    return r.model_copy(update={"status": Status.ACCEPTED, "duplicate_of": None})
