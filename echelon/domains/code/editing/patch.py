"""Unified diffs: read, applied all or nothing, and made.

A hunk is put where its lines stand, wherever the numbers point: models count lines badly. Where its lines stand at more
than one place, the one nearest to the number is taken.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from echelon.errors import ModelFault

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
NO_FILE = "/dev/null"


@dataclass(frozen=True)
class Hunk:
    """A piece of a diff. `lines` begin with ' ', '-' or '+' and have no line ends."""

    first: int
    """Line of the old file that it begins at, from 1; 0 in a new file."""
    new_first: int
    lines: tuple[str, ...]
    no_newline: bool = False
    """The new text ends without a line feed."""

    @property
    def before(self) -> list[str]:
        return [line[1:] for line in self.lines if line[:1] in " -"]

    @property
    def after(self) -> list[str]:
        return [line[1:] for line in self.lines if line[:1] in " +"]


@dataclass
class FilePatch:
    """What a diff does to one file. `old` is None for a new file, `new` for a deleted one."""

    old: str | None
    new: str | None
    hunks: list[Hunk] = field(default_factory=list)
    binary: bool = False

    @property
    def path(self) -> str:
        """The file that the change leaves, or took away."""
        return self.new or self.old or ""

    def added(self) -> list[tuple[int, str]]:
        """(line in the new file, text) of the lines that are new."""
        return self._changed("+", new=True)

    def removed(self) -> list[tuple[int, str]]:
        """(line in the old file, text) of the lines that are gone."""
        return self._changed("-", new=False)

    def _changed(self, sign: str, *, new: bool) -> list[tuple[int, str]]:
        out: list[tuple[int, str]] = []
        for hunk in self.hunks:
            number = hunk.new_first if new else hunk.first
            for line in hunk.lines:
                if line[:1] == sign:
                    out.append((number, line[1:]))
                if line[:1] in (" ", sign):
                    number += 1
        return out


def parse_patch(text: str) -> list[FilePatch]:
    """The files of a unified diff (git's or plain). Raises ModelFault when it is none."""
    patches: list[FilePatch] = []
    lines, at = text.replace("\r\n", "\n").split("\n"), 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("diff --git "):
            patches.append(_git_header(line))
        elif line.startswith("new file mode") and patches:
            patches[-1].old = None
        elif line.startswith("deleted file mode") and patches:
            patches[-1].new = None
        elif line.startswith(("Binary files", "GIT binary patch")) and patches:
            patches[-1].binary = True
        elif line.startswith("rename from ") and patches:
            patches[-1].old = line.removeprefix("rename from ")
        elif line.startswith("rename to ") and patches:
            patches[-1].new = line.removeprefix("rename to ")
        elif line.startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            _names(patches, line[4:], lines[at + 1][4:])
            at += 1
        elif _HUNK.match(line):
            if not patches:
                raise ModelFault(
                    "The patch has a hunk before it names a file; begin with '--- a/FILE' and '+++ b/FILE'."
                )
            hunk, at = _hunk(lines, at)
            patches[-1].hunks.append(hunk)
            continue
        at += 1
    if not patches:
        raise ModelFault("This is no unified diff; begin with '--- a/FILE' and '+++ b/FILE', then '@@ -1,3 +1,4 @@'.")
    return patches


def apply_patch(patches: list[FilePatch], read: Callable[[str], str | None]) -> dict[str, str | None]:
    """The new text of each file that the patch changes; None for one that it deletes.

    `read` gives a file's text, None when it is not there. Raises ModelFault, and then nothing is to be changed, when a
    hunk's lines do not stand in the file.
    """
    out: dict[str, str | None] = {}
    for patch in patches:
        if patch.binary:
            raise ModelFault(f"'{patch.path}' is binary in the patch; only text can be patched.")
        before = _before(patch, out, read)
        text = before
        shift = 0
        for number, hunk in enumerate(patch.hunks, 1):
            text, shift = _apply_hunk(text, hunk, shift, f"hunk {number} of '{patch.path}'")
        if patch.old and patch.old != patch.new:
            out[patch.old] = None
        if patch.new:
            out[patch.new] = text
    return out


def unified_diff(path: str, before: str, after: str, *, context: int = 3) -> str:
    """The change of one file as a unified diff; empty when there is none."""
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(
            before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}", n=context
        )
    )


