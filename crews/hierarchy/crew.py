"""The hierarchy as a crew: three tiers, each task checked."""

from __future__ import annotations

from echelon.crews.crew import Crew, Performer
from echelon.crews.hierarchy import approvals, checking, implementing, planning, strategic
from echelon.crews.hierarchy.assessment import assess
from echelon.crews.hierarchy.states import APPROVALS, TABLE, State
from echelon.crews.intake import intake

CREW = Crew(
    name="hierarchy",
    table=TABLE,
    performers={
        State.INTAKE: Performer(intake, code="read the inputs"),
        State.SCOPE: Performer(strategic.scope, role="scope_agent"),
        State.GATE_SCOPE: Performer(strategic.gate_scope, code="rules and confidence"),
        **{state: Performer(approvals.ask, person="a person, if the policy asks") for state in APPROVALS},
        State.PLAN: Performer(planning.plan, role="task_planner"),
        State.GATE_PLAN: Performer(planning.gate_plan, code="rules for a task"),
        State.IMPLEMENT: Performer(implementing.implement, role="implementor"),
        State.QA: Performer(checking.qa, code="checks in code", role="qa"),
        State.ASSESS: Performer(assess, role="assessor"),
        State.DELIVER: Performer(strategic.deliver, code="code", role="scope_agent"),
    },
    begins=State.SCOPE,
)
