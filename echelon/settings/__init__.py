"""Configuration: layered YAML with `extends`, validated, a misspelt key refused with the nearest known one.

A job's configuration is resolved once, when the job is submitted, and stored with it: a running job never looks at
the files again. `Environment` holds what belongs to the machine instead of the job (where state lives, keys).
"""

from __future__ import annotations

from echelon.settings.environment import CONFIRM, KNOWN, TOGETHER, Environment, known, read_environment
from echelon.settings.loading import config_names, load_config, merged, parse_override, read_mapping, validated
from echelon.settings.sections import (
    Amount,
    ApprovalTimeout,
    Budget,
    Ceilings,
    CodeSettings,
    ContextSettings,
    Count,
    Grant,
    JobConfig,
    ModelSettings,
    RequirementSettings,
    ReviewSettings,
    ScopeCeilings,
    Section,
)

__all__ = [
    "CONFIRM",
    "KNOWN",
    "TOGETHER",
    "Amount",
    "ApprovalTimeout",
    "Budget",
    "Ceilings",
    "CodeSettings",
    "ContextSettings",
    "Count",
    "Environment",
    "Grant",
    "JobConfig",
    "ModelSettings",
    "RequirementSettings",
    "ReviewSettings",
    "ScopeCeilings",
    "Section",
    "config_names",
    "known",
    "load_config",
    "merged",
    "parse_override",
    "read_environment",
    "read_mapping",
    "validated",
]
