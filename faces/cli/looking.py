"""The commands that look: jobs, show, cost, compare, graph, experiences, doctor, sweep."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from echelon.faces.cli.grammar import (
    SETTING,
    Define,
    count,
    existing,
    existing_store,
    job_argument,
    named,
    overrides_of,
    request_of,
    wanted,
)  # fmt: skip
from echelon.shown import show, visible

if TYPE_CHECKING:
    from echelon.settings import Environment

EDITION = "a document, a requirements.json, a folder with one, or a creator job"


def add_looking(define: Define) -> None:
    """Add the commands."""
    define("jobs", jobs_command, "list the jobs, the latest first")
    show = define("show", show_command, "show one job: how it stands, what it did, what it cost")
    job_argument(show)
    show.add_argument("--step", metavar="N", type=count, help="show one step: what the role saw, its tools, its answer")
    show.add_argument("--effects", action="store_true", help="list the calls that must not be made twice")
    sweep = define("sweep", sweep_command, "kill a job at its steps, resume it, and compare what comes out")
    wanted(sweep)
    sweep.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help=SETTING)
    where = sweep.add_mutually_exclusive_group()
    where.add_argument("--every", action="store_true", help="kill at every step, and inside one in ten")
    where.add_argument("--kills", metavar="N", type=count, default=10, help="kill at so many places at random (10)")
    sweep.add_argument("--seed", metavar="N", type=int, default=1, help="another number picks other places")
    cost = define("cost", cost_command, "show what a job cost, and what for")
    job_argument(cost)
    compare = define("compare", compare_command, "say which requirements are new, gone, changed or moved")
    compare.add_argument("old", metavar="OLD", help=EDITION)
    compare.add_argument("new", metavar="NEW", help="the same for the later edition")
    compare.add_argument("--html", metavar="FILE", type=Path, help="write a page with the changes marked as well")
    graph = define("graph", graph_command, "ask the graph of the validators a question in Cypher")
    graph.add_argument(
        "query", metavar="QUERY", help='such as "MATCH (r:Requirement) RETURN r.key"; it changes nothing'
    )
    graph.add_argument(
        "--url", metavar="URL", default="", help="another graph than that of this home: kglite:, neo4j:, bolt:"
    )
    graph.add_argument("--rows", metavar="N", type=count, default=100, help="at most so many rows (100)")
    learnt = define("experiences", experiences_command, "list what failed in earlier jobs and what worked then")
    learnt.add_argument("id", metavar="ID", nargs="?", default="", help="show this one")
    learnt.add_argument("--type", metavar="TYPE", default="", help="only those of this type of job")
    learnt.add_argument("--remove", metavar="ID", default="", help="remove this one, or all")
    doctor = define("doctor", doctor_command, "check what is configured, reachable and missing, and say how to fix it")
    doctor.add_argument("--repair", action="store_true", help="rebuild a lost database from the folders of the jobs")


def compare_command(given: argparse.Namespace) -> int:
    """`echelon compare`."""
    from echelon.domains.requirements.comparing.compare import compare
    from echelon.domains.requirements.comparing.editions import requirements_of
    from echelon.domains.requirements.comparing.shown import as_html, as_json, as_text
    from echelon.errors import UserError
    from echelon.files import write_atomically

    comparison = compare(requirements_of(_edition(given.old)), requirements_of(_edition(given.new)))
    if given.html is not None:
        try:
            write_atomically(given.html, as_html(comparison, given.old, given.new))
        except OSError as error:
            raise UserError(f"{given.html} cannot be written: {error.strerror}.") from error
    show(json.dumps(as_json(comparison), ensure_ascii=False) if given.json else as_text(comparison))
    return 0


def graph_command(given: argparse.Namespace) -> int:
    """`echelon graph`."""
    from echelon.crews.validator.graph_of_job import ask
    from echelon.service.service import Service

    found = ask(Service().environment, given.query, given.url, given.rows)
    if given.json:
        show(json.dumps(found.model_dump(mode="json"), ensure_ascii=False))
        return 0
    show("\t".join(found.columns))
    for row in found.rows:
        show("\t".join(_cell(row[column]) for column in found.columns))
    if found.truncated:
        show("There are more rows; --rows N shows more.")
    return 0


def _cell(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return " ".join(visible(text).split())


def _edition(what: str) -> Path:
    """A path that exists, or the output of the job that is meant. Raises UserError."""
    path = Path(what)
    if path.exists():
        return path
    service = existing()
    return service.store.job(named(service, what)).folder / "output"


def jobs_command(given: argparse.Namespace) -> int:
    """`echelon jobs`."""
    from echelon.faces.cli.printing import jobs_text
    from echelon.service.views import job_rows

    store = existing_store()
    rows = job_rows(store) if store else []
    show(json.dumps(rows, ensure_ascii=False) if given.json else jobs_text(rows))
    return 0


def show_command(given: argparse.Namespace) -> int:
    """`echelon show`."""
    if given.effects:
        return _show_effects(given)
    if given.step:
        return _show_step(given)
    from echelon.faces.cli.printing import job_text
    from echelon.service.views import job_details

    service = existing()
    details = job_details(service.store, named(service, given.job))
    show(json.dumps(details, ensure_ascii=False) if given.json else job_text(details))
    return 0


def experiences_command(given: argparse.Namespace) -> int:
    """`echelon experiences`."""
    from echelon.crews.experiences import all_of, remove
    from echelon.errors import UnknownName
    from echelon.faces.cli.printing import experience_text, experiences_text
    from echelon.settings import read_environment

    home = read_environment().home
    if given.remove:
        gone = remove(home, given.remove)
        show(json.dumps({"removed": gone}) if given.json else f"{gone} removed.")
        return 0
    rows = [
        {"type": type_, "says": str(p), **p.model_dump(mode="json", exclude={"profiles", "schema_version"})}
        for type_, patterns in all_of(home).items()
        for p in patterns
        if given.type in ("", type_) and given.id in ("", p.id)
    ]
    if given.id and not rows:
        raise UnknownName("experience", given.id, [p.id for patterns in all_of(home).values() for p in patterns])
    said = experience_text(rows[0]) if given.id else experiences_text(rows)
    show(json.dumps(rows[0] if given.id else rows, ensure_ascii=False) if given.json else said)
    return 0


def sweep_command(given: argparse.Namespace) -> int:
    """`echelon sweep`."""
    from echelon.crews.job_types import job_type
    from echelon.service.inputs import checked_input
    from echelon.service.service import CONFIGS
    from echelon.service.trials.sweep import Sweep, command
    from echelon.settings import load_config

    overrides = overrides_of(given)
    request = request_of(given)
    config = load_config(CONFIGS, given.type, overrides)
    most, folders = config.inputs.max_megabytes, job_type(config.job).takes_folders
    inputs = tuple(checked_input(Path(p), most, folders=folders) for p in given.files)
    sweep = Sweep(given.type, inputs, given.model, overrides, request)
    return command(sweep, given.every, given.kills, given.seed, given.json)


def _show_step(given: argparse.Namespace) -> int:
    from echelon.faces.cli.printing import step_text
    from echelon.service.views import step_details

    service = existing()
    step = step_details(service.store, named(service, given.job), given.step)
    show(json.dumps(step, ensure_ascii=False) if given.json else step_text(step))
    return 0


def _show_effects(given: argparse.Namespace) -> int:
    from echelon.faces.cli.printing import table
    from echelon.service.views import effect_rows

    service = existing()
    job = named(service, given.job)
    rows = effect_rows(service.store, job)
    if given.json:
        show(json.dumps(rows, ensure_ascii=False))
    elif rows:
        header = ("STEP", "TOOL", "STATE", "BEGUN", "ARGUMENTS")
        show(table([(str(r["number"]), r["tool"], r["state"], r["begun"], r["arguments"]) for r in rows], header))
    else:
        show(f"Job {job} called no tool that must not run twice.")
    return 0


def cost_command(given: argparse.Namespace) -> int:
    """`echelon cost`."""
    from echelon.faces.cli.cost_text import cost_text
    from echelon.service.cost import cost_of

    service = existing()
    found = cost_of(service.store, named(service, given.job))
    show(json.dumps(found, ensure_ascii=False) if given.json else cost_text(found))
    return 0


def _repaired(environment: Environment) -> list[str]:
    """What `--repair` did, as lines that a terminal may show."""
    from echelon.service.repair import repair

    return [visible(line) for line in repair(environment)]


def doctor_command(given: argparse.Namespace) -> int:
    """`echelon doctor`."""
    from echelon.faces.cli.printing import doctor_text
    from echelon.service.doctor import examine
    from echelon.settings import read_environment

    environment = read_environment()
    done = _repaired(environment) if given.repair else []
    checks = examine(environment)
    found: object = [c.as_dict() for c in checks]
    found = {"repair": done, "checks": found} if given.repair else found
    show(json.dumps(found, ensure_ascii=False) if given.json else "\n".join([*done, doctor_text(checks)]))
    return 1 if any(c.state == "broken" for c in checks) else 0
