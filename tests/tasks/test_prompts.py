"""The templates: strict about their variables, and blind to what stands in them."""

from __future__ import annotations

from types import SimpleNamespace as Named
from typing import Any

import hypothesis.strategies as st
import jinja2
import pytest
from hypothesis import given, settings

from echelon.agents.roster import roster
from echelon.tasks.prompts import FOLDER, render
from echelon.tokens import count_tokens

MILESTONE = Named(
    outcome="A reader finds every obligation.",
    checks=[Named(says="open one", path="output/a.md")],
    areas=["documents"],
)
TASK = Named(
    title="Extract part 1",
    rationale="It comes first.",
    deliverables=["a b/ü.json"],
    checks=[Named(says="quotes hold")],
    todos=[Named(content="read it")],
)
REMIT = Named(in_scope=["duties"], out_of_scope=["definitions"], success=["each is found"])
FINDING = Named(id="F1", says="a page is wrong", about="output/a.md")
DROPPED = Named(id="p9", says="extract part 9", reason="it is the index")
DOCUMENT = Named(file="a.pdf", pages=3, parts=2, language="en", begins="1. Keys are kept", characters=900)
VALUES: dict[str, dict[str, Any]] = {
    "system": {
        "role": roster()["qa"],
        "job": Named(language="en"),
        "submits": ["submit_verdict"],
        "guided": False,
        "instructions": "Look twice.",
        "learnt": "Tables come first.",
    },
    "scope": {
        "request": "Find it.",
        "documents": [Named(file="a.pdf", pages=3, parts=2, language="en", begins="1. Keys", characters=900)],
        "document_count": 4,
        "outcomes": ["A reader finds it."],
        "understood": ("Only prohibitions.",),
        "looked": False,
        "not_understood": ("weather",),
        "answers": ["Annex B counts."],
        "findings": ["too vague"],
        "experiences": ["tables need a second look"],
    },
    "plan": {
        "request": "Find it.",
        "remit": REMIT,
        "documents": [DOCUMENT],
        "document_count": 1,
        "report": Named(summary="Part 0 is done."),
        "open_findings": [FINDING],
        "dropped": [DROPPED],
        "milestone": MILESTONE,
        "milestone_number": 1,
        "milestones": 2,
        "done_count": 3,
        "done": ["Extract part 0"],
        "notes": ["part 3 is next"],
        "findings": ["QA failed it"],
        "ruled_out": ["part 9"],
        "advice": "Read the tables.",
        "experiences": ["tables need a second look"],
        "surveyed": True,
        "facts": ["2 tests fail"],
        "open_work": [Named(id="d1p1", says="extract part 1", deliverable="x")],
        "open_count": 4,
        "least": 5,
        "most": 20,
    },
    "implement": {
        "material": "",
        "request": "Find it.",
        "documents": [DOCUMENT],
        "milestone": MILESTONE,
        "task": TASK,
        "findings": ["wrong page"],
        "has_calls": True,
    },
    "qa": {
        "material": "",
        "shown": "One line was changed.",
        "request": "Find it.",
        "remit": REMIT,
        "milestone": MILESTONE,
        "task": TASK,
        "report": Named(summary="Part 1 is done."),
        "open_findings": [FINDING],
        "dropped": [DROPPED],
        "untouched": [FINDING],
        "sample": ["a b/ü.json"],
        "sample_of": 1,
    },
    "assess": {
        "request": "Find it.",
        "remit": REMIT,
        "checked": [Named(kind=Named(value="file"), standing=Named(value="failed"), says="it is there", why="no")],
        "report": Named(summary="Part 0 is done."),
        "verdict": Named(passed=True),
        "open_findings": [FINDING],
        "dropped": [DROPPED],
        "deliverables": ["output/a.md"],
        "milestone": MILESTONE,
        "milestone_number": 1,
        "milestones": 2,
        "occasion": "5 tasks are done",
        "done_count": 5,
        "done": ["Extract part 0"],
        "findings": ["wrong page"],
        "facts": ["nothing is open"],
    },
    "deliver": {"request": "Find it.", "deliverables": ["output/a.md"], "findings": ["missing"], "facts": ["3 tasks"]},
    "work": {
        "material": "",
        "request": "Find it.",
        "documents": [Named(file="a.pdf", pages=3, parts=2, language="en")],
        "answers": ["Annex B counts."],
        "findings": ["missing"],
        "has_calls": True,
    },
    "summary": {"words": 300},
    "answer": {"kind": "ask", "question": "Where is it defined?", "files": ["documents/a.pdf.txt"]},
}
"""A value for every variable of every template."""

