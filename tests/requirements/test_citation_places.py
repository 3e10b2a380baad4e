"""Where a citation stands in a document without pages: below which heading, in which paragraph; never on a page."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from echelon.domains.documents.reading import read_document
from echelon.domains.documents.types import Document
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.checks import check_requirements
from echelon.domains.requirements.exports.csv import write_csv
from echelon.domains.requirements.exports.html import write_html
from echelon.domains.requirements.exports.markdown import write_markdown
from echelon.domains.requirements.exports.reqif import write_reqif
from echelon.domains.requirements.types import Citation, Place
from tests.support.documents import pdf_of

MARKDOWN = """# Rules

The operator must keep a log.

## 2.1 Backups

Backups are described here.

The operator must test each backup.

- The operator must keep the tapes.
"""


@pytest.fixture
def rules(tmp_path: Path) -> Document:
    path = tmp_path / "rules.md"
    path.write_text(MARKDOWN, encoding="utf-8")
    return read_document(path)


def test_a_citation_names_section_and_paragraph_and_no_page(rules: Document) -> None:
    requirements = extract_requirements(rules)
    cited = [(c.page, c.place) for r in requirements for c in r.citations]
    assert cited == [
        (None, Place(section="Rules", paragraph=1)),
        (None, Place(section="Rules > 2.1 Backups", paragraph=2)),
        (None, Place(section="Rules > 2.1 Backups", paragraph=3)),
    ]
    assert check_requirements(rules, requirements) == []
    assert requirements[1].citations[0].where == "section 2.1 Backups, paragraph 2"


def test_forty_chapters_of_a_docx_are_not_all_on_page_one(tmp_path: Path) -> None:
    from docx import Document as new_docx

    made = new_docx()
    for chapter in range(1, 41):
        made.add_heading(f"Chapter {chapter}", level=1)
        made.add_paragraph(f"The supplier must deliver part {chapter}.")
        made.add_page_break()
    made.save(str(tmp_path / "long.docx"))
    requirements = extract_requirements(read_document(tmp_path / "long.docx"))
    assert [r.citations[0].where for r in requirements] == [f"section Chapter {n}, paragraph 1" for n in range(1, 41)]


def test_a_pdf_keeps_its_pages(tmp_path: Path) -> None:
    document = read_document(pdf_of(tmp_path / "a.pdf", ["Nothing binds here.", "The operator must keep a log."]))
    (citation,) = extract_requirements(document)[0].citations
    assert (citation.page, citation.place, citation.where) == (2, None, "page 2")


def test_every_export_names_the_place_and_none_a_page(rules: Document, tmp_path: Path) -> None:
    requirements = extract_requirements(rules)
    write_csv(requirements, [rules], tmp_path / "r.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text(encoding="utf-8-sig"))))
    assert [row["pages"] for row in rows] == ["", "", ""]
    assert rows[1]["place"] == "section 2.1 Backups, paragraph 2"
    for write, name in ((write_markdown, "r.md"), (write_html, "r.html"), (write_reqif, "r.reqif")):
        write(requirements, [rules], tmp_path / name)
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "2.1 Backups, paragraph 2" in text.replace("\\", "")
        assert "page 1" not in text


def test_the_report_opens_the_place(rules: Document, tmp_path: Path) -> None:
    write_html(extract_requirements(rules), [rules], tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<a class="open" href="#d1p1" data-requirement="R-0002">section 2.1 Backups, paragraph 2</a>' in html
    assert '<mark data-requirements="R-0002">The operator must test each backup.</mark>' in html


def test_what_was_stored_before_places_still_loads() -> None:
    stored = {"document": "a.md", "page": 1, "quote": "x", "start": 0, "end": 1}
    assert Citation.model_validate_json(json.dumps(stored)).where == "page 1"
