"""Parts of a document: every block once, in order, small enough, the same each time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echelon.domains.documents.reading import read_document
from echelon.domains.documents.types import Document, Page
from echelon.domains.requirements import extract_part, extract_requirements
from echelon.domains.requirements.structure.build import build_structure
from echelon.domains.requirements.structure.parts import split_parts
from tests.support.documents import long_pdf

WORDS = st.sampled_from(
    [
        "The system shall log each access.",
        "Users must change it.",
        "Nothing binds here",
        "a) keep the key;",
        "- read it",
        "NOTE It must not.",
    ]
)
LINES = st.lists(
    st.tuples(st.sampled_from(["", "1.1 ", "2.3.4 ", "REQ-7: ", "# ", "3 ", "| ", "\t"]), WORDS), max_size=40
)


def text_document(text: str, media_type: str = "text/plain") -> Document:
    return Document(
        file="a.txt", sha256=str(hash(text)), media_type=media_type, pages=(Page(number=1, text=text),), language="en"
    )


def test_parts_hold_every_block_once_and_stay_small(tmp_path: Path) -> None:
    document = read_document(long_pdf(tmp_path / "a.pdf", 60))
    parts = split_parts(document, max_chars=500)
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))
    covered = [index for part in parts for index in range(part.first_block, part.last_block + 1)]
    assert covered == list(range(len(build_structure(document).blocks)))
    assert all(len(part.text) <= 500 for part in parts)
    assert all(list(part.pages) == sorted(set(part.pages)) for part in parts)


def test_parts_are_the_same_each_time(tmp_path: Path) -> None:
    path = long_pdf(tmp_path / "a.pdf", 30)
    assert split_parts(read_document(path), 400) == split_parts(read_document(path), 400)


def test_a_single_long_block_is_one_part() -> None:
    document = text_document("The archive shall keep it. " * 100)
    assert len(split_parts(document, max_chars=300)) == 1


def test_a_part_prefers_to_begin_with_a_heading() -> None:
    section = "\n".join(f"{{n}}.{k} The archive shall keep box {k} of this section for a year." for k in range(1, 8))
    text = "\n".join(f"# {n} Section\n\n" + section.format(n=n).replace("\n", "\n\n") + "\n" for n in range(1, 6))
    parts = split_parts(text_document(text, "text/markdown"), max_chars=700)
    assert [part.heading for part in parts] == [f"{n} Section" for n in range(1, 6)]
    assert all(part.text.startswith(part.heading) for part in parts)


def test_too_small_parts_are_refused() -> None:
    with pytest.raises(ValueError, match="200"):
        split_parts(text_document("a"), max_chars=10)


def test_a_document_without_blocks_has_no_parts() -> None:
    assert split_parts(text_document("\n \n")) == []


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(LINES, st.sampled_from(["text/plain", "text/markdown"]), st.integers(200, 900))
def test_the_parts_together_give_the_requirements_of_the_whole(
    lines: list[tuple[str, str]], media_type: str, max_chars: int
) -> None:
    document = text_document("\n".join(mark + words for mark, words in lines), media_type)
    whole = extract_requirements(document)
    parts = split_parts(document, max_chars)
    assert [r for part in parts for r in extract_part(document, part)] == whole
    assert [r.id for r in whole] == [f"R-{n:04d}" for n in range(1, len(whole) + 1)]
    for requirement in whole:
        for citation in requirement.citations:
            assert document.page(citation.page).text[citation.start : citation.end] == citation.quote
            assert citation.quote.strip()
