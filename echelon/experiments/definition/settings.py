"""The experiment file and the file of a task, as types. A key that is not known is refused with the nearest one."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from echelon.experiments.definition.checks import Check
from echelon.experiments.metrics import METRICS
from echelon.experiments.statistics.power import BETWEEN, SHARED, WITHIN
from echelon.settings import Amount, Count, ScopeCeilings, Section

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$")]
"""A name that can be a folder and part of a job's id"""


class TaskSettings(Section):
    """What a task says of itself in its `task.yaml`; what the experiment says under `tasks` holds where it says nothing."""

    job_type: str = Field("", description="type of job, as for `echelon run`")
    request: str = Field("", description="what is asked for; empty: the request of the type of job")
    request_file: str = Field("", description="file that holds the request, relative to the task")
    inputs: tuple[str, ...] = Field(
        (), description="input files, relative to the task; patterns such as *.pdf are allowed; a folder by its name"
    )
    cluster: str = Field(
        "", description="tasks that share a document or a repository have the same; empty: the task itself"
    )
    checks: tuple[Check, ...] = Field((), description="what makes a success; all of them must pass")
    set: dict[str, Any] = Field(default_factory=dict, description="settings of the job for this task, in every arm")

    @model_validator(mode="after")
    def _one_request(self) -> Self:
        if self.request and self.request_file:
            raise ValueError("give request or request_file, not both")
        return self


class TaskSet(TaskSettings):
    """Which tasks there are, and what they have in common."""

    model_config = ConfigDict(populate_by_name=True)

    folders: tuple[str, ...] = Field(
        alias="from", min_length=1, description="folders or patterns such as tasks/*, relative to the experiment file"
    )

    @field_validator("folders", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


class Arm(Section):
    """One way of doing the tasks: what differs from the configuration of the type of job."""

    set: dict[str, Any] = Field(
        default_factory=dict, description="dotted settings as for --set; {seed}, {task} and {repeat} are filled in"
    )
    crew: Literal["hierarchy", "single"] = Field("hierarchy", description="single: one agent with all tools")
    job_type: str = Field("", description="another type of job than the tasks name")
    model: str = Field("", description="the model of every role, as for --model")
    same_as: str = Field(
        "", description="the arm that this one repeats on purpose, to see what chance alone does (A/A)"
    )


class Totals(Section):
    """Ceilings of the whole experiment; on by default, `unlimited` is spelled out."""

    cost: Amount = Field(25.0, description="US dollars")
    tokens: Count = Field(100_000_000, description="prompt and completion tokens together")


class ExperimentBudget(Section):
    """What a trial and what the experiment may use. All arms have the same."""

    per_trial: ScopeCeilings = Field(ScopeCeilings(), description="ceilings of one trial")  # type: ignore[call-arg]
    total: Totals = Totals()  # type: ignore[call-arg]
    match: Literal["tokens", "cost"] = Field("tokens", description="what equal budget means")


class Assumed(Section):
    """Variance that is assumed for the smallest difference that can be shown; a pilot knows better."""

    sd: float | None = Field(None, gt=0, description="standard deviation of the differences of the clusters")
    within: float = Field(WITHIN, ge=0, description="variance of one trial")
    between: float = Field(BETWEEN, ge=0, description="variance of the true difference from task to task")
    shared: float = Field(SHARED, ge=0, le=1, description="share of that which tasks of a cluster have in common")
    pilot: str = Field("", description="name of an earlier experiment whose differences are taken instead")


class Compare(Section):
    """What is compared with what, and how sure one wants to be."""

    baseline: str = Field("", description="the arm that the others are compared with; empty: the first one")
    metrics: tuple[str, ...] = Field(
        ("success", "false_completion", "tokens", "cost", "seconds"),
        min_length=1,
        description="the first is tested, the others have intervals",
    )
    alpha: float = Field(0.05, gt=0, lt=0.5, description="chance of any false alarm among the arms")
    looks: tuple[float, ...] = Field(
        (1.0,), description="shares of the clusters at which it is looked (O'Brien-Fleming)"
    )
    worth: float | None = Field(None, gt=0, description="the smallest difference of the first metric that matters")
    assumed: Assumed = Assumed()  # type: ignore[call-arg]

    @property
    def primary(self) -> str:
        """The metric that is tested."""
        return self.metrics[0]

    @field_validator("metrics")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if name not in METRICS:
                raise ValueError(f"'{name}' is no metric; known: {', '.join(METRICS)}")
        if len(set(value)) < len(value):
            raise ValueError("a metric is named twice")
        return value

    @field_validator("looks")
    @classmethod
    def _rising(cls, value: tuple[float, ...]) -> tuple[float, ...]:
        rises = list(value) == sorted(set(value)) and value[0] > 0
        if not value or not rises or value[-1] != 1.0:
            raise ValueError("looks are rising shares that end with 1.0, such as [0.5, 1.0]")
        return value


class QACalibration(Section):
    """Known faults in finished work, and right work of unusual form: how often is QA of each arm wrong?"""

    plant: tuple[str, ...] = Field(
        min_length=1, description="known faults that are planted, each into a copy of its own"
    )
    forms: tuple[str, ...] = Field(("other_spacing",), description="right work in an unusual form")
    at: str = Field("qa", pattern=r"^qa(:[1-9]\d*)?$", description="which of the job's checks, as qa:2 for the second")
    per_document: int = Field(
        1, ge=1, description="faults of each kind a task; above 1 each document still counts once"
    )
    to_the_end: bool = Field(
        False, description="let the copies go on after the verdict, to see what it does to the job; costs whole jobs"
    )


class StopWhen(Section):
    """When to stop instead of reporting a difference."""

    crashed: float = Field(0.2, gt=0, le=1, description="share of an arm's trials that crash or cannot be graded")


class Experiment(Section):
    """An experiment, as its file says it."""

    model_config = ConfigDict(populate_by_name=True)

    name: Name
    question: str = Field("", description="what one wants to know, for the report")
    tasks: TaskSet
    arms: dict[Name, Arm] = Field(description="at least two; name: what differs")
    repeats: int = Field(1, ge=1, le=1_000, description="trials a task and arm")
    fork: str = Field(
        "",
        alias="from",
        pattern=r"^([a-z_]+(:[1-9]\d*)?)?$",
        description="state at which the arms of a task fork, as qa or qa:2",
    )
    seed: int = Field(1, ge=0, description="order of the trials, and what {seed} is made of")
    budget: ExperimentBudget = ExperimentBudget()  # type: ignore[call-arg]
    compare: Compare = Compare()  # type: ignore[call-arg]
    qa: QACalibration | None = None
    stop_when: StopWhen = StopWhen()  # type: ignore[call-arg]
    export: tuple[Literal["parquet", "inspect"], ...] = Field((), description="extra forms of the results")

    @property
    def baseline(self) -> str:
        """The arm that the others are compared with."""
        return self.compare.baseline or next(iter(self.arms))

    def arm(self, name: str) -> Arm:
        """The arm with this name; for one that repeats another, that one."""
        return self.arms[self.arms[name].same_as or name]

    @property
    def others(self) -> tuple[str, ...]:
        """The arms that are compared with it."""
        return tuple(name for name in self.arms if name != self.baseline)
