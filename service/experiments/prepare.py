"""From a file to an experiment that is ready to run: everything is checked, nothing is spent, and its size is known."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from echelon.crews.hierarchy.states import ENDS, State
from echelon.crews.job_types import job_type
from echelon.digest import digest
from echelon.errors import UnknownName, UserError
from echelon.experiments.analysis.words import beforehand
from echelon.experiments.definition.load import Loaded, Task, load
from echelon.experiments.definition.sense import make_sense
from echelon.experiments.definition.settings import Experiment
from echelon.experiments.metrics import METRICS
from echelon.experiments.statistics.paired import LEAST_CLUSTERS, compare
from echelon.experiments.statistics.power import Variance, minimum_detectable
from echelon.experiments.trials import Trial, TrialResult, schedule
from echelon.json_text import is_list, is_object
from echelon.service.inputs import checked_input
from echelon.service.service import Service
from echelon.settings import JobConfig
from echelon.store import experiments as kept

PACKAGES = ("crewai", "dbos", "numpy", "scipy", "langchain-openai", "pydantic")
"""Whose versions are written down beside ours."""


@dataclass(frozen=True)
class Prepared:
    """An experiment whose every trial has a configuration that holds."""

    loaded: Loaded
    trials: tuple[Trial, ...]
    configs: dict[tuple[str, str], JobConfig]
    """By task and arm, with the seed of the first repeat"""

    @property
    def experiment(self) -> Experiment:
        return self.loaded.experiment

    def task(self, name: str) -> Task:
        """The task with this name. Raises StopIteration."""
        return next(t for t in self.loaded.tasks if t.name == name)

    @cached_property
    def definition(self) -> dict[str, Any]:
        """Everything that is needed to repeat it: the file, versions, seeds, resolved configurations, hashes."""
        return {
            "file": self.loaded.text,
            "experiment": self.experiment.model_dump(mode="json", by_alias=True),
            "tasks": {t.name: _described(t) for t in self.loaded.tasks},
            "trials": [{"id": t.id, "task": t.task, "arm": t.arm, "repeat": t.repeat, "seed": t.seed} for t in self.trials],
            "configurations": {f"{task} / {arm}": c.model_dump(mode="json") for (task, arm), c in self.configs.items()},
            "versions": versions(),
        }  # fmt: skip

    @cached_property
    def digest(self) -> str:
        """What the experiment is, without the versions that it runs on."""
        return digest({k: v for k, v in self.definition.items() if k not in ("versions", "file")})


def prepare(path: Path, service: Service) -> Prepared:
    """Read and check everything: the file, the tasks, their checks, and the configuration of every arm at every task.

    Raises UserError for the first thing that is wrong; then nothing was made.
    """
    loaded = load(path)
    make_sense(loaded)
    experiment = loaded.experiment
    check_fork(experiment.fork)
    trials = schedule(experiment.name, loaded.tasks, list(experiment.arms), experiment.repeats, experiment.seed)
    first = {(t.task, t.arm): t for t in reversed(trials) if t.repeat == 1}
    prepared = Prepared(loaded, trials, {})
    for task in loaded.tasks:
        for arm in experiment.arms:
            config = configured(prepared, first[task.name, arm], service)
            folders = job_type(config.job).takes_folders
            for source in task.inputs:
                checked_input(source, config.inputs.max_megabytes, folders=folders)
            if len(task.inputs) < config.inputs.least:
                raise UserError(
                    f"Task '{task.name}' needs at least {config.inputs.least} input file; name it under 'inputs'."
                )
            prepared.configs[task.name, arm] = config
    check_budget(prepared)
    check_calibration(prepared)
    return prepared


def check_fork(at: str) -> None:
    """Arms can fork before any state in which somebody acts. Raises UnknownName."""
    name = at.partition(":")[0]
    known = [state.value for state in State if state not in ENDS and state is not State.INTAKE]
    if name and name not in known:
        raise UnknownName("state in from:", name, known)


def judged_arms(experiment: Experiment) -> tuple[str, ...]:
    """The arms that have a QA, by what the file says of them."""
    arms = {name: experiment.arm(name) for name in experiment.arms}
    return tuple(n for n, arm in arms.items() if arm.crew == "hierarchy" and "qa" not in arm.set.get("without", ()))


def check_budget(prepared: Prepared) -> None:
    """Arms have equal budgets in the unit that the file names. Raises UserError for a task at which they have not."""
    unit = prepared.experiment.budget.match
    for task in prepared.loaded.tasks:
        ceilings = {arm: getattr(prepared.configs[task.name, arm].budget, unit) for arm in prepared.experiment.arms}
        first, *others = ceilings
        for other in others:
            if ceilings[other] != ceilings[first]:
                raise UserError(
                    f"Arms '{first}' and '{other}' have no equal budget at task '{task.name}': {unit} "
                    f"{ceilings[first]} and {ceilings[other]}; name budget.per_trial.{unit}."
                )


def equal_budget(prepared: Prepared) -> str:
    """What every trial may use, in the unit in which all arms have the same."""
    unit = prepared.experiment.budget.match
    found = {getattr(c.budget, unit) for c in prepared.configs.values()}
    if "unlimited" in found:
        return f"no ceiling of {unit} for a trial"
    each = " or ".join(f"${most:,.2f}" if unit == "cost" else f"{most:,.0f} tokens" for most in sorted(found))
    return f"at most {each} a trial, the same in every arm"


def check_calibration(prepared: Prepared) -> None:
    """Raises UserError for what `qa` asks for and nobody can plant or judge."""
    qa, experiment = prepared.experiment.qa, prepared.experiment
    if qa is None:
        return
    if not judged_arms(experiment):
        raise UserError("qa: no arm has a QA that could be tried.")
    for name in judged_arms(experiment):
        if experiment.arm(name).job_type:
            raise UserError(f"qa: arm '{name}' has another type of job; only settings differ after a fork.")
    for task in prepared.loaded.tasks:
        type_ = job_type(task.job_type)
        for what, names, known in (("fault", qa.plant, type_.faults()), ("form", qa.forms, type_.forms())):
            for name in names:
                if name not in known:
                    raise UnknownName(f"{what} in qa: for a job of type '{task.job_type}':", name, list(known))


def configured(prepared: Prepared, trial: Trial, service: Service) -> JobConfig:
    """The configuration of a trial's job. Raises UserError that names task and arm."""
    try:
        return service.configuration(*settings_of(prepared, trial))
    except UserError as error:
        raise UserError(f"Arm '{trial.arm}' at task '{trial.task}': {error}") from error


