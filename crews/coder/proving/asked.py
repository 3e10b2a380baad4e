"""What a request asks for, as far as code can tell by its words: which failing tests, only words, only tests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_FAILING = re.compile(
    r"\b(tests?|suite|checks?|build|ci|cases?)\b[^.\n]{0,60}\b(fail\w*|red|broken|error\w*|crash\w*)\b"
    r"|\b(fail\w*|red|broken)\b[^.\n]{0,30}\b(tests?|suite|build|ci|cases?)\b"
    r"|\btests?\b[^.\n]{0,40}\b(schlagen|schlägt|rot|fehlschl\w+)\b",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    r"\b(known|unrelated|ignore|leave|except|apart from|besides|not (about|yours?)|bekannt\w*)\b", re.IGNORECASE
)
_WORDS = re.compile(
    r"\b(document\w*|docs?|docstrings?|readme|comments?|changelog|typos?|spell\w*|wording|guide|manual|describe\w*"
    r"|explain\w*|dokument\w*|kommentar\w*|tippfehler|beschreib\w*|licen[cs]e)\b",
    re.IGNORECASE,
)
_TESTS = re.compile(r"\b(tests?|coverage|abdeckung)\b", re.IGNORECASE)
_DOES = re.compile(
    r"^\W*(?:please\s+|then\s+|also\s+|bitte\s+)*(add|fix|mend|repair|implement|make|let|change|remove|rename|raise|return|support|allow"
    r"|use|replace|introduce|speed|move|split|drop|keep|create|write|extend|update|turn|convert|ergänze?|behebe?|ändere?)\b",
    re.IGNORECASE,
)
"""How a clause begins that asks for something to be done."""


def repairs_asked_for(request: str, failing: Sequence[str]) -> list[str]:
    """Those of the `failing` tests that the request wants to pass: those that it names, else all where it speaks of them.

    A sentence about known or unrelated failures asks for nothing.
    """
    sentences = [s for s in re.split(r"(?<=[.!?;])\s+|\n", request) if not _KNOWN.search(s)]
    text = "\n".join(sentences)
    if named := [name for name in failing if name in text or _plain(name) in re.findall(r"\w+", text)]:
        return named
    return list(failing) if any(_FAILING.search(s) for s in sentences) else []


def asks_for_words(request: str) -> bool:
    """Whether the request may be met by documentation alone."""
    return _is_all_about(request, _WORDS)


def asks_for_tests(request: str) -> bool:
    """Whether the request may be met by new tests alone."""
    return _is_all_about(request, _TESTS) and not _FAILING.search(request)


def words_missing(request: str, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str:
    """What a change of words alone lacks: words at all, or those in the document that the request names; '' when nothing."""
    changed = [path for path in {*before, *after} if before.get(path) != after.get(path)]
    if all(before.get(path, b"").split() == after.get(path, b"").split() for path in changed):
        return "Only blanks were changed; write the words that the request asks for."
    documents = [path for path in before if path.endswith((".md", ".rst", ".txt"))]
    named = [p for p in documents if re.search(rf"\b{re.escape(_stem(p))}\b", request, re.IGNORECASE)]
    if named and not any(path in named or not path.endswith((".md", ".rst", ".txt")) for path in changed):
        return f"The request speaks of {named[0]}, and that was not changed."
    return ""


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _is_all_about(request: str, subject: re.Pattern[str]) -> bool:
    """Whether the request names the subject, and every clause of it that wants something done does."""
    clauses = [c for c in re.split(r"(?<=[.!?;:,])\s+|\n|\band\b|\bund\b", request) if c.strip()]
    return subject.search(request) is not None and all(subject.search(c) for c in clauses if _DOES.match(c))


def _plain(name: str) -> str:
    return name.rpartition("::")[2].partition("[")[0]
