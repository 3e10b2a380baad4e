"""The index of one tree that places are looked up in: arrays in one file, made anew when a source file has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from echelon.domains.code.map.facts import FORMAT, FileFacts, Symbol, SymbolKind
from echelon.domains.code.map.languages import find_tests
from echelon.domains.code.map.reading import FactsStore, SourceFile
from echelon.domains.code.map.words import terms
from echelon.domains.code.places.history import History, read_history
from echelon.domains.code.places.imports import import_edges
from echelon.domains.code.places.postings import Postings
from echelon.files import write_atomically

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STORE = "facts.sqlite3"
_BAGS = ("files", "bodies", "strings", "paths")


@dataclass
class TreeIndex:
    """What is known of the files of a tree that are no tests. Files and symbols are numbered from 0."""

    root: Path
    paths: list[str]
    tests: list[str]
    symbols: list[Symbol]
    owners: list[int]
    """For each symbol the number of its file."""
    defines: dict[str, list[int]]
    """Plain name to the files that define it."""
    edges: list[tuple[int, int]]
    """Imports: (file, imported file)."""
    files: Postings
    bodies: Postings
    strings: Postings
    path_words: Postings
    history: History = field(default_factory=History)

    @property
    def owner_array(self) -> NDArray[np.int64]:
        import numpy as np

        return np.array(self.owners, dtype=np.int64)


def open_index(root: Path, folder: Path) -> TreeIndex:
    """The index of the tree `root`, brought up to date. `folder` holds what is kept between calls; it is made.

    Raises UserError when `root` is no folder or has too many files.
    """
    root = root.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with closing(FactsStore(folder / STORE)) as store:
        sources = store.sources(root)
        key = hashlib.sha256(json.dumps([FORMAT, [(s.path, s.hash) for s in sources]]).encode()).hexdigest()
        file = folder / f"tree-{hashlib.sha256(str(root).encode()).hexdigest()[:16]}.npz"
        index = _load(root, file, key)
        if index is None:
            index = build_index(root, store.facts(root, sources), sources)
            _save(index, file, key)
    index.history = read_history(root, folder)
    return index


def build_index(root: Path, facts: Mapping[str, FileFacts], sources: list[SourceFile]) -> TreeIndex:
    """The index of facts that were read."""
    tests = find_tests(source.path for source in sources)
    paths = sorted(path for path in facts if path not in tests)
    every = [facts[path] for path in paths]
    defines: dict[str, list[int]] = {}
    for number, each in enumerate(every):
        for name in dict.fromkeys(each.defines):
            defines.setdefault(name, []).append(number)
    return TreeIndex(
        root=root,
        paths=paths,
        tests=sorted(tests),
        symbols=[symbol for each in every for symbol in each.symbols],
        owners=[number for number, each in enumerate(every) for _ in each.symbols],
        defines=defines,
        edges=import_edges(paths, [each.imports for each in every]),
        files=Postings.of([each.terms for each in every]),
        bodies=Postings.of([bag for each in every for bag in each.bodies]),
        strings=Postings.of([each.strings for each in every]),
        path_words=Postings.of([terms(str(PurePosixPath(path).with_suffix("")).replace("/", " ")) for path in paths]),
    )


def _save(index: TreeIndex, file: Path, key: str) -> None:
    import io

    import numpy as np

    plain: dict[str, Any] = {
        "key": key,
        "paths": index.paths,
        "tests": index.tests,
        "symbols": [(s.name, s.kind.value, s.first, s.last, s.signature) for s in index.symbols],
        "owners": index.owners,
        "defines": index.defines,
        "edges": index.edges,
    }
    arrays: dict[str, Any] = {"plain": np.frombuffer(json.dumps(plain).encode(), dtype=np.uint8)}
    for name, bag in zip(_BAGS, (index.files, index.bodies, index.strings, index.path_words), strict=True):
        arrays |= {f"{name}.{part}": array for part, array in bag.arrays.items()}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    write_atomically(file, buffer.getvalue())


def _load(root: Path, file: Path, key: str) -> TreeIndex | None:
    """The stored index when it is of these contents; None when there is none, another, or a broken one."""
    import zipfile

    import numpy as np

    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        plain = json.loads(arrays["plain"].tobytes())
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    if plain["key"] != key:
        return None
    bags = [
        Postings({part: arrays[f"{name}.{part}"] for part in ("terms", "starts", "documents", "counts", "lengths")})
        for name in _BAGS
    ]
    return TreeIndex(
        root=root,
        paths=plain["paths"],
        tests=plain["tests"],
        symbols=[Symbol(n, SymbolKind(k), first, last, s) for n, k, first, last, s in plain["symbols"]],
        owners=plain["owners"],
        defines=plain["defines"],
        edges=[(a, b) for a, b in plain["edges"]],
        files=bags[0],
        bodies=bags[1],
        strings=bags[2],
        path_words=bags[3],
    )