def settings_of(prepared: Prepared, trial: Trial) -> tuple[str, str | None, dict[str, Any]]:
    """Type, model and overrides of a trial's job. What belongs to the task goes under what the arm changes."""
    task, arm = prepared.task(trial.task), prepared.experiment.arm(trial.arm)
    overrides = {**task.set, **filled(arm.set, trial), **ceilings(prepared.experiment), "isolated": True}
    if arm.crew != "hierarchy":
        overrides["crew"] = arm.crew
    model = filled(arm.model, trial) if arm.model else None
    if model is not None:
        overrides.pop("model", None)
    return arm.job_type or task.job_type, model, overrides


def ceilings(experiment: Experiment) -> dict[str, Any]:
    """The ceilings of one trial as settings of its job: the same for all arms."""
    given = experiment.budget.per_trial.model_dump()
    return {f"budget.{name}": value for name, value in given.items() if value != "unlimited"}


def filled(value: Any, trial: Trial) -> Any:
    """The value with {seed}, {task} and {repeat} filled in, wherever a text has them."""
    if isinstance(value, str):
        places = {"seed": trial.seed, "task": trial.task, "repeat": trial.repeat}
        for name, what in places.items():
            value = value.replace(f"{{{name}}}", str(what))
        return value
    if is_object(value):
        return {k: filled(v, trial) for k, v in value.items()}
    return [filled(v, trial) for v in value] if is_list(value) else value


@dataclass(frozen=True)
class Outlook:
    """What is known before anything is spent."""

    trials: int
    tasks: int
    clusters: int
    arms: int
    most_cost: float | None
    """US dollars that it can cost at most; None when neither trial nor experiment has a ceiling"""
    most_tokens: int | None
    mde: float | None
    """Smallest difference of the first metric that it can show; None with fewer than five independent tasks"""
    sd: float
    basis: str
    """What the variance is taken from"""
    sentence: str
    verdicts: int = 0
    """Verdicts of QA on prepared work, for its calibration"""
    budget: str = ""
    """What every trial may use, the same in all arms"""