def _git_header(line: str) -> FilePatch:
    match = re.match(r"diff --git a/(.*) b/(.*)$", line)
    return FilePatch(match[1], match[2]) if match else FilePatch(None, None)


def _names(patches: list[FilePatch], old: str, new: str) -> None:
    """Take the names of the two header lines; a header after git's own belongs to the same file."""
    names = [_name(old), _name(new)]
    if patches and not patches[-1].hunks and patches[-1].path in names:
        patches[-1].old, patches[-1].new = names[0], names[1]
    else:
        patches.append(FilePatch(names[0], names[1]))


def _name(header: str) -> str | None:
    name = header.split("\t")[0].strip()
    return None if name == NO_FILE else re.sub(r"^[ab]/", "", name)


def _hunk(lines: list[str], at: int) -> tuple[Hunk, int]:
    """The hunk whose header is line `at`, and the line behind it."""
    match = _HUNK.match(lines[at])
    assert match is not None
    body: list[str] = []
    at += 1
    no_newline = False
    while at < len(lines):
        line = lines[at]
        if line.startswith("\\"):
            no_newline = not body or body[-1][:1] != "-"
        elif line[:1] in ("+", "-", " ") and not _next_file(lines, at):
            body.append(line)
        elif (
            line == ""
            and at + 1 < len(lines)
            and lines[at + 1][:1] in (" ", "+", "-")
            and not _next_file(lines, at + 1)
        ):
            body.append(" ")  # an empty line of context whose blank was lost
        else:
            break
        at += 1
    return Hunk(int(match[1]), int(match[3]), tuple(body), no_newline), at


def _next_file(lines: list[str], at: int) -> bool:
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def _before(patch: FilePatch, done: dict[str, str | None], read: Callable[[str], str | None]) -> str:
    if patch.old is None:
        there = done.get(patch.path, read(patch.path))
        if there is not None and patch.new:
            raise ModelFault(f"The patch makes '{patch.path}' anew, but it exists; write a patch that changes it.")
        return ""
    text = done[patch.old] if patch.old in done else read(patch.old)
    if text is None:
        raise ModelFault(f"The patch changes '{patch.old}', which does not exist.")
    return text


def _apply_hunk(text: str, hunk: Hunk, shift: int, what: str) -> tuple[str, int]:
    """The text after the hunk, and by how many lines later ones are moved."""
    feed = "\r\n" if "\r\n" in text else "\n"
    ended = not text or text.endswith("\n")
    lines = text.split(feed)[:-1] if ended else text.split(feed)
    start = max(0, hunk.first - 1 + shift)
    place = _find(lines, hunk.before, start)
    if place is None:
        raise ModelFault(f"{what} does not fit: {_missing(lines, hunk.before)} Nothing was changed.")
    at, wanted = place
    lines[at : at + len(wanted)] = hunk.after
    if at + len(hunk.after) == len(lines):
        ended = not hunk.no_newline and (ended or (hunk.lines[-1:] != () and hunk.lines[-1][0] == "+"))
    joined = feed.join(lines) + (feed if lines and ended else "")
    return joined, at - (hunk.first - 1) + len(hunk.after) - len(wanted) if hunk.first else shift


def _find(lines: list[str], wanted: list[str], start: int) -> tuple[int, list[str]] | None:
    """Where `wanted` stands, nearest to `start`; exact, else without regard to blanks at the ends of lines."""
    if not wanted:
        return min(start, len(lines)), wanted
    for there, sought in ((lines, wanted), ([x.rstrip() for x in lines], [x.rstrip() for x in wanted])):
        ends = range(len(there) - len(sought) + 1)
        fits = [at for at in ends if there[at] == sought[0] and there[at : at + len(sought)] == sought]
        if fits:
            return min(fits, key=lambda at: abs(at - start)), wanted
    return None


def _missing(lines: list[str], wanted: list[str]) -> str:
    there = {line.rstrip() for line in lines}
    lost = next((line for line in wanted if line.rstrip() not in there), None)
    if lost is not None:
        return f"the line {lost.strip()[:120]!r} does not stand in the file."
    return "its lines do not stand together in the file."
