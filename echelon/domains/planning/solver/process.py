"""Solving in a child process with limits on time and memory. What it found is kept, however it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from types import TracebackType
from typing import Self

from pydantic import TypeAdapter

from echelon.bounded_child import IDLE_SECONDS
from echelon.domains.planning.solver.problem import Answer, Problem, Wish
from echelon.waiting import Waiting, end

MEMORY_MB = 6000
"""Address space of the solver's process; what it really uses is far less."""
GRACE = 20.0
"""Seconds that the process may take beyond the wish's own, for starting and for what cannot be interrupted."""

_ANSWERS: TypeAdapter[Answer] = TypeAdapter(Answer)
Report = Callable[[Answer], None]


_idle: Waiting[int] = Waiting()
"""One that has answered, by its ceiling of memory: starting it takes longer than a small problem."""


class SolverProcess:
    """A child that answers one request after another; it is started when it is first needed, and again if it died.

    Whoever closes it leaves the child to the next one, unless it is in the middle of an answer.
    """

    def __init__(self, memory_mb: int = MEMORY_MB) -> None:
        self.memory_mb = memory_mb
        self._child: subprocess.Popen[bytes] | None = None
        self._asked = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Leave the child to the next one, or end it."""
        child, self._child = self._child, None
        if child is not None and (self._asked or not _idle.keep(self.memory_mb, lambda: child)):
            end(child)

    def solve(self, problem: Problem, wish: Wish, report: Report = lambda _: None) -> Answer:
        """The answer of the child, or the best that it had told when it died, ran out of time, or Ctrl-C came.

        With nothing to show, a child that died is tried once more with other random choices.
        """
        answer = self._once(problem, wish, report)
        if answer.status == "unknown" and answer.note == "died":
            answer = self._once(problem, replace(wish, seed=wish.seed + 1), report)
        return answer

    def _once(self, problem: Problem, wish: Wish, report: Report) -> Answer:
        child = self._started()
        best = Answer("unknown", note="died")
        out_of_time = threading.Event()

        def stop() -> None:
            out_of_time.set()
            child.kill()

        clock = threading.Timer((wish.longest or wish.seconds) + GRACE, stop)
        clock.daemon = True
        clock.start()
        try:
            for done, answer in self._answers(child, problem, wish):
                if done:
                    return answer
                best = answer
                report(answer)
        except KeyboardInterrupt:
            self.close()
            if best.status == "unknown":
                raise
            return replace(best, note="stopped")
        finally:
            clock.cancel()
        self.close()
        note = "time ran out" if out_of_time.is_set() else "died"
        return replace(best, note=note)

    def _answers(self, child: subprocess.Popen[bytes], problem: Problem, wish: Wish) -> Iterator[tuple[bool, Answer]]:
        assert child.stdin is not None and child.stdout is not None
        request = json.dumps({"problem": asdict(problem), "wish": asdict(wish)}).encode() + b"\n"
        self._asked = True
        try:
            child.stdin.write(request)
            child.stdin.flush()
        except BrokenPipeError:
            return
        for line in child.stdout:
            told = json.loads(line)
            self._asked = not told["done"]
            yield bool(told["done"]), _ANSWERS.validate_python(told["answer"])
            if told["done"]:
                return

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._asked or self._child.poll() is not None:
            self.close()
            self._asked = False
            self._child = _idle.take(self.memory_mb, IDLE_SECONDS / 2) or subprocess.Popen(
                [sys.executable, "-m", "echelon.domains.planning.solver.worker", str(self.memory_mb)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
                start_new_session=True,
            )
        return self._child
