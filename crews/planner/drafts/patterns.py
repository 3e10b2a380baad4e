"""Subtypes of patterns: those of the templates, those that people have approved, and proposals that wait for one."""

from __future__ import annotations

from echelon.crews.planner import files
from echelon.domains.planning.contracts.plan import PROPOSED, PatternSpec
from echelon.domains.planning.patterns.select import templates
from echelon.engine.run import Run
from echelon.engine.toolbox import ToolContext
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from echelon.store.plans import approve_subtype, approved_subtypes


def known_subtypes(context: ToolContext, pattern_type: str) -> list[str]:
    """The subtypes of a pattern that can be named without asking."""
    own = [str(s) for name, t in templates().items() if name == pattern_type for s in t.get("subtypes", [])]
    approved: list[str] = (
        [] if context.run.config.isolated else approved_subtypes(context.run.store.engine, pattern_type)
    )
    return list(dict.fromkeys([*own, *approved]))


def refuse_subtype(context: ToolContext, pattern_type: str, subtype: str, rfc: str, may_propose: bool) -> None:
    """Raises ModelFault for a subtype that is neither known nor properly proposed."""
    known = known_subtypes(context, pattern_type)
    if not subtype or subtype in known:
        return
    named = ", ".join(known)
    if not subtype.startswith(PROPOSED):
        raise ModelFault(
            f"'{subtype}' is no known subtype of {pattern_type}; take one of {named}, none, or propose it as "
            f"'{PROPOSED}{subtype}' with an rfc."
        )
    if not may_propose:
        raise ModelFault(f"New subtypes are not allowed in this job; take one of {named}, or none.")
    if len(rfc.split()) < 3 or not subtype.removeprefix(PROPOSED).strip():
        raise ModelFault("A proposed subtype needs a name and an rfc that says why no known one fits.")


def open_rfc(run: Run, workspace: Workspace) -> PatternSpec | None:
    """The proposal that a person has not decided about yet, where the settings want one to; else None."""
    pattern = files.shape(workspace, files.PATTERN, PatternSpec)
    if pattern is None or not (pattern.subtype or "").startswith(PROPOSED):
        return None
    return pattern if run.config.planning.require_rfc else None


def settle_rfc(run: Run, workspace: Workspace) -> str:
    """Record a proposed subtype that a person approved: from now on its name is known, to this job and to later ones."""
    pattern = open_rfc(run, workspace)
    if pattern is None or pattern.subtype is None:
        return ""
    name = pattern.subtype.removeprefix(PROPOSED)
    if not run.config.isolated:
        approve_subtype(run.store.engine, pattern.pattern_type, name, pattern.rfc or "", run.job)
    settled = pattern.model_copy(update={"subtype": name, "introduced_by": "user_feedback"})
    mirror(workspace, settled)
    return name


def mirror(workspace: Workspace, pattern: PatternSpec) -> None:
    """Keep a pattern, also in the outline and the roadmap that there are: all of a plan is of one pattern."""
    files.put(workspace, files.PATTERN, pattern)
    for path in (files.OUTLINE, files.ROADMAP):
        value = files.get(workspace, path)
        if value is not None:
            files.put(workspace, path, value | {"pattern": pattern.model_dump(mode="json")})
