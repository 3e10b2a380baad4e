"""The door: the `echelon` command, and what `crewai run`, `test`, `train`, `replay` and `flow plot` call."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

# Confidential documents are read here: nothing is reported to anybody unless the user turns it on.
for _name, _value in (
    ("CREWAI_DISABLE_TELEMETRY", "true"),
    ("CREWAI_TRACING_ENABLED", "false"),
    ("CREWAI_DISABLE_VERSION_CHECK", "true"),
):
    os.environ.setdefault(_name, _value)

SAMPLE = Path(__file__).parent / "knowledge" / "records-retention-policy.pdf"
INTERRUPTED = 130


def cli(arguments: list[str] | None = None) -> NoReturn:
    """The `echelon` command."""

    def command() -> int:
        from crews.commands import parse

        given = parse(sys.argv[1:] if arguments is None else arguments)
        code: int = given.command(given)
        return code

    leave(guarded(command))


def guarded(command: Callable[[], int]) -> int:
    """Run a command and return its exit code; whatever goes wrong is told in one sentence on standard error."""
    from crews.commands import say
    from echelon.engine.errors import UserError

    _stop_once()
    try:
        return command()
    except UserError as error:
        say(str(error))
        return 2
    except KeyboardInterrupt:
        say("interrupted; nothing is lost. Go on with: echelon resume")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has had enough
        return 1
    except Exception as error:  # a traceback helps nobody at a terminal
        from crews.failures import sentence

        say(sentence(error))
        return 1


def _stop_once() -> None:
    """Ctrl-C and SIGTERM interrupt in order the first time, and at once the second time."""

    def stop(*_: object) -> NoReturn:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: os._exit(INTERRUPTED))
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def leave(code: int) -> NoReturn:
    """End the process now: threads of a job that was interrupted must not go on working."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


# What crewai's own command line calls


def kickoff() -> NoReturn:
    """`crewai run`: the creator job on the sample document."""
    cli(["run", "creator", str(SAMPLE)])


def plot() -> NoReturn:
    """`crewai flow plot`: the transition table as a page in the current folder."""

    def command() -> int:
        from crews.diagram import write_plot

        print(write_plot(Path("echelon-states.html").resolve()))
        return 0

    leave(guarded(command))


def test() -> NoReturn:
    """`crewai test -n N -m MODEL`: the sample job N times, each scored against the gold list."""

    def command() -> int:
        from crews.trial import score_sample

        return score_sample(SAMPLE, *sys.argv[1:3])

    leave(guarded(command))


def replay() -> NoReturn:
    """`crewai replay -t STEP`: go on with the latest job from a step, as a new job."""

    def command() -> int:
        from crews.trial import replay_from

        return replay_from(*sys.argv[1:2])

    leave(guarded(command))


def train() -> NoReturn:
    """`crewai train`: says in one sentence what to use instead."""
    print(
        "Echelon has nothing to train: compare roles, prompts and models with `crewai test`, "
        "or give a role another model with `echelon run TYPE FILE --set models.ROLE=NAME`."
    )
    leave(0)


if __name__ == "__main__":
    cli()
