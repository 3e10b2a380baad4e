"""Is a role going round in circles? Decided from what it did and what came of it, never from what it said.

Pure: `Watch.saw` takes one tool call with its outcome and answers with a finding or None. Four windows are watched:

| window | what is counted | told at | stopped at |
|---|---|---|---|
| repeat | the same call with the same outcome, without another call between | 3 | 5 |
| failing | the same failing call among the last 8, or the same failure of one tool in a row | 3 | 4, 5 |
| ping-pong | two or three calls in turn, each time with the same outcomes | 4, 6 | 6, 8 |
| no progress | calls that brought nothing that was not known in this todo | 4 | 6 |

A finished todo clears all windows. A tool that waits for something outside is exempt, and an empty result is a result
like any other: asking ten different questions and finding nothing ten times in different words is no loop.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from echelon.digest import digest
from echelon.json_text import read_json

WINDOW = 8
"""Calls that the windows look back."""
REPEATS = (3, 5)
FAILURES_AMONG_OTHERS = (3, 4)
FAILURES_IN_A_ROW = (3, 5)
NOTHING_NEW = (4, 6)
CYCLES = {2: (4, 6), 3: (6, 8)}
_DIGITS = re.compile(r"\d+")


class Kind(StrEnum):
    REPEAT = "repeat"
    FAILING = "failing"
    PING_PONG = "ping-pong"
    NO_PROGRESS = "no progress"


@dataclass(frozen=True)
class Finding:
    """A circle. `stop` is False the first time: then the role is told, and may do better."""

    kind: Kind
    tool: str
    times: int
    stop: bool

    @property
    def sentence(self) -> str:
        """What the role is told, or what the planner finds when the phase was stopped."""
        said = {
            Kind.REPEAT: f"{self.tool} was called {self.times} times with the same arguments and the same result",
            Kind.FAILING: f"{self.tool} failed {self.times} times in the same way",
            Kind.PING_PONG: f"the same calls come in turn, {self.times} by now, with the same results",
            Kind.NO_PROGRESS: f"the last {self.times} calls brought nothing new",
        }[self.kind]
        if self.stop:
            return f"The role went round in circles: {said}."
        return (
            f"Careful: {said}. Doing it again changes nothing. Do something else: use the results that you have, "
            "finish the current todo, or hand the task back with what stands in the way."
        )


@dataclass(frozen=True)
class Deed:
    """One call with its outcome. `action` and `outcome` are hashes; `done_so_far` changes when a todo gets done."""

    tool: str
    action: str
    outcome: str
    ok: bool
    changes: bool = False
    """Whether it wrote something (a tool with an effect that was not refused)."""
    waits: bool = False
    done_so_far: int = 0

    @staticmethod
    def of(
        tool: str,
        arguments: str | dict[str, Any],
        result: Any,
        *,
        ok: bool,
        reads: bool = True,
        waits: bool = False,
        done_so_far: int = 0,
    ) -> Deed:
        """From the arguments (raw where they cannot be parsed) and the result.

        In a failure digits do not count: 'character 12' is 'character 15'.
        """
        said = result if isinstance(result, str) else json.dumps(result, sort_keys=True, ensure_ascii=False)
        outcome = digest([ok, said if ok else _DIGITS.sub("#", said)])
        return Deed(tool, action_of(tool, arguments), outcome, ok, ok and not reads, waits, done_so_far)

    @property
    def pair(self) -> tuple[str, str]:
        return self.action, self.outcome


def action_of(tool: str, arguments: str | dict[str, Any]) -> str:
    """Hash of a call: order of keys, white space between them, and how text is escaped make no difference."""
    if isinstance(arguments, dict):
        return digest([tool, arguments])
    try:
        return digest([tool, read_json(arguments or "{}")])
    except ValueError:
        return digest([tool, " ".join(arguments.split())])


@dataclass
class Watch:
    """Watches one phase. `found` is what the latest call led to."""

    deeds: list[Deed] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    nothing_new: int = 0
    found: Finding | None = None

    def saw(self, deed: Deed) -> Finding | None:
        """Take a call in. There is a finding at both thresholds of a window, and at each call beyond the second."""
        if self.deeds and deed.done_so_far != self.deeds[-1].done_so_far:
            self.clear()
        if deed.waits:
            return None
        self.deeds.append(deed)
        del self.deeds[:-WINDOW]
        self._count(deed)
        found = [f for f in (self._repeat(), self._failing(), self._ping_pong(), self._no_progress()) if f is not None]
        self.found = max(found, key=lambda f: f.stop, default=None)
        return self.found

    def circling(self) -> tuple[str, ...]:
        """Names of the tools whose next call would go on with a circle, sorted; () where there is none.

        A call that fails is no circle of this sort: it may well be right the next time, with other arguments.
        """
        if not self.deeds or not self.deeds[-1].ok:
            return ()
        if self.deeds[-1].pair in [d.pair for d in self.deeds[-2:-1]]:
            return (self.deeds[-1].tool,)
        if self.found is None:
            return ()
        return tuple(sorted({d.tool for d in self.deeds[-self.found.times :]}))

    def clear(self) -> None:
        """Forget everything: something got done."""
        self.deeds.clear()
        self.known.clear()
        self.found = None
        self.nothing_new = 0

    def _count(self, deed: Deed) -> None:
        evidence = {deed.outcome, *([deed.action] if deed.changes else [])}
        self.nothing_new = 0 if evidence - self.known else self.nothing_new + 1
        self.known |= evidence

    def _repeat(self) -> Finding | None:
        last = self.deeds[-1]
        times = _run_length([d.pair == last.pair for d in self.deeds])
        return _finding(Kind.REPEAT, last.tool, times, REPEATS)

    def _failing(self) -> Finding | None:
        last = self.deeds[-1]
        if last.ok:
            return None
        among = sum(d.pair == last.pair for d in self.deeds)
        in_a_row = _run_length([(d.tool, d.outcome) == (last.tool, last.outcome) for d in self.deeds])
        return _finding(Kind.FAILING, last.tool, in_a_row, FAILURES_IN_A_ROW) or (
            _finding(Kind.FAILING, last.tool, among, FAILURES_AMONG_OTHERS) if among > in_a_row else None
        )

    def _ping_pong(self) -> Finding | None:
        pairs = [d.pair for d in self.deeds]
        for period, thresholds in CYCLES.items():
            times = period + _run_length([a == b for a, b in zip(pairs, pairs[period:], strict=False)])
            if len(set(pairs[-period:])) == period and (
                finding := _finding(Kind.PING_PONG, self.deeds[-1].tool, times, thresholds)
            ):
                return finding
        return None

    def _no_progress(self) -> Finding | None:
        return _finding(Kind.NO_PROGRESS, self.deeds[-1].tool, self.nothing_new, NOTHING_NEW)


def _run_length(holds: Sequence[bool]) -> int:
    """How many at the end hold without a break."""
    return next((n for n, yes in enumerate(reversed(holds)) if not yes), len(holds))


def _finding(kind: Kind, tool: str, times: int, thresholds: tuple[int, int]) -> Finding | None:
    tell, stop = thresholds
    if times >= stop:
        return Finding(kind, tool, times, stop=True)
    return Finding(kind, tool, times, stop=False) if times == tell else None
