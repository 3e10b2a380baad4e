"""The review queue: what is doubtful comes first, decisions change the result, quotes stay verbatim."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.documents.reading import read_document
from echelon.domains.documents.types import Document
from echelon.domains.requirements import check_requirements, extract_requirements
from echelon.domains.requirements.review.apply import applied, check_decision, place_of
from echelon.domains.requirements.review.kappa import cohens_kappa
from echelon.domains.requirements.review.ledger import Entry, Ledger, Standing, merged
from echelon.domains.requirements.review.queue import review_queue
from echelon.domains.requirements.review.types import Decision, Queue, ReviewItem, Ruling, Sign
from echelon.domains.requirements.types import Modality, Requirement, Status
from echelon.errors import ModelFault

POLICY = """# 1 Duties

The unit shall keep an inventory of its records and must review it once a year.

The unit shall keep an inventory of its records and may review it once a year.

Old keys will only be seen by the archive of the unit.

The unit shall name an owner for each of the following:

- the archive
- the register

The weather was fine on the day of the meeting.
"""


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Document:
    path = tmp_path_factory.mktemp("review") / "policy.md"
    path.write_text(POLICY, encoding="utf-8")
    return read_document(path)


@pytest.fixture(scope="module")
def queue(document: Document) -> Queue:
    return review_queue(document, share=1.0)


def item(queue: Queue, words: str, *, taken: bool | None = None) -> ReviewItem:
    return next(i for i in queue.items if words in i.text and taken in (None, i.taken))


def decided(queue: Queue, one: ReviewItem, ruling: Ruling, **more: object) -> dict[str, Entry]:
    return {one.id: Entry(first=Decision(id=one.id, ruling=ruling, reason="so it is", **more))}  # type: ignore[arg-type]


def after(document: Document, queue: Queue, entries: dict[str, Entry]) -> list[Requirement]:
    found = applied(document, extract_requirements(document), queue.items, entries)
    assert check_requirements(document, [r for r in found if r.status is Status.ACCEPTED]) == []
    return found


# what is in the queue


def test_each_place_says_why_and_stands_where_it_says(document: Document, queue: Queue) -> None:
    assert queue.items and queue.sentences >= 6
    for one in queue.items:
        assert one.why and one.context
        for c in (*one.citations, *one.other_citations):
            assert document.page(c.page).text[c.start : c.end] == c.quote


@pytest.mark.parametrize(
    ("words", "sign"),
    [
        ("only be seen by", Sign.LEFT_OUT),
        ("and may review it", Sign.CONFLICT),
        ("the register", Sign.LEAD_IN),
    ],
)
def test_a_place_is_doubted_for_its_own_reason(queue: Queue, words: str, sign: Sign) -> None:
    assert item(queue, words).sign is sign


ENTRIES = """# Rules

#### REQ-1 Night

The gate shall close at night.

#### REQ-2 Morning

The gate shall open at six.

Note: the guard opens it by hand on Sundays.

#### REQ-3 Paint

The gate shall be painted.

Note: the guard must sign the book.

#### REQ-4 Bell

The bell shall ring.

Note: the guard must sign the book.

# Visits

Permission to enter is given where these conditions are required:

- the visitor has a badge with a photograph
"""


@pytest.fixture(scope="module")
def of_entries(tmp_path_factory: pytest.TempPathFactory) -> Queue:
    path = tmp_path_factory.mktemp("review") / "entries.md"
    path.write_text(ENTRIES, encoding="utf-8")
    return review_queue(read_document(path), share=1.0)


def test_text_between_two_entries_makes_the_first_one_doubtful(of_entries: Queue) -> None:
    said = {i.source_id: i.why for i in of_entries.items if i.taken}
    assert "what follows it" in said["REQ-2"] and "what follows it" not in said.get("REQ-1", "")


SPOKEN = """# Care

The porter shall oil the gate.

The engineer must have oiled the gate long ago.

People who must travel ask for more.

The person who opens the gate shall oil it.

The porter keeps a list of keys.

The mayor is liable for the loss of keys.

