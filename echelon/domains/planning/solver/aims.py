"""Objectives: what the model makes small."""

from __future__ import annotations

from typing import Any

from echelon.domains.planning.solver.model import Model
from echelon.domains.planning.solver.problem import Choice, Wish
from echelon.domains.planning.solver.serial import makespan

MOVED = 10_000
"""Price of moving an activity at all, beside 1 for each cell that it moves."""


def last_end(model: Model) -> Any:
    """A variable that no activity ends after."""
    value = makespan(model.hint) if model.hint else 0
    end = model.whole(model.floor, model.top, value)
    for made in model.activities:
        bound = model.cp.add(end >= made.end)
        if made.present is not None:
            bound.only_enforce_if(made.present)
    return end


def add_aim(model: Model, wish: Wish) -> None:
    """Put the objective of the wish into the model."""
    if wish.aim == "any":
        return
    model.cp.minimize(_AIMS[wish.aim](model, wish))


def _makespan(model: Model, _: Wish) -> Any:
    """The end of the project, and the prices of soft deadlines beside it."""
    late = lateness(model)
    price = model.problem.day_price if late else 1
    return price * last_end(model) + sum(late)


def lateness(model: Model) -> list[Any]:
    """Price of each soft deadline that is missed."""
    terms: list[Any] = []
    for index, activity in enumerate(model.problem.activities):
        if activity.due is None:
            continue
        made = model.activities[index]
        value = max(0, model.hint[index].end - activity.due.index) if model.hint else 0
        late = model.whole(0, max(0, model.top - activity.due.index), value)
        model.cp.add(late >= made.end - activity.due.index)
        terms.append(activity.due.price * late)
    return terms


def _cost(model: Model, _: Wish) -> Any:
    """Prices of modes and soft deadlines, and of each cell of the project's length."""
    terms = [
        model.problem.activities[index].modes[number].cost * chosen
        for index, made in enumerate(model.activities)
        for number, chosen in enumerate(made.modes)
    ]
    return sum(terms) + sum(lateness(model)) + model.problem.day_price * last_end(model)


def _late(model: Model, _: Wish) -> Any:
    """Starts as late as can be, within the ceiling."""
    return -sum(a.start for a in model.activities)


def _early(model: Model, _: Wish) -> Any:
    """Weighted ends, once the end of the project is settled by the ceiling; prices of soft deadlines come first."""
    late = lateness(model)
    weighted = sum(
        activity.weight * made.end for activity, made in zip(model.problem.activities, model.activities, strict=True)
    )
    heavy = 1 + sum(a.weight for a in model.problem.activities) * max(1, model.top) if late else 0
    return weighted + heavy * sum(late) if late else weighted


def _level(model: Model, _: Wish) -> Any:
    """Peaks of the resources, each as a share of its capacity, within the ceiling."""
    scale = 1000
    terms: list[Any] = []
    for number, store in enumerate(model.problem.resources):
        if not model.parts[number] or store.capacity == 1:
            continue
        value = _peak(model, number) if model.hint else 0
        peak = model.whole(0, store.capacity, value)
        model.level(number, peak)
        terms.append(peak * (scale // store.capacity))
    return sum(terms) * 10 + last_end(model)


def _peak(model: Model, number: int) -> int:
    assert model.hint is not None
    use = [0] * (model.problem.horizon + 1)
    for activity, choice in zip(model.problem.activities, model.hint, strict=True):
        for resource, units in activity.modes[choice.mode].needs:
            if resource == number:
                for cell in range(choice.start, choice.end):
                    use[cell] += units
    for begin, finish, units in model.problem.resources[number].dips:
        for cell in range(begin, min(finish, len(use))):
            use[cell] += units
    return max(use)


def _keep(model: Model, wish: Wish) -> Any:
    """Activities that do not lie where they lay, and how far they moved."""
    terms: list[Any] = []
    for index, before in sorted(wish.previous.items()):
        made, hinted = model.activities[index], model.hint[index] if model.hint else Choice(0, 0)
        away = abs(hinted.start - before.start) if model.hint else 0
        moved = model.truth(away > 0)
        distance = model.whole(0, model.top, away)
        model.cp.add(made.start == before.start).only_enforce_if(moved.negated())
        model.cp.add(distance >= made.start - before.start)
        model.cp.add(distance >= before.start - made.start)
        terms += [MOVED * moved, distance]
        if made.modes:
            model.cp.add_implication(moved.negated(), made.modes[before.mode])
    return sum(terms)


def _drop(model: Model, _: Wish) -> Any:
    """What is left out, by its price."""
    return sum(
        (activity.droppable or 0) * made.present.negated()
        for activity, made in zip(model.problem.activities, model.activities, strict=True)
        if made.present is not None
    )


def _deadlines(model: Model, _: Wish) -> Any:
    """Lateness alone."""
    return sum(lateness(model))


_AIMS = {
    "makespan": _makespan,
    "early": _early,
    "cost": _cost,
    "late": _late,
    "level": _level,
    "keep": _keep,
    "drop": _drop,
    "deadlines": _deadlines,
}
