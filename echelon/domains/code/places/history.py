"""Which files earlier commits changed, and what their messages say: files changed for a similar reason are likely."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from echelon.domains.code.map.walking import git, is_repository
from echelon.domains.code.map.words import terms
from echelon.domains.code.places.postings import Postings
from echelon.errors import UserError
from echelon.files import write_atomically

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_COMMITS = 4_000
MOST_FILES = 60
"""A commit that changes more files says nothing about one of them."""
RECENT = 300
SIMILAR = 60


@dataclass
class History:
    """Commits, newest first."""

    changed: list[list[str]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    def touched(self, numbers: Mapping[str, int], *, latest: int | None = None) -> NDArray[np.float64]:
        """How often each file was changed; a change of many files counts less for each."""
        import numpy as np

        out = np.zeros(len(numbers))
        for paths in self.changed[:latest]:
            for path in paths:
                if path in numbers:
                    out[numbers[path]] += len(paths) ** -0.5
        return out

    def votes(self, numbers: Mapping[str, int], query: Mapping[str, float]) -> NDArray[np.float64]:
        """Files that the commits changed whose messages are most like the query."""
        import numpy as np

        out = np.zeros(len(numbers))
        if not self.messages:
            return out
        scores = Postings.of([terms(message) for message in self.messages]).bm25(query)
        for commit in np.argsort(-scores, kind="stable")[:SIMILAR]:
            paths = self.changed[int(commit)]
            for path in paths:
                if path in numbers:
                    out[numbers[path]] += scores[commit] * len(paths) ** -0.5
        return out


def read_history(root: Path, folder: Path) -> History:
    """The history up to the commit that is checked out; empty without one. Kept in `folder` by commit."""
    if not is_repository(root):
        return History()
    head = git(root, "rev-parse", "-q", "--verify", "HEAD", check=False).decode().strip()
    if not head:
        return History()
    file = folder / f"history-{hashlib.sha256(str(root).encode()).hexdigest()[:16]}.json"
    try:
        stored = json.loads(file.read_bytes())
        if stored["head"] == head:
            return History(stored["changed"], stored["messages"])
    except (OSError, ValueError, KeyError):
        pass
    history = _log(root, head)
    write_atomically(file, json.dumps({"head": head, "changed": history.changed, "messages": history.messages}))
    return history


def _log(root: Path, head: str) -> History:
    form = "--format=%x01%s %b%x02"
    options = [f"-{MOST_COMMITS}", "--no-merges", "--no-renames", "--name-only", "-z", form]
    try:
        # A shallow clone, or one that lacks objects, ends early: what came before counts.
        said = git(root, "log", *options, head, check=False).decode("utf-8", "replace")
    except UserError:
        return History()
    history = History()
    for part in said.split("\x01")[1:]:
        message, _, names = part.partition("\x02")
        paths = [name.strip("\n") for name in names.split("\0") if name.strip("\n")]
        if 0 < len(paths) <= MOST_FILES:
            history.changed.append(paths)
            history.messages.append(message.strip()[:2000])
    return history
