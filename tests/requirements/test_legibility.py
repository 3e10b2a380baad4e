"""A PDF page whose text cannot be made out is named, never read as garbage in silence; glued words are parted."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject

from echelon.domains.documents.legibility import Legibility, disagree
from echelon.domains.documents.pdf_checks import checked, with_spaces
from echelon.domains.documents.pdf_second import missing_spaces
from echelon.domains.documents.reading import read_document
from echelon.domains.documents.types import LineLayout, Page, ReadError
from echelon.domains.requirements import extract_requirements
from tests.support.documents import pdf_of

TEXT = """1.1 The operator must keep a log of all visits to the archive for ten days after they took place.
1.2 The guard must answer every call before noon and write down who called and what was said.
1.3 The archive must be closed at night, and the keys must be kept by the guard who is on duty.
1.4 Visitors must be shown the way to the door when the bell rings at the end of the day.
"""


def without_characters(pdf: bytes) -> bytes:
    """The same PDF, its fonts mapped to the character that stands for what is not known."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf)))
    codes = "\n".join(f"<{code:02X}> <FFFD>" for code in range(32, 127))
    stream = StreamObject()
    stream.set_data(
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange\n"
        + f"95 beginbfchar\n{codes}\nendbfchar endcmap".encode()
    )
    for item in writer._objects:
        if isinstance(item, DictionaryObject) and item.get("/Type") == "/Font":
            item[NameObject("/ToUnicode")] = writer._add_object(stream)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_a_font_without_characters_is_said(tmp_path: Path) -> None:
    path = pdf_of(tmp_path / "a.pdf", [TEXT])
    path.write_bytes(without_characters(path.read_bytes()))
    document = read_document(path)
    assert any("page 1 cannot be made out" in warning for warning in document.warnings), document.pages[0].text


def test_a_clean_pdf_has_no_warning(tmp_path: Path) -> None:
    assert read_document(pdf_of(tmp_path / "a.pdf", [TEXT, "A table: 1 2 3 4 5"])).warnings == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (TEXT, None),
        ("\ufffd" * 20 + TEXT, "of its characters cannot be told"),
        ("(cid:12)(cid:7)" * 20 + TEXT, "its characters"),
        ("".join(chr(ord(c) + 3) if c.isalpha() else c for c in TEXT), "its letters make no words"),
        ("Der Wärter muss jede Nacht die Tür des Archivs schließen und das Licht löschen. " * 5, None),
        ("17 4711 0815 42 " * 40, None),
        ("معيار التحقق من أمان التطبيقات " * 20, None),
        ("Aachen Berlin Dresden Erfurt Frankfurt Görlitz Hamburg Ilmenau Jena Kassel " * 8, None),
    ],
)
def test_what_can_be_read_is_told_from_what_cannot(text: str, problem: str | None) -> None:
    found = Legibility.of(text).problem
    assert found is None if problem is None else problem in (found or "")


def test_two_readers_may_divide_words_but_not_differ_in_letters() -> None:
    assert not disagree(TEXT, TEXT.replace(" ", ""))
    assert disagree(TEXT, "xyz qjk wvb " * 40)


def test_words_that_one_reader_glues_are_parted_where_the_other_sees_space(tmp_path: Path) -> None:
    pdf = pdf_of(tmp_path / "a.pdf", [TEXT]).read_bytes()
    glued = TEXT.replace(" ", "").replace("1.1", "1.1 ").replace("1.2", "1.2 ")
    second_line = glued.index("1.2")
    page = Page(
        number=1,
        text=glued,
        layout=(LineLayout(start=0, x=1, y=9, size=9), LineLayout(start=second_line, x=1, y=5, size=9, raised=(40,))),
    )
    (better,), warnings = checked((page,), pdf)
    assert warnings == ()
    assert better.text.split() == TEXT.split()
    assert better.text[better.layout[1].start :].startswith("1.2")
    assert better.text[better.layout[1].raised[0]] == glued[40]


def test_spaces_of_wide_titles_are_no_spaces_between_words() -> None:
    assert missing_spaces("REQUIREMENTS DOCUMENTS ARCHIVES MEASURES", "R E Q U I R E M E N T S D O C U M E N T S") == []


def test_with_spaces_moves_nothing_before_the_first() -> None:
    page = Page(
        number=1, text="abcd", layout=(LineLayout(start=0, x=0, y=0, size=1), LineLayout(start=2, x=0, y=0, size=1))
    )
    moved = with_spaces(page, [2])
    assert (moved.text, [line.start for line in moved.layout]) == ("ab cd", [0, 3])


def test_citations_stay_verbatim_after_words_were_parted(tmp_path: Path) -> None:
    pdf = pdf_of(tmp_path / "a.pdf", [TEXT]).read_bytes()
    (page,), _ = checked((Page(number=1, text=TEXT.replace(" ", "").replace("1.1", "1.1 ")),), pdf)
    document = read_document(tmp_path / "a.pdf").model_copy(update={"pages": (page,)})
    found = extract_requirements(document)
    assert found
    for citation in (c for r in found for c in r.citations):
        assert page.text[citation.start : citation.end] == citation.quote


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    for path in (tmp_path / "pipe.txt", Path("/dev/zero")):
        with pytest.raises(ReadError, match="no ordinary file"):
            read_document(path)


STRANGE = "ab é漢字Жа\u0250\u00a0\u2003\x1c\x85\x00\ufffd\ue000\uf0b7\ud800\u0378 (cid:12) /g34 the der"


@example("¼")
@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(STRANGE.split(" ")), max_size=60).map(" ".join)))
def test_each_character_of_a_page_counts_once(text: str) -> None:
    told = Legibility.of(text)
    characters = [c for c in text if not c.isspace()]
    letters = "".join(c for c in text if c.isalnum() and not c.isdecimal()).lower()  # "¼" is taken for a letter
    assert told.bad >= sum(c in "\ufffd\ue000\ud800\u0378\x00" for c in characters) / max(1, len(characters))
    if text.isascii() and text.isprintable() and "(cid" not in text and "/" not in text:
        assert told.bad == 0.0
        assert told.vowels == sum(c in "aeiouy" for c in letters) / max(1, len(letters))
    if told.words:
        assert 2 * sum(c < "\u0250" for c in letters) > len(letters)
