"""Answers from a recorded job: the n-th model call of this job gets the n-th answer of that one.

`replay:<job>` takes all answers; `replay/<job>,<n>,<model>` takes the first n and asks the other model from there on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from echelon.engine.messages import Answer, ModelRequest
from echelon.engine.models.model import Factory, Model
from echelon.errors import ModelUnavailable, UnknownName, UserError
from echelon.settings import Environment, ModelSettings


class ReplayModel:
    """Gives recorded answers in their order, by the number of the request; after them asks `then`, if there is one."""

    def __init__(self, name: str, answers: Sequence[Answer], then: Model | None = None) -> None:
        self.name, self._answers, self._then = name, tuple(answers), then

    def answer(self, request: ModelRequest) -> Answer:
        """The recorded answer, or the other model's. Raises ModelUnavailable where there is neither."""
        if self._then is not None and request.number > len(self._answers):
            return self._then.answer(request)
        if not 0 < request.number <= len(self._answers):
            raise ModelUnavailable(
                self.name,
                f"the recorded job has {len(self._answers)} answers and none for call {request.number}: "
                "the two runs differ",
            )
        return self._answers[request.number - 1]


def replay_model(rest: str, settings: ModelSettings, environment: Environment, open_model: Factory) -> ReplayModel:
    """The recorded answers of a job below `environment.home`. Raises UserError for a job that has none.

    `rest` is `<job>`, or `<job>,<n>,<model>` for its first n answers and then another model.
    """
    job, *more = rest.split(",", 2)
    answers = _answers(job, environment)
    if not more:
        return ReplayModel(f"replay:{job}", answers)
    if len(more) != 2 or not more[0].isdecimal() or int(more[0]) > len(answers):
        raise UserError(
            f"'replay/{rest}' is not of the form replay/<job>,<n>,<model> with n up to {len(answers)} recorded answers."
        )
    return ReplayModel(f"replay/{rest}", answers[: int(more[0])], open_model(more[1], settings, environment))


_MODEL_STEP = re.compile(r"(\d+)-(?:model|summary)\.json")


def _answers(job: str, environment: Environment) -> list[Answer]:
    jobs = environment.home / "jobs"
    known = sorted(p.name for p in jobs.iterdir() if p.is_dir()) if jobs.is_dir() else []
    if job not in known:
        if not known:
            raise UserError(f"There is no job '{job}' to replay, nor any other in {jobs}.")
        raise UnknownName("job to replay", job, known)
    numbered = {int(m[1]): p for p in (jobs / job / "trace").glob("*.json") if (m := _MODEL_STEP.fullmatch(p.name))}
    answers = [_recorded(path) for _, path in sorted(numbered.items())]
    if not answers:
        raise UserError(f"Job '{job}' cannot be replayed: no call of a model is recorded in its trace folder.")
    return answers


def _recorded(path: Path) -> Answer:
    try:
        return Answer.model_validate(json.loads(path.read_text(encoding="utf-8"))["value"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"The recorded answer {path} cannot be read.") from error