def outlook(prepared: Prepared, service: Service) -> Outlook:
    """How many trials, the most they can cost, and what so many tasks can show."""
    experiment, clusters = prepared.experiment, len(prepared.loaded.clusters)
    sd, basis = expected_sd(prepared, service)
    alpha = experiment.compare.alpha / len(experiment.others)
    mde = minimum_detectable(sd, clusters, alpha) if clusters >= LEAST_CLUSTERS else None
    metric = METRICS[experiment.compare.primary]
    return Outlook(
        trials=len(prepared.trials), tasks=len(prepared.loaded.tasks), clusters=clusters, arms=len(experiment.arms),
        most_cost=_most(prepared, "cost"), most_tokens=_whole(_most(prepared, "tokens")), mde=mde, sd=sd, basis=basis,
        sentence=beforehand(clusters, mde, metric), verdicts=_verdicts(experiment) * len(prepared.loaded.tasks),
        budget=equal_budget(prepared),
    )  # fmt: skip


def expected_sd(prepared: Prepared, service: Service) -> tuple[float, str]:
    """The standard deviation of a cluster's difference: given, from a pilot, or assumed; and which of these."""
    experiment = prepared.experiment
    assumed = experiment.compare.assumed
    if assumed.sd is not None:
        return assumed.sd, "the standard deviation that the file gives"
    if assumed.pilot:
        return _pilot_sd(assumed.pilot, experiment, service), f"the pilot '{assumed.pilot}'"
    variance = Variance(assumed.within, assumed.between, assumed.shared)
    per_cluster = len(prepared.loaded.tasks) / len(prepared.loaded.clusters)
    if METRICS[experiment.compare.primary].bounds is None:
        wanted = "compare.assumed.sd or compare.assumed.pilot"
        raise UserError(
            f"What so many tasks can show of '{experiment.compare.primary}' cannot be said without {wanted}."
        )
    return variance.sd(experiment.repeats, per_cluster), "tasks of very different difficulty, half of them solved"


def _pilot_sd(name: str, experiment: Experiment, service: Service) -> float:
    """The greatest standard deviation of the differences of a pilot's arms from its baseline."""
    row = kept.get(service.store.engine, name)
    results = [TrialResult.model_validate(r) for r in kept.results(service.store.engine, name).values()]
    pilot = Experiment.model_validate(row["definition"]["experiment"])
    metric = experiment.compare.primary
    rows = [(r.cluster, r.task, r.repeat, r.arm, v) for r in results if (v := r.value(metric)) is not None]
    found = [compare(rows, pilot.baseline, arm).sd for arm in pilot.others]
    known = [sd for sd in found if sd]
    if not known:
        raise UserError(f"The pilot '{name}' shows no variance of '{metric}'; give compare.assumed.sd instead.")
    return max(known)


def _verdicts(experiment: Experiment) -> int:
    """Verdicts of QA on the work of one task."""
    qa = experiment.qa
    each = 0 if qa is None else 1 + len(qa.plant) * qa.per_document + len(qa.forms)
    return each * len(judged_arms(experiment))


def _most(prepared: Prepared, unit: str) -> float | None:
    """The most of a unit that all trials together may use, with the verdicts on prepared work: a copy each, and the
    job before it with the copy that shows whether its work is right."""
    experiment = prepared.experiment
    total = getattr(experiment.budget.total, unit)
    each = [getattr(prepared.configs[t.task, t.arm].budget, unit) for t in prepared.trials]
    for task in prepared.loaded.tasks if experiment.qa is not None else ():
        arms = judged_arms(experiment)
        own = [getattr(prepared.configs[task.name, arm].budget, unit) for arm in arms]
        each += own * (_verdicts(experiment) // len(arms)) + own[:1]
    bounds = [float(sum(each))] if "unlimited" not in each else []
    bounds += [float(total)] if total != "unlimited" else []
    return min(bounds, default=None)


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _described(task: Task) -> dict[str, Any]:
    return {"cluster": task.cluster, "request": task.request, "files": _hashes(task.folder)}


def _hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every file of a task, by its path."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@cache
def versions() -> dict[str, str]:
    """Versions of what an experiment runs on."""
    import echelon

    found = {"echelon": echelon.__version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
