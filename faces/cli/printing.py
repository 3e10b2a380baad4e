"""What a person reads: the summary of a job, the list of jobs, the details of one, the doctor's findings."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echelon.crews.hierarchy.vocabulary import State
from echelon.json_text import is_object
from echelon.service.endings import going_on
from echelon.shown import visible

if TYPE_CHECKING:
    from echelon.service.doctor import Check
    from echelon.service.job_result import JobResult

WIDTH, INDENT = 100, 16
"""Characters of a line of text before it goes on in the next one, and of what stands before it."""

STANDS = {
    "submitted": "has not begun",
    "running": "is running",
    "interrupted": "was interrupted",
    State.COMPLETED.value: "is completed",
    State.FAILED.value: "was stopped by an error",
    State.REJECTED.value: "was rejected",
    State.LIMIT.value: "reached a limit; the partial result is kept",
    State.NEEDS_INPUT.value: "waits for you",
    State.ESCALATED.value: "was handed up to you",
    State.CANCELLED.value: "is cancelled",
}
Facts = list[tuple[str, list[str]]]
"""(label, lines) in the order in which they are shown; a label without lines is left out."""


def counted(number: int, noun: str) -> str:
    """'1 page', '2 pages'."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def aligned(facts: Facts) -> list[str]:
    """Facts as lines, their values below each other."""
    width = max((len(label) for label, lines in facts if lines), default=0)
    return [
        f"  {label if n == 0 else '':<{width}}  {visible(line)}".rstrip()
        for label, lines in facts
        for n, line in enumerate(lines)
    ]


