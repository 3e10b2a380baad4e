"""The other columns of a table and the other fields of a card stand in every output; keys stay where numbers move."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest

from echelon.domains.documents.reading import read_document
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.exports import write_csv, write_html, write_markdown, write_reqif, write_xlsx
from echelon.domains.requirements.types import Requirement
from tests.requirements.rendering import grid, para, render, title

ROWS = [["No.", "Requirement", "Level", "CWE", "Target value"]] + [
    [f"B-{n}", f"Berth {n} shall be kept free of ice in winter.", str(n), f"CWE-{70 + n}", f"{n} mm"]
    for n in range(1, 8)
]
WANTED = [{"Level": str(n), "CWE": f"CWE-{70 + n}", "Target value": f"{n} mm"} for n in range(1, 8)]


def markdown(path: Path, rows: list[list[str]], before: str = "") -> Path:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    text = "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])
    path.write_text(f"# Berths\n\n{before}{text}\n", encoding="utf-8")
    return path


def found(path: Path) -> list[Requirement]:
    return extract_requirements(read_document(path))


def test_other_columns_of_a_markdown_table(tmp_path: Path) -> None:
    assert [r.attributes for r in found(markdown(tmp_path / "x.md", ROWS))] == WANTED


def test_other_columns_of_a_printed_table(tmp_path: Path) -> None:
    path = render(tmp_path / "x.pdf", [title("Berths"), para("Read this."), grid(ROWS, [40, 220, 40, 60, 80])])
    assert [r.attributes for r in found(path)] == WANTED


def test_fields_of_cards(tmp_path: Path) -> None:
    cards = [
        f"**ID:** B-{n}\n**Text:** Berth {n} is free of ice.\n**Verification:** Look at {n} o'clock.\n"
        for n in range(5)
    ]
    (tmp_path / "x.md").write_text("# Berths\n\n" + "\n\n".join(cards), encoding="utf-8")
    assert [r.attributes for r in found(tmp_path / "x.md")] == [
        {"verification": f"Look at {n} o'clock."} for n in range(5)
    ]


def test_text_without_a_table_has_none(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("# Berths\n\nEach berth shall be free of ice.\n", encoding="utf-8")
    assert [r.attributes for r in found(tmp_path / "x.md")] == [{}]


def test_they_stand_in_every_output(tmp_path: Path) -> None:
    document = read_document(markdown(tmp_path / "x.md", ROWS))
    requirements = extract_requirements(document)
    write_csv(requirements, [document], tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["attributes"] for row in csv.DictReader(file)][2] == "Level: 3; CWE: CWE-73; Target value: 3 mm"
    write_markdown(requirements, [document], tmp_path / "x.out.md")
    write_html(requirements, [document], tmp_path / "x.html")
    write_reqif(requirements, [document], tmp_path / "x.reqif", datetime(2031, 1, 1, tzinfo=UTC))
    for name in ("x.out.md", "x.html", "x.reqif"):
        assert "Target value: 3 mm" in (tmp_path / name).read_text(encoding="utf-8"), name
    assert '"Target value":"3 mm"' in requirements[2].model_dump_json()


def test_they_stand_in_the_workbook(tmp_path: Path) -> None:
    from openpyxl import load_workbook

    document = read_document(markdown(tmp_path / "x.md", ROWS))
    write_xlsx(extract_requirements(document), [document], tmp_path / "x.xlsx")
    rows = list(load_workbook(tmp_path / "x.xlsx").worksheets[0].values)
    assert rows[3][rows[0].index("attributes")] == "Level: 3; CWE: CWE-73; Target value: 3 mm"


@pytest.mark.parametrize(
    "before", ["", "Each boat shall carry a lamp of its own.\n\n"], ids=["same", "one more before"]
)
def test_a_requirement_keeps_its_key_when_another_one_comes_before_it(tmp_path: Path, before: str) -> None:
    keys = {r.source_id: r.key for r in found(markdown(tmp_path / "x.md", ROWS))}
    (tmp_path / "new").mkdir()
    later = {r.source_id: r.key for r in found(markdown(tmp_path / "new" / "x.md", ROWS, before)) if r.source_id}
    assert later == keys
    assert len(set(keys.values())) == 7
