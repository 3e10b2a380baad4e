"""What all exports have in common: one write or none, and the same bytes each time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from echelon.domains.documents.types import Document
from echelon.domains.requirements import exports
from echelon.domains.requirements.exports.grouping import NO_DOCUMENT, by_document, page_reference
from echelon.domains.requirements.types import Citation, Requirement
from tests.support.requirement_makers import cite, document, requirement, sample

Write = Callable[[Sequence[Requirement], Sequence[Document], Path], None]
WRITERS: list[Write] = [getattr(exports, name) for name in exports.__all__]
each = pytest.mark.parametrize("write", WRITERS, ids=exports.__all__)

PROGRAM = """
import sys
from pathlib import Path
from echelon.domains.requirements import exports
from tests.support.requirement_makers import sample

requirements, policy = sample()
for name in exports.__all__:
    getattr(exports, name)(requirements, [policy], Path(sys.argv[1]) / name)
"""


def test_five_formats() -> None:
    assert exports.__all__ == ["write_csv", "write_html", "write_markdown", "write_reqif", "write_xlsx"]


def test_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    results = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": f"UTC+{seed}"}
        root = Path(__file__).parents[2]
        subprocess.run([sys.executable, "-c", PROGRAM, str(folder)], check=True, env=environment, cwd=root)
        results.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert sorted(results[0]) == exports.__all__
    for result in results:
        # The format demands the time of the change.
        result["write_reqif"] = re.sub(
            rb'LAST-CHANGE="[^"]*"|<CREATION-TIME>[^<]*|REQ-IF-HEADER IDENTIFIER="[^"]*"', b"", result["write_reqif"]
        )
    assert results[0] == results[1]


@each
def test_the_old_file_is_replaced_and_nothing_else_is_left(write: Write, tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.out"
    write([requirement()], [], path)
    first = path.read_bytes()
    write([requirement(), requirement(2)], [], path)
    assert path.read_bytes() != first
    assert list(path.parent.iterdir()) == [path]


@each
def test_a_place_that_cannot_be_written_is_an_error(write: Write, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        write([requirement()], [], tmp_path / "file" / "a.out")


@each
def test_arguments_are_not_changed(write: Write, tmp_path: Path) -> None:
    requirements, policy = sample()
    write(requirements, (policy,), tmp_path / "a.out")
    assert sample() == (requirements, policy)


def test_groups_follow_the_documents_then_the_citations() -> None:
    first, second, empty = document("a", file="1.pdf"), document("b", file="2.pdf"), document("c", file="3.pdf")
    unknown = Citation(document="0.pdf", page=1, quote="z", start=0, end=1)
    requirements = [
        requirement(1),
        requirement(2, citations=(unknown,)),
        requirement(3, citations=(cite(second, 1, "b"), cite(first, 1, "a"))),
        requirement(4, citations=(cite(first, 1, "a"),)),
    ]
    groups = by_document(requirements, [first, second, empty])
    assert [(group.name, group.document, [r.id for r in group.requirements]) for group in groups] == [
        ("1.pdf", first, ["R-0004"]),
        ("2.pdf", second, ["R-0003"]),
        ("0.pdf", None, ["R-0002"]),
        (NO_DOCUMENT, None, ["R-0001"]),
    ]


def test_sections_stand_in_the_order_in_which_they_appear() -> None:
    requirements = [requirement(n, section=name) for n, name in enumerate(["B", "A", None, "B"], start=1)]
    (group,) = by_document(requirements, [])
    assert [(name, [r.id for r in inside]) for name, inside in group.by_section()] == [
        ("B", ["R-0001", "R-0004"]),
        ("A", ["R-0002"]),
        ("", ["R-0003"]),
    ]


def test_page_references() -> None:
    source = document("a", "b")
    assert page_reference(requirement()) == ""
    assert page_reference(requirement(citations=(cite(source, 2, "b"),))) == "page 2"
    assert page_reference(requirement(citations=(cite(source, 2, "b"), cite(source, 1, "a")))) == "pages 1, 2"
