"""Files that a path in a text means, by the end of the path: a text rarely names the same root as the tree."""

from __future__ import annotations

from collections.abc import Sequence

DEEPEST = 5
"""Parts of a path that are compared, from its end."""
MOST = 3
"""A path that fits more files says nothing."""


class PathFinder:
    """Looks up the ends of paths."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._by_end: dict[str, list[int]] = {}
        for number, path in enumerate(paths):
            parts = path.split("/")
            for size in range(1, min(len(parts), DEEPEST) + 1):
                self._by_end.setdefault("/".join(parts[-size:]), []).append(number)

    def find(self, path: str) -> list[tuple[int, float]]:
        """(number of the file, share): the files with the longest common end. A bare name of several counts half."""
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        for size in range(min(len(parts), DEEPEST), 0, -1):
            hits = self._by_end.get("/".join(parts[-size:]))
            if hits:
                share = (1.0 if size > 1 or len(hits) == 1 else 0.5) / len(hits)
                return [(number, share) for number in hits] if len(hits) <= MOST else []
        return []
