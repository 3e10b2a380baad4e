"""Failure kinds that code can tell, under the names of MAST's fourteen failure modes.

Cemri et al. 2025, *Why Do Multi-Agent LLM Systems Fail?*, arXiv 2503.13657, appendix A. Of the fourteen, those are left out
that need somebody to read what was said: 1.1 only where a check in code names it, 2.1, 2.2, 2.3, 2.4 and 2.6 not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Failure(StrEnum):
    """A failure mode of MAST; the value is what reports and tables say."""

    DISOBEYED_TASK = "FM-1.1 disobey task specification"
    DISOBEYED_ROLE = "FM-1.2 disobey role specification"
    STEP_REPETITION = "FM-1.3 step repetition"
    LOST_HISTORY = "FM-1.4 loss of conversation history"
    NO_TERMINATION = "FM-1.5 unaware of termination conditions"
    IGNORED_INPUT = "FM-2.5 ignored other agent's input"
    PREMATURE_END = "FM-3.1 premature termination"
    NO_VERIFICATION = "FM-3.2 no or incomplete verification"
    WRONG_VERIFICATION = "FM-3.3 incorrect verification"


@dataclass(frozen=True)
class Signs:
    """What the ledger and the events of a trial say, as far as a failure shows in them."""

    state: str
    success: bool | None
    refused_calls: int = 0
    """Calls of tools that the role does not have"""
    loops: int = 0
    """Phases that were ended because they repeated themselves"""
    phase_limits: int = 0
    """Phases that went on until a ceiling ended them"""
    findings_again: int = 0
    """Findings that a later verdict on the same task repeats word for word"""
    early_ends: int = 0
    """Attempts to end a phase that were refused because its work was not done"""
    passed_verdicts: int = 0
    unlooked_verdicts: int = 0
    """Verdicts of a phase that opened nothing"""
    lost: int = 0
    """Things that were found once and are missing in what was delivered"""


def failures(signs: Signs) -> tuple[Failure, ...]:
    """The failure kinds of a trial in the order of MAST. One that succeeds can have some too, which cost and were mended."""
    wrong, completed = signs.success is False, signs.state == "completed"
    found = {
        Failure.DISOBEYED_TASK: wrong and completed and signs.lost == 0 and signs.passed_verdicts == 0,
        Failure.DISOBEYED_ROLE: signs.refused_calls > 0,
        Failure.STEP_REPETITION: signs.loops > 0,
        Failure.LOST_HISTORY: signs.lost > 0,
        Failure.NO_TERMINATION: signs.state == "limit" or signs.phase_limits > 0,
        Failure.IGNORED_INPUT: signs.findings_again > 0,
        Failure.PREMATURE_END: signs.early_ends > 0,
        Failure.NO_VERIFICATION: signs.unlooked_verdicts > 0 or (wrong and completed and signs.passed_verdicts == 0),
        Failure.WRONG_VERIFICATION: wrong and completed and signs.passed_verdicts > 0,
    }
    return tuple(kind for kind, is_so in found.items() if is_so)
