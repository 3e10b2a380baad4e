"""The solver's own process: `python -m echelon.domains.planning.solver.worker` reads one request from its standard
input and writes one JSON line for each better answer, the last one marked `done`.

An abort inside the solver, or memory that runs out, ends this process and not the caller's.
"""

from __future__ import annotations

import json
import os
import select
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from echelon.bounded_child import IDLE_SECONDS
from echelon.domains.planning.solver.problem import Answer, Problem, Wish
from echelon.domains.planning.solver.search import solve

if TYPE_CHECKING:
    from typing import BinaryIO

PROBLEMS: TypeAdapter[Problem] = TypeAdapter(Problem)
WISHES: TypeAdapter[Wish] = TypeAdapter(Wish)
ANSWERS: TypeAdapter[Answer] = TypeAdapter(Answer)


def limit_memory(megabytes: int) -> None:
    """Let this process have no more address space than that."""
    import resource

    size = megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer one request a line, until there are no more, or none has come for some minutes."""
    while select.select([requests], [], [], IDLE_SECONDS)[0] and (line := requests.readline()):
        request: dict[str, Any] = json.loads(line)
        problem = PROBLEMS.validate_python(request["problem"])
        wish = WISHES.validate_python(request["wish"])

        def tell(answer: Answer, done: bool = False) -> None:
            answers.write(json.dumps({"done": done, "answer": asdict(answer)}).encode() + b"\n")
            answers.flush()

        tell(solve(problem, wish, tell), done=True)


def main() -> None:
    """Take the memory limit from the arguments, keep the answers' channel for answers, and serve."""
    limit_memory(int(sys.argv[1]))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
