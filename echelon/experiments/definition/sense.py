"""What no type can say: an experiment that is written correctly and makes no sense. One sentence before anything runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from echelon.errors import UnknownName, UserError
from echelon.experiments.definition.load import Loaded
from echelon.experiments.definition.settings import Arm, Experiment
from echelon.experiments.scoring.ready import ready
from echelon.experiments.statistics.paired import LEAST_CLUSTERS


def make_sense(loaded: Loaded) -> None:
    """Raises UserError for the first thing that would make the experiment worth nothing."""
    for wrong in itertools.chain(
        _arms(loaded.experiment),
        _tasks(loaded),
        _looks(loaded),
        _budget(loaded.experiment),
    ):
        raise wrong
    for task in loaded.tasks:
        for check in task.checks:
            ready(check, task)


def _arms(experiment: Experiment) -> Iterator[UserError]:
    arms = experiment.arms
    if len(arms) < 2:
        yield UserError("An experiment needs at least two arms.")
    if experiment.baseline not in arms:
        yield UnknownName("arm in compare.baseline:", experiment.baseline, list(arms))
    for name, arm in arms.items():
        yield from _copy(experiment, name, arm)
        if any(key.split(".")[0] == "budget" for key in arm.set):
            yield UserError(
                f"Arm '{name}' sets budget: all arms have the same; use budget.per_trial of the experiment."
            )
        if experiment.fork and (arm.crew != "hierarchy" or arm.job_type):
            yield UserError(f"Arm '{name}' cannot fork at '{experiment.fork}': only settings differ after a fork.")
    for one, other in itertools.combinations(arms, 2):
        if _origin(arms, one) != _origin(arms, other) and _meant(arms, one) == _meant(arms, other):
            yield UserError(
                f"Arms '{one}' and '{other}' do not differ; write same_as: {one} when that is what is to be measured."
            )


def _origin(arms: dict[str, Arm], name: str) -> str:
    """The arm that this one repeats on purpose, or itself."""
    return arms[name].same_as or name


def _meant(arms: dict[str, Arm], name: str) -> Arm:
    return arms.get(_origin(arms, name), arms[name])


def _copy(experiment: Experiment, name: str, arm: Arm) -> Iterator[UserError]:
    """What is wrong with an arm that is the same as another on purpose."""
    if not arm.same_as:
        return
    originals = [a for a, other in experiment.arms.items() if a != name and not other.same_as]
    if arm.same_as not in originals:
        yield UnknownName(f"arm in same_as of '{name}':", arm.same_as, originals)
    elif arm.set or arm.model or arm.job_type or arm.crew != "hierarchy":
        yield UserError(f"Arm '{name}' is the same as '{arm.same_as}' and changes settings; leave one of the two out.")


def _tasks(loaded: Loaded) -> Iterator[UserError]:
    if len(loaded.tasks) < 2:
        only = ", ".join(task.name for task in loaded.tasks)
        yield UserError(
            f"One task only, '{only}': nothing can be said of others; an experiment needs two or more, "
            f"and {LEAST_CLUSTERS} independent ones for an interval."
        )
    for task in loaded.tasks:
        if not task.checks:
            yield UserError(f"Task '{task.name}' has no checks; say under 'checks' what makes a success.")
        if not task.job_type and not all(arm.job_type for arm in loaded.experiment.arms.values()):
            yield UserError(f"Task '{task.name}' names no job_type.")
        if any(key.split(".")[0] == "budget" for key in task.set):
            yield UserError(f"Task '{task.name}' sets budget; use budget.per_trial of the experiment.")


def _looks(loaded: Loaded) -> Iterator[UserError]:
    looks, clusters = loaded.experiment.compare.looks, len(loaded.clusters)
    first = round(looks[0] * clusters)
    if len(looks) > 1 and first < LEAST_CLUSTERS:
        yield UserError(
            f"The look at {looks[0]:g} comes after {first} of {clusters} clusters; an interval needs {LEAST_CLUSTERS}."
        )
    at = [round(share * clusters) for share in looks]
    if len(set(at)) < len(at):
        yield UserError(f"Two looks come after the same number of the {clusters} clusters; name fewer looks.")


def _budget(experiment: Experiment) -> Iterator[UserError]:
    trial, total = experiment.budget.per_trial, experiment.budget.total
    for name in ("cost", "tokens"):
        one, all_ = getattr(trial, name), getattr(total, name)
        if one != "unlimited" and all_ != "unlimited" and one > all_:
            yield UserError(
                f"The budget is too small for one trial: budget.per_trial.{name} is {one:g}, budget.total.{name} {all_:g}."
            )
        if one == 0 or all_ == 0:
            yield UserError(f"A budget of 0 {name} is too small for one trial.")
