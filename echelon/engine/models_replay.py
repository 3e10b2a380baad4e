"""Answers from a recorded job: the n-th model call of this job gets the n-th answer of that one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from echelon.engine.errors import ModelUnavailable, UnknownName, UserError
from echelon.engine.messages import Answer, ModelRequest
from echelon.engine.settings import Environment, ModelSettings


class ReplayModel:
    """Gives recorded answers in their order, by the number of the request."""

    def __init__(self, name: str, answers: Sequence[Answer]) -> None:
        self.name, self._answers = name, tuple(answers)

    def answer(self, request: ModelRequest) -> Answer:
        """The recorded answer. Raises ModelUnavailable where the recorded job had made fewer calls."""
        if not 0 < request.number <= len(self._answers):
            raise ModelUnavailable(
                self.name,
                f"the recorded job has {len(self._answers)} answers and none for call {request.number}: "
                "the two runs differ",
            )
        return self._answers[request.number - 1]


def replay_model(job: str, _settings: ModelSettings, environment: Environment) -> ReplayModel:
    """The recorded answers of a job below `environment.home`. Raises UserError for a job that has none."""
    jobs = environment.home / "jobs"
    known = sorted(p.name for p in jobs.iterdir() if p.is_dir()) if jobs.is_dir() else []
    if job not in known:
        if not known:
            raise UserError(f"There is no job '{job}' to replay, nor any other in {jobs}.")
        raise UnknownName("job to replay", job, known)
    paths = [p for p in (jobs / job / "trace").glob("*-model.json") if p.name.removesuffix("-model.json").isdecimal()]
    answers = [_recorded(path) for path in sorted(paths, key=lambda p: int(p.name.removesuffix("-model.json")))]
    if not answers:
        raise UserError(f"Job '{job}' cannot be replayed: no call of a model is recorded in its trace folder.")
    return ReplayModel(f"replay:{job}", answers)


def _recorded(path: Path) -> Answer:
    try:
        return Answer.model_validate(json.loads(path.read_text(encoding="utf-8"))["value"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"The recorded answer {path} cannot be read.") from error