The winter was long.
"""


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("must have oiled", "what must or may have happened"),
        ("who must travel", "has a modal word and was not taken"),
        ("keeps a list", "of whom requirements speak"),
        ("is liable", "what is due, allowed or somebody's duty"),
        ("The person who opens", "the rules are 9"),
        ("The porter shall oil", "the rules are 9"),
    ],
)
def test_how_a_sentence_speaks_makes_it_doubtful(tmp_path: Path, words: str, why: str) -> None:
    path = tmp_path / "spoken.md"
    path.write_text(SPOKEN, encoding="utf-8")
    asked = review_queue(read_document(path), share=1.0)
    assert why in item(asked, words).why and not any("winter" in i.text for i in asked.items)


def test_the_same_words_are_asked_about_once(of_entries: Queue) -> None:
    assert len([i for i in of_entries.items if "the guard must sign the book" in i.text and not i.taken]) == 1


def test_an_item_below_a_lead_in_that_binds_is_doubtful(of_entries: Queue) -> None:
    [one] = [i for i in of_entries.items if "badge" in i.text]
    assert one.taken or "an item of a list whose lead-in binds" in one.why


def test_what_follows_a_colon_is_doubtful(tmp_path: Path) -> None:
    path = tmp_path / "alarm.md"
    path.write_text(
        "# Alarm\n\n1.1 The system shall raise an alarm when this happens:\n\n1.2 Smoke must be seen.\n",
        encoding="utf-8",
    )
    asked = review_queue(read_document(path), share=1.0)
    assert any("the one before it ends with a colon" in i.why for i in asked.items if "Smoke" in i.text)


def test_what_nothing_speaks_for_is_not_asked_about(queue: Queue) -> None:
    assert not any("weather" in i.text for i in queue.items)


def test_the_share_bounds_the_queue_and_cuts_the_least_doubtful(document: Document, queue: Queue) -> None:
    short = review_queue(document, share=0.2)
    assert 0 < len(short.items) <= 0.2 * short.sentences + 1
    assert [i.text for i in short.items] == [i.text for i in queue.items[: len(short.items)]]
    assert review_queue(document, share=0.0).items == ()


def test_a_queue_of_several_documents_takes_them_in_turns(queue: Queue) -> None:
    other = queue.model_copy(
        update={"items": tuple(i.model_copy(update={"document": "b.md"}) for i in queue.items[:2])}
    )
    both = merged([queue, other])
    assert [i.document for i in both.items[:4]] == ["policy.md", "b.md", "policy.md", "b.md"]
    assert len({i.id for i in both.items}) == len(queue.items) + 2
    assert both.sentences == 2 * queue.sentences


# what a decision does


def test_what_is_rejected_is_no_requirement_any_more(document: Document, queue: Queue) -> None:
    one = item(queue, "the register", taken=True)
    found = after(document, queue, decided(queue, one, Ruling.REJECT))
    [r] = [r for r in found if place_of(r.citations) == place_of(one.citations)]
    assert r.status is Status.REJECTED and r.review is not None and r.review.reason == "so it is"


def test_what_was_left_out_becomes_a_requirement_in_its_place(document: Document, queue: Queue) -> None:
    one = item(queue, "only be seen by", taken=False)
    found = after(document, queue, decided(queue, one, Ruling.ACCEPT, modality=Modality.OBLIGATION))
    [r] = [r for r in found if "only be seen by" in r.text]
    assert (r.status, r.modality, r.section) == (Status.ACCEPTED, Modality.OBLIGATION, "1 Duties")
    starts = [place_of(x.citations)[0] for x in found if len(x.citations) == 1]
    assert starts == sorted(starts)


def test_a_kind_can_be_corrected(document: Document, queue: Queue) -> None:
    one = item(queue, "and may review it")
    found = after(document, queue, decided(queue, one, Ruling.ACCEPT, modality=Modality.PERMISSION))
    assert next(r for r in found if place_of(r.citations) == place_of(one.citations)).modality is Modality.PERMISSION


def test_a_requirement_can_be_split_and_each_piece_is_cited(document: Document, queue: Queue) -> None:
    one = item(queue, "and must review it")
    pieces = ("The unit shall keep an inventory of its records", "must review it once a year")
    found = after(document, queue, decided(queue, one, Ruling.SPLIT, texts=pieces))
    accepted = [r for r in found if r.status is Status.ACCEPTED]
    assert [r.citations[0].quote for r in accepted if r.review] == list(pieces)
    assert one.text not in [r.text for r in accepted]
    assert len({r.id for r in found}) == len(found)


def test_a_repetition_and_a_contradiction_are_told_apart(document: Document, queue: Queue) -> None:
    one = item(queue, "and may review it")
    repeated = after(document, queue, decided(queue, one, Ruling.DUPLICATE))
    [r] = [r for r in repeated if r.status is Status.DUPLICATE]
    assert r.duplicate_of in {x.id for x in repeated}
    against = after(document, queue, decided(queue, one, Ruling.CONFLICT))
    assert [r.review.for_person for r in against if r.review] == [True]


@pytest.mark.parametrize(
    ("ruling", "texts", "says"),
    [
        (Ruling.ACCEPT, ("words that stand nowhere at all",), "do not stand on page 1"),
        (Ruling.SPLIT, ("The unit shall keep",), "two texts or more"),
        (Ruling.DUPLICATE, (), "names no other requirement"),
        (Ruling.CONFLICT, (), "names no other requirement"),
    ],
)
def test_what_cannot_be_carried_out_is_refused(
    document: Document, queue: Queue, ruling: Ruling, texts: tuple[str, ...], says: str
) -> None:
    one = item(queue, "the register", taken=True)
    with pytest.raises(ModelFault, match=says):
        check_decision(document, one, Decision(id=one.id, ruling=ruling, texts=texts, reason="so it is"))


# two readings


def read(ruling: Ruling) -> Decision:
    return Decision(id="D-0001", ruling=ruling, reason="so it is")


def test_what_two_readers_see_alike_is_agreed() -> None:
    said = Ledger().decided(read(Ruling.ACCEPT)).judged(read(Ruling.ACCEPT))
    assert said.standing("D-0001") is Standing.AGREED and said.agreement == 1


def test_what_they_see_otherwise_is_decided_once_more_and_then_for_a_person() -> None:
    said = Ledger().decided(read(Ruling.ACCEPT)).judged(read(Ruling.REJECT))
    assert said.standing("D-0001") is Standing.CONTESTED
    assert said.decided(read(Ruling.REJECT)).standing("D-0001") is Standing.AGREED
    stubborn = said.decided(read(Ruling.ACCEPT))
    assert stubborn.standing("D-0001") is Standing.FOR_PERSON
    assert stubborn.agreement == 0, "agreement is that of the first readings"


def test_what_is_for_a_person_stays_in_the_result(document: Document, queue: Queue) -> None:
    one = item(queue, "only be seen by", taken=False)
    said = Ledger(entries=decided(queue, one, Ruling.ACCEPT))
    said = said.judged(Decision(id=one.id, ruling=Ruling.REJECT, reason="only a fact"))
    said = said.decided(said.entries[one.id].first)
    [r] = [r for r in after(document, queue, said.entries) if r.review]
    assert r.status is Status.ACCEPTED and r.review is not None and r.review.for_person
    assert "so it is" in r.review.reason and "only a fact" in r.review.reason


def test_kappa_of_known_tables() -> None:
    """Cohen's own kind of table: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no have 0.70 observed, 0.50 by chance."""
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohens_kappa([a for a, _ in pairs], [b for _, b in pairs]) == pytest.approx(0.4)
    assert cohens_kappa(["a", "b"], ["a", "b"]) == 1
    assert cohens_kappa([], []) is None and cohens_kappa(["a"], ["a"]) is None
    with pytest.raises(ValueError, match="zip"):
        cohens_kappa(["a"], [])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_kappa_is_at_most_one_and_symmetric(pairs: list[tuple[str, str]]) -> None:
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    kappa = cohens_kappa(left, right)
    assert kappa == cohens_kappa(right, left)
    assert kappa is None or kappa <= 1
    assert (kappa == 1) == (left == right and len(set(left)) > 1)


