"""Read a document: PDF, DOCX, HTML, Markdown or plain text, told apart by content."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from echelon.domains.documents.language import UNKNOWN, detect_language, foreign_language
from echelon.domains.documents.rest import is_rest, rest_elements
from echelon.domains.documents.types import Document, Page, ReadError

MAX_BYTES = 200 * 1024 * 1024
MAX_LINES = 500_000
"""Lines of a document that is no PDF: ten times those of the longest standards. Each line costs, however short."""
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
HTML = "text/html"
MARKDOWN = "text/markdown"
REST = "text/x-rst"
TEXT = "text/plain"
SUPPORTED = "PDF, DOCX, HTML, Markdown, reStructuredText or plain text"


def read_document(path: str | Path, max_bytes: int = MAX_BYTES) -> Document:
    """Read one document.

    `path` is a PDF, DOCX, HTML, Markdown or text file; the content decides, not the ending. `max_bytes` is the largest
    file that is read. The text of a PDF page is exactly pypdf's `extract_text()`; the other formats have one page:
    Markdown and text as they stand in the file, DOCX and HTML as plain Markdown (headings, lists, tables in order).

    Raises ReadError (file, one sentence with what to do) when there is no such file, it is a folder, empty, too large,
    encrypted, broken, without any text, or of another type. A single page without text is named in `warnings`.
    """
    path = Path(path)
    data = _bytes(path, max_bytes)
    media_type = sniff(path.name, data)
    if media_type == PDF:
        from echelon.domains.documents.pdf import read_pdf

        pages, title, warnings = read_pdf(path.name, data)
    else:
        page, title, warnings, media_type = _one_page(path.name, data, media_type)
        if not page.text.strip():
            raise ReadError(path.name, "there is no text in the file; check that it is the right one")
        if (lines := page.text.count("\n")) > MAX_LINES:
            raise ReadError(path.name, f"it has {lines:,} lines, more than the {MAX_LINES:,} that are read; split it")
        pages = (page,)
    beginning = "\n".join(page.text for page in pages[:200])
    language = detect_language(beginning)
    if foreign := foreign_language(beginning):
        language = UNKNOWN
        warnings = (*warnings, f"the text is in {foreign}; requirements are found in English and German only")
    return Document(
        file=path.name,
        sha256=hashlib.sha256(data).hexdigest(),
        media_type=media_type,
        pages=pages,
        language=language,
        title=title,
        warnings=warnings,
    )


def read_as_json(path: str, max_bytes: int) -> str:
    """The document as JSON. It stands here, so that a process which does nothing else imports no more than this."""
    return read_document(path, max_bytes).model_dump_json()


def _bytes(path: Path, max_bytes: int) -> bytes:
    name = path.name or str(path)
    try:
        if path.is_dir():
            raise ReadError(name, "this is a folder; name the files in it")
        if not path.exists():
            raise ReadError(name, "there is no such file; check the name and the folder")
        if not path.is_file():
            raise ReadError(
                name, "this is no ordinary file but a pipe, a socket or a device; save what it gives to a file"
            )
        size = path.stat().st_size
        if size > max_bytes:
            raise ReadError(
                name, f"the file has {size / 2**20:.0f} MB, more than the {max_bytes / 2**20:.0f} MB allowed; split it"
            )
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise ReadError(name, f"the file cannot be opened ({error}); check its name and its rights") from error
    if not data.strip(b"\0 \t\r\n"):
        raise ReadError(name, "the file is empty; get a complete copy")
    return data


def sniff(name: str, data: bytes) -> str:
    """Media type by content; the ending of `name` only tells text formats apart. Raises ReadError for other types."""
    if b"%PDF-" in data[:1024]:
        return PDF
    if data.startswith(b"PK\x03\x04"):
        return _sniff_zip(name, data)
    suffix = Path(name).suffix.lower()
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise ReadError(name, "this is an old Office file or an encrypted one; save it as DOCX without a password")
    if suffix == ".pdf":
        raise ReadError(name, "the file does not begin like a PDF: it is broken or another type; get a complete copy")
    if suffix == ".docx":
        raise ReadError(name, "the file is not a DOCX although it is named so: it is broken or another type")
    head = data[:4096]
    utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\0" in head and not utf16:
        raise ReadError(name, f"this type of file is not supported; use {SUPPORTED}")
    text = decode(name, data)[:200_000].lstrip().lower()
    if suffix in {".htm", ".html", ".xhtml"} or text.startswith(("<!doctype html", "<html")):
        return HTML
    if text.startswith(("{\\rtf", "<?xml", "<svg")) or suffix in {".json", ".csv", ".xml", ".rtf"}:
        raise ReadError(name, f"this type of file is not supported; use {SUPPORTED}")
    if suffix in {".md", ".markdown", ".mdown"}:
        return MARKDOWN
    return REST if suffix in {".rst", ".rest"} or is_rest(text) else TEXT


def _sniff_zip(name: str, data: bytes) -> str:
    try:
        with ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
    except BadZipFile as error:
        raise ReadError(name, "the DOCX or ZIP file is broken or cut off; get a complete copy") from error
    if "word/document.xml" in names:
        return DOCX
    raise ReadError(name, f"this is an archive or another Office file, not a DOCX; use {SUPPORTED}")


def decode(name: str, data: bytes) -> str:
    """Text of a file: UTF-8 (with or without mark), UTF-16 with mark, else Windows-1252; line ends become `\\n`."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig", "cp1252", "latin-1"]
    for encoding in encodings:
        try:
            return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue
    raise ReadError(name, "the text cannot be decoded; save it as UTF-8")


def _one_page(name: str, data: bytes, media_type: str) -> tuple[Page, str | None, tuple[str, ...], str]:
    """The text of a format without pages as one page, its title, warnings, and the type that it turned out to be."""
    if media_type == DOCX:
        from echelon.domains.documents.docx.reader import read_docx

        text, title, elements = read_docx(name, data)
        return Page(number=1, text=text, elements=elements), title, (), media_type
    text = decode(name, data)
    if media_type == HTML:
        from echelon.domains.documents.html.reader import read_html

        page = read_html(text)
        kind = TEXT if page.plain else HTML
        return Page(number=1, text=page.text, elements=page.elements), page.title, page.warnings, kind
    if media_type == MARKDOWN:
        from echelon.domains.documents.markdown.reader import markdown_elements

        title = next((line[2:].strip() for line in text.splitlines() if line.startswith("# ")), None)
        return Page(number=1, text=text, elements=markdown_elements(text)), title, (), media_type
    if media_type == REST:
        return Page(number=1, text=text, elements=rest_elements(text)), None, (), media_type
    return Page(number=1, text=text), None, (), media_type
