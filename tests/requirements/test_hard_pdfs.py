"""PDFs that go wrong elsewhere: the right result or a clear sentence, never a crash and never silent emptiness."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from echelon.domains.documents.reading import read_document
from echelon.domains.documents.types import ReadError
from echelon.domains.requirements import check_requirements, extract_requirements
from tests.support.documents import encrypted_pdf, long_pdf, pdf_of, scanned_pdf, truncated_pdf

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"
SAMPLES = SHARED / "data/pdf_samples"
CLAUSE = "1.1 The archive shall keep the box for ten days."

needs_samples = pytest.mark.skipif(not SAMPLES.exists(), reason="the sample PDFs are not beside this project")


def test_an_encrypted_pdf_needs_its_password(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="password"):
        read_document(encrypted_pdf(tmp_path / "locked.pdf", [CLAUSE]))


def test_a_pdf_with_only_an_owner_password_is_read(tmp_path: Path) -> None:
    document = read_document(encrypted_pdf(tmp_path / "rights.pdf", [CLAUSE], owner_only=True))
    assert [r.source_id for r in extract_requirements(document)] == ["1.1"]


@pytest.mark.parametrize("keep", [0.05, 0.4, 0.8, 0.97])
def test_a_truncated_pdf_is_refused_instead_of_losing_pages(tmp_path: Path, keep: float) -> None:
    with pytest.raises(ReadError, match="cut off"):
        read_document(truncated_pdf(tmp_path / "cut.pdf", [CLAUSE] * 5, keep))


def test_a_truncated_new_version_does_not_fall_back_to_the_old_one(tmp_path: Path) -> None:
    path = pdf_of(tmp_path / "a.pdf", [CLAUSE])
    path.write_bytes(path.read_bytes() + b"\n9 0 obj\n<< /Type /Page >>\nendobj\n")
    with pytest.raises(ReadError, match="cut off"):
        read_document(path)


def test_garbage_with_the_right_beginning_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 20 + b"%%EOF\n")
    with pytest.raises(ReadError, match="broken"):
        read_document(tmp_path / "a.pdf")


def test_a_pdf_of_pictures_asks_for_text_recognition(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="OCR"):
        read_document(scanned_pdf(tmp_path / "scan.pdf", [CLAUSE, CLAUSE]))


def test_a_single_page_without_text_is_named(tmp_path: Path) -> None:
    document = read_document(scanned_pdf(tmp_path / "mixed.pdf", ["a picture", CLAUSE], text_pages=[2]))
    assert len(document.warnings) == 1
    assert "page 1" in document.warnings[0]
    assert [c.page for r in extract_requirements(document) for c in r.citations] == [2]


MEASURE = """
import re, sys
from echelon.domains.documents.reading import read_document
from echelon.domains.requirements import extract_requirements
document = read_document(sys.argv[1])
pages = [r.citations[0].page for r in extract_requirements(document)]
assert len(document.pages) == 1000 and pages == list(range(1, 1001)), pages[:5]
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024)
"""


def test_a_thousand_pages_are_read_in_bounded_memory(tmp_path: Path) -> None:
    """In a process of its own: what other tests used before does not count (ru_maxrss would count the parent's)."""
    path = long_pdf(tmp_path / "long.pdf", 1000)
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 600, f"{done.stdout} MB"


@pytest.mark.parametrize("seed", range(8))
def test_noise_in_a_pdf_never_crashes(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray(pdf_of(tmp_path / "a.pdf", [CLAUSE] * 6).read_bytes())
    for _ in range(40):
        data[rng.randrange(len(data))] = rng.randrange(256)
    (tmp_path / "noise.pdf").write_bytes(bytes(data))
    try:
        document = read_document(tmp_path / "noise.pdf")
    except ReadError as error:
        assert error.reason
        return
    assert len(document.pages) == 6 or document.warnings
    assert check_requirements(document, extract_requirements(document)) is not None


@needs_samples
@pytest.mark.parametrize(
    ("name", "pages", "words"),
    [
        ("001-trivial/minimal-document.pdf", 1, "Lorem ipsum"),
        ("004-pdflatex-4-pages/pdflatex-4-pages.pdf", 4, "Hello, here is some text"),
        ("006-pdflatex-outline/pdflatex-outline.pdf", 4, "1 Foo"),
        ("009-pdflatex-geotopo/GeoTopo-komprimiert.pdf", 117, "Geometrie und Topologie"),
        ("015-arabic/habibi.pdf", 1, "habibi"),
        ("015-arabic/habibi-oneline-cmap.pdf", 1, "habibi"),
        ("015-arabic/habibi-rotated.pdf", 4, "habibi"),
        ("021-pdfa/crazyones-pdfa.pdf", 1, "The Crazy Ones"),
        ("026-latex-multicolumn/multicolumn.pdf", 3, "Two-Column Document"),
    ],
)
def test_each_sample_is_read(name: str, pages: int, words: str) -> None:
    document = read_document(SAMPLES / name)
    assert len(document.pages) == pages
    assert words in " ".join(page.text for page in document.pages)
    requirements = extract_requirements(document)
    verbatim = [document.page(c.page).text[c.start : c.end] == c.quote for r in requirements for c in r.citations]
    assert all(verbatim)


@needs_samples
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("005-libreoffice-writer-password/libreoffice-writer-password.pdf", "password"),
        ("019-grayscale-image/grayscale-image.pdf", "OCR"),
    ],
)
def test_each_sample_that_cannot_be_read_says_why(name: str, says: str) -> None:
    with pytest.raises(ReadError, match=says):
        read_document(SAMPLES / name)


def test_reading_writes_nothing_to_the_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    data = pdf_of(tmp_path / "a.pdf", [CLAUSE] * 2).read_bytes().replace(b"startxref", b"startxxxx", 1)
    (tmp_path / "b.pdf").write_bytes(data)
    try:
        read_document(tmp_path / "b.pdf")
    except ReadError as error:
        assert error.reason
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""
