"""Which settings may come over HTTP, and from whom."""

from __future__ import annotations

from collections.abc import Iterable

from echelon.faces.http.guard.who import Role
from echelon.faces.http.problems import Refusal

AT_THE_MACHINE = (
    "instructions", "prompt_folder", "role_folder", "own", "own_tools", "code", "graph", "job", "playbook", "park", "mcp",
)  # fmt: skip
"""They name files, addresses and programs of the machine that runs the job: whoever sets them needs a shell there."""
OF_AN_OPERATOR = (
    "model", "models", "request", "approvals", "approval_timeout", "language", "without", "crew", "qa", "todos",
    "requirements", "planning", "prompts", "keep_prompts", "isolated",
)  # fmt: skip
"""What a job does; all else says how much it may cost and how far it may go"""


def check_settings(names: Iterable[str], role: Role) -> None:
    """Raises Refusal for a setting that this role may not set."""
    for name in names:
        head = name.partition(".")[0]
        if head in AT_THE_MACHINE:
            raise Refusal(403, f"{name} can be set on the machine that runs the job only, not over HTTP.")
        if head not in OF_AN_OPERATOR and role < Role.ADMIN:
            raise Refusal(403, f"{name} can be set by an admin only.")
