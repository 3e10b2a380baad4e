"""A row of the ledger: one model call, one tool call, or one piece of code of a job, and what it used. Version 1."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Begun:
    """What is known of a step before it runs: what it is, where in the hierarchy it stands, and a hash of what is asked."""

    kind: str
    """`model`, `tool` or `code`"""
    name: str
    role: str = ""
    phase: str = ""
    round: int = 0
    milestone: int = 0
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """What a step came to: a hash of its result, and what it used. `cost` is in US dollars."""

    ok: bool
    milliseconds: float = 0.0
    answered: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float = 0.0
    thinking_tokens: int = 0
    model: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A step as the ledger has it. `ok` is None and `answered` empty until it has ended."""

    job: str
    number: int
    """From 1"""
    kind: str
    name: str
    role: str
    phase: str
    round: int
    milestone: int
    ok: bool | None
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost: float
    milliseconds: float
    asked: str
    answered: str
    starts: int
    """How often it really ran"""
    started: float
    """Seconds since 1970 at its latest start"""
    thinking_tokens: int = 0
    """Those of the answer that the model thought with, where the server reports them"""
    model: str = ""
    """Name of the model that answered, '' for other steps"""

    @property
    def tokens(self) -> int:
        """Those of prompt and answer."""
        return self.prompt_tokens + self.completion_tokens
