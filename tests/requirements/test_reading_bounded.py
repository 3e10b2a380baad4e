"""Reading in a process of its own: the same document, the same refusals, and an end for what does not end."""

from __future__ import annotations

from pathlib import Path

import pytest

from echelon.bounded import Bounds
from echelon.domains.documents.bounded import read_bounded
from echelon.domains.documents.reading import read_document
from echelon.domains.documents.types import ReadError
from tests.support.documents import long_pdf, truncated_pdf


def test_a_child_reads_the_same_document(tmp_path: Path) -> None:
    path = long_pdf(tmp_path / "a.pdf", 3)
    assert read_bounded(path) == read_document(path)


def test_what_cannot_be_read_is_refused_with_the_same_sentence(tmp_path: Path) -> None:
    path = truncated_pdf(tmp_path / "cut.pdf", ["text"])
    with pytest.raises(ReadError, match="cut off") as here:
        read_document(path)
    with pytest.raises(ReadError, match="cut off") as there:
        read_bounded(path)
    assert (there.value.file, there.value.reason) == (here.value.file, here.value.reason)


@pytest.mark.parametrize(
    ("bounds", "said"), [(Bounds(seconds=0.01), "longer than"), (Bounds(output_mb=0.001), "its result has more than")]
)
def test_what_passes_a_limit_is_refused_in_one_sentence(tmp_path: Path, bounds: Bounds, said: str) -> None:
    path = long_pdf(tmp_path / "a.pdf", 40)
    with pytest.raises(ReadError, match=said):
        read_bounded(path, bounds=bounds)
