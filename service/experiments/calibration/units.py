"""What a calibration consists of, and what is kept of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from echelon.experiments.calibration.confusion import Confusion, Verdict, confusion
from echelon.experiments.definition.settings import Experiment
from echelon.service.experiments.prepare import judged_arms
from echelon.settings import Section
from echelon.store import experiments as kept
from echelon.store.store import Store


class Reference(Section):
    """Whether the work of a task is right where QA is asked, and what it took to come there and to know that."""

    task: str
    right: bool
    says: str = ""
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True)
class Unit:
    """One verdict: the QA of an arm on a copy of a task's work, as it is, with a fault, or in another form."""

    task: str
    arm: str
    fault: str = ""
    form: str = ""
    number: int = 1

    @property
    def kind(self) -> str:
        """What is planted, '' for the work as it is."""
        return self.fault or self.form

    @property
    def id(self) -> str:
        return f"{self.task}-{self.arm}-{self.kind or 'right'}-{self.number}"

    def job(self, experiment: str, digest: str) -> str:
        """The id of the copy: the same whenever it is asked for."""
        return f"{experiment}.{hashlib.sha256(f'{digest}:{self.id}'.encode()).hexdigest()[:10]}.qa"

    def verdict(self, cluster: str) -> Verdict:
        """What is known of the verdict before there is one."""
        return Verdict(arm=self.arm, task=self.task, document=cluster, fault=self.fault, form=self.form)


def units(experiment: Experiment, task: str) -> list[Unit]:
    """All verdicts on the work of a task, in their order; none without a `qa` section."""
    qa, out = experiment.qa, list[Unit]()
    for arm in judged_arms(experiment) if qa is not None else ():
        assert qa is not None
        out.append(Unit(task, arm))
        out += [Unit(task, arm, fault=f, number=n) for f in qa.plant for n in range(1, qa.per_document + 1)]
        out += [Unit(task, arm, form=f) for f in qa.forms]
    return out


@dataclass(frozen=True)
class Calibrated:
    """What a calibration found: a confusion for each arm with a QA, the verdicts, and what could not be used."""

    confusion: tuple[Confusion, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    unused: tuple[str, ...] = ()
    """One sentence for each task whose work was no use"""

    @property
    def tokens(self) -> int:
        return sum(v.tokens for v in self.verdicts)

    @property
    def cost(self) -> float:
        return sum(v.cost for v in self.verdicts)


NOT_TRIED = Calibrated()
"""Of an experiment whose file asks for no calibration"""


def calibrated(store: Store, experiment: Experiment) -> Calibrated:
    """What is kept of the calibration of an experiment."""
    if experiment.qa is None:
        return NOT_TRIED
    found = tuple(verdicts(store, experiment.name).values())
    known = references(store, experiment.name).values()
    return Calibrated(
        confusion=tuple(confusion(arm, found, experiment.compare.alpha) for arm in judged_arms(experiment)),
        verdicts=found,
        unused=tuple(f"QA was not tried on task '{r.task}': {r.says}." for r in known if not r.right),
    )


def verdicts(store: Store, experiment: str) -> dict[str, Verdict]:
    """The verdicts so far, by unit."""
    rows = kept.results(store.engine, f"{experiment}/qa")
    return {unit: Verdict.model_validate(row) for unit, row in rows.items()}


def references(store: Store, experiment: str) -> dict[str, Reference]:
    """What is known of the work of each task so far."""
    rows = kept.results(store.engine, f"{experiment}/right")
    return {task: Reference.model_validate(row) for task, row in rows.items()}


def keep_verdict(store: Store, experiment: str, unit: Unit, verdict: Verdict) -> None:
    """Write a verdict down; the first word stands."""
    kept.keep_result(store.engine, f"{experiment}/qa", unit.id, verdict.model_dump(mode="json"))


def keep_reference(store: Store, experiment: str, found: Reference) -> None:
    """Write down whether the work of a task is right."""
    kept.keep_result(store.engine, f"{experiment}/right", found.task, found.model_dump(mode="json"))
