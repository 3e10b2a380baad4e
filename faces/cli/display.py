"""What a person sees while a job runs: a panel on a terminal, plain lines anywhere else."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from echelon.engine.redact import Redactor
from echelon.faces.cli.printing import counted
from echelon.service.share import Share
from echelon.shown import show, visible
from echelon.store.records.events import (
    CodeWorked,
    Escalated,
    Event,
    InputsRead,
    LimitMet,
    MilestoneReached,
    ModelAsked,
    PhaseBegan,
    ReadDocument,
    Scoped,
    TaskAccepted,
    TaskFailed,
    ToolCalled,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

LINE = 100
"""Characters of them that it shows."""
MOST_HEARD = 400
"""Characters of a model's words that the panel remembers."""
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
    words: str = ""
    """What the model that is asked now has written so far, the end of it"""
    log: list[str] = field(default_factory=list)
    share: Share = field(default_factory=Share)

    def happened(self, event: Event) -> str | None:
        """Take in an event of this run; returns a line worth printing, None when there is nothing new to say."""
        if self.replayed > 0:
            self.replayed -= 1
            return None
        self.share.watch()
        return self.take(event)

    def take(self, event: Event) -> str | None:
        """Take an event in; returns a line worth printing, None when there is nothing to say."""
        self.words = "" if isinstance(event, ModelAsked) else self.words
        self.calls, self.tokens, self.cost = event.calls_so_far, event.tokens_so_far, event.cost_so_far
        self.share.take(event)
        line = visible(self._line(event) or "")
        if line:
            self.log.append(line)
        return line or None

    def _line(self, event: Event) -> str | None:
        match event:
            case InputsRead(documents=documents):
                return f"read {', '.join(map(_read, documents))}" if documents else None
            case Scoped(milestones=outcomes):
                self.outcomes, self.milestone = outcomes, 1
                return f"scope with {counted(len(outcomes), 'milestone')}"
            case PhaseBegan():
                self.role, self.round, self.todo = event.role, event.round, ""
                self.milestone = event.milestone if self.outcomes else 0
            case ToolCalled() if event.of:
                self.todo = f"{event.done} of {event.of} done {event.current}".strip()
            case CodeWorked(said=said):
                return said
            case TaskAccepted(title=title):
                return f"round {self.round}: {title} · accepted"
            case TaskFailed(title=title, findings=findings):
                return f"round {self.round}: {title} · failed: {next(iter(findings), '')}"
            case MilestoneReached(number=number, of=of, outcome=outcome):
                return f"milestone {number} of {of} reached: {outcome}"
            case Escalated(by=by, to=to, cause=cause):
                return f"escalated by {by} to {to}: {cause}"
            case LimitMet(scope="job"):
                return f"limit reached: {event.limit} {event.spent:g} of {event.ceiling:g}"
            case _:
                pass
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

    def __call__(self, event: Event) -> None:
        line = self._progress.happened(event)
        if line:
            told = (line, self._progress.share.said(), self._progress.spent)
            self._print(f"[{self._progress.elapsed}] {' · '.join(part for part in told if part)}")

    def _print(self, line: str) -> None:
        if self._open:
            try:
                show(visible(line))
            except (OSError, ValueError):
                self._open = False


def _read(document: ReadDocument) -> str:
    """'rules.pdf (9 pages)'; the name alone where the format has no pages."""
    return document.file if document.pages is None else f"{document.file} ({counted(document.pages, 'page')})"


class LiveDisplay(AbstractContextManager["LiveDisplay"]):
    """A panel that is redrawn in place, for terminals."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def heard(self, words: str) -> None:
        """Show what a model writes, as it writes it."""
        self._progress.words = (self._progress.words + words)[-MOST_HEARD:]

    def __enter__(self) -> LiveDisplay:
        from rich.live import Live

        self._live: Live = Live(get_renderable=self._panel, refresh_per_second=4)
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def __call__(self, event: Event) -> None:
        self._progress.happened(event)

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
            ("says", _latest(p.words) or "-"),
            ("done", p.share.said() or "-"),
            ("spent", f"{p.spent} · {p.elapsed}"),
        ):
            table.add_row(Text(name, style="dim"), Text(visible(value)))
        latest = [Text(line, style="dim", overflow="ellipsis", no_wrap=True) for line in p.log[-LOG_LINES:]]
        return Panel(
            Group(table, *latest), title=Text(visible(f"{p.job} · {p.model}")), title_align="left", border_style="cyan"
        )


def _latest(words: str) -> str:
    """The end of what a model has written, on one line, without what could be a secret in it."""
    return Redactor(os.environ).text(" ".join(words.split()))[-LINE:]


def display(job: str, model: str, past: Sequence[Event] = (), replayed: int = 0) -> PlainDisplay | LiveDisplay:
    """The display that fits standard output. The run repeats the last `replayed` of the events in `past`."""
    progress = Progress(job, model, replayed=replayed)
    for event in past:
        progress.take(event)
    return LiveDisplay(progress) if sys.stdout.isatty() else PlainDisplay(progress)
