"""The real `echelon` command in processes of its own, in a folder of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.forked import started

REPOSITORY = Path(__file__).parents[2]
SAMPLE = REPOSITORY / "knowledge" / "records-retention-policy.pdf"
SHORT_SAMPLE = REPOSITORY / "knowledge" / "records-retention-policy-2pages.pdf"
OURS = ("ECHELON_", "OPENAI_", "TAVILY_", "NEO4J_")
PATIENCE = 120.0
"""Seconds that a command may take on a busy machine."""


FORKING = """
import json, os, sys
import main, echelon.faces.cli.commands, echelon.service.service, echelon.service.failures
for number, arguments in enumerate(json.loads(sys.argv[2])):
    child = os.fork()
    if child == 0:
        for descriptor, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{sys.argv[1]}/{number}.{name}", os.O_CREAT | os.O_WRONLY), descriptor)
        main.cli(arguments)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    open(f"{sys.argv[1]}/{number}.code", "w").write(str(code))
"""


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """The one line on standard error. Fails when there is another number of lines, or a traceback."""
        lines = self.err.splitlines()
        assert len(lines) == 1, f"not one line on standard error: {self.err!r}, standard output: {self.out!r}"
        assert lines[0].startswith("echelon: "), lines[0]
        assert lines[0][-1] in ".?!" or "echelon " in lines[0][9:], lines[0]
        return lines[0].removeprefix("echelon: ")


@dataclass
class Shell:
    """A current folder and the variables that are set there; everything else of Echelon's is unset."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def echelon(self, *arguments: str | Path) -> Outcome:
        """Run a command to its end."""
        return self.ended(self.start(*arguments))

    def call(self, function: str, *arguments: str) -> Outcome:
        """Run a function of `main.py` to its end, as `crewai` does through the scripts of the project."""
        return self.ended(self._popen(f"import main; main.{function}()", *arguments))

    def all_of(self, commands: Sequence[Sequence[str]]) -> list[Outcome]:
        """Run several commands one after another, forked from one process that has loaded what they need."""
        with tempfile.TemporaryDirectory() as folder:
            process = self._popen(FORKING, folder, json.dumps([list(command) for command in commands]))
            _, err = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, err
            return [_kept(Path(folder), number) for number in range(len(commands))]

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """A command that runs."""
        return self._popen("import main; main.cli()", *map(str, arguments))

    def ended(self, process: subprocess.Popen[str]) -> Outcome:
        """Wait for a command that was started."""
        out, err = process.communicate(timeout=PATIENCE)
        assert "Traceback" not in out + err, out + err
        return Outcome(process.returncode, out, err)

    def interrupted(self, process: subprocess.Popen[str], number: signal.Signals) -> Outcome:
        """Send a signal to a command that was started, and wait for it."""
        process.send_signal(number)
        return self.ended(process)

    @property
    def environment(self) -> dict[str, str]:
        around = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
        return around | {"PYTHONPATH": str(REPOSITORY), "PYTHONWARNINGS": "ignore"} | self.variables

    def with_(self, **variables: str) -> Shell:
        """The same folder with more variables."""
        return Shell(self.folder, self.variables | variables)

    def _popen(self, program: str, *arguments: str) -> subprocess.Popen[str]:
        return started(
            program, *arguments, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip


def _kept(folder: Path, number: int) -> Outcome:
    code, out, err = ((folder / f"{number}.{name}").read_text(encoding="utf-8") for name in ("code", "out", "err"))
    assert "Traceback" not in out + err, out + err
    return Outcome(int(code), out, err)


def wait_until(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until something is so. Fails when the process ends before, or after `PATIENCE`."""
    end = time.monotonic() + PATIENCE
    while not what():
        assert process.poll() is None, f"ended early: {process.communicate()}"
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
