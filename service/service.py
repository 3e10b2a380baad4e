"""Jobs from outside: submit, run, resume, cancel, look. The command line and scripts use the same functions."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import time
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from echelon import own
from echelon.addresses import passwords_of
from echelon.agents.roster import roster
from echelon.crews.hierarchy.vocabulary import OVER, RESUMABLE, State
from echelon.crews.job_types import job_type
from echelon.crews.playbooks.model import playbooks_are_registered
from echelon.crews.tool_sets import take
from echelon.engine import durable
from echelon.engine.integrity import set_back
from echelon.engine.run import stop_listening
from echelon.errors import JobCancelled, Superseded, UnknownName, UserError
from echelon.files import write_atomically
from echelon.json_text import writable
from echelon.own_tools import tools_of
from echelon.private import keep_private, private_files
from echelon.service import mcp_tools, repair
from echelon.service.endings import ending
from echelon.service.failures import is_outage, keep_traceback, sentence
from echelon.service.inputs import checked_input
from echelon.service.job_result import JobResult, spent_in
from echelon.service.own_tools import granted, with_own_tools
from echelon.service.replies import asks_approval, fitting, overdue
from echelon.settings import Environment, JobConfig, load_config, read_environment, validated
from echelon.sharing.shared import VARIABLE, SharedFolder, shared_folder
from echelon.store.engines import open_engine
from echelon.store.records.jobs import Given, JobRow, Said, Settings
from echelon.store.store import Store

LETS_GO = 10.0
"""Seconds that whoever has ended a job may take to let go of it"""
CONFIGS = Path(__file__).parent.parent / "configs"

NO_PASSWORD = (
    "graph.url must hold no password, since settings are stored with the job; set NEO4J_USERNAME and NEO4J_PASSWORD."
)
CORRECTABLE = ("model", "models", "model_settings", "graph", "budget")
"""Settings that a job may get anew in the middle of a segment: no decision of a finished step is made again by them."""


class Service:
    """Everything that can be done with jobs, on one database and one folder."""

    def __init__(self, environment: Environment | None = None) -> None:
        self.environment = environment or read_environment()

    @cached_property
    def store(self) -> Store:
        """The database, opened when it is first needed: what is refused before makes nothing. Raises UserError."""
        private_files()
        if damage := repair.lost(self.environment):
            raise UserError(f"{damage} {repair.REMEDY}")
        if self.environment.get("ECHELON_DATABASE_URL") is None:
            make_home(self.environment.home)
        store = Store(open_engine(self.environment.database_url), self.environment.home)
        store.migrate()
        return store

    def close(self) -> None:
        """Close the database, if it was opened. Not for a service that has run a job: its process keeps it for others."""
        if "store" in self.__dict__:
            self.store.engine.dispose()

    @property
    def has_store(self) -> bool:
        """Whether there can be jobs at all: False where the SQLite file was never made. One that is lost was made."""
        url = self.environment.database_url
        if not url.startswith("sqlite:///") or Path(url.removeprefix("sqlite:///")).exists():
            return True
        return bool(repair.lost(self.environment))

    # submitting

    def submit(
        self,
        type_: str,
        inputs: list[str | Path],
        request: str | None = None,
        model: str | None = None,
        overrides: dict[str, Any] | None = None,
        job: str | None = None,
        out: Path | None = None,
    ) -> str:
        """Check everything that can be checked, make the job, and return its id (`job`, or a new one).

        `out` is remembered for whoever shows the end of the job: the folder that its results are copied to.

        Raises UserError; then nothing is made.
        """
        config = self.configuration(type_, model, overrides)
        folders = job_type(config.job).takes_folders
        sources = [checked_input(Path(p), config.inputs.max_megabytes, folders=folders) for p in inputs]
        if len(sources) < config.inputs.least:
            raise UserError(f"The job '{type_}' needs at least {config.inputs.least} input file.")
        make_home(self.environment.home)
        job = job or f"{config.job}-{secrets.token_hex(4)}"
        settings = Settings(
            config=config.model_dump(mode="json"), inputs=tuple(map(str, sources)),
            out=None if out is None else str(out.resolve()),
        )  # fmt: skip
        if (shared := self.shared(job)) is not None:
            shared.give(list(settings.inputs))
        self.store.add_job(job, config.job, writable(request or config.request), settings, f"jobs/{job}")
        return job

    def shared(self, job: str) -> SharedFolder | None:
        """The folder of a job where other machines reach it, None where it stays on this one. Raises UserError."""
        place = self.environment.get(VARIABLE)
        return shared_folder(place, self.store, job, self.environment.home / "jobs" / job) if place else None

    def bring(self, job: str) -> None:
        """Have the files of a job here, if they are shared and nobody works on them now. Raises UserError.

        Whoever ended it may still be at its last files, so it is given a moment to let go.
        """
        if (shared := self.shared(job)) is None:
            return
        end = time.monotonic() + LETS_GO
        while (holder := self.store.holder(job)) is not None and self.store.job(job).state in OVER:
            if time.monotonic() > end:
                return
            time.sleep(0.1)
        if holder is None:
            shared.pull()

    def configuration(self, type_: str, model: str | None, overrides: dict[str, Any] | None) -> JobConfig:
        """The resolved configuration of a job. Raises UserError for unknown names and models that cannot be opened."""
        config = with_own_tools(self.with_approved(self.layers(type_, model, overrides)))
        take(granted(config), tools_of(config.own_tools))
        roles = roster(config.role_folder)
        for role in {*config.models, *config.tools} - set(roles):
            raise UnknownName("role", role, list(roles))
        self.check_settings(config)
        return config

    def with_approved(self, config: JobConfig) -> JobConfig:
        """The configuration with what a person approved of its MCP servers. Raises UserError for what nobody did."""
        there = bool(config.mcp) and self.has_store
        return mcp_tools.with_approved(self.store.engine if there else None, config)

    def layers(self, type_: str, model: str | None, overrides: dict[str, Any] | None) -> JobConfig:
        """The configuration as its layers and the user's own type of job say it, before names in it are looked up."""
        playbooks_are_registered()
        chosen = model or self.environment.get("ECHELON_MODEL")
        config = load_config(CONFIGS, type_, {**({"model": chosen} if chosen else {}), **(overrides or {})})
        if (mine := own.found(config.job)) is not None:
            own.load(mine)
            config = config.model_copy(update={"own": str(mine)})
        return job_type(config.job).configured(config, self.environment.home)

    def check_settings(self, config: JobConfig) -> None:
        """Raises UserError for a password in an address and for a model that cannot be opened."""
        from echelon.engine.models.opening import open_model, with_playbook

        playbooks_are_registered()
        if passwords_of(config.graph.url):
            raise UserError(NO_PASSWORD)
        playing = {config.model_of(role) for role in roster(config.role_folder)}
        if not config.playbook and "playbook" in playing:
            raise UserError(
                f"The job '{config.job}' needs a language model, no rules do it; name one: "
                f"echelon run {config.job} FILE --model openai/NAME (or set ECHELON_MODEL)."
            )
        for spec in playing:
            if not spec.startswith("replay"):
                open_model(with_playbook(spec, config.playbook), config.model_settings, self.environment)

    def price_warnings(self, job: str) -> list[str]:
        """One sentence for each model of a job whose price nobody knows. Raises UnknownName."""
        config = JobConfig.model_validate(self.store.job(job).config.config)
        from echelon.engine.models.chain import names_in

        specs = {name for spec in (config.model, *config.models.values()) for name in names_in(spec)}
        if all(spec.startswith(("playbook", "replay", "chaos")) for spec in specs):
            return []
        from echelon.engine.models.langchain import price_warning

        found = [price_warning(spec, config.model_settings) for spec in sorted(specs)]
        return [warning for warning in found if warning is not None]

    # running

    def enqueue(self, job: str) -> None:
        """Put a submitted job into the queue that workers take jobs from."""
        row = self.store.job(job)
        durable.enqueue(self.store, job, row.segment, {})

    def run(self, job: str) -> JobResult:
        """Run or go on with a job in this process until it ends or needs a person.

        Raises JobBusy. An error of the surroundings ends in FAILED with what happened as the reason; it can go on.
        """
        row = self.store.job(job)
        with durable.Lease(self.store, job):
            durable.launch(self.store, self.segment)
            if durable.is_of_another_version(job, row.segment):
                row = self.begun_again(row)
            try:
                durable.run(job, row.segment, {})
            except Exception as error:  # whatever it was: the job is kept, and the user gets a sentence
                return self.stopped(row, error)
            finally:
                stop_listening(job)
        return self.result(job)

    def begun_again(self, row: JobRow) -> JobRow:
        """The row of a job whose segment begins again, with what it began with: its steps are those of another version."""
        set_back(self.store, row.id, row.folder, row.config.snapshot)
        self.store.set_job(row.id, segment=row.segment + 1, config=row.config)
        return self.store.job(row.id)

    def resume(self, job: str | None = None, overrides: dict[str, Any] | None = None, said: Said | None = None) -> str:
        """Make a job ready to go on and return its id; without an id the latest that can. Raises UserError."""
        row = self.store.job(job) if job else self._latest_open()
        state = row.state
        said = fitting(row, said) if said else overdue(row, time.time())
        if state in OVER:
            raise UserError(f"Job {row.id} is {state}; there is nothing to go on with.")
        if state in RESUMABLE:
            self._next_segment(row, state, overrides or {}, said)
        else:
            self._corrected(row, overrides or {})
        return row.id

    def cancel(self, job: str) -> None:
        """Stop a job for good. Raises UserError when it has ended already."""
        row = self.store.job(job)
        if row.state in OVER:
            raise UserError(f"Job {job} is {row.state} already.")
        durable.cancel(self.store, job, row.segment)
        self.store.set_job(job, state=State.CANCELLED.value)
        self.store.give_back(job)

    def copied(self, result: JobResult, out: Path) -> JobResult:
        """The result with its files copied to the folder `out`. Raises UserError when that is not possible."""
        if not result.outputs:  # an empty folder would look like a result
            return result
        try:
            out.mkdir(parents=True, exist_ok=True)
            copies = tuple(Path(shutil.copy2(p, out / p.name)).resolve() for p in result.outputs)
        except OSError as error:
            raise UserError(
                f"The results cannot be copied to {out}: {error.strerror}. They are in {result.folder / 'output'}."
            ) from error
        return replace(result, outputs=copies)

    # looking

    def result(self, job: str) -> JobResult:
        """What is known of a job now. Raises UnknownName."""
        row = self.store.job(job)
        self.bring(job)
        kept, folder = row.end, row.folder
        ledger = self.store.steps(job)
        return JobResult(
            job=job, state=row.state, folder=folder, reason=kept.reason,
            outputs=tuple(folder / p for p in kept.outputs), ledger=tuple(ledger),
            cost=sum(s.cost for s in ledger), spent=kept.spent or spent_in(ledger),
            figures=kept.figures, escalations=kept.escalations,
            warnings=kept.warnings, rounds=kept.rounds, unfinished=kept.unfinished,
            complete=kept.complete, dropped=tuple((kept.snapshot or {}).get("dropped", ())),
            asks_approval=asks_approval(row), ending=ending(row),
        )  # fmt: skip

    # inside

    def _latest_open(self) -> JobRow:
        """The latest job that nobody runs: rather one that was interrupted than one at a limit or one that waits."""
        rows = [r for r in self.store.all_jobs() if r.state not in OVER and not self.store.holder(r.id)]
        if not rows:
            raise UserError("There is no job to go on with; start one with 'echelon run creator FILE'.")
        return min(rows, key=lambda r: (r.state in RESUMABLE, r.state != State.LIMIT))

    def stopped(self, row: JobRow, error: BaseException) -> JobResult:
        """Write down what stopped a job that did not come to an end of its own, as far as disk and database allow."""
        if isinstance(error, JobCancelled):
            self.store.set_job(row.id, state=State.CANCELLED.value)
        elif not isinstance(error, Superseded):  # then whoever has the job now says how it ends
            return self._failed(row, error)
        return self.result(row.id)

    def _failed(self, row: JobRow, error: BaseException) -> JobResult:
        reason, job = sentence(error, self.environment.values), row.id
        keep_traceback(row.folder, error, self.environment.values)
        try:
            kept = self.store.job(job).end
            failed = kept.model_copy(update={"reason": reason, "outage": is_outage(error)})
            self.store.set_job(job, state=State.FAILED.value, result=failed)
            return self.result(job)
        except SQLAlchemyError:  # the database is what failed, perhaps for writing only; the job counts as interrupted
            known = JobResult(job=job, state=State.FAILED.value, folder=row.folder)
            with contextlib.suppress(SQLAlchemyError):
                known = self.result(job)
            return replace(known, state=State.FAILED.value, reason=reason)

    def _corrected(self, row: JobRow, overrides: dict[str, Any]) -> None:
        """Change settings of a job that stopped in the middle: those that its finished steps do not hang on."""
        for name in overrides:
            if name.partition(".")[0] not in CORRECTABLE:
                raise UserError(
                    f"Job {row.id} stopped in the middle, and {name} would change what it did already; "
                    f"these can be set: {', '.join(CORRECTABLE)}."
                )
        settings, end = row.config, row.end
        if overrides:
            config = with_overrides(settings.config, overrides)
            self.check_settings(JobConfig.model_validate(config))
            settings = settings.model_copy(update={"config": config})
        if overrides or end.deaths is not None:
            result = end.model_copy(update={"deaths": None}) if row.result is not None else None
            self.store.set_job(row.id, config=settings, result=result)

    def _next_segment(self, row: JobRow, state: str, overrides: dict[str, Any], said: Said | None) -> None:
        if state == State.LIMIT:
            said = Said(event="more granted")
        elif said is None:
            asked = f"Job {row.id} waits for a person: {row.end.reason}"
            raise UserError(f"{asked} Answer with: echelon answer {row.id} TEXT")
        config = with_overrides(row.config.config, overrides)
        if config["tools"]:
            config = with_own_tools(JobConfig.model_validate(config)).model_dump(mode="json")
        if config["mcp"]:  # what a person approved since the job stopped holds from here on
            config = self.with_approved(JobConfig.model_validate(config)).model_dump(mode="json")
        if passwords_of(str((overrides or {}).get("graph.url", ""))):
            raise UserError(NO_PASSWORD)
        assert row.end.snapshot is not None
        given = Given(snapshot=row.end.snapshot, said=said)
        settings = row.config.model_copy(update={"config": config, "given": given})
        self.store.set_job(row.id, segment=row.segment + 1, config=settings, state="submitted")

    def segment(self, job: str, segment: int, given: dict[str, Any]) -> dict[str, Any]:
        """What DBOS runs: one segment of a job, to its end."""
        from echelon.service.workflow import run_segment

        return run_segment(self.store, self.environment, job, segment, given)


def make_home(home: Path) -> None:
    """Make the folder of the jobs; one that lies in somebody's git repository is ignored there. Raises UserError."""
    try:
        keep_private(home)
        ignore = home / ".gitignore"
        if not ignore.exists():
            write_atomically(ignore, "*\n")
    except OSError as error:
        raise UserError(f"The folder {home} cannot be used: {error.strerror}; set ECHELON_HOME to another.") from error


def with_overrides(config: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    """A stored configuration with dotted overrides on top, validated again."""
    from echelon.settings import merged

    return validated(JobConfig, merged(config, overrides), "configuration").model_dump(mode="json")
