"""What stands in place of a result, in whatever job; and what only looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.engine.workspace import Workspace
from echelon.tasks.excuses import LONGEST, excuse
from echelon.tasks.results import wrong_with

REQUEST = "Write a summary of the duties in the policy."
EXCUSES = [
    "I was not able to open the file.",
    "We are unable to access the document.",
    "It was not possible to read the input.",
    "The document could not be read.",
    "Die Datei konnte nicht gelesen werden.",
    "Ich konnte das Dokument nicht öffnen.",
    "Error: rate limit exceeded. Please try again later.",
    "Error 429 too many requests",
    'Traceback (most recent call last):\n  File "read.py", line 1, in <module>\nFileNotFoundError: policy.md',
    "As a large language model, I cannot read files from your computer.",
    "I'm an AI assistant.\nSorry, I am not able to complete this.",
    "Als KI habe ich keinen Zugriff auf Dateien.",
    "The summary follows in the next message.",
    "Please wait while the summary is being generated...",
    "Loading...",
    "Die Zusammenfassung wird nachgereicht.",
    "Which policy do you mean? Please send me the document.",
    "Could you please clarify which duties?",
    "Welche Richtlinie meinen Sie?",
    "First I will read the policy. Then I will collect the duties. Finally, I will write the summary.",
    "We are going to analyse the policy.",
    "Ich werde die Richtlinie lesen.",
    "User: Write a summary of the duties in the policy.\nAssistant: Sure!",
    "N/A",
    "null",
    "# Summary\n\nundefined",
    "The file output/result.md contains the summary of all duties.",
    "Summary: see above.",
]  # fmt: skip
RESULTS = [
    "Whoever is unable to read the log tells the office.",
    "The keys are checked daily. Errors: two of them.",
    "The office shall wait until the report is there.",
    "- Records are kept for ten years.\n- Nobody deletes a log.",
    "We keep the records for ten years.",
    "First we lock the cabinet. Then we tell the office.",
    "The report is sent to the office within a week.",
    "The table in the annex lists the duties of 3 offices.",
    "Die Akten werden später vernichtet.",
    "No duty says who locks the cabinet.",
    "Not applicable to visitors.",
    "The system: it logs every access. The user: he signs the list.",
]


@pytest.mark.parametrize("text", EXCUSES)
def test_what_is_said_in_place_of_a_result_is_none(text: str) -> None:
    assert excuse("output/a.md", text, (), REQUEST)


@pytest.mark.parametrize("text", RESULTS)
def test_a_result_is_no_excuse(text: str) -> None:
    assert excuse("output/a.md", text, (), REQUEST) == ""


@pytest.mark.parametrize("text", EXCUSES)
def test_who_says_anything_else_is_left_to_the_roles(text: str) -> None:
    assert excuse("output/a.md", f"{text}\n\nNobody deletes a log.\n", (), REQUEST) == ""
    assert excuse("output/a.md", "\n".join([text] * (LONGEST + 1)), (), REQUEST) == ""


@pytest.mark.parametrize(("request_", "text"), [
    ("Which error ended the run?", "FileNotFoundError: policy.md"),
    ("List the messages of the log.", "Error: rate limit exceeded."),
    ("Write an e-mail to the office that asks for the list.", "Could you please send us the list?"),
    ("Propose questions for the interview.", "Could you tell me what you did before?"),
    ("Write down our plan for the review.", "First we will read the policy."),
    ("Make a transcript of the conversation.", "User: Where is the key?\nAssistant: In the cabinet."),
    ("Which value does the field have?", "null"),
    ("Write a note to the team about the report.", "The report will be ready tomorrow."),
])  # fmt: skip
def test_what_a_request_asks_for_is_a_result(request_: str, text: str) -> None:
    assert excuse("output/a.md", text, (), request_) == "" and excuse("output/a.md", text, (), REQUEST)


def test_what_an_input_says_and_what_is_no_prose_is_not_looked_at() -> None:
    text = "Error: rate limit exceeded."
    assert excuse("output/a.md", text, (f"09:00 {text}\n",), REQUEST) == ""
    assert excuse("output/a.csv", text, (), REQUEST) == "" and excuse("output/a.json", '"N/A"', (), REQUEST) == ""
    assert excuse("output/a.html", f"<p>{text}</p>", (), REQUEST) == text


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_text_is_read(text: str, request_: str) -> None:
    said = excuse("output/a.md", text, (), request_)
    assert said == "" or said in text


@pytest.mark.parametrize(("text", "says"), [
    ("I was not able to open the file.\n", "in place of one: 'I was not able to open the file.'"),
    ('{"path": "output/a.md", "text": "The duties"}\n', "a call of a tool"),
    ('<tool_call>\n{"name": "write_file", "arguments": {"path": "a"}}\n</tool_call>\n', "a call of a tool"),
    ('```json\n{"name": "write_file", "arguments": {"path": "a"}}\n```\n', "a call of a tool"),
    ("<html><head><title>Duties</title></head><body></body></html>\n", "nothing but tags"),
    ("xxxx xxxx xxxx\n", "placeholders"),
    ("Please write a summary of the duties in the policy.\n", "repeats what was asked for"),
    ("The duties of {{ company }} are {{ duties }}.\n", "for somebody else to fill in: '{{ company }}'"),
    ("The office <your office> keeps the keys.\n", "for somebody else to fill in: '<your office>'"),
    ("Records are kept for ten years by the office.\n", ""),
    ("<html><body><p>Records are kept for ten years.</p></body></html>\n", ""),
    ("Call `echelon show <your job>`, or set `{{ name }}`.\n", ""),
])  # fmt: skip
def test_what_code_says_of_it(tmp_path: Path, text: str, says: str) -> None:
    workspace = Workspace(tmp_path)
    workspace.create()
    (tmp_path / "output" / "a.md").write_text(text, encoding="utf-8")
    found = [f.says for f in wrong_with(workspace, ["output/a.md"], (), REQUEST)]
    assert (len(found) == 1 and says in found[0]) if says else not found, found
