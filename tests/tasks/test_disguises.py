"""What looks like a result and is none: disguised emptiness, other formats, pointers, what the request says of the form."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from echelon.domains.requirements import document_files
from echelon.engine.workspace import Workspace
from echelon.tasks.checks import cannot_be_carried_out
from echelon.tasks.contracts import Check, CheckKind
from echelon.tasks.results import moved, not_as_asked, wrong_with
from echelon.tasks.texts.absence import claims_none
from echelon.tasks.texts.copies import copied
from echelon.tasks.texts.disguise import decoded, plain
from echelon.tasks.texts.placeholders import emptiness
from echelon.tasks.texts.pointers import leads_nowhere
from echelon.tasks.texts.wanted import in_another_format, language_asked, unlike

POLICY = """# Policy

1. The operator shall keep a record of each access to the archive of the house.
2. The operator must not share passwords with anybody who is a stranger to it.
"""
TABLE = "| n | duty |\n|---|---|\n"
BLOB = base64.b64encode(POLICY.encode()).decode()
HOLLOW = [
    ("a.md", "# D\n\n✅ ✅\n", "signs"),
    ("a.md", "# D\n\n1.\n2.\n", "placeholders"),
    ("a.md", "- Item 1\n- Item 2\n", "placeholders"),
    ("a.md", "```markdown\n```\n", "headings or placeholders"),
    ("a.md", TABLE + "| n | duty |\n", "repeats its header"),
    ("a.md", "## Duties\n\nDuties.\n\n## Others\n\nkeep\n", "nothing but its title"),
    ("a.md", "# D\n\nТОDО\n", "placeholders"),
    ("a.md", "# D\n\nT O D O\n", "placeholders"),
    ("a.md", "# D\n\nT̶O̶D̶O̶\n", "placeholders"),
    ("a.md", f"# D\n\n{BLOB}\n", "Base64"),
    ("a.md", "D\\n\\n- keep\\n- mind\\n", "written out"),
    ("a.sql", "-- the query\n/* goes\nhere */\n", "nothing but comments"),
    ("a.js", "// later\n", "nothing but comments"),
    ("a.md", "## A\n\nAs described above.\n\n## B\n\nSee below.\n", "speaks of the work"),
    ("a.md", "## A\n\nThis section describes the duties of all.\n", "speaks of the work"),
    ("a.md", "Please provide the policy first.\n", "speaks of the work"),
    ("a.md", "Unfortunately, I cannot read it.\n", "speaks of the work"),
    ("a.md", "The duties will be listed in a later round.\n", "speaks of the work"),
    ("a.md", "The operator keeps a record and does not give it to the", "nothing follows"),
    ("a.json", json.dumps("# D\n\n- keep\n"), "one string"),
    ("a.json", json.dumps('[{"n": 1}]'), "one string"),
    ("a.yaml", "The duties are kept.\n", "no YAML"),
    ("a.csv", '[{"n": "1"}]', "is JSON"),
    ("a.csv", TABLE + "| 1 | keep |\n", "Markdown"),
    ("a.csv", "```csv\nn,duty\n1,keep\n```\n", "fence"),
    ("a.html", "- keep it\n", "no tag"),
    ("a.html", "<ul><li>keep it</li><li>mind", "breaks off"),
    ("a.xml", "<d><e>keep</d>", "no valid XML"),
    ("a.py", "The script counts the duties.\n", "no Python"),
]
FULL = [
    ("a.md", "1.1\n1.2\n"),
    ("a.md", "- Clause 2\n- Clause 5\n"),
    ("a.md", "```\n1.1 keep a record\n```\n"),
    ("a.md", TABLE + "| 1 | ✅ |\n| 2 | keep |\n"),
    ("a.md", "## Duties\n\n1.1 keep\n\n## Others\n\nAs described above.\n"),
    ("a.md", "The SHA-256 is\n\n9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n"),
    ("a.md", "Write down the day and\nkeep the book for all who\ncome.\n"),
    ("a.md", "Это запись о доступе.\n"),
    ("a.md", "The pattern is \\n for a line end.\n"),
    ("a.json", '"No."'),
    ("a.yaml", "duties: [keep]\n"),
    ("a.csv", "n,duty,until\n1.1,keep,\n1.2,mind,\n"),
    ("a.html", "<p>keep<p>mind<br>"),
    ("a.svg", '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'),
    ("a.sql", "-- counts\nSELECT 1;\n"),
    ("a.py", "print 'an older form'\nx = 1\n"),
]


@pytest.mark.parametrize(("name", "text", "says"), HOLLOW)
def test_what_only_looks_like_a_result_is_none(name: str, text: str, says: str) -> None:
    assert says in emptiness(f"output/{name}", text)


@pytest.mark.parametrize(("name", "text"), FULL)
def test_unusual_results_are_results(name: str, text: str) -> None:
    assert emptiness(f"output/{name}", text) == ""


def test_signs_alone_are_a_result_where_a_drawing_is_asked_for() -> None:
    assert emptiness("output/a.md", "✅\n", "Answer with a symbol.") == "" and emptiness("output/a.md", "✅\n")


def test_a_text_is_read_as_it_looks() -> None:
    assert plain("T\u200bO D\u00adO") == "TO DO" and plain("a b c") == "abc" and plain("Привет") == "Привет"
    assert decoded(BLOB) == POLICY and not decoded("deadbeef" * 10) and not decoded("keep a record of each access " * 4)
    assert copied("\u200b".join(POLICY), [POLICY]) and copied(BLOB, [POLICY])
    assert copied(POLICY.replace("a", "а"), [POLICY])


@pytest.mark.parametrize(
    ("path", "text", "is_none"),
    [
        ("a.md", TABLE + "| 1 | n/a |\n| 2 | none |\n", True),
        ("a.md", TABLE + "| 1 | n/a |\n| 2 | keep |\n", False),
        ("a.csv", "n,duty\n1,n/a\n2,n/a\n", True),
        ("a.json", '[{"n": 1, "duty": null}, {"n": 2, "duty": null}]', True),
        ("a.json", '{"duties": [], "count": 0}', True),
        ("a.json", '{"operator": "Anna", "deputy": null}', False),
        ("a.md", "0\n", True),
        ("a.md", "3\n", False),
    ],
)
def test_none_can_be_said_in_cells_and_numbers(path: str, text: str, is_none: bool) -> None:
    assert claims_none(path, text) is is_none


@pytest.mark.parametrize(
    ("text", "nowhere"),
    [
        ("See [the duties](../notes/duties.md).", "../notes/duties.md"),
        ("# D\n\nThe list is in `notes/duties.md`.", "notes/duties.md"),
        ("- [A](#a)\n- [B](#b)", "#a"),
        ("- [A](#a)\n\n## A", ""),
        ("- [Duties](b.md)\n- [Others](c.md)", ""),
        ("See output/b.md.", ""),
        ("- [Rules](https://example.org/rules)", ""),
        ("1.1 keep a record, see [the rules](gone.md)", ""),
    ],
)
def test_a_result_that_only_points_must_point_to_a_result(text: str, nowhere: str) -> None:
    assert leads_nowhere("output/a.md", text, ["output/a.md", "output/b.md"]) == nowhere


ENGLISH = (
    "The operator keeps a record of each access to the archive and gives the words to nobody who is not of the team. "
)
GERMAN = (
    "Der Betreiber zeichnet jeden Zugang zum Archiv auf und gibt die Wörter an niemanden, der nicht zur Gruppe gehört. "
)
LISTED = "- keep it\n- mind it\n"


@pytest.mark.parametrize(
    ("request_", "text", "says"),
    [
        ("List the duties in German.", ENGLISH, "is in English, and German was asked for"),
        ("List the duties in German.", GERMAN, ""),
        ("List the duties in German law.", ENGLISH, ""),
        ("The policy is in German. List the duties.", ENGLISH, ""),
        ("Translate it from German into English.", ENGLISH, ""),
        ("Translate it into German.", ENGLISH, "is in English"),
        ("List all five clauses.", LISTED, "5 clauses were asked for"),
        ("List all five clauses.", "1.1, 1.2, 1.3, 1.4 and 1.5", ""),
        ("List 12 pages of duties.", LISTED, ""),
        ("Name three fines.", "None.", ""),
        ("Name three fines.", "The policy names only one.", ""),
        ("Summarise it in at most 10 words.", ENGLISH, "at most 10 were asked for"),
        ("Summarise it in at most 30 words.", ENGLISH, ""),
        ("List the duties as a table.", LISTED, "has no table"),
        ("List the duties as a table.", TABLE + "| 1 | keep |\n", ""),
        ("List what is kept as a table.", LISTED, ""),
        ("Make a table of the duties and who has them.", LISTED, "has no table"),
        ("Read the policy, then draw up a short table with the duties.", LISTED, "has no table"),
        ("Bitte erstelle eine Tabelle der Pflichten.", LISTED, "has no table"),
        ("Make a table of the duties.", TABLE + "| 1 | keep |\n", ""),
        ("Make a table of contents.", LISTED, ""),
        ("Make a table reservation plan.", LISTED, ""),
        ("Write a note that explains how to make a table of oak.", LISTED, ""),
        ("List what the table says.", LISTED, ""),
        ("Quote what binds, word for word.", "> The operator shall close the doors.\n", "stands in no input"),
        ("Quote what binds, word for word.", "> The operator shall keep [...]\n> of each access.\n", ""),
        ("List the duties.", LISTED, ""),
    ],
)
def test_what_a_request_says_of_the_form_is_held(request_: str, text: str, says: str) -> None:
    said = unlike(request_, {"output/a.md": text}, ["output/a.md"], [POLICY])
    assert says in said and bool(said) is bool(says)


OLD = "# March\n\n- We meet on Monday in room 4.\n- Maria brings the projector.\n"
NEW = "# April\n\n- We meet on Tuesday in room 7.\n- Maria brings the projector.\n"


@pytest.mark.parametrize(
    ("request_", "text", "is_wrong"),
    [
        ("List what is the same in both plans.", "The same are:\n* We meet on Monday in room 4.\n* Maria does.", True),
        ("Name what the plans have in common.", "We meet on **Monday** in room 4", True),
        ("Name what the two plans have in common.", "- We meet on **Tuesday** in room 7", True),
        ("Say what both have in common.", "- We meet on **Tuesday** in room 7", True),
        ("Schreibe auf, was in beiden Plänen gleich ist.", "- We meet on Tuesday in room 7.", True),
        ("List what is the same in both plans.", "- Maria brings the projector.\n- We meet in a room.", False),
        ("List what is the same in both.", "- Maria does.\n\nOnly in March:\n- We meet on Monday in room 4.", False),
        ("List what is the same and what differs.", "- We meet on Monday in room 4.", False),
        ("List what is the same in both plans.", "We meet on Monday in room 4. Maria brings the projector.", True),
        ("List what is the same in both plans.", "Maria brings the projector. We meet in a room.", False),
        (
            "Write to the team what changes in April.",
            "We meet on Tuesday in room 7. Maria brings the projector.",
            False,
        ),
        ("List the plans' meetings.", "- We meet on Monday in room 4.", False),
        ("Write down what differs.", "- We meet on Monday in room 4.\n- Maria brings the projector.", True),
        ("Write to the team what changes in April.", "Maria brings the projector.", True),
        ("Schreibe auf, was sich im April ändert.", "- Maria brings the projector.", True),
        ("Name the differences.", "- We meet on Monday in room 4.\n- We meet on Tuesday in room 7.", False),
        ("Name the differences.", "The room.\n\nUnchanged:\n- Maria brings the projector.", False),
        ("Name the differences and what is the same.", "- Maria brings the projector.", False),
        ("Say who does what.", "- Maria brings the projector.", False),
    ],
)
def test_what_is_compared_is_not_said_the_wrong_way_round(request_: str, text: str, is_wrong: bool) -> None:
    said = unlike(request_, {"output/a.md": text}, ["output/a.md"], [OLD, NEW])
    assert bool(said) is is_wrong and (not said or "it is the same" in said or "that it differs" in said)
    long = [OLD, f"{NEW}{'And so on and on. ' * 100}"]
    if "that it differs" in said:
        assert not unlike(request_, {"output/a.md": text}, ["output/a.md"], long), "it may be quoted"
    assert not unlike(request_, {"output/a.md": text}, ["output/a.md"], [OLD]), "there is nothing to compare"


def test_languages_are_asked_for_in_plain_words_alone() -> None:
    assert (
        language_asked("Schreibe es auf Deutsch.") == "de"
        and language_asked("In English, please; not in German.") == "en"
    )
    assert language_asked("One in German and one in English.") == ""


def test_a_named_file_is_of_its_own_format() -> None:
    assert in_another_format(["output/a.json"], ["output/a.md"]) == "output/a.json"
    assert in_another_format(["output/a.txt"], ["output/parts/a.md"]) == ""
    assert in_another_format(["output/a.json"], ["output/a.md", "output/a.json"]) == ""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    found = Workspace(tmp_path / "job")
    found.create()
    source = tmp_path / "policy.md"
    source.write_text(POLICY, encoding="utf-8")
    document_files.bring_in(found, source, "policy.md", 10_000)
    return found


def test_results_as_a_whole_are_held_to_the_request(workspace: Workspace) -> None:
    workspace.write("output/a.md", LISTED)
    (found,) = not_as_asked(workspace, ["output/a.md"], "List all five clauses in output/a.md.")
    assert "5 clauses" in found.says
    (found,) = not_as_asked(workspace, ["output/a.md"], "List the clauses in output/a.csv.")
    assert "another format" in found.says


def test_other_headings_and_another_order_make_no_other_result(workspace: Workspace) -> None:
    workspace.write("output/a.md", "# A\n\n- keep a record of access\n- mind the doors\n")
    workspace.write("output/b.md", "# B\n\n- mind the doors\n- keep a record of access\n")
    (found,) = wrong_with(workspace, ["output/a.md", "output/b.md"], (), "List them.")
    assert found.code == "twin"


def test_a_result_that_moved_is_nothing_new(workspace: Workspace) -> None:
    workspace.write("output/a.md", "# A\n\n- keep a record of access\n")
    commit = workspace.commit("one")
    workspace.write("output/b.md", "# B\n\n- keep a record of access\n")
    workspace.write("output/c.md", "# B\n\n- mind the doors\n")
    workspace.write("output/a.txt", "# A\n\n- keep a record of access\n")
    assert moved(workspace, ["output/b.md", "output/c.md", "output/a.txt"], commit, ["output/a.md"]) == ["output/b.md"]


@pytest.mark.parametrize(("quote", "is_refused"), [("the", True), (".", True), ("passwords", False), ("No", False)])
def test_a_quote_that_stands_in_any_text_checks_nothing(workspace: Workspace, quote: str, is_refused: bool) -> None:
    check = Check(says="they are there", kind=CheckKind.QUOTE, path="output/a.md", quote=quote)
    assert bool(cannot_be_carried_out(check, workspace, False, False)) is is_refused
