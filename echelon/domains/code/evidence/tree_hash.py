"""One hash for the content of a tree, so that a result can be told from one of other files."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from echelon.domains.code.map.walking import tree_files


def tree_hash(root: Path) -> str:
    """SHA-256 over the paths, modes and contents of the files of a tree that git does not ignore."""
    out = hashlib.sha256()
    for file in tree_files(root):
        path = root / file.path
        try:
            data, executable = path.read_bytes(), os.access(path, os.X_OK)
        except OSError:
            continue
        out.update(f"{file.path}\0{int(executable)}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
        out.update(hashlib.sha256(data).digest())
    return out.hexdigest()
