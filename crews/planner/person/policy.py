"""How a person wants to be spoken to: a default for all jobs of a home, overridden for a job, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from echelon.domains.planning.contracts.plan import InteractionPolicy
from echelon.engine.run import Run
from echelon.errors import UserError
from echelon.files import write_atomically
from echelon.json_text import is_object
from echelon.settings import validated
from echelon.yaml_text import read_yaml

APPROVALS = {"single_final": "single_final", "milestone_approvals": "milestones", "strict_every_step": "every_step"}
"""What a policy's approvals are called in the settings of every job."""
FEW = 0.3
"""Talkativeness below which two options are enough."""


def path_of(home: Path) -> Path:
    """Where the default of a home is kept."""
    return home / "interaction_policy.yaml"


def stored(home: Path) -> dict[str, Any]:
    """What the user has set for all jobs. Raises UserError for a file that is no policy."""
    path = path_of(home)
    if not path.is_file():
        return {}
    try:
        values = read_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"{path} cannot be read: {' '.join(str(error).split())}.") from error
    if not is_object(values):
        raise UserError(f"{path} must hold a mapping of settings.")
    return values


def store(home: Path, values: Mapping[str, Any]) -> InteractionPolicy:
    """Keep `values` beside what is set already. Raises UserError for what is no setting, and keeps nothing then."""
    kept = {**stored(home), **values}
    policy = policy_of(kept)
    write_atomically(path_of(home), yaml.safe_dump(kept, sort_keys=True))
    return policy


def policy_of(values: Mapping[str, Any]) -> InteractionPolicy:
    """The policy that these settings make. Raises UserError."""
    return validated(InteractionPolicy, dict(values), "the interaction policy")


def of_run(run: Run) -> InteractionPolicy:
    """The policy of a job, as it was settled when the job was submitted."""
    return policy_of(run.config.planning.policy)


def approvals_of(policy: InteractionPolicy) -> str:
    """What a person approves: with much autonomy nothing, with little of it at least the scope and every milestone."""
    if policy.autonomy == "high":
        return "none"
    if policy.autonomy == "low" and policy.approval_policy == "single_final":
        return "milestones"
    return APPROVALS[policy.approval_policy]


def most_questions(policy: InteractionPolicy) -> int:
    """Questions about what could be assumed: none with much autonomy, at most `probing_depth`."""
    return 0 if policy.autonomy == "high" else policy.probing_depth


def options(policy: InteractionPolicy) -> int:
    """Options that are tried: two for whoever likes it short, else three."""
    return 2 if policy.conversation_style == "concise" or policy.talkativeness < FEW else 3


def brainstorms(policy: InteractionPolicy, confidence: float, asked: bool) -> bool:
    """Whether ideas are offered: always, when the pattern is doubtful, or when somebody asks for them."""
    if policy.brainstorming_preference == "always_offer":
        return True
    return asked or (policy.brainstorming_preference == "suggest_when_uncertain" and 0.4 <= confidence < 0.7)
