"""The catalogue: what the creator job delivers, built from what was found in the parts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from echelon.crews.creator.remit import remit
from echelon.domains.documents.types import Document
from echelon.domains.requirements import document_files
from echelon.domains.requirements.comparing.keys import stable_key
from echelon.domains.requirements.conflicts.find import find_conflicts, with_conflicts
from echelon.domains.requirements.coverage import Examination
from echelon.domains.requirements.exports.as_asked import write_as_asked
from echelon.domains.requirements.review import ledger
from echelon.domains.requirements.review.ledger import Standing
from echelon.domains.requirements.review.types import ReviewItem
from echelon.domains.requirements.selection.choose import chosen, why_left_out
from echelon.domains.requirements.selection.describe import described
from echelon.domains.requirements.selection.types import Selection
from echelon.domains.requirements.types import Requirement, Status
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically
from echelon.shown import visible

SAME = 0.97
"""Similarity from which a requirement repeats an earlier one."""

FILES = {"json": "output/requirements.json", "markdown": "output/requirements.md", "summary": "output/summary.md"}
"""What the roles write, by kind."""
EXPORTS = {
    "csv": "output/requirements.csv", "xlsx": "output/requirements.xlsx", "reqif": "output/requirements.reqif",
    "html": "output/report.html",
}  # fmt: skip
"""What code adds at the end, for other tools and for reading beside the pages."""
ALL = FILES | EXPORTS
PURPOSES = {
    "json": "everything, for programs", "markdown": "for reading", "summary": "this summary",
    "csv": "for spreadsheets", "xlsx": "a workbook", "reqif": "for requirements tools",
    "html": "each requirement with its page and its quote marked",
}  # fmt: skip


UNDECIDED = "requirements/undecided.json"
MOST_REJECTED = 200
"""Rejected requirements that the summary names one by one."""


def entries(workspace: Workspace) -> list[Requirement]:
    """Accepted requirements and duplicates, in the order of documents and parts.

    What repeats a requirement that was rejected since is no duplicate any more. Each has the id by which roles know it,
    so that what they say of `R-0014` is about the one that a reader of the list sees. Only where documents count from
    R-0001 each, as in jobs of before, the list is numbered anew.
    """
    found = [
        (n, p, r) for n, p, r in document_files.all_found(workspace) if r.status in (Status.ACCEPTED, Status.DUPLICATE)
    ]
    is_one_count = len({r.id for _, _, r in found}) == len(found)
    renamed = {
        document_files.reference(n, r.id): r.id if is_one_count else f"R-{i:04d}"
        for i, (n, _, r) in enumerate(found, 1)
    }
    out: list[Requirement] = []
    for name, _, r in found:
        first = renamed.get(document_files.reference(name, r.duplicate_of)) if r.duplicate_of else None
        status = Status.ACCEPTED if first is None else r.status
        new = {"id": renamed[document_files.reference(name, r.id)], "duplicate_of": first, "status": status}
        out.append(r.model_copy(update={**new, "key": stable_key(r)}))
    return out


def asked(workspace: Workspace) -> list[Requirement]:
    """The entries that the remit selects, in the order that it asks for, each with the id that it has among all."""
    found = chosen(entries(workspace), remit(workspace).selection)
    return with_conflicts(found, find_conflicts(found))


def unique(requirements: list[Requirement]) -> list[Requirement]:
    """Requirements without those that repeat an earlier one."""
    return [r for r in requirements if r.status is not Status.DUPLICATE]


def read_documents(workspace: Workspace) -> list[Document]:
    """The documents of the job in the order of their names."""
    return [document_files.document(workspace, name) for name in document_files.names(workspace)]


def documents(workspace: Workspace) -> list[dict[str, Any]]:
    """What is said about each document in the results: its profile and how far the extraction covers it included."""
    out: list[dict[str, Any]] = []
    for d in reported_documents(workspace):
        looked = examination(workspace, d.file)
        said = {} if looked is None else {
            "profile": looked.profile.model_dump(mode="json"), "coverage": looked.coverage.model_dump(mode="json"),
        }  # fmt: skip
        known = {"file": d.file, "sha256": d.sha256, "pages": d.page_count, "language": d.language}
        out.append({**known, "warnings": list(d.warnings), **said})
    return out


def reported_documents(workspace: Workspace) -> list[Document]:
    """The documents, with what the extraction cannot vouch for among their warnings."""
    out: list[Document] = []
    for d in read_documents(workspace):
        looked = examination(workspace, d.file)
        more = looked.warnings() if looked is not None else ()
        out.append(d.model_copy(update={"warnings": (*d.warnings, *more)}) if more else d)
    return out


def looked_at(workspace: Workspace) -> dict[str, tuple[str, ...]]:
    """How each document was read and what the result covers of it, in sentences, by its name."""
    looked = {name: examination(workspace, name) for name in document_files.names(workspace)}
    return {name: found.told() for name, found in looked.items() if found is not None}


def keep_examination(workspace: Workspace, name: str, looked: Examination) -> None:
    """Keep profile and coverage of a document beside its requirements."""
    write_atomically(_examination_path(workspace, name), looked.model_dump_json(indent=1))


def examination(workspace: Workspace, name: str) -> Examination | None:
    """Profile and coverage of a document, None before it was looked at."""
    path = _examination_path(workspace, name)
    return Examination.model_validate_json(path.read_bytes()) if path.exists() else None


def _examination_path(workspace: Workspace, name: str) -> Path:
    return workspace.root / "requirements" / name / "examination.json"


def review_figures(workspace: Workspace) -> dict[str, Any]:
    """Figures of the review, those that are not nought."""
    said = ledger.load_ledger(workspace)
    by = Counter(e.standing for e in said.entries.values())
    kappa = said.kappa
    figures = {
        "doubtful_places_decided": len(said.entries), "read_twice": len(said.read_twice),
        "agreed_at_once": None if said.agreement is None else round(said.agreement, 3),
        "kappa": None if kappa is None else round(kappa, 3), "for_a_person": by[Standing.FOR_PERSON],
    }  # fmt: skip
    return {name: value for name, value in figures.items() if value not in (0, None)}


def write(workspace: Workspace, job: str, kind: str) -> tuple[str, int]:
    """Write one deliverable (a key of `ALL`); returns its path and how many requirements are in it. Raises OSError."""
    from echelon.domains.requirements.exports import write_html, write_reqif

    requirements = asked(workspace)
    path = workspace.root / ALL[kind]
    match kind:
        case "markdown" if (selection := remit(workspace).selection) != Selection():
            found = len(entries(workspace))
            write_as_asked(requirements, reported_documents(workspace), path, selection, found)
        case "json":
            write_atomically(path, _json(workspace, job, requirements))
        case "summary":
            write_atomically(path, _summary(workspace, job, requirements))
        case "reqif":
            write_reqif(requirements, reported_documents(workspace), path, last_change(workspace))
        case "html":
            write_html(requirements, reported_documents(workspace), path, looked_at(workspace))
        case _:
            _exporter(kind)(requirements, reported_documents(workspace), path)
    return ALL[kind], len(requirements)


def last_change(workspace: Workspace) -> datetime:
    """When what was found in the documents last changed."""
    parts = (workspace.root / "requirements").glob("*/part-*.json")
    return datetime.fromtimestamp(max((p.stat().st_mtime for p in parts), default=0), UTC)


def _exporter(kind: str) -> Callable[[Sequence[Requirement], Sequence[Document], Path], None]:
    from echelon.domains.requirements import exports

    writers = {"markdown": exports.write_markdown, "csv": exports.write_csv, "xlsx": exports.write_xlsx}
    return writers[kind]


def is_current(workspace: Workspace, job: str) -> bool:
    """Whether the JSON deliverable is there and equals what was found in the parts."""
    path = workspace.root / FILES["json"]
    return path.exists() and path.read_bytes() == _json(workspace, job, asked(workspace)).encode("utf-8")


def _json(workspace: Workspace, job: str, requirements: list[Requirement]) -> str:
    now = remit(workspace).selection
    selected = {} if now == Selection() else {"selection": now.model_dump(mode="json"), "left_out": left_out(workspace)}
    value = {
        "schema_version": 1, "job": job, "documents": documents(workspace), **selected,
        **({"review": review} if (review := review_figures(workspace)) else {}),
        **({"conflicts": [c.model_dump(mode="json") for c in found]} if (found := find_conflicts(requirements)) else {}),
        "requirements": [r.model_dump(mode="json", exclude_defaults=False) for r in requirements],
    }  # fmt: skip
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def left_out(workspace: Workspace) -> list[dict[str, str]]:
    """What the remit leaves out, each with its reason."""
    selection = remit(workspace).selection
    every = entries(workspace)
    kept = {r.id for r in chosen(every, selection)}
    more = f"only {selection.at_most} were asked for"
    reasons = [(r, "" if r.id in kept else why_left_out(r, selection) or more) for r in every]
    return [{"id": r.id, "document": r.citations[0].document, "why": why} for r, why in reasons if why]


def _summary(workspace: Workspace, job: str, requirements: list[Requirement]) -> str:
    from echelon.domains.requirements.exports.markdown import escape

    kinds = Counter(r.modality.value for r in unique(requirements))
    repeats = len(requirements) - len(unique(requirements))
    lines = [
        f"# Summary of {job}",
        "",
        f"{_counted(len(unique(requirements)), 'requirement')}, {_counted(repeats, 'repetition')}.",
        "",
    ]
    lines += [f"- {kind}: {count}" for kind, count in sorted(kinds.items())]
    if (selection := remit(workspace).selection) != Selection():
        lines += ["", "## Asked for", "", *(f"- {sentence}" for sentence in described(selection))]
        lines += ["", f"{_counted(len(left_out(workspace)), 'requirement')} that were found are not asked for."]
    if (now := remit(workspace)).open and now.says:
        words = ", ".join(f"'{escape(visible(w))}'" for w in now.open[:20])
        lines += ["", f"No rule understood {words} of the request. The ScopeAgent says: {escape(visible(now.says))}"]
    lines += ["", "## Documents", ""]
    looked = looked_at(workspace)
    for d in documents(workspace):
        own = sum(r.citations[0].document == d["file"] for r in requirements)
        pages = f"{_counted(d['pages'], 'page')}, " if d["pages"] is not None else ""
        lines.append(f"- {escape(visible(d['file']))}: {pages}language {d['language']}, {_counted(own, 'requirement')}")
        lines += [f"  - {escape(visible(sentence))}" for sentence in looked.get(d["file"], ())]
        lines += [f"  - warning: {escape(visible(w))}" for w in d["warnings"]]
    lines += list(_reviewed(workspace, requirements))
    if conflicts := find_conflicts(requirements):
        lines += ["", "## Conflicts", "", *(f"- {c.kind.value}: {escape(visible(c.says))}" for c in conflicts)]
    lines += ["", "## Files", ""] + [
        f"- {path.removeprefix('output/')}: {PURPOSES[kind]}" for kind, path in ALL.items()
    ]
    found = document_files.all_found(workspace)
    rejected = sum(r.status is Status.REJECTED for _, _, r in found)
    unsure = sum(r.status is Status.CANDIDATE for _, _, r in found)
    lines += ["", f"Left out: {rejected} that were rejected, {unsure} that are too unsure."]
    return "\n".join(lines) + "\n"


def _reviewed(workspace: Workspace, requirements: list[Requirement]) -> Iterator[str]:
    """What roles decided about doubtful places, how far two readings agree, and what is for a person."""
    from echelon.domains.requirements.exports.markdown import escape

    queue, said = ledger.load_queue(workspace), ledger.load_ledger(workspace)
    if queue is None or not queue.items:
        return
    yield from ("", "## Review", "")
    yield f"{len(said.entries)} of {_counted(len(queue.items), 'doubtful place')} were decided by roles."
    if said.read_twice:
        kappa = "not defined, both gave one answer to all" if said.kappa is None else f"{said.kappa:.2f}"
        same = f"{said.agreement:.0%}" if said.agreement is not None else "0%"
        yield f"{len(said.read_twice)} were judged twice, independently: {same} alike, Cohen's kappa {kappa}."
    yield from (f"- nobody decided: {i.id} {escape(visible(i.text[:200]))}" for i in undecided(workspace))
    yield from _rejected(workspace)
    for r in requirements:
        if r.review is not None and r.review.for_person:
            yield f"- for a person: {r.id} {escape(visible(r.text[:200]))} ({escape(visible(r.review.reason))})"


def _rejected(workspace: Workspace) -> Iterator[str]:
    """What the rules had taken and roles rejected, each with the reason: nothing of it is lost in silence."""
    from echelon.domains.requirements.exports.markdown import escape

    gone = [
        (n, r)
        for n, _, r in document_files.all_found(workspace)
        if r.status is Status.REJECTED and r.review is not None
    ]
    for name, r in gone[:MOST_REJECTED]:
        assert r.review is not None
        where = ", ".join(part for part in (visible(name), r.source_id or "", r.citations[0].where) if part)
        yield f"- rejected by roles: {escape(visible(r.text[:200]))} ({escape(where)}; {escape(visible(r.review.reason))})"
    if len(gone) > MOST_REJECTED:
        yield f"- and {len(gone) - MOST_REJECTED} more that roles rejected"


def keep_undecided(workspace: Workspace, ids: Sequence[str]) -> None:
    """Keep which places roles were asked about and nobody decided."""
    write_atomically(workspace.root / UNDECIDED, json.dumps(list(ids)) + "\n")


def undecided(workspace: Workspace) -> list[ReviewItem]:
    """Places that roles were asked about and nobody decided, where the work ended without them."""
    path, queue = workspace.root / UNDECIDED, ledger.load_queue(workspace)
    ids = set(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else set[str]()
    return [i for i in queue.items if i.id in ids] if queue is not None else []


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
