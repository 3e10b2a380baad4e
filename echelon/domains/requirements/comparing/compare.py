"""What changed between two lists of requirements: new, gone, changed word by word, moved."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum

from echelon.domains.documents.frozen import Frozen
from echelon.domains.requirements.types import Requirement, Status

ALIKE = 75.0
"""Out of 100: texts without a common number that are at least so near are one text that was changed."""
SAME_NUMBER_ALIKE = 40.0
"""The same for texts with the same number of which there are several."""


class Kind(StrEnum):
    """What happened to a requirement."""

    NEW = "new"
    GONE = "gone"
    CHANGED = "changed"
    MOVED = "moved"
    SAME = "same"


class Words(Frozen):
    """A stretch of words that both texts have, or that only one has."""

    old: str = ""
    new: str = ""

    @property
    def same(self) -> bool:
        """Whether both texts have it."""
        return self.old == self.new


class Change(Frozen):
    """One requirement in both lists, or in one of them. `words` tell how a changed text reads; `why` what moved."""

    kind: Kind
    old: Requirement | None = None
    new: Requirement | None = None
    words: tuple[Words, ...] = ()
    why: str = ""


class Comparison(Frozen):
    """All changes: those of the new list in its order, then what is gone."""

    changes: tuple[Change, ...]

    def of(self, kind: Kind) -> tuple[Change, ...]:
        """The changes of one kind."""
        return tuple(change for change in self.changes if change.kind is kind)


def compare(old: Sequence[Requirement], new: Sequence[Requirement]) -> Comparison:
    """Pair two lists, each requirement with at most one: first what says the same, then what has the same number, then
    what reads alike. Repetitions are left out. Deterministic."""
    before = [r for r in old if r.status is not Status.DUPLICATE]
    after = [r for r in new if r.status is not Status.DUPLICATE]
    pairs = _Pairs(before, after)
    for key in (_all, _number_and_text, _text_in_document, _text):
        pairs.by_key(key)
    pairs.by_number()
    pairs.by_likeness()
    found = [
        _change(before[pairs.of_new[index]], requirement)
        if index in pairs.of_new
        else Change(kind=Kind.NEW, new=requirement)
        for index, requirement in enumerate(after)
    ]
    taken = set(pairs.of_new.values())
    gone = [Change(kind=Kind.GONE, old=r) for index, r in enumerate(before) if index not in taken]
    return Comparison(changes=(*found, *gone))


class _Pairs:
    """Which old requirement each new one is; both by their index."""

    def __init__(self, old: list[Requirement], new: list[Requirement]) -> None:
        self._old, self._new = old, new
        self.of_new: dict[int, int] = {}

    def _open(self) -> tuple[list[int], list[int]]:
        taken = set(self.of_new.values())
        return (
            [i for i in range(len(self._old)) if i not in taken],
            [i for i in range(len(self._new)) if i not in self.of_new],
        )

    def by_key(self, key: Callable[[Requirement], Hashable]) -> None:
        """Pair what has the same key, in order."""
        old, new = self._open()
        waiting: dict[Hashable, list[int]] = {}
        for index in old:
            waiting.setdefault(key(self._old[index]), []).append(index)
        for index in new:
            same = waiting.get(key(self._new[index]))
            if same:
                self.of_new[index] = same.pop(0)

    def by_number(self) -> None:
        """Pair what has the same number; of several the nearest texts."""
        old, new = self._open()
        numbers = {self._new[index].source_id for index in new} - {None}
        for number in sorted(number for number in numbers if number):
            left = [index for index in old if self._old[index].source_id == number]
            right = [index for index in new if self._new[index].source_id == number]
            alone = len(left) == len(right) == 1 and self._once(number)
            self._nearest(left, right, 0.0 if alone else SAME_NUMBER_ALIKE)

    def _once(self, number: str) -> bool:
        return all(sum(r.source_id == number for r in side) == 1 for side in (self._old, self._new))

    def by_likeness(self) -> None:
        """Pair the nearest texts that are left."""
        old, new = self._open()
        self._nearest(old, new, ALIKE)

    def _nearest(self, old: list[int], new: list[int], least: float) -> None:
        from rapidfuzz import fuzz, process

        if not old or not new:
            return
        texts = [[_words(side[i].text) for i in indices] for side, indices in ((self._old, old), (self._new, new))]
        scores = process.cdist(*texts, scorer=fuzz.ratio, score_cutoff=least)
        near = [(-float(scores[i, j]), i, j) for i in range(len(old)) for j in range(len(new)) if scores[i, j] >= least]
        taken: set[int] = set()
        for _, i, j in sorted(near):
            if i not in taken and new[j] not in self.of_new:
                taken.add(i)
                self.of_new[new[j]] = old[i]


def _words(text: str) -> str:
    return " ".join(text.split())


def _document(requirement: Requirement) -> str:
    return requirement.citations[0].document if requirement.citations else ""


def _all(requirement: Requirement) -> Hashable:
    return (_document(requirement), requirement.source_id, _words(requirement.text), requirement.section)


def _number_and_text(requirement: Requirement) -> Hashable:
    return (requirement.source_id, _words(requirement.text))


def _text_in_document(requirement: Requirement) -> Hashable:
    return (_document(requirement), _words(requirement.text))


def _text(requirement: Requirement) -> Hashable:
    return _words(requirement.text)


def _change(old: Requirement, new: Requirement) -> Change:
    why = "; ".join(_moves(old, new))
    if _words(old.text) != _words(new.text):
        return Change(kind=Kind.CHANGED, old=old, new=new, words=tuple(diff_words(old.text, new.text)), why=why)
    return Change(kind=Kind.MOVED if why else Kind.SAME, old=old, new=new, why=why)


def _moves(old: Requirement, new: Requirement) -> Iterator[str]:
    """What is another place or number now."""
    places = (
        ("number", old.source_id or "none", new.source_id or "none"),
        ("document", _document(old) or "none", _document(new) or "none"),
        ("section", old.section or "none", new.section or "none"),
        ("place", _where(old), _where(new)),
    )
    for name, before, after in places:
        if before != after:
            yield f"{name} {before} -> {after}"


def _where(requirement: Requirement) -> str:
    first = requirement.citations[0] if requirement.citations else None
    return f"page {first.page}" if first is not None and first.page is not None else "none"


def diff_words(old: str, new: str) -> Iterator[Words]:
    """Both texts as stretches of words, in order: the old words together are `old`, the new ones `new`."""
    before, after = old.split(), new.split()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        yield Words(old=" ".join(before[a:b]), new=" ".join(after[c:d]))