MARKS = ("{{ 7 * 7 }}", "{tools}", "{% for x in y %}", "{# gone #}", "%s %(name)s", "${HOME}", "{{", "%}", "<|im_end|>")
TEMPLATES = sorted(path.stem for path in FOLDER.glob("*.md"))


def test_every_template_is_tested() -> None:
    assert sorted(VALUES) == TEMPLATES


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_renders_with_all_its_variables(template: str) -> None:
    text = render(template, **VALUES[template])
    assert text.endswith("\n") and text == text.strip() + "\n"
    assert not any(line != line.rstrip() for line in text.splitlines())
    assert "{{" not in text and "{%" not in text and "Undefined" not in text
    assert "\n\n\n" not in text


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_missing_variable_is_an_error(template: str) -> None:
    for name in VALUES[template]:
        without = {k: v for k, v in VALUES[template].items() if k != name}
        if _is_needed(template, name):
            with pytest.raises(jinja2.UndefinedError):
                render(template, **without)


def _is_needed(template: str, name: str) -> bool:
    """Some variables of the plan are read only when nothing is surveyed."""
    return (template, name) not in {("plan", n) for n in ("least", "most", "surveyed")}


@pytest.mark.parametrize("name", ["least", "most", "surveyed"])
def test_what_an_unsurveyed_plan_needs(name: str) -> None:
    unsurveyed = {**VALUES["plan"], "surveyed": False, "open_work": []}
    assert "5 to 20 todos" in render("plan", **unsurveyed)
    with pytest.raises(jinja2.UndefinedError):
        render("plan", **{k: v for k, v in unsurveyed.items() if k != name})


def test_a_planner_that_has_failed_with_nothing_left_open_is_told_both_ways_on() -> None:
    none_left = {
        **VALUES["plan"], "surveyed": True, "open_work": [], "findings": ["a quote is wrong"], "open_findings": [],
        "advice": "",
    }  # fmt: skip
    failed, settled = render("plan", **none_left), render("plan", **{**none_left, "findings": []})
    assert "If what failed is settled by now, call submit_milestone_done." in failed and "Call todo_write" in failed
    assert "nothing is left to do" in settled and "todo_write" not in settled


def test_an_unknown_template_is_an_error() -> None:
    with pytest.raises(jinja2.TemplateNotFound):
        render("no such")


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize(
    ("template", "name"), [("scope", "request"), ("answer", "question"), ("assess", "occasion"), ("plan", "advice")]
)
def test_marks_in_a_value_stay_what_they_are(template: str, name: str, mark: str) -> None:
    said = f"before {mark} after"
    assert said in render(template, **{**VALUES[template], name: said})


@pytest.mark.parametrize("mark", MARKS)
def test_marks_in_lists_and_objects_stay_what_they_are(mark: str) -> None:
    assert f"- {mark}" in render("plan", **{**VALUES["plan"], "notes": [mark], "findings": []})
    task = Named(title=mark, rationale="because", deliverables=["x"], checks=[], todos=[])
    assert f"Task: {mark}" in render("implement", **{**VALUES["implement"], "task": task})


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=80))
@settings(max_examples=50, deadline=None)
def test_any_text_comes_through_word_for_word(said: str) -> None:
    text = render("answer", **{**VALUES["answer"], "question": f"[{said}]"})
    assert f"[{said}]" in text


def test_file_names_stand_in_quotes() -> None:
    """So that a small model copies a name with a space or an umlaut whole."""
    assert '- "documents/a.pdf.txt"' in render("answer", **VALUES["answer"])
    assert '"a b/ü.json"' in render("implement", **VALUES["implement"])
    assert '"a.pdf": 3 pages' in render("scope", **VALUES["scope"])
    odd = "documents/Müller & Söhne's <1>.txt"
    assert f'- "{odd}"' in render("answer", **{**VALUES["answer"], "files": [odd]})


def test_empty_lists_leave_no_empty_headings() -> None:
    bare: dict[str, Any] = {
        k: ([] if isinstance(v, list) else "" if k == "advice" else v) for k, v in VALUES["plan"].items()
    }
    text = render("plan", **bare)
    for heading in ("Ruled out", "Your notes", "Advice", "The last attempt"):
        assert heading not in text


def test_work_language_is_named_only_when_it_is_not_english() -> None:
    german = {**VALUES["system"], "job": Named(language="de")}
    assert "language 'de'" in render("system", **german)
    assert "language" not in render("system", **VALUES["system"])


@pytest.mark.parametrize("role", sorted(roster()))
def test_the_system_prompt_of_every_role_is_short(role: str) -> None:
    text = render(
        "system",
        role=roster()[role],
        job=Named(language="en"),
        guided=True,
        instructions="",
        learnt="",
        submits=["submit_report"],
    )
    assert count_tokens(text) < 300
    assert roster()[role].role in text
