"""What code tells of results beyond a placeholder: filling, claims of nothing, repetitions, and what they were before."""

from __future__ import annotations

import json
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from echelon.domains.requirements import document_files
from echelon.engine.workspace import Workspace
from echelon.tasks.contracts import Check, CheckKind
from echelon.tasks.deliverables import problems_of
from echelon.tasks.results import as_they_were, claiming_none, emptied, wrong_with
from echelon.tasks.texts.absence import against, claims_none
from echelon.tasks.texts.copies import copied, kept, repeats, unchanged
from echelon.tasks.texts.placeholders import emptiness
from echelon.tasks.texts.repetition import same_words
from echelon.tasks.texts.shapes import unshaped

POLICY = """# Policy

1. The operator shall keep a record of each access.
2. The operator must not share passwords with strangers.
3. Visitors may enter the archive when somebody goes with them.
4. Records should be read by the head of the department.
"""
LIST = "List the duties of the policy."
FILLED = [
    ("a.md", "duty " * 30, "repeats its words"),
    ("a.md", "# D\n\n" + "The duties are the duties of it. " * 8, "times"),
    ("a.md", "- keep it\n- mind it\n" * 6, "times"),
    ("a.md", "**Duties**\n\n**Others**\n", "nothing but headings"),
    ("a.md", "Duties:\n\nOthers:\n", "nothing but headings"),
    ("a.html", "<h1>Duties</h1><h2>Others</h2>", "headings"),
    ("a.html", "<table><tr><th>n</th><th>duty</th></tr></table>", "headings"),
    ("a.adoc", "= Duties\n\n== Others\n", "nothing but headings"),
    ("a.md", "| n | duty |\n|---|---|\n| 1 | |\n| 2 | ? |\n", "first column"),
    ("a.csv", "n,duty\n1,\n2,...\n", "first column"),
    ("a.csv", "n,duty\n" + "1,keep\n" * 4, "4 times"),
    ("a.json", json.dumps([{"n": "1", "duty": "keep"}] * 4), "4 times"),
    ("a.json", json.dumps({"duties": [{"n": "1"}] * 4}), "4 times"),
    ("a.json", '{"status": "completed"}', "speaks of the work"),
    ("a.csv", "status\ndone\n", "speaks of the work"),
    ("a.md", '{"name": "write_file", "arguments": {"path": "a"}}', "call of a tool"),
    ("a.json", '{"name": "write_file", "arguments": {"path": "a"}}', "call of a tool"),
    ("a.md", "Task completed successfully.\n", "speaks of the work"),
    ("a.md", "The duties have been extracted and listed.\n", "speaks of the work"),
    ("a.md", "Blah, blah, blah.\n", "placeholders"),
    ("a.md", "ＴＯＤＯ\n", "placeholders"),
    ("a.md", "- keep a record\n- ... and 3 more\n", "leaves something out"),
    ("a.md", "- keep a record\n\n[truncated]\n", "leaves something out"),
    ("a.py", "# to be written\n", "nothing but comments"),
    ("a.py", "import re\n\n\ndef count(x):\n    '''Counts.'''\n    raise NotImplementedError\n", "does nothing"),
]
WRITTEN = [
    ("a.md", "Write who enters,\nand keep the book.\nLet none in,\nand keep the book.\nShut it,\nand keep the book.\n"),
    ("a.md", "Present:\n- one\n\nDecided:\n- two\n"),
    ("a.md", "**Duties**\n\n- keep a record\n"),
    ("a.md", "**1.1**\n\n**1.2**\n"),
    ("a.html", "<table><tr><th>n</th></tr><tr><td>1</td></tr></table>"),
    ("a.html", "<h1>Duties</h1><p><b>keep</b></p>"),
    ("a.adoc", "= Duties\n\nkeep a record\n"),
    ("a.md", "| n | fine |\n|---|---|\n| 1 | - |\n| 2 | - |\n"),
    ("a.csv", "n,binds\n1,yes\n2,yes\n3,yes\n4,yes\n"),
    ("a.csv", "answer\nyes\nyes\nyes\nyes\n"),
    ("a.json", "[1, 1, 1, 1, 1]"),
    ("a.json", '["yes", "yes", "yes", "yes"]'),
    ("a.json", '{"name": "archive", "days": 3}'),
    ("a.md", "- 3 more visitors than before were counted\n"),
    ("a.py", "def count(x):\n    return len(x)\n\n\ndef later(x):\n    pass\n"),
    ("a.py", "print(3)\n"),
    ("__init__.py", '"""A package."""\n'),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    found = Workspace(tmp_path / "job")
    found.create()
    source = tmp_path / "policy.md"
    source.write_text(POLICY, encoding="utf-8")
    document_files.bring_in(found, source, "policy.md", 10_000)
    return found


@pytest.mark.parametrize(("name", "text", "says"), FILLED)
def test_what_is_filled_rather_than_written_is_no_result(name: str, text: str, says: str) -> None:
    assert says in emptiness(f"output/{name}", text)


@pytest.mark.parametrize(("name", "text"), WRITTEN)
def test_what_says_something_is_a_result_in_an_unusual_form_too(name: str, text: str) -> None:
    assert emptiness(f"output/{name}", text) == ""


@given(
    st.lists(
        st.sampled_from(["- keep a record", "+ keep a Record.", "* 'keep a record'", "3. keep: a record!"]), min_size=2
    )
)
def test_signs_and_numbers_of_a_list_make_no_other_item(lines: list[str]) -> None:
    assert {same_words(line) for line in lines} == {"keep a record"}
    check = Check(says="all", kind=CheckKind.FILE, path="output/a.md", items=len(lines))
    assert "differ" in unshaped("output/a.md", "\n".join(lines), check)


def test_a_column_that_a_check_names_may_not_be_mostly_blank_but_may_hold_dashes() -> None:
    check = Check(says="all", kind=CheckKind.FILE, path="output/a.md", keys=("n", "duty", "fine"))
    rows = "| n | duty | fine |\n|---|---|---|\n| 1 | keep | - |\n| 2 | {} | - |\n| 3 | {} | - |\n"
    assert unshaped("output/a.md", rows.format("share", "name"), check) == ""
    assert "most of 'duty' blank" in unshaped("output/a.md", rows.format("", ""), check)


NONE = [
    "None.",
    "# Duties\n\nThe policy contains no duties.",
    "- none",
    "| n | duty |\n|---|---|\n| none | none |",
    "Keine.",
]


@pytest.mark.parametrize("text", NONE)
def test_a_claim_of_nothing_against_the_input_is_told(workspace: Workspace, text: str) -> None:
    workspace.write("output/a.md", text + "\n")
    found = wrong_with(workspace, ["output/a.md"], (), LIST)
    assert "The operator shall keep a record" in str(found[0])
    assert wrong_with(workspace, ["output/a.md"], (), "Which fines does the policy name?") == []


@pytest.mark.parametrize("text", ["[]", '{"duties": []}', '{"duties": "none"}'])
def test_an_empty_list_is_a_claim_of_nothing(workspace: Workspace, text: str) -> None:
    workspace.write("output/a.json", text)
    assert claiming_none(workspace, ["output/a.json"]) == ["output/a.json"]
    assert wrong_with(workspace, ["output/a.json"], (), LIST)
    assert not wrong_with(workspace, ["output/a.json"], (), "List the duties of visitors.")
    workspace.write("output/fines.json", text)
    assert not wrong_with(workspace, ["output/fines.json"], (), LIST), "the file is about something else"


@pytest.mark.parametrize("text", ["- keep a record\n", "3\n", "A record, no fines.\nKeep it.\n", '[{"n": 1}]', ""])
def test_what_says_something_claims_nothing(text: str) -> None:
    assert not claims_none("output/a.json" if text.startswith("[") else "output/a.md", text)


@pytest.mark.parametrize(
    "request_", ["List the duties.", "Which requirements are there?", "Liste die Pflichten der Richtlinie auf."]
)
def test_duties_of_the_whole_input_are_known_by_its_modal_words(request_: str) -> None:
    assert against(request_, "output/a.md", [POLICY])
    assert not against(request_, "output/a.md", ["Cats like fish."])


def test_a_copy_stays_one_in_a_frame_or_with_a_word_before_each_line() -> None:
    lines = [line[3:] for line in POLICY.splitlines() if line[:1].isdigit()]
    assert copied("\n".join(f"Duty: {line}" for line in lines), [POLICY], LIST)
    assert copied("Here they are, all of them:\n\n" + POLICY + "\nThat is all there is.\n", [POLICY], LIST)
    answered = "\n".join(f"{line} ({'no' if 'may' in line else 'binds'})" for line in lines)
    assert not copied(answered, [POLICY], "Which clauses bind?")


def test_where_words_have_to_change_another_title_is_no_change() -> None:
    titled = POLICY.replace("# Policy", "# Richtlinie")
    assert copied(titled, [POLICY], "Translate the policy into German.")
    assert copied(titled, [POLICY], "Correct the policy.")
    assert not copied(titled, [POLICY], "Correct the policy and number its headings.")
    assert not copied(POLICY.replace("strangers", "others"), [POLICY], "Correct the policy.")


def test_the_words_of_the_request_are_no_result(workspace: Workspace) -> None:
    asked = ["List the duties of the policy, each with its number.", "A reader finds each duty there"]
    assert repeats("# Result\n\nA reader finds each duty there.\n".replace("# Result\n\n", ""), asked)
    assert repeats("List the duties of the policy.", ["List the duties of the policy in output/a.md. Be short."])
    assert not repeats("keep a record", asked) and not repeats("No.", asked)
    workspace.write("output/a.md", "List the duties of the policy, each with its number.\n")
    assert "repeats" in str(wrong_with(workspace, ["output/a.md"], (), asked[0])[0])


def test_a_check_that_says_what_the_input_says_may_be_the_result(workspace: Workspace, tmp_path: Path) -> None:
    """A small planner wrote the answer down as a check, and the right answer was refused for repeating it."""
    request, fact, check = "List what is the same.", "Maria brings the projector.", "Maria brings the screen."
    (tmp_path / "plan.md").write_text(f"# Plan\n\n- {fact} We meet in room 4.\n\n{request}\n", encoding="utf-8")
    document_files.bring_in(workspace, tmp_path / "plan.md", "plan.md", 10_000)
    for said, is_refused in ((fact, False), (f"{fact} We meet in room 4.", False), (check, True)):
        workspace.write("output/a.md", f"{said}\n")
        assert bool(wrong_with(workspace, ["output/a.md"], (), request, (said,))) is is_refused, said
    workspace.write("output/a.md", f"{request}\n")
    assert wrong_with(workspace, ["output/a.md"], (), request, (request,)), "the request itself is no result"


def test_files_of_other_names_that_hold_the_same_are_one_result(workspace: Workspace) -> None:
    for path in ("output/a.md", "output/b.md", "output/a.txt", "output/parts/a.md"):
        workspace.write(path, "- keep a record of each access\n")
    assert "holds the same" in str(wrong_with(workspace, ["output/a.md", "output/b.md"], (), "")[0])
    assert not wrong_with(workspace, ["output/a.md", "output/a.txt", "output/parts/a.md"], (), "")


def test_signs_and_the_order_of_lines_are_no_change_unless_an_order_is_asked_for(workspace: Workspace) -> None:
    workspace.write("output/a.md", "- keep a record\n- share nothing\n")
    before = workspace.commit("one")
    workspace.write("output/a.md", "1. Share nothing.\n2. Keep a record.\n")
    assert as_they_were(workspace, ["output/a.md"], before, "List them.") == ["output/a.md"]
    assert as_they_were(workspace, ["output/a.md"], before, "Sort them.") == []
    workspace.write("output/a.md", "- keep a record\n- share nothing\n- name it\n")
    assert as_they_were(workspace, ["output/a.md"], before, "List them.") == []
    assert as_they_were(workspace, ["output/new.md"], before, "List them.") == []


def test_in_code_a_sign_is_a_change(workspace: Workspace) -> None:
    workspace.write("output/a.py", "x = a - b\n")
    before = workspace.commit("one")
    workspace.write("output/a.py", "x = a * b\n")
    assert as_they_were(workspace, ["output/a.py"], before, "Mend it.") == []


def test_a_result_that_lost_its_words_is_emptied_unless_they_stand_elsewhere(workspace: Workspace) -> None:
    workspace.write("output/a.md", "- keep a record of each access\n- share no passwords\n")
    before = workspace.commit("one")
    workspace.write("output/a.md", "1. Open the book.\n")
    assert emptied(workspace, ["output/a.md"], before, ["output/a.md"]) == ["output/a.md"]
    workspace.write("output/b.md", "| keep a record of each access |\n| share no passwords |\n")
    assert emptied(workspace, ["output/a.md"], before, ["output/a.md", "output/b.md"]) == []


@given(st.text(max_size=200))
@settings(max_examples=60)
def test_a_text_is_unchanged_against_itself_and_keeps_all_its_words(text: str) -> None:
    assert unchanged(text, text) and kept(text, [text]) == 1.0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md", b"TODO\0\n"),
        ("a.docx", b"PK\x03\x04 nothing"),
        ("a.pdf", b"%PDF-1.7\nnothing"),
        ("a.png", b"\x89PNG no"),
    ],
)
def test_what_nobody_can_open_is_no_result(workspace: Workspace, name: str, content: bytes) -> None:
    real = workspace.path(f"output/{name}")
    real.parent.mkdir(exist_ok=True)
    real.write_bytes(content)
    assert problems_of(workspace, f"output/{name}", ())
