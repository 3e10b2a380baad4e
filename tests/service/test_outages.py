"""What counts as an outage: the same job can end otherwise another time, so an experiment that is resumed tries it again."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import OperationalError

from echelon.errors import ModelUnavailable, Quarantined, UserError
from echelon.service.failures import is_outage, sentence

ENDING = RuntimeError("cannot schedule new futures after interpreter shutdown")
ENDED = RuntimeError("cannot schedule new futures after shutdown")


@pytest.mark.parametrize(
    "error",
    [
        ModelUnavailable("m", "no answer"), OSError(28, "No space left on device"), ENDING, ENDED,
        OperationalError("select 1", {}, Exception("gone")), Quarantined("job-1", 7, "extract", 2),
    ],
)  # fmt: skip
def test_what_surrounds_a_job_can_be_otherwise_another_time(error: Exception) -> None:
    assert is_outage(error)


@pytest.mark.parametrize(
    "error",
    [
        ModelUnavailable("m", "status 400", outage=False),
        UserError("no such file"),
        RuntimeError("a bug"),
        KeyError("a"),
    ],
)
def test_what_a_job_did_itself_stays(error: Exception) -> None:
    assert not is_outage(error)


@pytest.mark.parametrize("error", [ENDING, ENDED])
def test_a_process_that_ends_says_so_in_plain_words(error: Exception) -> None:
    assert sentence(error) == "The process that ran the job was ended."
