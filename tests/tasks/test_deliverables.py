"""What code can tell of a deliverable: whatever holds nothing is said, and what holds something passes in any form."""

from __future__ import annotations

import json

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from echelon.engine.workspace import Workspace
from echelon.tasks.contracts import Check, CheckKind
from echelon.tasks.deliverables import is_text, named_in, problems_of, stands_for
from echelon.tasks.texts.copies import copied
from echelon.tasks.texts.placeholders import emptiness, is_placeholder, sections
from echelon.tasks.texts.shapes import counted, unshaped

WORDS = st.lists(
    st.sampled_from(["keep", "record", "archive", "visitor", "share", "password", "yearly", "review", "head", "day"]),
    min_size=3,
    max_size=9,
)
LINES = st.lists(WORDS.map(" ".join), min_size=2, max_size=6, unique=True)
HOLLOW = st.sampled_from(
    [
        "TODO",
        "tbd",
        "- ...",
        "[insert the duties here]",
        "<text>",
        "???",
        "- [ ]",
        "folgt noch",
        "Lorem ipsum dolor sit.",
        "---",
        "",
        "  ",
    ]
)
POLICY = "\n".join(
    f"{n}. The operator shall {verb} the {thing} of the archive each year."
    for n, (verb, thing) in enumerate(
        [("keep", "records"), ("review", "passwords"), ("close", "doors"), ("count", "visitors"), ("name", "keys")], 1
    )
)


@given(st.lists(HOLLOW, max_size=6), st.sampled_from([".md", ".txt", "", ".adoc"]))
def test_placeholders_alone_hold_nothing_however_many(lines: list[str], ending: str) -> None:
    assert emptiness(f"output/a{ending}", "\n".join(["# Duties", *lines]))


@given(LINES, st.sampled_from([".md", ".txt", "", ".html", ".csv"]))
def test_lines_of_words_hold_something_in_any_form(lines: list[str], ending: str) -> None:
    text = "".join(f"<p>{line}</p>\n" for line in lines) if ending == ".html" else "\n".join(lines) + "\n"
    assert emptiness(f"output/a{ending}", text) == ""


@given(LINES, HOLLOW.filter(str.strip))
def test_one_line_that_says_something_makes_a_text_no_placeholder(lines: list[str], hollow: str) -> None:
    assert is_placeholder(hollow) and not is_placeholder(f"{hollow}\n{lines[0]}")


@given(LINES, st.integers(0, 5))
def test_a_heading_without_anything_below_is_found_wherever_it_stands(lines: list[str], place: int) -> None:
    parts = [f"## Part {n}\n\n{line}\n" for n, line in enumerate(lines)]
    parts.insert(min(place, len(parts)), "## Hollow\n\nto be completed\n")
    assert "Hollow" in emptiness("output/a.md", "\n".join(parts))


@given(
    st.recursive(
        st.sampled_from(["", "TODO", "tbd", None, "..."]),
        lambda v: st.lists(v, min_size=1) | st.dictionaries(st.sampled_from("abc"), v, min_size=1),
        max_leaves=6,
    )
)
def test_data_of_placeholders_is_found_at_any_depth(value: object) -> None:
    assert emptiness("output/a.json", json.dumps(value)) and emptiness("output/a.yaml", json.dumps(value))


SAYS = {
    "broken JSON": ("a.json", "{"),
    "an empty object": ("a.json", "{}"),
    "null": ("a.json", "null"),
    "items without words": ("a.json", "[{}]"),
    "broken lines": ("a.jsonl", '{"a": 1}\n{'),
    "broken YAML": ("a.yaml", "a: [1\n b: : c"),
    "a header": ("a.csv", "number,duty\n"),
    "open cells": ("a.csv", "number,duty\n1.1,TBD\n"),
    "empty tags": ("a.html", "<html><title>Duties</title><ul><li></li></ul></html>"),
    "unseen characters": ("a.md", "\u200b\ufeff"),
    "a comment": ("a.md", "# A\n\n<!-- here -->\n"),
    "front matter": ("a.md", "---\ntitle: A\n---\n"),
    "a table's header": ("a.md", "| a | b |\n|---|---|\n"),
    "an open item": ("a.md", "- 1.1 keep\n- TODO\n"),
    "an open cell in a table": ("a.md", "| a | b |\n|---|---|\n| 1 | TBD |\n"),
    "the rest": ("a.md", "- 1.1 keep\n\n(remaining duties omitted)\n"),
    "an announcement": ("a.md", "# A\n\nAll of them stand there.\n\nThe duties are as follows:\n"),
    "an excuse": ("a.md", "I am sorry, I cannot do this.\n"),
    "a promise": ("a.md", "I will list the duties.\n"),
    "done": ("a.md", "Done.\n"),
    "talk": ("a.md", "This file lists all duties.\n"),
    "one line": ("a.md", "- keep it\n" * 6),
    "the input": ("a.md", "See the input.\n"),
}
HOLDS = {
    "no items": ("a.json", "[]"),
    "nought": ("a.json", "0"),
    "false values": ("a.json", '{"a": false}'),
    "records": ("a.jsonl", '{"a": 1}\n{"a": 2}\n'),
    "a number": ("a.txt", "3"),
    "a letter": ("a.txt", "B\n"),
    "none": ("a.md", "None.\n"),
    "a pledge": ("a.md", "We keep a record of each access.\n"),
    "not found": ("a.md", "I could not find any fines.\n"),
    "empty cells": ("a.md", "| a | b |\n|---|---|\n| 1 | |\n| 2 | - |\n"),
    "a drawing": ("a.svg", "<svg><rect/></svg>"),
    "comments in code": ("a.py", "# one\n# two\nprint(1)\n"),
    "a description": ("a.md", "The document contains five clauses.\n"),
    "quoted dots": ("a.md", "He said\n...\nand left.\n"),
    "attributes": ("a.xml", '<duty number="1.1"/>'),
}


