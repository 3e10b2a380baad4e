"""Reading a file with line numbers, and finding lines and files in a tree."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict

from echelon.domains.code.map.walking import tree_files
from echelon.errors import ModelFault

MOST_LINES = 400
LONGEST_LINE = 400
_NUMBERED = re.compile(r"^\s*\d+ \| ?")


class Line(BaseModel):
    """A line of a file of the tree."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    line: int
    text: str


def numbered(text: str, first: int = 1, last: int | None = None) -> str:
    """Lines `first` to `last` (from 1, both included, at most `MOST_LINES`) with their numbers.

    Raises ModelFault when the file has no line `first`.
    """
    lines = text.splitlines()
    if first > max(1, len(lines)):
        raise ModelFault(f"The file has {len(lines)} lines; there is no line {first}.")
    first = max(1, first)
    end = min(len(lines), last if last is not None else first + MOST_LINES - 1, first + MOST_LINES - 1)
    shown = "\n".join(f"{number:>5} | {lines[number - 1][:LONGEST_LINE]}" for number in range(first, end + 1))
    more = f"\n[lines {end + 1}-{len(lines)} follow]" if end < len(lines) else ""
    return shown + more


def unnumbered(text: str) -> str:
    """The lines without the numbers that `numbered` puts before them, when every line has one: models copy them along."""
    lines = text.split("\n")
    if not all(_NUMBERED.match(line) for line in lines if line.strip()) or not text.strip():
        return text
    return "\n".join(_NUMBERED.sub("", line) for line in lines)


def search_lines(root: Path, pattern: str, *, glob: str = "", most: int = 50) -> list[Line]:
    """Lines that the regular expression `pattern` matches, in files whose path fits `glob` ('' for all).

    Raises ModelFault for a pattern that is none. Binary files are left out.
    """
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise ModelFault(f"'{pattern}' is no regular expression ({error}); escape what is meant literally.") from error
    out: list[Line] = []
    for path in find_files(root, glob):
        data = (root / path).read_bytes()
        if b"\0" in data[:8192]:
            continue
        for number, text in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if wanted.search(text):
                out.append(Line(path=path, line=number, text=text.strip()[:LONGEST_LINE]))
                if len(out) >= most:
                    return out
    return out


def find_files(root: Path, glob: str = "") -> list[str]:
    """Paths of the tree that fit `glob`: '*.py' anywhere, 'src/**/*.py' from the top; all without one."""
    paths = [file.path for file in tree_files(root)]
    if not glob:
        return paths
    expression = re.compile(_translate(glob if "/" in glob else f"**/{glob}"))
    return [path for path in paths if expression.fullmatch(str(PurePosixPath(path)))]


def _translate(glob: str) -> str:
    """A regular expression for a glob: `**/` for any folders, `*` within a name."""
    out, at = "", 0
    while at < len(glob):
        if glob.startswith("**/", at):
            out, at = out + "(?:[^/]+/)*", at + 3
        elif glob.startswith("**", at):
            out, at = out + ".*", at + 2
        elif glob[at] == "*":
            out, at = out + "[^/]*", at + 1
        elif glob[at] == "?":
            out, at = out + "[^/]", at + 1
        else:
            out, at = out + re.escape(glob[at]), at + 1
    return out
