"""Replace one piece of a text that occurs exactly once; where it does not, say what comes nearest."""

from __future__ import annotations

import difflib

from echelon.errors import ModelFault

SHOWN = 3
"""Lines of the file that a failed edit shows on each side of the nearest ones."""
LARGEST_SEARCHED = 20_000
"""Lines of a file in which the nearest ones are looked for."""


def replace_unique(text: str, old: str, new: str, *, path: str = "the file") -> str:
    """`text` with its one occurrence of `old` replaced. Raises ModelFault when there is none or more than one.

    Line endings of the text are kept: `old` and `new` may use plain line feeds for a file with CRLF.
    """
    if not old:
        raise ModelFault("'old' is empty; give the lines to replace, as they stand in the file.")
    if old == new:
        raise ModelFault("'old' and 'new' are the same; nothing would change.")
    if "\r\n" in text and "\r\n" not in old:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    count = text.count(old)
    if count == 1:
        return text.replace(old, new)
    if count > 1:
        raise ModelFault(
            f"'old' occurs {count} times in {path}, at lines {_listed(occurrences(text, old))}; "
            "give more of the lines around the one you mean."
        )
    raise ModelFault(f"'old' does not occur in {path}. {_nearest(text, old)}")


def occurrences(text: str, old: str) -> list[int]:
    """The lines (from 1) on which `old` begins."""
    out: list[int] = []
    at = text.find(old)
    while at >= 0:
        out.append(text.count("\n", 0, at) + 1)
        at = text.find(old, at + len(old))
    return out


def nearest_lines(text: str, old: str) -> tuple[int, int] | None:
    """First and last line (from 1) of the lines most like `old`; None when nothing is like it."""
    lines, wanted = text.splitlines()[:LARGEST_SEARCHED], old.strip("\n").splitlines()
    stripped = [line.strip() for line in lines]
    anchors = [line.strip() for line in wanted]
    best, found = 0.5, None
    for first in _starts(stripped, anchors):
        last = min(len(lines), first + len(wanted))
        score = difflib.SequenceMatcher(None, "\n".join(stripped[first:last]), "\n".join(anchors)).ratio()
        if score > best:
            best, found = score, (first + 1, last)
    return found


def _starts(lines: list[str], wanted: list[str]) -> list[int]:
    """Where `wanted` may begin: at lines that equal or resemble one of its lines, at most 200."""
    starts: dict[int, None] = {}
    for offset, line in enumerate(wanted):
        if line:
            like = set(difflib.get_close_matches(line, set(lines), n=5, cutoff=0.6))
            for number, each in enumerate(lines):
                if each in like:
                    starts[max(0, number - offset)] = None
        if len(starts) > 200:
            break
    return list(starts)[:200]


def _nearest(text: str, old: str) -> str:
    near = nearest_lines(text, old)
    if near is None:
        return "Nothing like it is there; read the file first."
    lines = text.splitlines()
    first, last = max(1, near[0] - SHOWN), min(len(lines), near[1] + SHOWN)
    shown = "\n".join(f"{number:>5} | {lines[number - 1]}" for number in range(first, last + 1))
    return f"The nearest lines are {near[0]}-{near[1]}:\n{shown}"


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:10]))
    return shown + (" and more" if len(numbers) > 10 else "")