@pytest.mark.parametrize("name", SAYS)
def test_what_holds_nothing_is_said(name: str) -> None:
    assert emptiness(*SAYS[name])


@pytest.mark.parametrize("name", HOLDS)
def test_what_is_unusual_and_holds_something_passes(name: str) -> None:
    assert emptiness(*HOLDS[name]) == ""


def test_open_places_are_right_where_they_were_asked_for() -> None:
    text = "- 1.1 keep\n- TODO\n"
    assert emptiness("a.md", text, "List the duties.") and not emptiness("a.md", text, "List the TODOs.")
    assert emptiness("a.md", "TODO\n", "List the TODOs."), "nothing at all never is"


@given(st.permutations(POLICY.splitlines()), st.sampled_from(["", "> ", "- ", "* "]), st.booleans(), st.integers(1, 3))
def test_a_copy_is_one_in_any_order_dress_and_number(lines: list[str], mark: str, is_loud: bool, times: int) -> None:
    text = "\n".join(f"{mark}{line}" for line in lines) + "\n"
    text = text.upper() if is_loud else text
    assert copied(text * times, [POLICY], "List the duties.")


@given(LINES, st.integers(0, 2))
def test_a_part_with_words_of_its_own_is_no_copy(lines: list[str], kept: int) -> None:
    assert not copied("\n".join([*POLICY.splitlines()[:kept], *lines]), [POLICY], "List the duties.")


MARCH = (
    "# Plan of March\n\n- We meet on Monday in room 4.\n- Maria brings the projector.\n- Lunch costs 12 euros each.\n"
)
APRIL = (
    "# Plan of April\n\n- We meet on Tuesday in room 7.\n- Maria brings the projector.\n- Lunch costs 14 euros each.\n"
)


@pytest.mark.parametrize("heading", ["", "# What differs\n\n", "The plans differ in:\n"])
@pytest.mark.parametrize("order", [(MARCH, APRIL), (APRIL, MARCH)])
def test_several_inputs_one_after_another_are_no_comparison(heading: str, order: tuple[str, str]) -> None:
    heaped = heading + "\n".join(order)
    assert copied(heaped, [MARCH, APRIL], "Write down what differs between the two plans.")
    assert copied(heaped.replace("- ", "* "), ["another text", MARCH, APRIL], "Say what is the same.")
    assert copied(f"```markdown\n{heaped}\n```\n", [MARCH, APRIL], "Make a table of the days and rooms of both plans.")
    for request_ in (
        "Put both together.",
        "Merge the plans.",
        "Write everything into one list.",
        "Sammle beide Pläne.",
    ):
        assert not copied(heaped, [MARCH, APRIL], request_)


@pytest.mark.parametrize("left_out", ["- We meet on Monday in room 4.\n", "- Maria brings the projector.\n"])
def test_a_part_of_several_inputs_is_an_extract(left_out: str) -> None:
    extract = (MARCH + APRIL).replace(left_out, "")
    assert not copied(extract, [MARCH, APRIL], "Write down what differs between the two plans.")
    assert not copied(MARCH + APRIL + "- The room differs.\n", [MARCH, APRIL], "Write down what differs.")


@pytest.mark.parametrize(
    "request_",
    ["Correct the English.", "Sort the clauses.", "Translate it.", "Anonymise the names.", "Korrigiere den Text."],
)
def test_a_text_like_the_input_may_be_asked_for_but_not_the_very_same(request_: str) -> None:
    assert not copied(POLICY.replace("shall", "must"), [POLICY], request_)
    assert copied(POLICY, [POLICY], request_) and not copied(POLICY, [POLICY], "Copy it, word for word.")


