"""A requirements tool of others takes our ReqIF and gives it back: nothing is lost on the way.

StrictDoc needs an older tree-sitter than ours, so it stands in an environment of its own: put its `strictdoc` on the
path, or name it in STRICTDOC.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from reqif.parser import ReqIFParser

from echelon.domains.documents.reading import read_document
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.exports import write_reqif

STRICTDOC = os.environ.get("STRICTDOC") or shutil.which("strictdoc")
needs_strictdoc = pytest.mark.skipif(
    not STRICTDOC,
    reason="strictdoc is not on the path (its pins conflict with ours: install it in an environment of its own)",
)
TEXT = """# Port

## 1 Gates

1.1 Gates shall be closed at night.

1.2 Gates <must> be "painted" & oiled, ä ö ü.

| No. | Requirement | Level |
|---|---|---|
| G-1 | Boats shall carry a lamp. | 2 |
"""


def call(*arguments: str) -> None:
    done = subprocess.run([str(STRICTDOC), *arguments], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_strictdoc
def test_there_and_back_again(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text(TEXT, encoding="utf-8")
    document = read_document(tmp_path / "x.md")
    requirements = extract_requirements(document)
    write_reqif(requirements, [document], tmp_path / "x.reqif", datetime(2031, 1, 1, tzinfo=UTC))
    call("convert", str(tmp_path / "x.reqif"), str(tmp_path / "sdoc"))
    (read,) = (tmp_path / "sdoc").glob("*.sdoc")
    text = read.read_text(encoding="utf-8")
    assert re.findall(r"^UID: (R-\d+)$", text, re.M) == [r.id for r in requirements]
    for wanted in [*(r.text for r in requirements), "Level: 2", "MODALITY: obligation", requirements[0].key]:
        assert wanted in text, wanted
    call("export", str(tmp_path / "sdoc"), "--formats", "reqif-sdoc", "--output-dir", str(tmp_path / "back"))
    (back,) = (tmp_path / "back").rglob("*.reqif")
    content = ReqIFParser.parse(str(back)).core_content.req_if_content
    values = [str(attribute.value) for found in content.spec_objects for attribute in found.attributes]
    assert {r.id for r in requirements} <= set(values)
