"""What a person sees while a job runs: a panel on a terminal, plain lines anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from echelon.faces.cli.printing import counted
from echelon.shown import show, visible

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

LOG_LINES = 5
"""Latest milestones, rounds and escalations that the panel shows."""


@dataclass
class Progress:
    """What is known of a running job, from its events."""

    job: str
    model: str
    began: float = field(default_factory=time.monotonic)
    replayed: int = 0
    """Events that the job will repeat before it goes on where it was interrupted; they are known already."""
    outcomes: Sequence[str] = ()
    milestone: int = 0
    round: int = 0
    role: str = ""
    todo: str = ""
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    log: list[str] = field(default_factory=list)

    def happened(self, kind: str, data: dict[str, Any]) -> str | None:
        """Take in an event of this run; returns a line worth printing, None when there is nothing new to say."""
        if self.replayed > 0:
            self.replayed -= 1
            return None
        return self.take(kind, data)

    def take(self, kind: str, data: dict[str, Any]) -> str | None:
        """Take an event in; returns a line worth printing, None when there is nothing to say."""
        self.calls, self.tokens, self.cost = data["calls_so_far"], data["tokens_so_far"], data["cost_so_far"]
        line = visible(self._line(kind, data) or "")
        if line:
            self.log.append(line)
        return line or None

    def _line(self, kind: str, data: dict[str, Any]) -> str | None:
        match kind:
            case "intake":
                names = ", ".join(map(_read, data["documents"]))
                return f"read {names}" if names else None
            case "scope":
                self.outcomes, self.milestone = tuple(data["milestones"]), 1
                return f"scope with {counted(len(self.outcomes), 'milestone')}"
            case "phase":
                self.role, self.round, self.todo = data["role"], data["round"], ""
                self.milestone = data["milestone"] if self.outcomes else 0
            case "tool" if data.get("of"):
                self.todo = f"{data['done']} of {data['of']} done {data['current']}".strip()
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
    def where(self) -> str:
        """The milestone that is worked on."""
        if not 0 < self.milestone <= len(self.outcomes):
            return "being defined"
        return f"{self.milestone} of {len(self.outcomes)}: {self.outcomes[self.milestone - 1]}"

    @property
    def spent(self) -> str:
        return f"{self.calls} calls, {self.tokens:,} tokens, ${self.cost:.4f}"

    @property
    def elapsed(self) -> str:
        seconds = int(time.monotonic() - self.began)
        return f"{seconds // 60:02d}:{seconds % 60:02d}"


class PlainDisplay(AbstractContextManager["PlainDisplay"]):
    """One line an event that matters, for logs and pipes. When nobody reads any more the job goes on in silence."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._open = progress, True

    def __enter__(self) -> PlainDisplay:
        p = self._progress
        self._print(f"job {p.job} · model {p.model}")
        if p.log:
            self._print(f"going on after: {p.log[-1]} · {p.spent} so far")
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, kind: str, data: dict[str, Any]) -> None:
        line = self._progress.happened(kind, data)
        if line:
            self._print(f"[{self._progress.elapsed}] {line} · {self._progress.spent}")

    def _print(self, line: str) -> None:
        if self._open:
            try:
                show(visible(line))
            except (OSError, ValueError):
                self._open = False


def _read(document: dict[str, Any]) -> str:
    """'rules.pdf (9 pages)'; the name alone where the format has no pages."""
    pages = document["pages"]
    return document["file"] if pages is None else f"{document['file']} ({counted(pages, 'page')})"


class LiveDisplay(AbstractContextManager["LiveDisplay"]):
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
        self._progress.happened(kind, data)

    def _panel(self) -> RenderableType:
        from rich.console import Group
        from rich.panel import Panel
        from rich.table import Table
        from rich.text import Text

        p = self._progress
        table = Table.grid(padding=(0, 2), expand=True)
        table.add_column(no_wrap=True, min_width=len("milestone"))
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        for name, value in (
            ("milestone", p.where),
            ("round", f"{p.round} · {p.role}" if p.round else p.role or "getting ready"),
            ("todo", p.todo or "-"),
            ("spent", f"{p.spent} · {p.elapsed}"),
        ):
            table.add_row(Text(name, style="dim"), Text(visible(value)))
        latest = [Text(line, style="dim", overflow="ellipsis", no_wrap=True) for line in p.log[-LOG_LINES:]]
        return Panel(
            Group(table, *latest), title=Text(visible(f"{p.job} · {p.model}")), title_align="left", border_style="cyan"
        )


def display(job: str, model: str, past: Sequence[dict[str, Any]] = (), replayed: int = 0) -> PlainDisplay | LiveDisplay:
    """The display that fits standard output. The run repeats the last `replayed` of the events in `past`."""
    progress = Progress(job, model, replayed=replayed)
    for event in past:
        progress.take(event["kind"], event["data"])
    return LiveDisplay(progress) if sys.stdout.isatty() else PlainDisplay(progress)
