"""What all shapes of planning share: frozen, and nothing unknown is let in."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """A value that passes between the parts of planning. It refuses unknown fields and is never changed in place."""

    model_config = ConfigDict(extra="forbid", frozen=True)
