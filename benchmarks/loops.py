"""Roles that go round in circles, and roles that only seem to: how soon the first are stopped, and that the others are not.

    python benchmarks/loops.py [--short]

Each script plays a phase of an Implementor through the model door, crewai, and durable steps on SQLite. A loop must end
within eight model calls. Prints one JSON line a script and one for each bar; exits with 1 when a bar does not hold.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from echelon.engine.messages import Answer, ToolCall
from echelon.service.service import Service
from tests.support.phases import play, tool
from tests.support.scripted import Reply, Script, Seen, call, raw, service

MOST = 8
SHELF = (
    "read_file",
    "list_files",
    "file_exists",
    "write_file",
    "append_file",
    "edit_file",
    "add_note",
    "list_todos",
    "todo_complete",
    "submit_report",
)
WORDS = ("first", "second", "third", "other", "next", "last")

read, write = (lambda path: call("read_file", path=path)), (lambda path, text: call("write_file", path=path, text=text))
REPORT = call("submit_report", summary="It is done.")


def again(*replies: Reply) -> Script:
    """The same replies in turn, for ever."""
    return lambda seen: replies[(seen.number - 1) % len(replies)]


def thinking(*calls: ToolCall) -> Script:
    """The same calls in turn, each with another thought."""
    return lambda seen: Answer(
        text=f"Let me look at it in the {WORDS[seen.number % 6]} way, {seen.number} of many.",
        calls=(calls[(seen.number - 1) % len(calls)],),
    )


LOOPS: Mapping[str, Script] = {
    # repeat
    "the same read": again(read("workspace_summary.md")),
    "the same empty folder": again(call("list_files", folder="notes")),
    "the same write": again(write("output/a.md", "text")),
    "keys in another order": again(
        raw("read_file", '{"path": "todos.yaml", "lines": 5}'), raw("read_file", '{"lines":5,"path":"todos.yaml"}')
    ),
    "white space": lambda seen: raw("list_files", "{" + " " * seen.number + "}"),
    "a file that is not there": again(read("notes/none.md")),
    "a tool that is not there": again(call("run_shell", command="ls")),
    "arguments that end too early": again(raw("read_file", '{"path": "todos')),
    "nothing at all": again(""),
    "words and no call": lambda seen: f"I am thinking about it for the {WORDS[seen.number % 6]} time.",
    # ping-pong
    "two folders in turn": again(call("list_files", folder="notes"), call("list_files", folder="archive")),
    "three folders in turn": again(*(call("list_files", folder=f) for f in ("notes", "archive", "output"))),
    "a look and a list": again(call("file_exists", path="a.md"), call("list_files")),
    "a file written to and fro": again(write("output/a.md", "one"), write("output/a.md", "two")),
    "a failure and a success": again(read("notes/none.md"), call("list_files", folder="notes")),
    "an edit and its undoing": lambda seen: (
        write("output/a.md", "old text")
        if seen.number == 1
        else call("edit_file", path="output/a.md", **_turned(seen.number))
    ),
    # varying thought
    "the same list, other thoughts": thinking(call("list_files")),
    "two looks, other thoughts": thinking(call("file_exists", path="a.md"), call("file_exists", path="b.md")),
    # no progress
    "another place that does not exist": lambda seen: raw(
        "read_file", json.dumps({"path": "todos"})[: 3 + seen.number]
    ),
    "known things in any order": again(
        *(call(name) for name in ("list_files", "list_todos", "list_todos", "list_files", "list_files"))
    ),
}


def _turned(number: int) -> dict[str, str]:
    return {"old": "old text", "new": "new text"} if number % 2 == 0 else {"old": "new text", "new": "old text"}


def each(*replies: Reply) -> Script:
    """One after another, then the report."""
    return lambda seen: replies[seen.number - 1] if seen.number <= len(replies) else REPORT


def polled(seen: Seen) -> Reply:
    """Ask whether the build is done, thirty times."""
    return call("build_state") if seen.number <= 30 else REPORT


TODO_BY_TODO = "the same look for each todo"

WAITS: Mapping[str, Script] = {
    "a tool that waits, asked 30 times": polled,
    "twelve questions without a hit": each(*(call("find", text=f"word {chr(97 + n) * 3}") for n in range(12))),
    "twenty lines added to one file": each(
        *(call("append_file", path="output/a.md", text=f"line {n}: {WORDS[n % 6]}\n") for n in range(20))
    ),
    "a check after each change": each(
        *(c for n in range(8) for c in (write("output/a.md", f"version {n}"), call("check", text="all")))
    ),
    TODO_BY_TODO: lambda seen: (
        REPORT
        if seen.todo is None
        else call("find", text="same")
        if seen.last_tool != "find"
        else call("todo_complete")
    ),
}


def tools() -> list[Any]:
    """What the waits need: nothing is found, the check always says the same, the build takes its time."""
    return [
        tool("build_state", lambda _: "The build is running.", waits=True),
        tool("find", lambda text: f"Nothing was found for '{text}'."),
        tool("check", lambda _: "3 of 9 checks fail."),
    ]


def measure(jobs: Service, kind: str, name: str, script: Script) -> dict[str, Any]:
    """Play one script; how it ended and after how many model calls."""
    todos = [f"look at part {n}" for n in range(1, 9)] if name == TODO_BY_TODO else []
    played = play(jobs, script, tools(), shelf=SHELF, todos=todos, overrides={"budget.calls_per_phase": 60})
    ended, calls = played.how, len(played.model.asked)
    holds = ended == "submitted" if kind == "wait" else ended != "submitted" and calls <= MOST
    return {"benchmark": "loops", "kind": kind, "script": name, "ended": ended, "calls": calls, "holds": holds}


def figures(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One line for each bar."""
    loops, waits = ([r for r in rows if r["kind"] == kind] for kind in ("loop", "wait"))
    return [
        {
            "benchmark": "loops",
            "figure": f"loops stopped within {MOST} calls",
            "value": sum(r["holds"] for r in loops),
            "of": len(loops),
            "most_calls": max(r["calls"] for r in loops),
        },
        {
            "benchmark": "loops",
            "figure": "waits not stopped",
            "value": sum(r["holds"] for r in waits),
            "of": len(waits),
        },
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="accepted for the sake of all.py; it is short")
    parser.parse_args()
    groups: dict[str, Mapping[str, Script]] = {"loop": LOOPS, "wait": WAITS}
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        rows = [measure(jobs, kind, name, script) for kind, group in groups.items() for name, script in group.items()]
    for row in [*rows, *figures(rows)]:
        print(json.dumps(row), flush=True)
    return 0 if all(row["holds"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
