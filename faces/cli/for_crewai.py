"""What crewai's own command line calls in a clone: `crewai run`, `test`, `train`, `replay` and `flow plot`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

from echelon.faces.cli.main import cli, leave, to_its_end
from echelon.shown import show

SAMPLE = Path(__file__).parents[2] / "knowledge" / "records-retention-policy.pdf"


def kickoff() -> NoReturn:
    """`crewai run`: the creator job on the sample document."""
    cli(["run", "creator", str(SAMPLE)])


def plot() -> NoReturn:
    """`crewai flow plot`: the transition table as a page in the current folder."""

    def command() -> int:
        from echelon.faces.diagram.diagram import write_plot

        show(write_plot(Path("echelon-states.html").resolve()))
        return 0

    to_its_end(command)


def test() -> NoReturn:
    """`crewai test -n N -m MODEL`: the sample job N times, each scored against the gold list."""

    def command() -> int:
        from echelon.service.trials.sample import score_sample

        return score_sample(SAMPLE, *sys.argv[1:3])

    to_its_end(command)


def replay() -> NoReturn:
    """`crewai replay -t STEP`: go on with the latest job from a step, as a new job."""

    def command() -> int:
        from echelon.service.trials.sample import replay_from

        return replay_from(*sys.argv[1:2])

    to_its_end(command)


def train() -> NoReturn:
    """`crewai train`: says in one sentence what to use instead."""
    show(
        "Echelon has nothing to train: compare roles, prompts and models with `crewai test`, "
        "or give a role another model with `echelon run TYPE FILE --set models.ROLE=NAME`."
    )
    leave(0)
