"""CSV and XLSX: what comes back is what went in, nothing is computed, and the bytes do not change."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from echelon.domains.documents.types import Document
from echelon.domains.requirements.exports import write_csv, write_xlsx
from echelon.domains.requirements.exports.cells import COLUMNS, looks_like_formula, row_of, xml_safe
from echelon.domains.requirements.types import Citation, Requirement
from echelon.shown import visible_lines
from tests.support.requirement_makers import NASTY, cite, document, requirement, requirement_sets, sample

Set = tuple[list[Requirement], list[Document]]
shared_folder = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def read_csv(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def sheet_of(path: Path, name: str = "Requirements") -> Worksheet:
    sheet = load_workbook(path)[name]
    assert isinstance(sheet, Worksheet)
    return sheet


def rows_of(sheet: Worksheet) -> list[dict[str, str]]:
    header, *rows = [[_shown(cell.value) for cell in row] for row in sheet.iter_rows()]
    return [dict(zip(header, row, strict=True)) for row in rows]


def _shown(value: object) -> str:
    """The text of a cell; numbers as the table of columns writes them."""
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def test_numbers_of_a_workbook_are_numbers(tmp_path: Path) -> None:
    source = document("Foreword", "3.10 The archive shall be open.")
    one = requirement(source_id="3.10", citations=(cite(source, 2, "The archive shall be open."),))
    write_xlsx([one], [source], tmp_path / "a.xlsx")
    row = sheet_of(tmp_path / "a.xlsx")[2]
    found = dict(zip(COLUMNS, (cell.value for cell in row), strict=True))
    assert (found["confidence"], found["pages"], found["source_id"]) == (0.9, 2, "3.10")
    assert sheet_of(tmp_path / "a.xlsx", "Documents")[2][2].value == 2


def test_row_of_a_requirement() -> None:
    source = document("Foreword", "1.1 The archive shall be open.")
    row = row_of(
        requirement(
            7, source_id="1.1", citations=(cite(source, 2, "The archive shall be open."),), categories=("a", "b")
        )
    )
    assert list(row) == list(COLUMNS)
    assert (row["id"], row["source_id"], row["modality"], row["confidence"]) == ("R-0007", "1.1", "obligation", "0.90")
    assert (row["document"], row["pages"], row["quote"]) == ("policy.pdf", "2", "The archive shall be open.")
    assert row["categories"] == "a, b"


def test_pages_of_a_quote_over_a_page_break() -> None:
    source = document("The archive", "shall be open.")
    row = row_of(requirement(citations=(cite(source, 2, "shall be open."), cite(source, 1, "The archive"))))
    assert row["pages"] == "1, 2"


@shared_folder
@given(requirement_sets())
def test_csv_brings_every_cell_back(tmp_path: Path, given_set: Set) -> None:
    requirements, documents = given_set
    write_csv(requirements, documents, tmp_path / "a.csv")
    expected = [
        {
            name: f"'{visible_lines(cell)}" if looks_like_formula(cell) else visible_lines(cell)
            for name, cell in row_of(r).items()
        }
        for r in requirements
    ]
    found = read_csv(tmp_path / "a.csv")
    assert found == expected
    assert not any(looks_like_formula(cell) for row in found for cell in row.values())


def test_csv_opens_in_spreadsheets(tmp_path: Path) -> None:
    write_csv([requirement(text='Prüfung, "jetzt"')], [], tmp_path / "a.csv")
    data = (tmp_path / "a.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbfid,source_id,text,")
    assert data.count(b"\r\n") == 2
    assert '"Prüfung, ""jetzt"""'.encode() in data


@shared_folder
@given(requirement_sets())
def test_xlsx_brings_every_cell_back(tmp_path: Path, given_set: Set) -> None:
    requirements, documents = given_set
    write_xlsx(requirements, documents, tmp_path / "a.xlsx")
    expected = [{name: xml_safe(cell) for name, cell in row_of(one).items()} for one in requirements]
    # XML and Excel differ in which line breaks they keep apart.
    found = [row | {"confidence": f"{float(row['confidence']):.2f}"} for row in rows_of(sheet_of(tmp_path / "a.xlsx"))]
    assert [_one_break(row) for row in found] == [_one_break(row) for row in expected]
    files = [_one_break(row)["file"] for row in rows_of(sheet_of(tmp_path / "a.xlsx", "Documents"))]
    assert files == [_one_break({"file": xml_safe(one.file)})["file"] for one in documents]


def _one_break(row: dict[str, str]) -> dict[str, str]:
    return {name: re.sub("\r\n?", "\n", cell) for name, cell in row.items()}


@pytest.mark.parametrize("text", NASTY)
def test_no_cell_of_a_workbook_is_computed(tmp_path: Path, text: str) -> None:
    write_xlsx([requirement(text=text)], [], tmp_path / "a.xlsx")
    cell = sheet_of(tmp_path / "a.xlsx").cell(2, list(COLUMNS).index("text") + 1)
    assert cell.data_type in ("s", "inlineStr")
    assert bool(cell.quotePrefix) == looks_like_formula(text)
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")


def test_a_cell_holds_no_more_than_excel_allows(tmp_path: Path) -> None:
    write_xlsx([requirement(text="x" * 40_000)], [], tmp_path / "a.xlsx")
    (row,) = rows_of(sheet_of(tmp_path / "a.xlsx"))
    assert len(row["text"]) == 32_767


def test_workbook_has_a_filter_and_a_fixed_header(tmp_path: Path) -> None:
    requirements, policy = sample()
    write_xlsx(requirements, [policy], tmp_path / "a.xlsx")
    sheet = sheet_of(tmp_path / "a.xlsx")
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == f"A1:Y{len(requirements) + 1}"
    (source,) = rows_of(sheet_of(tmp_path / "a.xlsx", "Documents"))
    assert (source["file"], source["pages"], source["sha256"]) == (policy.file, "9", policy.sha256)


def test_no_requirements_give_a_header_alone(tmp_path: Path) -> None:
    write_csv([], [], tmp_path / "a.csv")
    write_xlsx([], [], tmp_path / "a.xlsx")
    assert read_csv(tmp_path / "a.csv") == []
    assert rows_of(sheet_of(tmp_path / "a.xlsx")) == []


def test_workbook_holds_no_time(tmp_path: Path) -> None:
    write_xlsx([requirement()], [], tmp_path / "a.xlsx")
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        core = archive.read("docProps/core.xml").decode()
    assert set(re.findall(r"\d{4}-\d\d-\d\dT[\d:]+Z", core)) == {"1980-01-01T00:00:00Z"}


def test_a_citation_of_an_unknown_document_is_kept(tmp_path: Path) -> None:
    citation = Citation(document="gone.pdf", page=3, quote="x", start=0, end=1)
    write_csv([requirement(citations=(citation,))], [], tmp_path / "a.csv")
    (row,) = read_csv(tmp_path / "a.csv")
    assert (row["document"], row["pages"]) == ("gone.pdf", "3")