def table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    """Rows as aligned text; on a terminal a line that is too long is cut."""
    every = [[h.upper() for h in header], *([visible(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in every) for i in range(len(header))]
    lines = ["  ".join(v.ljust(w) for v, w in zip(row, widths, strict=True)).rstrip() for row in every]
    columns = _columns()
    return "\n".join(line if not columns or len(line) <= columns else line[: columns - 1] + "…" for line in lines)


def _columns() -> int:
    """Characters of a line of the terminal, 0 where there is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def _wrapped(text: str) -> list[str]:
    columns = _columns() - INDENT
    width = min(WIDTH, columns) if columns > 20 else WIDTH
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def summary(result: JobResult, model: str, seconds: float, price: Sequence[str] = ()) -> str:
    """One screen: what was found, where the files are, what it cost, what was escalated.

    `price` has a sentence for each model whose price nobody knows.
    """
    tokens = result.spent.get("prompt_tokens", 0) + result.spent.get("completion_tokens", 0)
    calls = counted(result.spent.get("model_calls", 0), "model call")
    cost = f"${result.cost:.4f} · {calls} · {tokens:,} tokens · {counted(result.rounds, 'round')} · {seconds:.0f} s"
    facts: Facts = [
        ("why", [result.reason] if result.reason and result.state != State.FAILED else []),
        ("in short", _wrapped(result.ending)),
        *figures(result.figures),
        ("not read", list(result.warnings)),
        ("files", files(result.outputs)),
        ("cost", [f"{cost} · model {model}"]),
        ("price", [line for warning in price for line in _wrapped(warning)]),
        ("left out", left_out(result.dropped)),
        ("handed over", handed_over(result.complete)),
        ("unfinished", unfinished(result.unfinished)),
        ("escalated", escalated(result.escalations) or ["nothing"]),
        ("go on with", [on] if (on := going_on(result.state, result.job, result.reason, result.asks_approval)) else []),
    ]
    but = ", but a part of the input could not be read" if result.state == State.COMPLETED and result.warnings else ""
    return "\n".join(["", f"Job {result.job} {STANDS.get(result.state, result.state)}{but}", *aligned(facts)])


def figures(values: dict[str, Any]) -> Facts:
    """The figures of a job as facts."""
    return [(name.replace("_", " "), [_shown(value)]) for name, value in values.items()]


def _shown(value: Any) -> str:
    if is_object(value):
        return ", ".join(f"{n} {k}" for k, n in value.items()) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def files(paths: Sequence[Path]) -> list[str]:
    """Paths of files: their folder once, then the names."""
    folders = sorted({p.parent for p in paths})
    lines: list[str] = []
    for folder in folders:
        names = ", ".join(p.name for p in paths if p.parent == folder)
        lines += [f"{folder}/", *_wrapped(names)]
    return lines


def escalated(escalations: Sequence[dict[str, Any]]) -> list[str]:
    """The latest escalations, one line each."""
    lines = [f"by {e['raised_by']} to {e['to']} in round {e['round']}: {e['cause']}" for e in escalations[-5:]]
    earlier = len(escalations) - len(lines)
    return ([f"{earlier} earlier ones, then"] if earlier else []) + lines


def handed_over(complete: dict[str, Any] | None) -> list[str]:
    """What was said when the results were handed over."""
    if complete is None:
        return []
    return [*_wrapped(complete["summary"]), *(_wrapped(f"Look at: {complete['notes']}") if complete["notes"] else [])]


def experiences_text(rows: Sequence[dict[str, Any]]) -> str:
    """A table of what earlier jobs learnt."""
    if not rows:
        return "No job has learnt anything yet."
    return table(
        [(r["id"], r["type"], str(r["times"]), r["says"]) for r in rows], ("ID", "TYPE", "TIMES", "WHAT FAILED")
    )


def experience_text(row: dict[str, Any]) -> str:
    """One of them."""
    facts: Facts = [
        ("type", [row["type"]]), ("tried", _wrapped(row["failed"])), ("failed", _wrapped(row["why"])),
        ("worked", _wrapped(row["worked"]) or ["nothing yet"]), ("seen", [counted(row["times"], "time")]),
    ]  # fmt: skip
    return "\n".join(aligned(facts))


def left_out(dropped: Sequence[dict[str, Any]]) -> list[str]:
    """What the planner left out, why, and whether the Assessor agreed."""
    return [
        line
        for d in dropped
        for line in _wrapped(f"{d['says']}: {d['reason']} ({'agreed' if d['agreed'] else 'not agreed'})")
    ]


def checks(milestones: Sequence[dict[str, Any]]) -> list[str]:
    """The checks of each milestone and how they stand, one line each."""
    lines: list[str] = []
    for m in milestones:
        lines += _wrapped(f"{m['milestone']}. {m['outcome']}")
        lines += [
            line
            for c in m["checks"]
            for line in _wrapped(
                f"- {c['standing']} ({c['kind']}): {c['says']}" + (f" - {c['why']}" if c["why"] else "")
            )
        ]
    return lines


def step_text(step: dict[str, Any]) -> str:
    """One step: what was asked, with which tools, and what came of it."""
    who = f"Step {step['number']}: {step['name']} · {step['role'] or 'code'} · phase {step['phase']} · round {step['round']}"
    tools = [f"== tools: {', '.join(step['tools'])}", ""] if step["tools"] else []
    said = [line for m in step["messages"] for line in (f"== {m['role']}", *_said(m), "")]
    is_lost = step["kind"] == "model" and not step["messages"]
    lost = ["The prompt of this step was not kept (keep_prompts).", ""] if is_lost else []
    answer = json.dumps(step["answer"], ensure_ascii=False, indent=1) if step["answer"] is not None else "none"
    return "\n".join(
        [who, "", *tools, *(visible(line) for line in (*said, *lost)), "== answer", *map(visible, answer.split("\n"))]
    )


def _said(message: dict[str, Any]) -> list[str]:
    calls = [f"calls {c['name']} {c['arguments']}" for c in message.get("calls", [])]
    return [*message["content"].splitlines(), *calls]


def unfinished(report: dict[str, Any] | None) -> list[str]:
    """What there is of the task that was interrupted."""
    if report is None:
        return []
    there = ", ".join(report["deliverables"])
    return [report["summary"], *([f"written so far: {there}"] if there else [])]


def jobs_text(rows: Sequence[dict[str, Any]]) -> str:
    """The list of jobs."""
    if not rows:
        return "There are no jobs; start one with: echelon run creator FILE.pdf"
    cells = [
        [r["job"], r["state"], str(r["rounds"]), str(r["calls"]), f"${r['cost']:.4f}", _time(r["created"]), _about(r)]
        for r in rows
    ]
    return table(cells, ["job", "state", "rounds", "calls", "cost", "created", "about"])


def _about(row: dict[str, Any]) -> str:
    if row["reason"] and row["state"] != State.COMPLETED:
        return str(row["reason"])
    return ", ".join(row["inputs"])


def _time(text: str) -> str:
    return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M:%S")


def job_text(details: dict[str, Any]) -> str:
    """The details of a job."""
    d = details
    steps = d["steps"]
    rerun = sum(s["starts"] > 1 for s in steps)
    tokens = sum(s["prompt_tokens"] + s["completion_tokens"] for s in steps)
    thinking = sum(s["thinking_tokens"] for s in steps)
    thought = f", {thinking:,} of them thinking" if thinking else ""
    ran = f"{counted(len(steps), 'step')} in {counted(d['rounds'], 'round')}"
    facts: Facts = [
        ("why", [d["reason"]] if d["reason"] else []),
        ("in short", _wrapped(d["ending"])),
        ("asked for", _wrapped(d["request"])),
        ("inputs", [", ".join(d["inputs"])] if d["inputs"] else []),
        ("model", [d["model"]]),
        ("created", [_time(d["created"])]),
        ("changed", [_time(d["updated"])]),
        *figures(d["figures"]),
        ("accepted", [f"round {t['round']}: {t['title']} ({t['commit'][:10]})" for t in d["accepted"]]),
        ("checks", checks(d["milestones"])),
        ("findings", [f"{f['id']} is open: {f['says']}" for f in d["open_findings"]]),
        ("left out", left_out(d["dropped"])),
        ("handed over", handed_over(d["complete"])),
        ("unfinished", unfinished(d["unfinished"])),
        ("escalated", escalated(d["escalations"])),
        ("asks", list(d["questions"])),
        ("not read", list(d["warnings"])),
        ("folder", [d["folder"]] if Path(d["folder"]).exists() else []),
        ("files", [", ".join(d["outputs"])] if d["outputs"] else []),
        ("steps", [ran + (f"; {rerun} of them began more than once" if rerun else "")]),
        ("calls", [", ".join(f"{n} {role}" for role, n in d["model_steps"].items())] if d["model_steps"] else []),
        (
            "answered by",
            [", ".join(f"{n} {m}" for m, n in d["answered_by"].items())] if len(d["answered_by"]) > 1 else [],
        ),
        ("cost", [f"${d['cost']:.4f} · {tokens:,} tokens{thought}"]),
        ("go on with", [on] if (on := going_on(d["state"], d["job"], d["reason"], d["asks_approval"])) else []),
    ]
    return "\n".join([f"Job {d['job']} {STANDS.get(d['state'], d['state'])}", *aligned(facts)])


def doctor_text(checks: Sequence[Check]) -> str:
    """The doctor's findings, each with its fix below it."""
    width = max(len(c.name) for c in checks)
    lines: list[str] = []
    for c in checks:
        lines.append(f"{c.state:<7}  {c.name:<{width}}  {visible(c.found)}")
        if c.fix:
            lines.append(f"{'':<7}  {'':<{width}}  → {visible(c.fix)}")
    broken = [c.name for c in checks if c.state == "broken"]
    verdict = f"To be mended: {', '.join(broken)}." if broken else "Jobs can run."
    return "\n".join([*lines, "", verdict])
