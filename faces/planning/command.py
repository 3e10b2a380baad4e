"""The commands of plans: `echelon plan "GOAL"`, `plan status`, `plan replan`, `plan policy`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from echelon.faces.cli.grammar import Define, checked_out, existing, named, overrides_of, settings
from echelon.faces.cli.running import perform, showing, shown_as
from echelon.shown import show

PARTS = ("status", "replan", "policy")
IMPOSSIBLE = 5


def add_planning(define: Define) -> None:
    """Add the command."""
    plan = define(
        "plan", plan_command, "plan a goal; or status JOB, replan JOB, policy: look at a plan and make it anew"
    )
    plan.add_argument(
        "what", nargs="+", metavar="GOAL",
        help='the goal in quotes, and files that belong to it; or "status JOB", "replan JOB", "policy"',
    )  # fmt: skip
    plan.add_argument("--done", metavar="ID", nargs="+", default=[], help="replan: tasks that are done, as planned")
    plan.add_argument(
        "--actuals", metavar="FILE", type=Path, help="replan: CSV with task, started, finished, remaining"
    )
    plan.add_argument("--today", metavar="DATE", help="status, replan: the day that counts as today")
    plan.add_argument("--model", metavar="NAME", help="playbook (the default; rules, no key) or openai/<name>")
    settings(plan)
    showing(plan)


def plan_command(given: argparse.Namespace) -> int:
    """`echelon plan`."""
    first, *rest = given.what
    if first == "policy":
        return _policy(given, rest)
    if first in PARTS:
        return _of_a_job(given, first, rest)
    _refuse(given, "done", "actuals", "today")
    from echelon.service.service import Service

    checked_out(given.out)
    service = Service()
    job = service.submit("planner", rest, first, given.model, overrides_of(given), out=given.out)
    return perform(service, job, shown_as(given))


def _refuse(given: argparse.Namespace, *names: str) -> None:
    from echelon.errors import UserError

    if used := next((n for n in names if getattr(given, n)), None):
        raise UserError(f"--{used} belongs to 'echelon plan replan JOB'.")


def _of_a_job(given: argparse.Namespace, part: str, rest: list[str]) -> int:
    from echelon.errors import UserError

    if len(rest) != 1:
        raise UserError(f"Say which job: echelon plan {part} JOB.")
    service = existing()
    job = named(service, rest[0])
    return _status(given, job) if part == "status" else _replan(given, job)


def _status(given: argparse.Namespace, job: str) -> int:
    from echelon.service.planning import status

    _refuse(given, "done", "actuals")
    found = status(existing(), job, given.today)
    parts = {"done": found.done, "running": found.running, "overdue": found.overdue, "next": found.following}
    if given.json:
        show(json.dumps({"job": job, "today": f"{found.today}", "end": found.end.isoformat(), **parts}))
        return 0
    lines = [f"Plan of {job} on {found.today}: it ends on {found.end:%Y-%m-%d}"]
    lines += [f"  {name:<8} {', '.join(ids) or 'none'}" for name, ids in parts.items()]
    if found.overdue:
        lines.append(f"Say what is done with: echelon plan replan {job} --done {' '.join(found.overdue)}")
    show("\n".join(lines))
    return 0


def _replan(given: argparse.Namespace, job: str) -> int:
    from echelon.service.planning import replanned

    found = replanned(existing(), job, given.done, given.actuals, given.today)
    entries = [e.model_dump(mode="json") for e in found.changes]
    if given.json:
        end = None if found.end is None else found.end.isoformat()
        show(json.dumps({
            "job": job, "end": end, "before": found.before.isoformat(), "changes": entries, "summary": found.summary,
            "conflict": list(found.conflict), "overdue": list(found.overdue),
        }, ensure_ascii=False))  # fmt: skip
        return 0 if found.end is not None else IMPOSSIBLE
    lines = [f"Plan of {job}: {found.summary}"]
    lines += [f"  {e.what}: {e.before} -> {e.after} ({e.why})" for e in found.changes] or ["  Nothing moves."]
    lines += [f"  impossible together: {c}" for c in found.conflict]
    if found.overdue:
        lines.append(f"  not reported, planned anew: {', '.join(found.overdue)}")
    show("\n".join(lines))
    return 0 if found.end is not None else IMPOSSIBLE


def _policy(given: argparse.Namespace, rest: list[str]) -> int:
    from echelon.crews.planner.person.policy import path_of, policy_of, store, stored
    from echelon.errors import UserError
    from echelon.settings import read_environment

    if rest:
        raise UserError("Change the policy with: echelon plan policy --set KEY=VALUE.")
    _refuse(given, "done", "actuals", "today")
    home = read_environment().home
    values = overrides_of(given)
    found = store(home, values) if values else policy_of(stored(home))
    said = found.model_dump(mode="json", exclude={"schema_version"})
    if given.json:
        show(json.dumps(said))
        return 0
    where = f"kept in {path_of(home)}" if path_of(home).exists() else "nothing is set, these are the defaults"
    show("\n".join([f"How you are spoken to ({where}):", *(f"  {name:<25} {value}" for name, value in said.items())]))
    return 0