def test_a_small_text_may_be_the_same() -> None:
    assert not copied("42", ["42"]) and not copied("Yes, it may.", ["Yes, it may."])


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    found = Workspace(tmp_path_factory.mktemp("job"))
    found.create()
    return found


def says(workspace: Workspace, path: str, content: str | bytes, check: Check | None = None) -> str:
    real = workspace.path(path)
    real.parent.mkdir(parents=True, exist_ok=True)
    real.write_bytes(content if isinstance(content, bytes) else content.encode())
    return " ".join(f.says for f in problems_of(workspace, path, (POLICY,), check))


def test_a_file_that_is_not_there_is_missing(workspace: Workspace) -> None:
    (found,) = problems_of(workspace, "output/never.md", ())
    assert found.code == "missing" and found.about == "output/never.md"


def test_what_a_name_promises_the_bytes_must_hold(workspace: Workspace) -> None:
    assert "is no PDF file" in says(workspace, "output/a.pdf", "# Duties\n\n- 1.1 keep\n")
    assert says(workspace, "output/b.pdf", b"%PDF-1.4 and more\n%%EOF\n") == ""
    assert "is empty" in says(workspace, "output/c.bin", b"")
    assert says(workspace, "output/d.bin", b"\x00\x01\x02") == ""
    assert says(workspace, "output/e.unknown", "TODO\n") and says(workspace, "output/copy.md", POLICY)
    assert is_text(workspace, "output/e.unknown") and not is_text(workspace, "output/d.bin")


def test_a_character_that_the_sample_cuts_does_not_make_a_text_binary(workspace: Workspace) -> None:
    says(workspace, "output/long.md", "a" * 4095 + "ü" * 50)
    assert is_text(workspace, "output/long.md")


CHECKS = {
    "heading": ({"headings": ["Fines"]}, "# Duties\n\n- 1.1\n", "has no heading"),
    "column": ({"keys": ["duty"]}, "| number |\n|---|\n| 1 |\n", "has no duty"),
    "empty column": (
        {"keys": ["a", "b"]},
        "| a | b | c |\n|---|---|---|\n| 1 | | x |\n| 2 | | y |\n",
        "has nothing in b",
    ),
    "too few": ({"least": 3}, "- a1\n- b2\n", "at least 3"),
    "too many": ({"items": 1}, "- a1\n- b2\n", "has 2 items"),
    "the same again": ({"items": 3}, "- a1\n- a1\n- b2\n", "only 2 differ"),
}


@pytest.mark.parametrize("name", CHECKS)
def test_the_form_that_a_check_asks_for_is_looked_at(workspace: Workspace, name: str) -> None:
    asked, text, said = CHECKS[name]
    check = Check.model_validate({"says": "it is right", "kind": CheckKind.FILE, "path": "output/f.md", **asked})
    assert said in says(workspace, "output/f.md", text, check)


@settings(max_examples=40)
@given(LINES, st.sampled_from(["list", "table", "csv", "json", "paragraphs"]))
def test_items_are_counted_alike_in_every_form(lines: list[str], form: str) -> None:
    path, text = {
        "list": ("a.md", "# A\n\n" + "".join(f"- {x}\n  - below\n" for x in lines)),
        "table": ("a.md", "| x |\n|---|\n" + "".join(f"| {x} |\n" for x in lines)),
        "csv": ("a.csv", "x\n" + "".join(f"{x}\n" for x in lines)),
        "json": ("a.json", json.dumps({"items": lines})),
        "paragraphs": ("a.txt", "\n\n".join(lines)),
    }[form]
    assert counted(path, text) == len(lines)
    check = Check(says="all of them", kind=CheckKind.FILE, path=path, items=len(lines), least=len(lines))
    assert unshaped(path, text, check) == ""
    assert unshaped(path, text, check.model_copy(update={"items": None, "least": len(lines) + 1}))


@given(st.text(max_size=200))
def test_any_text_has_sections_and_an_answer(text: str) -> None:
    assert sections(text)
    for ending in ("md", "json", "yaml", "csv", "html", "xml", "py", "jsonl"):
        emptiness(f"a.{ending}", text)


def test_results_are_found_by_their_names_in_words() -> None:
    said = [
        "output/duties.md lists them",
        "see output/Pflichten für alle.md, and output/parts/a.csv.",
        "everything in output/ and in notes.md",
    ]
    assert named_in(said) == ["output/duties.md", "output/Pflichten für alle.md", "output/parts/a.csv"]
    assert stands_for("output/x/duties.csv", "output/duties.md") and not stands_for("output/b.md", "output/duties.md")


def test_a_copy_is_one_in_the_dress_of_a_format_too(workspace: Workspace) -> None:
    assert "is a copy" in says(workspace, "output/copy.json", json.dumps({"text": POLICY}))
    assert "is a copy" in says(workspace, "output/copy.html", f"<html><body><p>{POLICY}</p></body></html>")
