"""Sentence vectors read from the wordllama wheel: the same as its own loader's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import wordllama

from echelon.domains.likeness.embedding import DIMENSIONS, embed, unit

TEXTS = ["The gate opens.", "Die Tür öffnet sich.", "a", "x" * 3_000, "requirement " * 500, "要件", "one\ntwo\tthree"]


def test_vectors_are_those_of_wordllama() -> None:
    folder = Path(wordllama.__file__).parent
    theirs = wordllama.WordLlama.load(cache_dir=folder, disable_download=True).embed(TEXTS)
    assert embed(TEXTS) == pytest.approx(theirs, abs=1e-5)


def test_shape_and_empty_texts() -> None:
    assert embed([]).shape == (0, DIMENSIONS)
    vectors = embed(["", "gate"])
    assert vectors.shape == (2, DIMENSIONS)
    assert not vectors[0].any()
    assert vectors[1].any()


def test_many_texts_are_embedded_as_few() -> None:
    many = [f"sentence number {at}" for at in range(5_000)]
    assert np.array_equal(embed(many)[[0, 2_500, 4_999]], embed([many[0], many[2_500], many[4_999]]))


def test_unit_scales_rows_and_keeps_zero() -> None:
    scaled = unit(embed(["gate", "", "door"]))
    assert np.linalg.norm(scaled, axis=1) == pytest.approx([1, 0, 1], abs=1e-5)


def test_near_meanings_are_near() -> None:
    gate, door, invoice = unit(embed(["open the gate", "open the door", "pay the invoice"]))
    assert gate @ door > gate @ invoice
