"""Reading files: what comes out of each format, and one clear sentence for each file that cannot be read."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from docx import Document as new_docx
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.documents import reading
from echelon.domains.documents.language import detect_language, foreign_language, is_caseless
from echelon.domains.documents.reading import decode, read_document, sniff
from echelon.domains.documents.types import ReadError
from tests.support.documents import pdf_of

ENGLISH = "The archive shall keep the records of the year for ten years, and it must not change them."
GERMAN = "Das Archiv muss die Unterlagen des Jahres zehn Jahre lang aufbewahren und darf sie nicht ändern."


def test_a_pdf_keeps_its_pages_and_the_text_of_pypdf(tmp_path: Path) -> None:
    from pypdf import PdfReader

    path = pdf_of(tmp_path / "Aufbewahrung & Löschung 1.pdf", [ENGLISH, "Second page.\nWith two lines."])
    document = read_document(path)
    assert document.file == "Aufbewahrung & Löschung 1.pdf"
    assert document.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert document.media_type == "application/pdf"
    assert [page.number for page in document.pages] == [1, 2]
    with path.open("rb") as file:
        assert [page.text for page in document.pages] == [page.extract_text() for page in PdfReader(file).pages]
    assert document.warnings == ()


def test_the_layout_of_a_pdf_page_counts_in_its_text(tmp_path: Path) -> None:
    document = read_document(pdf_of(tmp_path / "a.pdf", ["First line.\nSecond line."]))
    page = document.page(1)
    assert [page.text[line.start :].split("\n")[0].strip() for line in page.layout] == ["First line.", "Second line."]
    first, second = page.layout
    assert first.x == second.x
    assert first.y > second.y
    assert first.upright
    assert not first.bold


def test_a_path_may_be_a_string(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(ENGLISH, encoding="utf-8")
    assert read_document(str(tmp_path / "a.txt")).language == "en"


def test_markdown_stays_as_it_stands(tmp_path: Path) -> None:
    text = "# The policy\n\n- **Records** shall be kept.\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    document = read_document(tmp_path / "a.md")
    assert document.media_type == "text/markdown"
    assert document.title == "The policy"
    assert document.pages[0].text == text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Grüße".encode(), "Grüße"),
        (b"\xef\xbb\xbfGr\xc3\xbc\xc3\x9fe", "Grüße"),
        ("Grüße".encode("utf-16"), "Grüße"),
        ("Grüße".encode("cp1252"), "Grüße"),
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
    ],
)
def test_text_is_decoded_whatever_its_encoding(data: bytes, text: str) -> None:
    assert decode("a.txt", data) == text


def test_utf16_that_is_cut_off_is_named() -> None:
    with pytest.raises(ReadError, match="UTF-8"):
        decode("a.txt", b"\xff\xfe\x00")


def test_docx_keeps_headings_lists_and_tables_in_order(tmp_path: Path) -> None:
    docx = new_docx()
    docx.core_properties.title = "The policy"
    docx.add_heading("1 Storage", level=1)
    docx.add_paragraph("The system shall:")
    docx.add_paragraph("encrypt the data;", style="List Bullet")
    table = docx.add_table(rows=2, cols=2)
    for cell, words in zip(
        [c for row in table.rows for c in row.cells], ["ID", "Requirement", "R-1", "Keys are rotated."], strict=True
    ):
        cell.text = words
    docx.add_paragraph("After the table.")
    docx.save(str(tmp_path / "a.docx"))
    document = read_document(tmp_path / "a.docx")
    lines = [line for line in document.pages[0].text.split("\n") if line]
    assert lines == [
        "# 1 Storage",
        "The system shall:",
        "- encrypt the data;",
        "| ID | Requirement |",
        "|---|---|",
        "| R-1 | Keys are rotated. |",
        "After the table.",
    ]
    assert document.title == "The policy"


def test_docx_lists_a_merged_cell_once(tmp_path: Path) -> None:
    docx = new_docx()
    table = docx.add_table(rows=1, cols=3)
    table.rows[0].cells[0].merge(table.rows[0].cells[1]).text = "wide"
    table.rows[0].cells[2].text = "narrow"
    docx.save(str(tmp_path / "a.docx"))
    assert read_document(tmp_path / "a.docx").pages[0].text.startswith("| wide |  | narrow |")


def test_html_becomes_plain_markdown(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        """<!DOCTYPE html><html><head><title>The  policy</title><style>p {}</style></head><body>
        <nav><ul><li>Home</li></ul></nav><h2>2 Access</h2><p>The system <b>shall</b>:</p>
        <ol><li>log access<ul><li>with time</li></ul></li><li>alert</li></ol>
        <table><tr><th>ID</th><th>Requirement</th></tr><tr><td>R-1</td><td>Keys &amp; locks are kept.</td></tr></table>
        <script>ignore()</script><p>Line<br>break</p></body></html>""",
        encoding="utf-8",
    )
    document = read_document(tmp_path / "a.html")
    assert document.title == "The policy"
    assert [line for line in document.pages[0].text.split("\n") if line] == [
        "## 2 Access",
        "The system shall:",
        "1. log access",
        "  - with time",
        "2. alert",
        "| ID | Requirement |",
        "|---|---|",
        "| R-1 | Keys & locks are kept. |",
        "Line",
        "break",
    ]


def test_html_without_ending_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("<html><body><p>The door shall be locked.</p></body></html>", encoding="utf-8")
    assert read_document(tmp_path / "page").media_type == "text/html"


def test_a_pdf_is_known_by_its_content_not_by_its_ending(tmp_path: Path) -> None:
    pdf_of(tmp_path / "a.txt", ["The door shall be locked."])
    assert read_document(tmp_path / "a.txt").media_type == "application/pdf"


def broken_docx(data: bytes = b"PK\x03\x04 and no more") -> bytes:
    return data


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("empty.pdf", b"", "empty"),
        ("blank.txt", b" \n\t\n", "empty"),
        ("zeros.pdf", b"\0" * 100, "empty"),
        ("named.pdf", b"this is no PDF at all", "does not begin like a PDF"),
        ("cut.docx", broken_docx(), "broken or cut off"),
        ("named.docx", b"this is no DOCX", "not a DOCX"),
        ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Office file"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "not supported"),
        ("data.json", b"{}", "not supported"),
        ("text.rtf", b"{\\rtf1 text}", "not supported"),
        ("only-tags.html", b"<html><head><title>x</title></head><body></body></html>", "no text"),
    ],
)
def test_each_file_that_cannot_be_read_gets_one_sentence(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ReadError) as error:
        read_document(tmp_path / name)
    assert error.value.file == name
    assert says in error.value.reason
    assert "\n" not in str(error.value)


def test_an_archive_that_is_no_docx_is_named(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(ReadError, match="not a DOCX"):
        read_document(tmp_path / "a.xlsx")


def test_a_docx_with_broken_xml_is_named(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("word/document.xml", "<w:document")
    with pytest.raises(ReadError, match="broken"):
        read_document(tmp_path / "a.docx")


def test_a_missing_file_a_folder_and_a_wrong_name_are_named(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no such file"):
        read_document(tmp_path / "nothing.pdf")
    with pytest.raises(ReadError, match="folder"):
        read_document(tmp_path)
    with pytest.raises(ReadError):
        read_document("a\0b.pdf")
    with pytest.raises(ReadError):
        read_document(tmp_path / ("x" * 5000))


def test_more_lines_than_any_document_has_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_LINES", 100)
    (tmp_path / "short.txt").write_text("The box must close.\n" * 100)
    (tmp_path / "long.txt").write_text("a-\n" * 101)
    assert read_document(tmp_path / "short.txt")
    with pytest.raises(ReadError, match=r"it has 101 lines, more than the 100 that are read; split it"):
        read_document(tmp_path / "long.txt")


def test_a_too_large_file_is_named_with_both_sizes(tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_bytes(b"a" * 3_000_000)
    with pytest.raises(ReadError, match=r"3 MB.*1 MB"):
        read_document(tmp_path / "big.txt", max_bytes=2**20)
    assert read_document(tmp_path / "big.txt", max_bytes=2**22)


@given(st.binary(max_size=300), st.sampled_from(["a.pdf", "a.docx", "a.txt", "a.md", "a.html", "a"]))
def test_sniffing_gives_a_type_or_a_read_error(data: bytes, name: str) -> None:
    try:
        assert "/" in sniff(name, data)
    except ReadError as error:
        assert error.reason


@pytest.mark.parametrize(
    ("text", "language"),
    [(ENGLISH, "en"), (GERMAN, "de"), (GERMAN.lower(), "de"), ("", "und"), ("Lorem ipsum dolor sit amet", "und")],
)
def test_the_language_is_told_by_function_words(text: str, language: str) -> None:
    assert detect_language(text) == language


FOREIGN = {
    "French": """Chaque unité doit conserver ses documents pendant dix ans après la fin de la procédure. Les employés ne
        doivent pas détruire les documents sans une autorisation écrite de la direction.""",
    "Spanish": """Cada unidad debe conservar sus documentos durante diez años después del fin del procedimiento. Los
        empleados no deben destruir los documentos sin una autorización escrita de la dirección.""",
    "Italian": """Ogni unità deve conservare i suoi documenti per dieci anni dopo la fine della procedura. Gli impiegati
        non devono distruggere i documenti senza una autorizzazione scritta della direzione.""",
    "Portuguese": """Cada unidade deve conservar os seus documentos por dez anos depois do fim do processo. Os
        empregados não devem destruir os documentos sem uma autorização escrita da direção.""",
    "Dutch": """Elke afdeling moet haar documenten tien jaar bewaren na het einde van de procedure. De medewerkers
        mogen de documenten niet vernietigen zonder een schriftelijke toestemming van de directie.""",
    "Polish": """Każda jednostka musi przechowywać swoje dokumenty przez dziesięć lat od końca procedury. Pracownicy nie
        mogą niszczyć dokumentów, które są w archiwum, bez pisemnej zgody dyrekcji oraz komisji do spraw archiwum.""",
    "a script other than Latin": """Каждое подразделение должно хранить свои документы в течение десяти лет после
        окончания процедуры. Сотрудники не должны уничтожать документы без письменного разрешения.""",
}


LOREM = """Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam nonumy eirmod tempor invidunt ut labore et
    dolore magna aliquyam erat, sed diam voluptua. At vero eos et accusam et justo duo dolores et ea rebum. Stet clita kasd
    gubergren, no sea takimata sanctus est."""


@pytest.mark.parametrize("name", FOREIGN)
def test_a_document_in_another_language_is_read_and_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.md").write_text(FOREIGN[name], encoding="utf-8")
    document = read_document(tmp_path / "a.md")
    assert document.language == "und"
    assert document.warnings == (f"the text is in {name}; requirements are found in English and German only",)


@pytest.mark.parametrize("text", [ENGLISH, GERMAN, GERMAN.lower(), LOREM, ""])
def test_english_german_and_no_language_are_not_foreign(text: str) -> None:
    assert foreign_language(text * 20) is None


def test_a_few_foreign_words_make_no_foreign_document() -> None:
    assert foreign_language(FOREIGN["French"] + ENGLISH * 10) is None
    assert foreign_language("la mise en demeure") is None


@given(st.text(max_size=200))
def test_any_text_has_a_language_or_none(text: str) -> None:
    assert foreign_language(text) in {None, *FOREIGN}


def test_a_text_without_function_words_takes_the_default() -> None:
    assert detect_language("Lorem ipsum dolor", default="de") == "de"


def test_a_document_without_capitals_is_noticed(tmp_path: Path) -> None:
    small = read_document(pdf_of(tmp_path / "a.pdf", [GERMAN.lower()]))
    assert is_caseless(small)
    assert not is_caseless(read_document(pdf_of(tmp_path / "b.pdf", [GERMAN])))
    assert small.language == "de"
