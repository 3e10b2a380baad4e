"""What a person sees on the terminal: progress while a job runs, a summary at its end, tables of jobs."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crews.states import State

if TYPE_CHECKING:
    from rich.live import Live

    from crews.service import JobResult


@dataclass
class Progress:
    """What is known of a running job, from its events."""

    job: str
    model: str
    began: float = field(default_factory=time.monotonic)
    milestone: int = 0
    milestones: int = 0
    outcome: str = ""
    round: int = 0
    role: str = ""
    todo: str = ""
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    log: list[str] = field(default_factory=list)

    def take(self, kind: str, data: dict[str, Any]) -> str | None:
        """Take an event in; returns a line worth printing, None when there is nothing to say."""
        self.calls, self.tokens, self.cost = data["calls_so_far"], data["tokens_so_far"], data["cost_so_far"]
        line = self._line(kind, data)
        if line:
            self.log.append(line)
        return line

    def _line(self, kind: str, data: dict[str, Any]) -> str | None:
        match kind:
            case "intake":
                names = ", ".join(f"{d['file']} ({d['pages']} pages)" for d in data["documents"])
                return f"read {names}" if names else None
            case "scope":
                self.milestones = len(data["milestones"])
                self.outcome = data["milestones"][0]
                return f"scope with {self.milestones} milestone{'s' if self.milestones > 1 else ''}"
            case "phase":
                self.role, self.round, self.milestone, self.todo = data["role"], data["round"], data["milestone"], ""
            case "tool" if data.get("of"):
                self.todo = f"{data['done']}/{data['of']} {data['current']}".strip()
            case "accepted":
                return f"round {self.round}: {data['title']} · accepted"
            case "verdict":
                return f"round {self.round}: {data['title']} · failed: {data['findings'][0]}"
            case "milestone":
                return f"milestone {data['number']} of {data['of']} reached: {data['outcome']}"
            case "escalation":
                return f"escalated by {data['by']} to {data['to']}: {data['cause']}"
            case "limit" if data["scope"] == "job":
                return f"limit reached: {data['limit']} {data['spent']:g} of {data['ceiling']:g}"
        return None

    @property
    def elapsed(self) -> str:
        seconds = int(time.monotonic() - self.began)
        return f"{seconds // 60:02d}:{seconds % 60:02d}"


class PlainDisplay:
    """One line an event that matters, for logs and pipes."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def __enter__(self) -> PlainDisplay:
        p = self._progress
        print(f"job {p.job} · model {p.model}", flush=True)
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, kind: str, data: dict[str, Any]) -> None:
        line = self._progress.take(kind, data)
        if line:
            p = self._progress
            print(f"[{p.elapsed}] {line} · {p.calls} calls, {p.tokens:,} tokens, ${p.cost:.4f}", flush=True)


class LiveDisplay:
    """A panel that is redrawn in place, for terminals."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def __enter__(self) -> LiveDisplay:
        from rich.live import Live

        self._live: Live = Live(get_renderable=self._panel, refresh_per_second=4)
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def __call__(self, kind: str, data: dict[str, Any]) -> None:
        self._progress.take(kind, data)

    def _panel(self) -> Any:
        from rich.console import Group
        from rich.panel import Panel
        from rich.table import Table
        from rich.text import Text

        p = self._progress
        table = Table.grid(padding=(0, 2))
        where = f"{p.milestone} of {p.milestones}: {p.outcome}" if p.milestones else "being defined"
        for name, value in (
            ("milestone", where),
            ("round", f"{p.round} · {p.role}"),
            ("todo", p.todo or "-"),
            ("spent", f"{p.calls} calls · {p.tokens:,} tokens · ${p.cost:.4f} · {p.elapsed}"),
        ):
            table.add_row(Text(name, style="dim"), Text(value, overflow="ellipsis", no_wrap=True))
        latest = [Text(line, style="dim", overflow="ellipsis", no_wrap=True) for line in p.log[-5:]]
        return Panel(Group(table, *latest), title=f"{p.job} · {p.model}", title_align="left", border_style="cyan")


def display(job: str, model: str) -> PlainDisplay | LiveDisplay:
    """The display that fits standard output."""
    progress = Progress(job, model)
    return LiveDisplay(progress) if sys.stdout.isatty() else PlainDisplay(progress)


ENDS = {
    State.COMPLETED: "completed",
    State.FAILED: "stopped by an error; go on with: echelon resume {job}",
    State.REJECTED: "rejected",
    State.LIMIT: "reached a limit; the partial result is kept. Give it more and go on with: echelon resume {job} --set {raise}",
    State.NEEDS_INPUT: "waits for an answer. Answer with: echelon answer {job} TEXT",
    State.ESCALATED: "was handed up to you. Say how to go on with: echelon answer {job} TEXT",
    State.CANCELLED: "cancelled",
}


def summary(result: JobResult, model: str, seconds: float) -> str:
    """One screen: what was found, where the files are, what it cost, what was escalated."""
    how = ENDS.get(State(result.state)) if result.state in ENDS else None
    end = (how or result.state).format(job=result.job, **{"raise": _raise(result)})
    lines = ["", f"Job {result.job} {end}"]
    if result.reason:
        lines.append(f"  why        {result.reason}")
    lines += [f"  {name.replace('_', ' '):<10} {_shown(value)}" for name, value in result.figures.items()]
    lines += [f"  {'warning' if n == 0 else '':<10} {w}" for n, w in enumerate(result.warnings)]
    lines += [f"  {'files' if n == 0 else '':<10} {path}" for n, path in enumerate(result.outputs)]
    spent = result.spent
    tokens = spent.get("prompt_tokens", 0) + spent.get("completion_tokens", 0)
    lines.append(
        f"  {'cost':<10} ${result.cost:.4f} · {spent.get('model_calls', 0)} model calls · {tokens:,} tokens · "
        f"{result.rounds} rounds · {seconds:.0f} s · model {model}"
    )
    handed = [f"{e['raised_by']} to {e['to']}, round {e['round']}: {e['cause']}" for e in result.escalations]
    lines += [f"  {'escalated' if n == 0 else '':<10} {line}" for n, line in enumerate(handed[-5:] or ["nothing"])]
    return "\n".join(lines)


def _raise(result: JobResult) -> str:
    name = result.reason.split(" ", 1)[0]
    return f"{name}=..." if "." in name else "budget.cost=..."


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{n} {k}" for k, n in value.items()) or "none"
    return str(value)


def table(rows: list[dict[str, Any]], columns: list[str]) -> str:
    """Rows as aligned text."""
    cells = [[str(r.get(c, "")) for c in columns] for r in rows]
    widths = [max(len(c), *(len(row[i]) for row in cells)) if cells else len(c) for i, c in enumerate(columns)]
    lines = ["  ".join(c.upper().ljust(w) for c, w in zip(columns, widths, strict=True)).rstrip()]
    lines += ["  ".join(v.ljust(w) for v, w in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join(lines)
