"""Documents that cannot be read: named in one sentence, exit code 2, no folder of the job is left."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.command import Shell
from tests.support import documents

CLAUSES = ["1.1 The archive shall keep box 1 for 5 days."]


def test_unreadable_files_are_named_and_leave_nothing(shell: Shell) -> None:
    documents.encrypted_pdf(shell.folder / "locked.pdf", CLAUSES)
    documents.scanned_pdf(shell.folder / "scan.pdf", CLAUSES)
    documents.truncated_pdf(shell.folder / "cut.pdf", CLAUSES)
    documents.garbage_file(shell.folder / "noise.docx")
    (shell.folder / "good.md").write_text("The clerk shall sign.")
    expected = {
        "locked.pdf": "locked.pdf: the PDF is encrypted and needs a password",
        "scan.pdf": "scan.pdf: no page of the PDF has text",
        "cut.pdf": "cut.pdf: the PDF is broken or cut off",
        "good.md noise.docx": "noise.docx: the file is not a DOCX",
    }
    outcomes = shell.all_of([["run", "creator", *files.split(), "--out", "results"] for files in expected])
    for (files, says), outcome in zip(expected.items(), outcomes, strict=True):
        assert outcome.code == 2, files
        assert outcome.sentence.startswith(says), files
        assert outcome.out.startswith("job creator-") and "is completed" not in outcome.out, files
    assert not list((shell.folder / ".echelon" / "jobs").iterdir())
    assert not (shell.folder / "results").exists()

    text, rows = shell.all_of([["jobs"], ["jobs", "--json"]])
    assert [row["state"] for row in json.loads(rows.out)] == ["rejected"] * len(expected)
    for row, says in zip(json.loads(rows.out), reversed(expected.values()), strict=True):
        assert row["reason"].startswith(says)
        assert row["reason"] in text.out
    rejected = json.loads(rows.out)[0]["job"]
    resume, show = shell.all_of([["resume", rejected], ["show", rejected]])
    assert (resume.code, resume.sentence) == (2, f"Job {rejected} is rejected; there is nothing to go on with.")
    assert show.out.startswith(f"Job {rejected} was rejected\n  why ")


def test_a_rejected_job_is_one_json_value_and_a_sentence(shell: Shell) -> None:
    documents.garbage_file(shell.folder / "noise.pdf")
    outcome = shell.echelon("run", "creator", "noise.pdf", "--json")
    value = json.loads(outcome.out)
    assert (outcome.code, value["exit_code"], value["state"], value["outputs"]) == (2, 2, "rejected", [])
    assert outcome.sentence == value["reason"]


def test_a_page_that_cannot_be_read_shows_in_the_exit_code_and_equal_names_are_told_apart(shell: Shell) -> None:
    documents.scanned_pdf(shell.folder / "half.pdf", [*CLAUSES, "2.1 The clerk must sign."], text_pages=[2])
    (shell.folder / "more").mkdir()
    (shell.folder / "rules.md").write_text("# Rules\n\nThe clerk shall lock the door.\n")
    (shell.folder / "more" / "rules.md").write_text("# Rules\n\nThe porter must not leave the gate.\n")
    outcome = shell.echelon("run", "creator", "half.pdf", "rules.md", "more/rules.md", "--json")
    value = json.loads(outcome.out)
    assert (outcome.code, value["exit_code"], value["state"], outcome.err) == (3, 3, "completed", "")
    assert value["warnings"] == ["half.pdf: page 1 has no text (a picture or blank): nothing was read from it"]
    results = next(path for path in value["outputs"] if path.endswith("requirements.json"))
    found = json.loads(Path(results).read_text(encoding="utf-8"))
    assert [d["file"] for d in found["documents"]] == ["half.pdf", "rules-2.md", "rules.md"]
    assert {r["citations"][0]["document"] for r in found["requirements"]} == {"half.pdf", "rules-2.md", "rules.md"}
    assert "The porter must not leave the gate." in {r["text"] for r in found["requirements"]}


def test_a_pipe_is_refused_before_anything_waits_for_it(tmp_path: Path) -> None:
    from echelon.errors import UserError
    from echelon.service.inputs import checked_input

    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(UserError, match="no ordinary file"):
        checked_input(tmp_path / "pipe.txt", 1)
