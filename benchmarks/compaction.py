"""Does anything that matters get lost when a conversation is summarised by a bad model?

    python benchmarks/compaction.py [--count 50]

Plays scripted histories of different seeds, each with a small context, so that summaries are written. The model that
writes them forgets everything, or remembers some, or says something false. After each summary the next prompt is read:
every open todo, decision and deliverable of the history must stand in it. Prints one JSON line a figure.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from echelon.engine.messages import ToolCall
from echelon.store.records.events import Compacted
from tests.support.events import of_kind
from tests.support.phases import play
from tests.support.scripted import Reply, Seen, call, service

TOOLS = (
    "write_file",
    "append_file",
    "edit_file",
    "read_file",
    "list_files",
    "add_note",
    "todo_complete",
    "submit_report",
)
SUMMARIES = ("Everything went well.", "", "All todos are done and nothing was written.")


@dataclass
class History:
    """What a script has done so far, kept apart from what the context keeps."""

    seed: int
    todos: list[str]
    done: int = 0
    decisions: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    checked: int = 0
    lost: Counter[str] = field(default_factory=Counter)

    def check(self, seen: Seen) -> None:
        """Look for everything in a prompt that a summary is part of."""
        if "of this phase, summarised:" not in seen.text:
            return
        text = " ".join(seen.text.casefold().split())
        for kind, facts in (
            ("open todo", self.todos[self.done :]),
            ("decision", self.decisions),
            ("deliverable", self.written),
        ):
            self.checked += len(facts)
            self.lost[kind] += sum(" ".join(f.casefold().split()) not in text for f in facts)


def moves(history: History) -> Iterator[ToolCall]:
    """A long piece of work: reads, notes, files, and now and then a finished todo."""
    rng = random.Random(history.seed)
    for number in range(1, 61):
        kind = rng.choices(("write", "read", "note", "done", "list"), (5, 3, 3, 1, 1))[0]
        if kind == "write":
            path = f"output/{rng.choice(('part', 'table', 'list'))}-{number}.md"
            yield call("write_file", path=path, text=f"line {rng.random()}\n" * rng.randint(5, 60))
            history.written.append(path)
        elif kind == "note":
            kind = rng.choice(("an obligation", "a permission"))
            decision = f"Clause {number} counts as {kind} because of rule {rng.random():.4f}"
            yield call("add_note", text=decision)
            history.decisions.append(decision)
        elif kind == "done" and history.done < len(history.todos) - 2:
            yield call("todo_complete")
            history.done += 1
        elif kind == "read" and history.written:
            yield call("read_file", path=rng.choice(history.written), from_line=1 + number)
        else:
            yield call("list_files", folder="output" if number % 2 else ".")


def play_history(jobs: Any, seed: int) -> tuple[History, list[Compacted]]:
    """One phase; returns its history and the compactions that its events tell of."""
    history = History(seed, [f"work through chapter {n} of book {seed}" for n in range(1, 9)])
    script = moves(history)

    def model(seen: Seen) -> Reply:
        if not seen.tools:
            return SUMMARIES[seed % len(SUMMARIES)]
        history.check(seen)
        return next(script, call("submit_report", summary="As far as possible.", outcome="partial"))

    overrides = {"context.compact_at_tokens": 2_600 + 100 * (seed % 4), "budget.calls_per_phase": 100}
    played = play(jobs, model, shelf=TOOLS, todos=history.todos, overrides=overrides)
    assert played.how in ("submitted", "stuck"), played.how
    return history, of_kind(jobs, played.job, Compacted)


def main() -> int:
    """Play histories until enough summaries were written; print what was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50, help="summaries to write at least")
    arguments = parser.parse_args()
    done: list[Compacted] = []
    lost: Counter[str] = Counter()
    forgotten: Counter[str] = Counter()
    checked = seed = 0
    with ExitStack() as stack:
        jobs = stack.enter_context(service(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
        while len(done) < arguments.count:
            seed += 1
            history, compactions = play_history(jobs, seed)
            done += compactions
            lost += history.lost
            checked += history.checked
            for compaction in compactions:
                forgotten.update(compaction.lost)
    for kind in ("open todo", "decision", "deliverable"):
        print(json.dumps({
            "benchmark": "compaction", "figure": f"lost: {kind}", "value": lost[kind], "bar": 0,
            "compactions": len(done), "histories": seed, "facts_checked": checked,
        }))  # fmt: skip
    print(json.dumps({
        "benchmark": "compaction", "figure": "facts that summaries forgot and code put back",
        "value": forgotten.total(),
        "tokens_before": round(sum(d["before"] for d in done) / len(done)),
        "tokens_after": round(sum(d["after"] for d in done) / len(done)),
    }))  # fmt: skip
    return 0 if not lost.total() else 1


if __name__ == "__main__":
    raise SystemExit(main())
