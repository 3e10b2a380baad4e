"""Every error of the library, in one tree.

`UserError` is a mistake in what was asked for or in the surroundings: one sentence for the person, exit code 2.
`ModelFault` is for the model: its text is handed back so that the model can do better.
`ModelUnavailable` says that a model server could not be used; retries are over when it is raised.
`RunEnded` stops a run for a reason that is not a mistake: a ceiling, a cancellation.
"""

from __future__ import annotations

from typing import Any


class EchelonError(Exception):
    """Root of the tree."""


class UserError(EchelonError):
    """Bad usage or bad input. The text is one sentence: what is wrong, and what to do."""


LISTED = 12
"""Names that a message lists at most."""


class UnknownName(UserError):
    """A name that does not exist, with the nearest one that does, or the one that is `meant` by it elsewhere."""

    def __init__(self, what: str, name: str, known: list[str], meant: str | None = None) -> None:
        self.what, self.name, self.nearest = what, name, meant or _nearest(name, known)
        hint = f"did you mean '{self.nearest}'?" if self.nearest else _listed(known)
        super().__init__(f"Unknown {what} '{name}'; {hint}")


def _listed(known: list[str]) -> str:
    shown = ", ".join(sorted(known)[:LISTED])
    more = len(known) - LISTED
    return f"known: {shown}{f' and {more} more' if more > 0 else ''}." if known else "there is none yet."


def _nearest(name: str, known: list[str]) -> str | None:
    """The known name that is spelled most like `name`, None when none is. A prefix that all share is no likeness."""
    import difflib

    prefix = name[: name.rfind(".") + 1]
    prefix = prefix if all(k.startswith(prefix) for k in known) else ""
    by_rest = {k.removeprefix(prefix).lower(): k for k in sorted(known, reverse=True)}
    near = difflib.get_close_matches(name.removeprefix(prefix).lower(), list(by_rest), n=1, cutoff=0.5)
    return by_rest[near[0]] if near else None


class JobBusy(UserError):
    """Another process runs this job."""

    def __init__(self, job: str, holder: str) -> None:
        super().__init__(f"Job {job} is already running in {holder}; wait for it, or stop that process first.")
        self.job, self.holder = job, holder


class ModelFault(EchelonError):
    """The model asked for something that cannot be done; `str(error)` tells it what to do instead."""


class Doubt(EchelonError):
    """A tool was begun, and nobody can say whether it took effect; `str(error)` says why in a few words."""


class ModelUnavailable(EchelonError):
    """A model server that refuses or does not answer.

    `outage` says whether it was the server's state: what it refuses for what the request says, it refuses again.
    """

    def __init__(self, model: str, reason: str, attempts: int = 1, *, outage: bool = True) -> None:
        super().__init__(f"Model '{model}' cannot be used: {reason}")
        self.model, self.reason, self.attempts, self.outage = model, reason, attempts, outage


class ContextTooLong(ModelUnavailable):
    """The prompt is longer than what the model can see at once."""

    def __init__(self, model: str, attempts: int = 1) -> None:
        super().__init__(
            model,
            "the prompt is too long for it; set model_settings.context_window to what the server allows",
            attempts,
            outage=False,
        )


class Quarantined(EchelonError):
    """A job that ended every process that ran it, at the same step: it goes to a person, not to the next worker."""

    def __init__(self, job: str, step: int, name: str, processes: int) -> None:
        where = f"step {step} ({name})" if name else "its beginning"
        super().__init__(
            f"The job ended {processes} workers at {where}, so no other takes it; see what that step needs, "
            f"then go on with: echelon resume {job}"
        )
        self.job, self.step, self.name, self.processes = job, step, name, processes


class RunEnded(EchelonError):
    """A run that stops before its work is done."""


class LimitReached(RunEnded):
    """A ceiling was reached before the call that would have passed it, or may have: it could take `needed`."""

    def __init__(self, limit: str, ceiling: float, spent: float, scope: str, needed: float = 0.0) -> None:
        tight = needed > 0 and spent < ceiling
        more = f", and the next call may take {needed:g}" if tight else ""
        self.sentence = f"is {ceiling:g} and {spent:g} are spent{more}"
        super().__init__(f"{scope}: the ceiling of {limit} {self.sentence}")
        self.limit, self.ceiling, self.spent, self.scope, self.needed = limit, ceiling, spent, scope, needed

    def as_dict(self) -> dict[str, Any]:
        """What it was made of, as JSON data."""
        return {name: getattr(self, name) for name in ("limit", "ceiling", "spent", "scope", "needed")}

    @property
    def setting(self) -> str:
        """Name of the setting that gives more."""
        if self.limit == "calls_per_phase" or self.scope == "job":
            return f"budget.{self.limit}"
        return f"budget.{self.scope}.{self.limit}"

    @property
    def ends_job(self) -> bool:
        """Whether the job ends in LIMIT; what a task, phase or subagent may not do goes back to who plans."""
        return self.scope in ("job", "milestone")


class Halted(BaseException):
    """The surroundings failed (disk, database, model server) or the code did: stop, record nothing, go on later.

    Not an Exception: neither crewai nor DBOS may take it for a result.
    """

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.cause = cause


class JobCancelled(RunEnded):
    """Somebody cancelled the job while it ran."""


class Superseded(RunEnded):
    """Another process has taken the job over: this one stops, and nothing of the job is to be changed here."""
