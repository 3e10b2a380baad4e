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


def test_what_this_process_has_read_is_not_read_again_until_it_is_another(tmp_path: Path) -> None:
    text = "# Rules\n\n1.1 The clerk shall keep the keys.\n"
    first, second = tmp_path / "one" / "rules.md", tmp_path / "two" / "rules.md"
    for path in (first, second):
        path.parent.mkdir()
        path.write_text(text)
    read = read_bounded(first)
    assert read_bounded(second) is read, "the same name and content elsewhere"
    second.write_text(text.replace("shall", "may"))
    assert read_bounded(second) == read_document(second) != read
    other = first.rename(first.with_name("other.md"))
    assert read_bounded(other) == read_document(other) != read, "a document knows its name"
    with pytest.raises(ReadError, match="more than the"):
        read_bounded(other, max_bytes=10)
    with pytest.raises(ReadError, match="longer than"):
        read_bounded(other, bounds=Bounds(seconds=0.001))


def test_few_documents_are_kept(tmp_path: Path) -> None:
    from echelon.domains.documents import bounded

    for number in range(bounded.KEPT + 2):
        path = tmp_path / f"{number}.md"
        path.write_text(f"1.1 The clerk shall keep {number} keys.\n")
        read_bounded(path)
    assert [c.name for c in bounded._kept] == [f"{n}.md" for n in range(2, bounded.KEPT + 2)]


@pytest.mark.parametrize(
    ("bounds", "said"), [(Bounds(seconds=0.01), "longer than"), (Bounds(output_mb=0.001), "its result has more than")]
)
def test_what_passes_a_limit_is_refused_in_one_sentence(tmp_path: Path, bounds: Bounds, said: str) -> None:
    path = long_pdf(tmp_path / "a.pdf", 40)
    with pytest.raises(ReadError, match=said):
        read_bounded(path, bounds=bounds)
