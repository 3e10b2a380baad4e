"""What a person reads and sees: aligned facts, lists, summaries, and the progress of a job from its events."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.crews.hierarchy.states import State
from echelon.errors import UserError
from echelon.faces.cli import printing
from echelon.faces.cli.display import LiveDisplay, PlainDisplay, Progress
from echelon.service.doctor import Check
from echelon.service.job_result import JobResult
from echelon.service.replies import fitting
from echelon.store.records.events import (
    Escalated,
    FindingSettled,
    InputsRead,
    LimitMet,
    Moved,
    PhaseBegan,
    ReadDocument,
    Scoped,
    TaskAccepted,
    TaskFailed,
    ToolCalled,
)
from echelon.store.records.jobs import JobRow, Result, Said, Settings

WORD = st.text("abcXYZ äß-", min_size=1, max_size=20)
SPENT = {"calls_so_far": 7, "tokens_so_far": 1234, "cost_so_far": 0.5}
PAGE = ReadDocument(file="a.pdf", sha256="0", pages=1, language="en", parts=1)


@given(st.lists(st.tuples(WORD, st.lists(WORD.filter(str.strip), max_size=3)), max_size=5))
def test_values_stand_below_each_other(facts: printing.Facts) -> None:
    lines = printing.aligned(facts)
    assert len(lines) == sum(len(values) for _, values in facts)
    width = max((len(label) for label, values in facts if values), default=0)
    assert [line[width + 4 :] for line in lines] == [value.rstrip() for _, values in facts for value in values]


@given(st.lists(st.lists(WORD, min_size=3, max_size=3), max_size=5))
def test_columns_of_a_table_begin_below_each_other(rows: list[list[str]]) -> None:
    header, *lines = printing.table(rows, ["one", "two", "three"]).split("\n")
    assert len(lines) == len(rows)
    for row, line in zip(rows, lines, strict=True):
        second = header.index("TWO")
        assert line.ljust(80)[second : second + len(row[1])] == row[1]


@pytest.mark.parametrize("state", sorted(printing.STANDS))
def test_every_state_has_words_and_what_can_go_on_says_how(state: str) -> None:
    result = JobResult(
        job="creator-1", state=state, folder=Path("/jobs/creator-1"), reason="budget.cost is 5 and 5 are spent"
    )
    text = printing.summary(result, "playbook", 3)
    assert text.startswith(f"\nJob creator-1 {printing.STANDS[state]}\n")
    ended = state in (State.COMPLETED, State.REJECTED, State.CANCELLED, "running")
    assert ("go on with" in text) is not ended
    if state == State.LIMIT:
        assert "echelon resume creator-1 --set budget.cost=..." in text


def test_every_end_has_words() -> None:
    assert {s.value for s in State if s in printing.STANDS} == {
        "completed", "failed", "rejected", "limit", "needs_input", "escalated", "cancelled",
    }  # fmt: skip


def test_a_summary_of_a_job_with_everything() -> None:
    escalation = {"raised_by": "QA", "to": "tactical", "round": 2, "cause": "a quote is wrong"}
    result = JobResult(
        job="creator-1", state="completed", folder=Path("/j"),
        outputs=(Path("/j/output/a.json"), Path("/j/output/b.md")), cost=1.25,
        spent={"model_calls": 1, "prompt_tokens": 1000, "completion_tokens": 34}, rounds=3,
        figures={"requirements": 1200, "by_modality": {"obligation": 7, "permission": 2}, "nothing": {}},
        escalations=(escalation,) * 7, warnings=("a.pdf: page 1 has no text",),
    )  # fmt: skip
    assert printing.summary(result, "openai/m", 61.7).splitlines() == [
        "",
        "Job creator-1 is completed, but a part of the input could not be read",
        "  requirements  1,200",
        "  by modality   7 obligation, 2 permission",
        "  nothing       none",
        "  not read      a.pdf: page 1 has no text",
        "  files         /j/output/",
        "                a.json, b.md",
        "  cost          $1.2500 · 1 model call · 1,034 tokens · 3 rounds · 62 s · model openai/m",
        "  escalated     2 earlier ones, then",
        *["                by QA to tactical in round 2: a quote is wrong"] * 5,
    ]


def test_a_summary_says_what_is_unfinished_and_which_price_is_unknown() -> None:
    report = {"outcome": "partial", "summary": "1 of 2 todos of 'x' are done.", "deliverables": ["output/a.md"]}
    result = JobResult(job="creator-1", state="limit", folder=Path("/j"), reason="budget.cost is 5", unfinished=report)
    lines = printing.summary(result, "openai/m", 1, ["The price of 'openai/m' is not known."]).splitlines()
    assert "  price       The price of 'openai/m' is not known." in lines
    place = lines.index("  unfinished  1 of 2 todos of 'x' are done.")
    assert lines[place + 1].strip() == "written so far: output/a.md"


def test_the_doctors_fixes_stand_below_what_they_mend() -> None:
    checks = [Check("git", "ok", "/usr/bin/git"), Check("database", "broken", "gone", "start it")]
    assert printing.doctor_text(checks).splitlines() == [
        "ok       git       /usr/bin/git",
        "broken   database  gone",
        "                   → start it",
        "",
        "To be mended: database.",
    ]
    assert printing.doctor_text(checks[:1]).endswith("\n\nJobs can run.")


def test_progress_follows_the_events() -> None:
    p = Progress("creator-1", "playbook")
    assert p.where == "being defined"
    assert p.take(InputsRead(documents=(PAGE,), **SPENT)) == "read a.pdf (1 page)"
    p.take(PhaseBegan(role="ScopeAgent", phase="scope", milestone=1, **SPENT))
    assert p.where == "being defined"
    assert p.take(Scoped(milestones=("first", "second"), **SPENT)) == "scope with 2 milestones"
    p.take(PhaseBegan(role="Implementor", phase="implement", round=3, milestone=2, **SPENT))
    assert (p.where, p.round, p.role) == ("2 of 2: second", 3, "Implementor")
    p.take(ToolCalled(role="Implementor", tool="t", ok=True, done=1, of=5, current="write it", **SPENT))
    assert p.todo == "1 of 5 done write it"
    assert p.take(TaskAccepted(title="task", commit="c", **SPENT)) == "round 3: task · accepted"
    assert p.take(TaskFailed(title="task", findings=("no", "nor"), **SPENT)) == "round 3: task · failed: no"
    assert p.take(Escalated(by="QA", to="tactical", cause="x", **SPENT)) == "escalated by QA to tactical: x"
    over = LimitMet(scope="job", limit="cost", spent=5.25, ceiling=5.0, **SPENT)
    assert p.take(over) == "limit reached: cost 5.25 of 5"
    assert p.take(FindingSettled(id="F1", says="no", **SPENT)) is None
    assert p.spent == "7 calls, 1,234 tokens, $0.5000"


def test_what_a_resumed_run_repeats_is_not_told_again(capsys: pytest.CaptureFixture[str]) -> None:
    moved = Moved(before="gate_scope", event="passed", after="plan", round=0, **SPENT)
    past = [Scoped(milestones=("one",), **SPENT), moved]
    progress = Progress("creator-1", "playbook", replayed=2)
    for event in past:
        progress.take(event)
    with PlainDisplay(progress) as shown:
        for event in past:
            shown(event)
        shown(TaskAccepted(title="next", commit="c", **SPENT))
    assert capsys.readouterr().out.splitlines() == [
        "job creator-1 · model playbook",
        "going on after: scope with 1 milestone · 7 calls, 1,234 tokens, $0.5000 so far",
        "[00:00] round 0: next · accepted · 7 calls, 1,234 tokens, $0.5000",
    ]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_panel_keeps_its_labels_at_every_width(width: int) -> None:
    from rich.console import Console

    progress = Progress("creator-1", "openai/[bold]x", outcomes=("A reader finds " + "everything " * 20,), milestone=1)
    progress.log = [f"round {n}: task · accepted" for n in range(9)]
    console = Console(width=width, force_terminal=False, legacy_windows=False)
    with console.capture() as captured:
        console.print(LiveDisplay(progress)._panel())
    lines = captured.get().splitlines()
    assert {len(line) for line in lines} == {width}
    assert [line.split()[1] for line in lines[1:7]] == ["milestone", "round", "todo", "says", "done", "spent"]
    assert "openai/[bold]x" in lines[0]
    assert [line.split()[2] for line in lines[7:-1]] == ["4:", "5:", "6:", "7:", "8:"]


def row(state: str, result: Result | None = None) -> JobRow:
    return JobRow("j", "plain", state, "", Settings(), Path("j"), 1, 0.0, 0.0, result)


def waiting(state: State, came_from: State | None) -> JobRow:
    position = {"came_from": came_from.value if came_from else None}
    return row(state.value, Result(reason="Which one?", snapshot={"position": position}))


def test_replies_fit_what_is_asked() -> None:
    answer, yes, no = (Said(event=e) for e in ("answered by a person", "approved", "refused by a person"))
    question, approval = waiting(State.NEEDS_INPUT, State.GATE_SCOPE), waiting(State.NEEDS_INPUT, State.APPROVE)
    handed_up = waiting(State.ESCALATED, State.ASSESS)
    assert fitting(question, answer) == answer
    assert fitting(handed_up, answer) == answer
    assert (fitting(approval, yes), fitting(approval, no)) == (yes, no)
    assert fitting(approval, answer) == Said(event="changes asked for")
    for asked in (question, handed_up):
        for reply in (yes, no):
            with pytest.raises(UserError, match=r"nothing to approve; it waits with: Which one\? Answer with"):
                fitting(asked, reply)


@pytest.mark.parametrize("state", [s.value for s in State if s not in (State.NEEDS_INPUT, State.ESCALATED)])
def test_a_job_that_asks_nothing_takes_no_reply(state: str) -> None:
    with pytest.raises(UserError, match=f"Job j asks nothing: it is {state}"):
        fitting(row(state), Said(event="approved"))