def test_decisions_are_the_same_however_often_they_are_carried_out(document: Document, queue: Queue) -> None:
    one = item(queue, "and must review it")
    entries = decided(queue, one, Ruling.REJECT)
    once = after(document, queue, entries)
    assert applied(document, once, queue.items, entries) == once


def test_a_queue_can_be_read_again(queue: Queue) -> None:
    assert Queue.model_validate_json(queue.model_dump_json(exclude_defaults=True)) == queue


def test_a_language_that_is_not_read_has_no_queue(tmp_path: Path) -> None:
    path = tmp_path / "fr.md"
    path.write_text("L'unité doit garder les documents pendant dix ans et doit les détruire ensuite.\n\n" * 40)
    assert review_queue(read_document(path)).items == ()


# when two readers agree


@pytest.mark.parametrize(
    ("first", "second", "agree"),
    [
        ({}, {"reason": "for another reason"}, True),
        ({}, {"ruling": Ruling.REJECT}, False),
        ({}, {"modality": Modality.PERMISSION}, False),
        ({"texts": ("The gate\nshall close.",)}, {"texts": ("the gate shall close",)}, True),
        ({}, {"texts": ("The gate shall",)}, False),
        ({"texts": ("The gate", "The bell")}, {"texts": ("The gate",)}, False),
    ],
)
def test_two_readers_agree_on_the_result_and_not_on_its_reason(
    first: dict[str, object], second: dict[str, object], agree: bool
) -> None:
    plain = Decision(id="D-0001", ruling=Ruling.ACCEPT, reason="so")
    one, two = plain.model_copy(update=first), plain.model_copy(update=second)
    assert one.agrees_with(two) is two.agrees_with(one) is agree
    standing = Entry(first=one, judged=two).standing
    assert standing is (Standing.AGREED if agree else Standing.CONTESTED)


def test_the_words_of_a_neighbour_are_not_the_place(document: Document, queue: Queue) -> None:
    """A role that copies the sentence beside the place would lose the place and have the neighbour twice."""
    left = item(queue, "Old keys will only be seen", taken=False)
    with pytest.raises(ModelFault, match="stand elsewhere"):
        taken = Decision(
            id=left.id, ruling=Ruling.ACCEPT, reason="so it is", texts=("The weather was fine on the day",)
        )
        check_decision(document, left, taken)
    for words in ("Old keys will only be seen", "be seen by the archive of the unit."):
        check_decision(document, left, Decision(id=left.id, ruling=Ruling.ACCEPT, reason="so it is", texts=(words,)))
