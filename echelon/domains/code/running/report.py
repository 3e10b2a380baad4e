"""What tests said, in one shape for every runner."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


class TestCase(BaseModel):
    """One test."""

    __test__ = False
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="as the runner can be asked for it: tests/test_a.py::test_b[1]")
    outcome: Outcome
    message: str = Field(default="", description="why it failed; in full only for the first failure")
    seconds: float = 0.0


class TestReport(BaseModel):
    """What a test run said. `cases` is empty when nothing could be collected."""

    __test__ = False
    model_config = ConfigDict(extra="forbid", frozen=True)

    cases: tuple[TestCase, ...] = ()
    trouble: str = Field(default="", description="why there is no full result: a time limit, an error while collecting")
    exit_status: int = 0
    output_hash: str = ""
    meddled: tuple[str, ...] = Field(default=(), description="sources that opened tests or results while they ran")
    data: tuple[str, ...] = Field(default=(), description="files that only tests opened, and that are no code")

    def names(self, *outcomes: Outcome) -> list[str]:
        """Names of the tests with one of `outcomes`, in order."""
        return [case.name for case in self.cases if case.outcome in outcomes]

    @property
    def passed(self) -> list[str]:
        return self.names(Outcome.PASSED)

    @property
    def failed(self) -> list[str]:
        """Tests that failed or could not run."""
        return self.names(Outcome.FAILED, Outcome.ERROR)

    @property
    def ok(self) -> bool:
        """At least one test passed, none failed, and the run came to its end."""
        return bool(self.passed) and not self.failed and not self.trouble and self.exit_status == 0

    @property
    def first_failure(self) -> TestCase | None:
        return next((case for case in self.cases if case.outcome in (Outcome.FAILED, Outcome.ERROR)), None)

    def sentence(self) -> str:
        """Counts in one line, and the trouble."""
        counts = [(len(self.names(outcome)), outcome.value) for outcome in Outcome]
        said = ", ".join(f"{count} {word}" for count, word in counts if count) or "no test ran"
        return f"{said}; {self.trouble}" if self.trouble else said


class Comparison(BaseModel):
    """Two runs of the same tests, before and after a change."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    repaired: tuple[str, ...] = Field(default=(), description="failed before (or did not exist) and pass now")
    broken: tuple[str, ...] = Field(
        default=(), description="passed before and do not pass now; a test that is gone counts"
    )
    still_failing: tuple[str, ...] = Field(default=(), description="failed before and fail now: known failures")
    new_failing: tuple[str, ...] = Field(default=(), description="did not exist before and fail now")

    @property
    def proven(self) -> bool:
        """Something was repaired, and nothing broken."""
        return bool(self.repaired) and not self.broken and not self.new_failing


def compare(before: TestReport, after: TestReport) -> Comparison:
    """What the change did to the tests."""
    was = {case.name: case.outcome for case in before.cases}
    now = {case.name: case.outcome for case in after.cases}
    bad = (Outcome.FAILED, Outcome.ERROR)
    return Comparison(
        repaired=tuple(n for n, o in now.items() if o is Outcome.PASSED and was.get(n, Outcome.FAILED) in bad),
        broken=tuple(n for n, o in was.items() if o is Outcome.PASSED and now.get(n) is not Outcome.PASSED),
        still_failing=tuple(n for n, o in now.items() if o in bad and was.get(n) in bad),
        new_failing=tuple(n for n, o in now.items() if o in bad and n not in was),
    )
