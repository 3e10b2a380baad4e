"""A change of a tree as texts before and after, and what is found in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field


class Finding(BaseModel):
    """Something that is wrong with a change."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    line: int = Field(
        ge=0, description="in the file as it is now, from 1; in the old one where it is gone; 0: the whole file"
    )
    rule: str = Field(description="a short name, such as 'weakened-test'")
    says: str = Field(description="what is wrong, and what to do")

    def sentence(self) -> str:
        """The place and what is wrong there."""
        return f"{self.path}:{self.line}: {self.says}" if self.line else f"{self.path}: {self.says}"


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file before and after, as bytes; None where it is not there."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def old(self) -> str:
        return (self.before or b"").decode("utf-8", "replace")

    @property
    def new(self) -> str:
        return (self.after or b"").decode("utf-8", "replace")

    def added_lines(self) -> list[tuple[int, str]]:
        """(number in the new file, text) of the lines that the old file does not have at that place."""
        import difflib

        lines = self.new.splitlines()
        matcher = difflib.SequenceMatcher(None, self.old.splitlines(), lines, autojunk=False)
        return [
            (number + 1, lines[number])
            for tag, _, _, first, last in matcher.get_opcodes()
            if tag in ("insert", "replace")
            for number in range(first, last)
        ]


def changes_between(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[FileChange]:
    """Files that differ, in order of their paths."""
    paths: Iterable[str] = sorted({*before, *after})
    return [FileChange(p, before.get(p), after.get(p)) for p in paths if before.get(p) != after.get(p)]
