"""The documents of a job: brought in once, read once, and found again by name.

`documents/` holds for each input the original, `<name>.txt` with the text of its pages (for reading and searching),
and `<name>.read.json` with what was read, page by page. `requirements/<name>/part-003.json` holds what was found in
part 3.
"""

from __future__ import annotations

import functools
import re
import shutil
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from pydantic import TypeAdapter

from echelon.domains.documents.bounded import read_bounded
from echelon.domains.documents.types import Document, Page
from echelon.domains.requirements.structure.build import DocumentKey
from echelon.domains.requirements.structure.parts import Part, split_parts
from echelon.domains.requirements.types import Requirement
from echelon.errors import ModelFault, UnknownName
from echelon.files import write_atomically


class Rooted(Protocol):
    """A workspace, as far as documents go: a folder."""

    @property
    def root(self) -> Path: ...


ADDED, DECIDED = 9_000, 10_000
"""Requirements that roles add are numbered after the first, those that a decision makes after the second."""
READ = ".read.json"
_REQUIREMENTS = TypeAdapter(list[Requirement])


def bring_in(workspace: Rooted, source: Path, name: str, max_bytes: int) -> Document:
    """Copy a file into `documents/` and read it. Raises ReadError; then nothing of it stays in the workspace."""
    target = workspace.root / "documents" / unicodedata.normalize("NFC", name)  # as every path of a workspace
    if source.resolve() != target:
        shutil.copyfile(source, target)
    try:
        document = read_bounded(target, max_bytes)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    write_atomically(target.with_name(target.name + READ), document.model_dump_json())
    pages = "\n".join(f"=== {target.name}{_number(document, p)} ===\n{p.text}" for p in document.pages)
    write_atomically(target.with_name(target.name + ".txt"), pages.encode("utf-8", "replace"))
    return document


def _number(document: Document, page: Page) -> str:
    return f", page {page.number}" if document.has_pages else ""


def names(workspace: Rooted) -> list[str]:
    """Names of the documents of the job, sorted."""
    return sorted(p.name.removesuffix(READ) for p in (workspace.root / "documents").glob(f"*{READ}"))


def document(workspace: Rooted, name: str) -> Document:
    """A document by its name. Raises ModelFault with the nearest name when there is none."""
    known = names(workspace)
    bare = unicodedata.normalize("NFC", name).strip().strip("'\"").removeprefix("documents/")
    bare = bare if bare in known else bare.removesuffix(".txt")
    bare = bare if bare in known else bare.rpartition("/")[2]  # small models put another folder before it
    if bare not in known:
        raise ModelFault(str(UnknownName("document", name, known)))
    path = workspace.root / "documents" / (bare + READ)
    return _loaded(str(path), path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=8)
def _loaded(path: str, _changed: int) -> Document:
    return Document.model_validate_json(Path(path).read_bytes())


def parts(document: Document, part_chars: int) -> list[Part]:
    """The parts of a document, from 1."""
    return list(_parts(DocumentKey(document), part_chars))


@functools.lru_cache(maxsize=8)
def _parts(key: DocumentKey, part_chars: int) -> tuple[Part, ...]:
    return tuple(split_parts(key.document, part_chars))


def part(document: Document, number: int, part_chars: int) -> Part:
    """Part `number` of a document. Raises ModelFault when there is none."""
    all_parts = parts(document, part_chars)
    if not 1 <= number <= len(all_parts):
        raise ModelFault(f"'{document.file}' has parts 1 to {len(all_parts)}; there is no part {number}.")
    return all_parts[number - 1]


def part_path(name: str, number: int) -> str:
    """Where the requirements of a part are kept."""
    return f"requirements/{name}/part-{number:03d}.json"


def done_parts(workspace: Rooted, name: str) -> list[int]:
    """Numbers of the parts of a document whose requirements are there."""
    files = (workspace.root / "requirements" / name).glob("part-*.json")
    return sorted(int(p.stem.removeprefix("part-")) for p in files)


def load(workspace: Rooted, name: str, number: int) -> list[Requirement]:
    """What was found in a part, rejected ones included. Empty when nothing was looked for yet."""
    path = workspace.root / part_path(name, number)
    return _REQUIREMENTS.validate_json(path.read_bytes()) if path.exists() else []


def save(workspace: Rooted, name: str, number: int, found: list[Requirement]) -> str:
    """Keep what was found in a part; returns the path."""
    path = workspace.root / part_path(name, number)
    write_atomically(path, _REQUIREMENTS.dump_json(found, indent=1, exclude_none=True))
    return part_path(name, number)


def numbers(workspace: Rooted, documents: Iterable[str]) -> list[int]:
    """The numbers in the ids of all that was found in some documents."""
    parts = [(name, part) for name in documents for part in done_parts(workspace, name)]
    return [int(r.id.removeprefix("R-")) for name, part in parts for r in load(workspace, name, part)]


def as_json(found: list[Requirement]) -> str:
    """Requirements as a JSON list."""
    return _REQUIREMENTS.dump_json(found, exclude_none=True).decode()


def reference(name: str, id_: str) -> str:
    """How a requirement is named across documents, `name#R-0001`: in jobs of before each document counts from R-0001."""
    return id_ if "#" in id_ else f"{name}#{id_}"


def all_found(workspace: Rooted) -> list[tuple[str, int, Requirement]]:
    """(document, part, requirement) of everything that was found, in the order of documents and parts."""
    return [(n, p, r) for n in names(workspace) for p in done_parts(workspace, n) for r in load(workspace, n, p)]


def locate(document: Document, page: int, quote: str) -> tuple[int, int] | None:
    """(start, end) of `quote` on a page, white space and line-end hyphens folded; None when it does not stand there."""
    if not 1 <= page <= len(document.pages):
        return None
    words = re.findall(r"\S+", quote)
    if not words:
        return None
    pattern = r"\s+".join(
        r"(?:-?\s*\n\s*)?".join(re.escape(ch) for ch in word) if len(word) < 60 else re.escape(word) for word in words
    )
    found = re.search(pattern, document.page(page).text)
    return found.span() if found else None
