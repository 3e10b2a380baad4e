"""Names of entities in texts: property tests of the index."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.graph.entities import Entity, EntityIndex
from echelon.domains.graph.keys import document_key, entity_key, requirement_key, section_key
from echelon.domains.graph.stores.port import Label
from echelon.domains.likeness.words import folded_words, singular

NAMES = st.lists(
    st.sampled_from(["audit", "log", "server", "key", "mail", "box", "access"]), min_size=1, max_size=3
).map(" ".join)
TEXT = st.lists(
    st.sampled_from(["audit", "logs", "log", "server", "keys", "mails", "and", "box", "the", "of"]), max_size=12
).map(" ".join)


@given(st.lists(NAMES, max_size=5), TEXT)
def test_mentions_stand_in_the_text(names: list[str], text: str) -> None:
    index = EntityIndex(Entity(label=Label.SYSTEM, name=name) for name in names)
    padded = f" {' '.join(folded_words(text))} "
    found = index.mentions(text)
    assert all(f" {' '.join(folded_words(entity.name))} " in padded for entity in found)
    assert len({entity.key for entity in found}) == len(found)
    for name in names:
        if not found:
            assert f" {' '.join(folded_words(name))} " not in padded


@given(st.lists(NAMES, min_size=1, max_size=5), TEXT)
def test_mentions_do_not_depend_on_the_order_of_entities(names: list[str], text: str) -> None:
    entities = [Entity(label=Label.SYSTEM, name=name) for name in names]
    one, other = EntityIndex(entities).mentions(text), EntityIndex(entities[::-1]).mentions(text)
    assert [entity.key for entity in one] == [entity.key for entity in other]


def test_aliases_and_umlauts() -> None:
    index = EntityIndex([Entity(label=Label.BUSINESS_OBJECT, name="Rechnung", aliases=("bill", "Prüfprotokoll"))])
    for text in ("Die RECHNUNG liegt vor", "all bills.", "im Prüfprotokoll steht", "im PRÜFPROTOKOLL"):
        assert [entity.name for entity in index.mentions(text)] == ["Rechnung"]
    assert index.mentions("Rechnungsprüfung und billboard") == []


@given(st.text(max_size=30))
def test_keys_of_any_text_are_stable(text: str) -> None:
    assert entity_key(f"  {text}\n") == entity_key(text)
    assert requirement_key("d", None, text) == requirement_key("d", "", " ".join(text.split()))
    assert requirement_key("d", text, "x").startswith("req-") and len(section_key("d", text)) == 24


def test_keys_of_parts_do_not_run_together() -> None:
    assert requirement_key("ab", "c", "d") != requirement_key("a", "bc", "d")
    assert section_key("a", "b") != section_key("ab", "")
    assert document_key("0123456789abcdef0123456789") == "doc-0123456789abcdef0123"


def test_singulars() -> None:
    plural = {"logs": "log", "entries": "entry", "boxes": "box", "classes": "class", "crashes": "crash", "keys": "key"}
    assert {word: singular(word) for word in plural} == plural
    assert all(singular(word) == word for word in ("access", "status", "analysis", "bus", "gas", "log", "is"))
