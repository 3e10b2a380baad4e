"""What shows that a milestone is reached: its checks as code sees them, and what was made since it began.

What looks at files is called inside a step; `unfit` makes its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from echelon.crews import findings
from echelon.crews.hierarchy import approvals
from echelon.crews.jobtype import are_shown_whole
from echelon.crews.stage import Stage
from echelon.crews.tool_sets import all_tools
from echelon.digest import digest
from echelon.engine.stuck import action_of
from echelon.engine.toolbox import Effect
from echelon.tasks.checks import Checked, Looking, Standing, carried_out, is_result, named_by, not_there
from echelon.tasks.contracts import Check, CheckKind
from echelon.tasks.deliverables import is_text, named_in
from echelon.tasks.results import as_they_were, claiming_none, emptied, inputs_of, moved, wrong_with
from echelon.tasks.texts.copies import asks_for_change

RUN = "run_command"
"""The tool whose calls are evidence for a check by command."""
MOST_AT_HAND = 20
"""Inputs that who judges is told of."""
SAMPLE = 5
"""Results that a verdict has to look at: all of a few, a seeded sample of many."""


def changed(stage: Stage) -> list[str]:
    """Results that were made or changed since the milestone began. Signs and the order of lines alone are no change."""
    s, workspace = stage.state, stage.workspace
    found = [p for p in workspace.changed_since(s.milestone_commit) if is_result(p)]
    wanted = f"{s.request}. {s.current_milestone.outcome}" if s.scope else s.request
    if not s.milestone_commit:
        return found
    same = as_they_were(workspace, found, s.milestone_commit, wanted)
    if not asks_for_change(wanted):
        earlier = [p for paths in s.results.values() for p in paths if is_result(p)]
        same += moved(workspace, found, s.milestone_commit, earlier)
    return [p for p in found if p not in same]


def at_hand(stage: Stage, made: Sequence[str] = ()) -> tuple[str, ...]:
    """Paths of results and of the inputs as text, a bounded number of each, for who judges; of inputs that stand in its
    prompt, none."""
    documents = stage.state.documents
    is_shown = stage.run.config.is_guided and are_shown_whole(documents)
    inputs = () if is_shown else (f"documents/{d.file}.txt" for d in documents[:MOST_AT_HAND])
    return (*made[:MOST_AT_HAND], *inputs)


def unaccepted(stage: Stage) -> list[str]:
    """Results that were made or changed since the last task was accepted."""
    return [p for p in stage.workspace.changed_since(stage.state.accepted_commit) if is_result(p)]


def readable(stage: Stage, paths: list[str], surveyed: bool = False) -> list[str]:
    """Those that a role can open, each once; with the inputs, where one of them says that there is nothing.

    Where code surveys the work, it knows itself what there is.
    """
    there = dict.fromkeys(p.strip().removeprefix("./") for p in paths)
    found = [p for p in there if is_text(stage.workspace, p)]
    needs_inputs = not surveyed and claiming_none(stage.workspace, found)
    return [*found, *(inputs_of(stage.workspace) if needs_inputs else [])]


def drawn(paths: list[str], seed: str, first: list[str] | None = None) -> tuple[list[str], int]:
    """The results that a role has to look at: all of a few, a seeded sample of many; and of how many.

    Those of `first` are looked at in any case.
    """
    must = [p for p in first or [] if p in paths]
    if len(paths) <= SAMPLE:
        return paths, len(paths)
    rest = sorted((p for p in paths if p not in must), key=lambda p: digest([seed, p]))
    return sorted([*must, *rest[: max(0, SAMPLE - len(must))]]), len(paths)


def check_milestone(stage: Stage, made: list[str]) -> tuple[Checked, ...]:
    """The checks of the current milestone as code sees them."""
    looking = _looking(stage, made)
    return tuple(carried_out(c, looking) for c in stage.state.current_milestone.checks)


def _looking(stage: Stage, made: list[str]) -> Looking:
    type_, run, workspace = stage.type, stage.run, stage.workspace
    return Looking(
        workspace, type_.given(workspace), frozenset(made), lambda command: _has_run(stage, command),
        lambda query: type_.count(run, workspace, query), stage.state.request,
    )  # fmt: skip


def _has_run(stage: Stage, command: str) -> bool:
    """Whether a command succeeded after the last call that changed something."""
    own = stage.type.has_run(stage.workspace, command)
    if own is not None:
        return own
    tools = {**all_tools(), **stage.own_tools}
    asked = action_of(RUN, {"command": command})
    steps = [s for s in stage.run.store.steps(stage.run.job) if s.kind == "tool" and s.ok]
    ran = max((s.number for s in steps if s.name == RUN and s.asked == asked), default=0)
    writes = {
        t.name for t in tools.values() if t.effect is not Effect.READ and not t.ends and not t.name.startswith("todo_")
    }
    changed_at = max((s.number for s in steps if s.name in writes - {RUN}), default=0)
    return ran > changed_at


def judged(stage: Stage, reason: str) -> None:
    """The checks that only a role can judge stand as judged."""
    key = str(stage.state.milestone + 1)
    stage.state.checked[key] = tuple(
        c.model_copy(update={"standing": Standing.JUDGED, "why": f"Assessor: {reason}"[:400]})
        if c.standing is Standing.OPEN
        else c
        for c in stage.state.checked.get(key, ())
    )


def named(stage: Stage) -> list[str]:
    """Results that the current milestone names."""
    m = stage.state.current_milestone
    return named_by(m.outcome, m.checks)


def unfit(stage: Stage, made: list[str]) -> str:
    """What is wrong with the results of a milestone, whichever task made them; '' when code finds nothing."""

    def look() -> str:
        workspace, type_ = stage.workspace, stage.type
        results = type_.deliverables(workspace)
        mine = [p for p in made if p in results]
        m = stage.state.current_milestone
        said = [m.outcome, *(c.says for c in m.checks)]
        if wrong := wrong_with(workspace, mine, type_.given(workspace), stage.state.request, said):
            return wrong[0].says
        if approvals.is_last(stage) and (unlike := type_.not_as_asked(workspace, stage.state.request)):
            return unlike[0]
        if lost := _lost(stage, results):
            return lost
        if missing := not_there(named(stage), results):
            return f"'{missing[0]}', which the milestone names, is not there"
        if named(stage) and len(not_there(named(stage), mine)) == len(named(stage)):
            return f"'{named(stage)[0]}', which the milestone names, was not made or changed for it"
        return "" if mine else "nothing in output/ was made or changed for it"

    return stage.code("look_at_results", str, look)


def _lost(stage: Stage, results: list[str]) -> str:
    """Which result of an earlier milestone next to nothing is left of; '' where a change of the kind was asked for."""
    s = stage.state
    if asks_for_change(f"{s.request}. {s.current_milestone.outcome}"):
        return ""
    earlier = {p: n for n, paths in s.results.items() for p in paths if is_result(p)}
    gone = emptied(stage.workspace, earlier, s.milestone_commit, results)
    return f"next to nothing is left of '{gone[0]}', on which milestone {earlier[gone[0]]} rests" if gone else ""


def undelivered(stage: Stage) -> list[str]:
    """Why the job is not done, whatever was said before: checked once more before it is called COMPLETED."""
    s, workspace = stage.state, stage.workspace
    results = stage.type.deliverables(workspace)
    if s.scope is None:  # one agent alone: nobody wrote checks
        return _unsound(stage, results)
    problems = [] if s.done or stage.type.works_alone else ["No task was accepted in this job."]
    problems += findings.left(stage)
    checks = [c for m in s.scope.milestones for c in m.checks]
    problems += _failing(stage, [c for c in checks if c.kind in (CheckKind.FILE, CheckKind.QUOTE)])
    last = len(s.scope.milestones) - 1
    promised = [p for m in s.scope.milestones for p in named_by(m.outcome, m.checks)] + named_in([s.request])
    problems += [f"'{p}' was asked for and is not there." for p in dict.fromkeys(not_there(promised, results))]
    if stage.type.survey(stage.run, workspace, last, last + 1).surveyed:
        return problems
    gone = [n for n, paths in s.results.items() if paths and not any(p in results for p in paths)]
    problems += [f"Nothing is left of what milestone {n} rested on." for n in gone]
    return problems + _unsound(stage, results)


def _unsound(stage: Stage, results: list[str]) -> list[str]:
    given, milestones = stage.type.given(stage.workspace), stage.state.scope.milestones if stage.state.scope else ()
    said = [says for m in milestones for says in (m.outcome, *(c.says for c in m.checks))]
    wrong = [f.says for f in wrong_with(stage.workspace, results, given, stage.state.request, said)]
    return wrong or stage.type.not_as_asked(stage.workspace, stage.state.request)


def _failing(stage: Stage, checks: list[Check]) -> list[str]:
    there = _looking(stage, [c.path for c in checks])
    return [f"{c.says}: {c.why}" for c in (carried_out(x, there) for x in checks) if c.standing is Standing.FAILED]
