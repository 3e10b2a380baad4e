"""Files of a workspace that code writes for people and roles alike."""

from __future__ import annotations

WORKSPACE = "workspace.md"
"""What was done and learnt so far, written at transitions."""
