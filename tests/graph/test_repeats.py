"""Duplicates and conflicts without a database: the rules, and what holds for any requirements in any order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echelon.domains.graph.repeats import Linked, Repeats, Wording, find_repeats, relation
from echelon.domains.graph.stores.port import RelationshipType
from echelon.domains.likeness.near_text import NearText, similarity
from echelon.domains.requirements.types import Modality

MUST, NEVER, MAY, SHOULD = Modality.OBLIGATION, Modality.PROHIBITION, Modality.PERMISSION, Modality.RECOMMENDATION
DUPLICATES, CONFLICTS = RelationshipType.DUPLICATES, RelationshipType.CONFLICTS_WITH


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (("Logs shall be kept on disk", MUST), ("The log must be kept on a disk", MUST), DUPLICATES),
        (("Logs shall be kept on disk", MUST), ("Logs should be kept on disk", SHOULD), None),
        (("Logs shall be kept on disk", MUST), ("Logs shall not be kept on disk", NEVER), CONFLICTS),
        (("Logs may be kept on disk", MAY), ("Logs shall not be kept on disk", NEVER), CONFLICTS),
        (("Logs shall not be kept on disk", NEVER), ("Logs must never be kept on disk", NEVER), DUPLICATES),
        (("Logs shall be kept on disk", MUST), ("Logs shall be kept on tape", MUST), None),
        (("Logs shall be kept on disk", MUST), ("Logs shall not be burnt on disk", NEVER), None),
        (("Keep 3 logs on disk", MUST), ("Keep 4 logs on disk", MUST), None),
        (("Daten müssen gelöscht werden", MUST), ("Daten dürfen nicht gelöscht werden", NEVER), CONFLICTS),
        (("", MUST), ("", MUST), None),
    ],
)
def test_rules(left: tuple[str, Modality], right: tuple[str, Modality], expected: RelationshipType | None) -> None:
    one, other = NearText.of(left[0]), NearText.of(right[0])
    score = similarity(one, other)
    assert relation(one, left[1], other, right[1], score) is expected
    assert relation(other, right[1], one, left[1], score) is expected


TEXTS = st.builds(
    lambda words, modality: Wording(text=" ".join(words), modality=modality),
    st.lists(
        st.sampled_from(["log", "key", "user", "disk", "keep", "sign", "not", "the", "5"]), min_size=1, max_size=7
    ),
    st.sampled_from([MUST, MUST, NEVER, MAY]),
)
WORDINGS = st.lists(TEXTS, max_size=9)


def pairs(found: Repeats) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    return (
        {(row.source, row.target) for row in found.duplicates},
        {(row.source, row.target) for row in found.conflicts},
    )


def in_jobs(known: dict[str, Wording], jobs: list[list[str]]) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """The links after these jobs, one after the other."""
    there: dict[str, Wording] = {}
    duplicates: set[tuple[str, str]] = set()
    conflicts: set[tuple[str, str]] = set()
    for job in jobs:
        there |= {key: known[key] for key in job}
        found = pairs(find_repeats(there, job, Linked(duplicates), Linked(conflicts)))
        assert not found[0] & duplicates and not found[1] & conflicts
        duplicates |= found[0]
        conflicts |= found[1]
    return duplicates, conflicts


@settings(deadline=None)
@given(WORDINGS, st.data())
def test_no_job_adds_anything_when_it_runs_again(wordings: list[Wording], data: st.DataObject) -> None:
    known = {f"k{number}": wording for number, wording in enumerate(wordings)}
    cut = data.draw(st.integers(0, len(known)))
    jobs = [list(known)[:cut], list(known)[cut:]]
    duplicates, conflicts = in_jobs(known, jobs)
    for job in data.draw(st.permutations(jobs)):
        again = find_repeats(known, job, Linked(duplicates), Linked(conflicts))
        assert pairs(again) == (set(), set())


@settings(deadline=None)
@given(WORDINGS)
def test_links_obey_the_rules(wordings: list[Wording]) -> None:
    known = {f"k{number}": wording for number, wording in enumerate(wordings)}
    duplicates, conflicts = in_jobs(known, [list(known)])
    for source, target in duplicates:
        assert known[source].modality is known[target].modality
        assert int(source[1:]) > int(target[1:])  # the later one repeats the earlier one
    for source, target in conflicts:
        assert (known[source].modality is NEVER) != (known[target].modality is NEVER)
        assert source < target
    assert not any((target, source) in duplicates for source, target in duplicates)


@settings(deadline=None)
@given(WORDINGS)
def test_every_copy_is_linked(wordings: list[Wording]) -> None:
    known = {f"k{number}": wording for number, wording in enumerate([*wordings, *wordings])}
    duplicates, _ = in_jobs(known, [list(known)])
    linked = {key for pair in duplicates for key in pair}
    assert all(key in linked for key, wording in known.items() if NearText.of(wording.text).words)


def test_linked_knows_both_directions() -> None:
    linked = Linked([("a", "b")])
    assert linked.any_between(["b"], ["x", "a"]) and linked.any_between(["a", "x"], ["b"])
    assert not linked.any_between(["a"], ["a", "x"]) and not linked.any_between([], ["a"])
