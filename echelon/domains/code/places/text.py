"""What a text about code names: words, files, stack frames, dotted names, identifiers."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

from echelon.domains.code.map.languages import LANGUAGE_OF
from echelon.domains.code.map.words import COMMON, NAME, terms

LONGEST = 200_000
"""Characters of a text that are read."""
_FRAME = re.compile(
    r'File "([^"\n]+)", line (\d+)(?:, in (\S+))?|^\s*at .*?\(?([\w./\\-]+\.\w+):(\d+)(?::\d+)?\)?\s*$', re.M
)
_ENDINGS = "|".join(sorted((ending[1:] for ending in LANGUAGE_OF), key=len, reverse=True))
_PATH = re.compile(rf"[\w./\\-]*\w\.(?:{_ENDINGS})\b(?::(\d+))?")
_DOTTED = re.compile(r"\b[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_CODE = re.compile(r"```.*?```|`[^`\n]+`|^(?: {4}|\t|>>>).*$", re.S | re.M)
_JOINED = re.compile(r"_|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of a stack trace."""

    path: str
    line: int
    function: str = ""


@dataclass(frozen=True)
class AboutCode:
    """A text about code, taken apart."""

    text: str

    @cached_property
    def title(self) -> str:
        """The first line that is not empty, without the marks of a heading."""
        return next((line.lstrip("# ").strip() for line in self.text.splitlines() if line.strip()), "")

    @cached_property
    def weights(self) -> dict[str, float]:
        """Terms of the text; the weight grows with the logarithm of the count."""
        return {term: 1 + math.log(count) for term, count in terms(self.text[:LONGEST]).items()}

    @cached_property
    def title_weights(self) -> dict[str, float]:
        """Terms of the title, 1 each."""
        return dict.fromkeys(terms(self.title), 1.0)

    @cached_property
    def frames(self) -> list[Frame]:
        """Stack frames as printed, outermost first in Python's order."""
        found = _FRAME.finditer(self.text[:LONGEST])
        return [Frame(m[1] or m[4], int(m[2] or m[5]), m[3] or "") for m in found]

    @cached_property
    def paths(self) -> list[tuple[str, int]]:
        """Files named outside of stack frames, with the line named behind them (0: none)."""
        without = _FRAME.sub("", self.text[:LONGEST])
        return [(m[0].split(":")[0], int(m[1] or 0)) for m in _PATH.finditer(without)]

    @cached_property
    def dotted(self) -> list[str]:
        """Dotted names, each once, in order."""
        return list(dict.fromkeys(_DOTTED.findall(self.text[:LONGEST])))

    @cached_property
    def names_in_code(self) -> frozenset[str]:
        """Names within code marks, and the parts of dotted names."""
        code = " ".join(_CODE.findall(self.text[:LONGEST]))
        return frozenset(NAME.findall(code)) | {part for name in self.dotted for part in name.split(".")}

    @cached_property
    def likely_names(self) -> frozenset[str]:
        """Words that are probably names of code: in code marks, or joined by underscores or capitals."""
        every = NAME.findall(self.text[:LONGEST])
        return frozenset(n for n in every if self._fits(n) and (n in self.names_in_code or _JOINED.search(n)))

    @cached_property
    def code_names(self) -> frozenset[str]:
        """`names_in_code` that are long enough to mean something."""
        return frozenset(name for name in self.names_in_code if self._fits(name))

    @staticmethod
    def _fits(name: str) -> bool:
        return len(name) > 2 and name.lower() not in COMMON
