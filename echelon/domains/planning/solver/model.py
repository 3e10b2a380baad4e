"""The constraint model: one start and one end variable an activity, calendars as tables, resources as cumulatives."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any

from echelon.domains.planning.solver.problem import Activity, Arc, Choice, Problem, Table
from echelon.domains.planning.solver.propagate import Windows, fixed_duration, mapped

SMOOTH = 3
"""A table that departs from a straight line less often than at every so many entries is given as a line with steps."""


@dataclass
class Variables:
    """What the model knows of one activity. `present` is None where it cannot be left out."""

    start: Any
    end: Any
    present: Any
    modes: list[Any]
    """Presence of each mode; empty with one mode."""


class Model:
    """A CP-SAT model of a problem within bounds; the aims add their objective to it."""

    def __init__(self, problem: Problem, bounds: Windows, top: int, hint: list[Choice] | None) -> None:
        from ortools.sat.python import cp_model

        self.problem, self.bounds, self.top, self.hint = problem, bounds, top, hint
        self.cp: Any = cp_model.CpModel()
        self.floor = 0
        self.hints: dict[int, tuple[Any, int]] = {}
        self.ranges: dict[int, tuple[int, int]] = {}
        self.parts: list[list[tuple[int, int, Any]]] = [[] for _ in problem.resources]
        self.activities = [self._activity(i, a) for i, a in enumerate(problem.activities)]
        for arc in problem.arcs:
            self._arc(arc)
        for number in range(len(problem.resources)):
            self._resource(number, None)

    def say(self, variable: Any, value: int) -> Any:
        """Give a variable its value in the hint; a hint helps only when it is complete."""
        if self.hint is not None:
            self.hints[variable.index] = (variable, value)
        return variable

    def whole(self, low: int, high: int, value: int = 0) -> Any:
        """A new whole variable with its hint."""
        variable = self.say(self.cp.new_int_var(low, max(low, high), ""), value)
        self.ranges[variable.index] = (low, max(low, high))
        return variable

    def low(self, variable: Any) -> int:
        """The least value of a variable made by `whole`."""
        return self.ranges[variable.index][0]

    def high(self, variable: Any) -> int:
        """The greatest value of a variable made by `whole`."""
        return self.ranges[variable.index][1]

    def truth(self, value: bool) -> Any:
        """A new truth value with its hint."""
        return self.say(self.cp.new_bool_var(""), int(value))

    def finish(self) -> None:
        """Hand the hints over, once all variables are there."""
        for variable, value in self.hints.values():
            self.cp.add_hint(variable, value)

    def _activity(self, index: int, activity: Activity) -> Variables:
        b, hinted = self.bounds, self.hint[index] if self.hint else Choice(0, 0)
        start = self.whole(b.first_start[index], b.last_start[index], hinted.start)
        end = self.whole(b.first_end[index], b.last_end[index], hinted.end)
        present = self.truth(True) if activity.droppable is not None else None
        made = Variables(start, end, present, [])
        if len(activity.modes) == 1:
            self._mode(made, activity, 0, present, hinted)
            return made
        made.modes = [self.truth(hinted.mode == m) for m in range(len(activity.modes))]
        self.cp.add(sum(made.modes) == (present if present is not None else 1))
        for number, chosen in enumerate(made.modes):
            self._mode(made, activity, number, chosen, hinted)
        return made

    def _mode(self, made: Variables, activity: Activity, number: int, present: Any, hinted: Choice) -> None:
        """Tie start and end by the table of a mode, and hold its resources, while `present`."""
        mode = activity.modes[number]
        table = self._within(made, self.problem.tables[mode.table])
        if table is None:
            self.cp.add_bool_and([present.negated()]) if present is not None else self.cp.add_bool_or([])
            return
        duration = fixed_duration(table)
        size: Any = duration if duration is not None else self._tied(made, table, present, hinted, number)
        if duration is not None:
            self._when(present, made.end == made.start + duration)
            if self.low(made.start) < table.starts[0] or self.high(made.start) > table.starts[-1]:
                self._when(present, made.start >= table.starts[0])
                self._when(present, made.start <= table.starts[-1])
            if duration == 0:
                return
        if not mode.needs:
            return
        interval = (
            self.cp.new_interval_var(made.start, size, made.end, "")
            if present is None
            else self.cp.new_optional_interval_var(made.start, size, made.end, present, "")
        )
        for resource, units in mode.needs:
            self.parts[resource].append((units, 0, interval))

    def _when(self, present: Any, constraint: Any) -> None:
        added = self.cp.add(constraint)
        if present is not None:
            added.only_enforce_if(present)

    def _within(self, made: Variables, table: Table) -> Table | None:
        """The part of a table that the bounds of the activity leave."""
        low = max(bisect_left(table.starts, self.low(made.start)), bisect_left(table.ends, self.low(made.end)))
        high = min(bisect_right(table.starts, self.high(made.start)), bisect_right(table.ends, self.high(made.end)))
        return Table(table.starts[low:high], table.ends[low:high]) if low < high else None

    def _tied(self, made: Variables, table: Table, present: Any, hinted: Choice, mode: int) -> Any:
        """Start and end as functions of the entry that is chosen; gives the size variable."""
        mine = self.hint is not None and hinted.mode == mode and hinted.start in table.starts
        at = bisect_left(table.starts, hinted.start) if mine else 0
        entry = self.whole(0, len(table.starts) - 1, at)
        for variable, values in ((made.start, table.starts), (made.end, table.ends)):
            self._function(entry, variable, values, present, at)
        spans = [e - s for s, e in zip(table.starts, table.ends, strict=True)]
        size = self.whole(min(spans), max(spans), spans[at])
        self._when(present, size == made.end - made.start)
        return size

    def _function(self, entry: Any, variable: Any, values: tuple[int, ...], present: Any, at: int) -> None:
        """`variable` == values[entry]: a straight line with steps where it has few of them, entry by entry otherwise."""
        steps = [(i, values[i] - values[i - 1] - 1) for i in range(1, len(values)) if values[i] - values[i - 1] != 1]
        if SMOOTH * len(steps) <= len(values):
            line = entry + values[0]
            for position, height in steps:
                passed = self.truth(at >= position)
                self.cp.add(entry >= position).only_enforce_if(passed)
                self.cp.add(entry < position).only_enforce_if(passed.negated())
                if present is None and height > 0:
                    self.cp.add(variable >= values[position]).only_enforce_if(passed)
                    self.cp.add(variable <= values[position - 1]).only_enforce_if(passed.negated())
                line = line + height * passed
            self._when(present, variable == line)
        elif present is None:
            self.cp.add_element(entry, list(values), variable)
        else:
            copy = self.whole(values[0], values[-1], values[at])
            self.cp.add_element(entry, list(values), copy)
            self._when(present, variable == copy)

    def _arc(self, arc: Arc) -> None:
        source, target = self.activities[arc.source], self.activities[arc.target]
        x = source.end if arc.from_end else source.start
        y = target.end if arc.to_end else target.start
        conditions = [v for v in (source.present, target.present) if v is not None]
        if arc.shift is not None:
            x = self._shifted(arc, x)
            added = self.cp.add(y >= x)
        else:
            added = self.cp.add(y >= x + arc.lag)
        if conditions:
            added.only_enforce_if(conditions)

    def _shifted(self, arc: Arc, x: Any) -> Any:
        """The least target index for a source index, as a variable."""
        low, high = self.low(x), self.high(x)
        values = tuple(mapped(self.problem, arc, i) for i in range(low, high + 1))
        hinted = self.hints.get(x.index, (None, low))[1]
        entry = self.whole(0, high - low, hinted - low)
        self.cp.add(entry == x - low)
        out = self.whole(values[0], values[-1], values[max(0, min(hinted - low, len(values) - 1))])
        self._function(entry, out, values, None, hinted - low)
        return out

    def _resource(self, number: int, capacity: Any) -> None:
        """Hold the capacity of a resource; `capacity` may be a variable."""
        store, parts = self.problem.resources[number], self.parts[number]
        if not parts:
            return
        if store.capacity == 1 and not store.dips and capacity is None:
            self.cp.add_no_overlap([i for _, _, i in parts])
            return
        dips = [(self.cp.new_fixed_size_interval_var(b, f - b, ""), u) for b, f, u in store.dips if b < self.top]
        intervals = [i for _, _, i in parts] + [i for i, _ in dips]
        demands = [u for u, _, _ in parts] + [u for _, u in dips]
        if capacity is None and sum(demands) <= store.capacity:
            return
        self.cp.add_cumulative(intervals, demands, store.capacity if capacity is None else capacity)

    def level(self, number: int, capacity: Any) -> None:
        """Hold a resource to a variable capacity besides its own."""
        self._resource(number, capacity)
