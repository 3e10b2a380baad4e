"""What is wrong with results taken together: each for itself, against each other, and against what they were."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from echelon.domains.requirements import document_files
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from echelon.tasks.contracts import Finding
from echelon.tasks.deliverables import is_text, named_in, problems_of
from echelon.tasks.texts.absence import against, claims_none
from echelon.tasks.texts.copies import kept, repeats, unchanged
from echelon.tasks.texts.marks import PROSE, is_heading
from echelon.tasks.texts.pointers import leads_nowhere
from echelon.tasks.texts.repetition import pieces, same_words
from echelon.tasks.texts.wanted import in_another_format, unlike

LEAST_KEPT = 0.3
"""Share of the words of an earlier result below which it is no more what it was."""
_POLITE = re.compile(r"^\W*(?:please|bitte|(?:can|could|would) you(?: please)?)\s+", re.IGNORECASE | re.MULTILINE)
LEAST_TWIN = 5
"""Words from which two files that hold the same hold it twice."""


def wrong_with(
    workspace: Workspace, paths: Sequence[str], given: Iterable[str], request: str, said: Collection[str] = ()
) -> list[Finding]:
    """What code finds wrong with results. `said` are sentences of the scope, which no result may only repeat."""
    given = tuple(given)
    found = [f for p in paths for f in problems_of(workspace, p, given, None, request)]
    if found:
        return found
    texts = {p: text for p in paths if (text := text_of(workspace, p))}
    return [*_of_words(workspace, texts, request, said), *_twins(texts)]


def _of_words(workspace: Workspace, texts: dict[str, str], request: str, said: Collection[str]) -> Iterator[Finding]:
    for path, text in texts.items():
        if _only_repeats(workspace, text, request, said):
            yield Finding(says=f"'{path}' repeats what was asked for, and holds no result", about=path, code="repeats")
        elif place := leads_nowhere(path, text, workspace.files("output")):
            yield Finding(
                says=f"'{path}' only points to '{place}', which is no result that is there"[:400],
                about=path,
                code="points",
            )
        elif claims_none(path, text) and (line := against(request, path, _inputs(workspace))):
            yield Finding(
                says=f"'{path}' says that there is none; the input says: {line}"[:400], about=path, code="none"
            )


def _only_repeats(workspace: Workspace, text: str, request: str, said: Collection[str]) -> bool:
    """Whether a text says nothing but what was asked for. A check may say what an input says, and then a result may, too."""
    text = _POLITE.sub("", text)
    if not repeats(text, (request, *said)):
        return False
    stated = {same_words(piece) for given in _inputs(workspace) for piece in pieces(given)}
    return repeats(text, (request, *(s for s in said if not stated.issuperset(map(same_words, pieces(s))))))


def _twins(texts: dict[str, str]) -> Iterator[Finding]:
    """Files of one format and different names that hold the same, below whatever headings and in whatever order."""
    first: dict[tuple[str, str], str] = {}
    for path, text in texts.items():
        name = PurePosixPath(path.lower())
        words = " ".join(_content(text).elements())
        if len(words.split()) < LEAST_TWIN:
            continue
        other = first.setdefault((name.suffix, words), path)
        if PurePosixPath(other.lower()).stem != name.stem:
            yield Finding(says=f"'{path}' holds the same as '{other}'", about=path, code="twin")


def _content(text: str) -> Counter[str]:
    """The lines below the headings of a text, in one order; all lines of one that has nothing but headings."""
    lines = [line for line in text.splitlines() if not is_heading(line)]
    said = sorted(words for line in lines if (words := same_words(line)))
    return Counter(said or [same_words(line) for line in text.splitlines()])


def not_as_asked(workspace: Workspace, paths: Sequence[str], request: str) -> list[Finding]:
    """What of the form that the request asks for the results of a whole job do not have: at most one finding."""
    texts = {p: text for p in paths if (text := text_of(workspace, p))}
    if name := in_another_format(named_in([request]), paths):
        return [Finding(says=f"'{name}' was asked for, and is there in another format only", about=name, code="format")]
    says = unlike(request, texts, paths, _inputs(workspace))
    return [Finding(says=says[:400], code="asked")] if says else []


def moved(workspace: Workspace, paths: Iterable[str], commit: str, earlier: Iterable[str]) -> list[str]:
    """Those of the results that were not there at a commit and hold what an earlier result of their format held then."""
    now, before = list(paths), list(earlier)
    was = workspace.texts_at(commit, [*now, *before])
    new = [p for p in now if not was[p]]
    held = [(PurePosixPath(p.lower()).suffix, _content(was[p])) for p in before if was[p]]
    return [p for p in new if (PurePosixPath(p.lower()).suffix, _content(text_of(workspace, p))) in held]


def claiming_none(workspace: Workspace, paths: Iterable[str]) -> list[str]:
    """Those of the results that say that there is nothing: whoever judges them has to open the inputs."""
    return [p for p in paths if claims_none(p, text_of(workspace, p))]


def inputs_of(workspace: Workspace) -> list[str]:
    """Paths of the inputs as text."""
    return [f"documents/{name}.txt" for name in document_files.names(workspace)]


def as_they_were(workspace: Workspace, paths: Iterable[str], commit: str, request: str) -> list[str]:
    """Those of the results in prose whose text is what it was at a commit, but for signs and the order of lines.

    In code and data a sign, and an order, may be all that had to change.
    """
    was = workspace.texts_at(commit, [p for p in paths if PurePosixPath(p.lower()).suffix in PROSE])
    return [p for p, text in was.items() if text and unchanged(text_of(workspace, p), text, request)]


def emptied(workspace: Workspace, paths: Iterable[str], commit: str, results: Iterable[str]) -> list[str]:
    """Those of the results of which next to nothing that stood there at a commit stands in any result now."""
    now = [text_of(workspace, p) for p in results]
    was = workspace.texts_at(commit, paths)
    return [p for p, text in was.items() if text and kept(text, now) < LEAST_KEPT]


def _inputs(workspace: Workspace) -> list[str]:
    return [text_of(workspace, p) for p in inputs_of(workspace)]


def text_of(workspace: Workspace, path: str) -> str:
    """What a result says; '' where it is no text, or is gone."""
    try:
        return workspace.read(path) if is_text(workspace, path) else ""
    except ModelFault:
        return ""


def request_of(workspace: Workspace) -> str:
    """The request of the job as its workspace has it."""
    text = workspace.read("instructions.md") if workspace.sha256("instructions.md") is not None else ""
    return text.partition("# Instructions")[2].strip()
