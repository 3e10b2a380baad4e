"""What can be set for a job: one class for each section of its configuration, with defaults and what each means."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from echelon.json_text import is_list
from echelon.servers.settings import Servers


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)] | Literal["unlimited"]
Count = Annotated[int, Field(ge=0)] | Literal["unlimited"]


def _chain(value: object) -> object:
    """A list of names of models as one name."""
    return " | ".join(map(str, value)) if is_list(value) else value


Names = Annotated[str, BeforeValidator(_chain)]
"""The name of a model, or of several that stand in for each other."""


class ScopeCeilings(Section):
    """Ceilings of a part of a job. Off by default: those of the whole job hold for its parts."""

    cost: Amount = Field("unlimited", description="US dollars")
    tokens: Count = Field("unlimited", description="prompt and completion tokens together")
    model_calls: Count = Field("unlimited", description="calls of a model")
    seconds: Amount = Field("unlimited", description="time spent in steps, in seconds")


class Budget(ScopeCeilings):
    """Ceilings of the whole job. All are on by default; `unlimited` is spelled out, `.inf` and `.nan` are refused."""

    cost: Amount = Field(5.0, description="US dollars")
    tokens: Count = Field(5_000_000, description="prompt and completion tokens together")
    model_calls: Count = Field(5_000, description="calls of a model")
    seconds: Amount = Field(14_400.0, description="time spent in steps, in seconds")
    calls_per_phase: int = Field(120, ge=1, description="calls of a model in one phase")
    milestone: ScopeCeilings = Field(ScopeCeilings(), description="ceilings of each milestone")  # type: ignore[call-arg]
    task: ScopeCeilings = Field(ScopeCeilings(), description="ceilings of each round's work and check")  # type: ignore[call-arg]
    phase: ScopeCeilings = Field(ScopeCeilings(), description="ceilings of each call of a role")  # type: ignore[call-arg]
    subagent: ScopeCeilings = Field(ScopeCeilings(), description="ceilings of each question")  # type: ignore[call-arg]
    warn_at: float = Field(0.8, gt=0, le=1, description="share of a ceiling at which the role is told")


class Ceilings(Section):
    """How often each loop of the transition table may be taken. `rounds` bounds all of them together."""

    scope_repairs: int = Field(2, ge=0, description="times a scope may be sent back for repair")
    plan_repairs: int = Field(2, ge=0, description="times one plan may be sent back for repair")
    task_failures: int = Field(3, ge=1, description="failures of one task before the Assessor looks")
    tasks_since_assessment: int = Field(5, ge=1, description="accepted tasks between two assessments")
    misalignments: int = Field(
        1, ge=0, description="times a misaligned job may go back to its scope; then a person looks"
    )
    changes: int = Field(5, ge=0, description="times a person may ask for changes of the scope")
    delivery_repairs: int = Field(2, ge=0, description="times a delivery may be repaired")
    assessment_repairs: int = Field(2, ge=0, description="assessments without an answer")
    stalls: int = Field(2, ge=0, description="assessments that change nothing, without an accepted task between")
    rounds: int = Field(200, ge=1, description="rounds of the whole job")


class ModelSettings(Section):
    """How models are called."""

    tool_calls: Literal["native", "json_schema"] = Field("native", description="how the model names the tool to call")
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = Field(
        None, description="how long a reasoning model thinks; empty: what the server does by itself"
    )
    temperature: float | None = Field(None, ge=0, le=2, description="empty: what the server does by itself")
    max_output_tokens: int = Field(2_048, ge=16, description="tokens of one answer")
    context_window: int = Field(128_000, ge=2_048, description="tokens that the model can see at once")
    timeout: float = Field(180, gt=0, description="seconds that one call may take")
    attempts: int = Field(5, ge=1, description="tries of one call when the server fails")
    input_price: float | None = Field(None, ge=0, description="dollars per million prompt tokens, over the price list")
    output_price: float | None = Field(None, ge=0, description="dollars per million completion tokens")


class ContextSettings(Section):
    """What of a conversation is sent again."""

    keep_results: int = Field(5, ge=1, description="latest tool results that stay whole")
    result_tokens: int = Field(2_000, ge=64, description="tokens of one tool result before it is cut")
    compact_at_tokens: int = Field(80_000, ge=1_000, description="prompt size that starts a summary")
    compact_at_share: float = Field(0.7, gt=0, le=1, description="share of the model's window that starts a summary")


class ConfidenceSettings(Section):
    """Confidence of a strategic artefact: a weighted mean, and what follows from it."""

    model: float = Field(0.5, ge=0, le=1, description="weight of the model's own confidence")
    validator: float = Field(0.3, ge=0, le=1, description="weight of the rule validator")
    heuristics: float = Field(0.2, ge=0, le=1, description="weight of the heuristics")
    go_on: float = Field(0.70, ge=0, le=1, description="from here the artefact passes")
    repair: float = Field(0.40, ge=0, le=1, description="from here it is repaired, below it is handed up")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.model + self.validator + self.heuristics == 0:
            raise ValueError("at least one of the weights model, validator and heuristics must be above 0")
        if self.repair > self.go_on:
            raise ValueError("repair must not be above go_on")
        return self


class TodoSettings(Section):
    """Size of a task."""

    least: int = Field(5, ge=1, description="todos of a task; fewer only when less work is open")
    most: int = Field(20, ge=1, le=20, description="todos of a task at most")
    batch: int = Field(5, ge=1, le=20, description="pieces of open work that one task takes")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if max(self.least, self.batch) > self.most:
            raise ValueError("least and batch must not be above most")
        return self


class QaSettings(Section):
    """How tasks are checked."""

    second_look: int = Field(
        0, ge=0, le=4, description="further verdicts on each task, each from an empty conversation"
    )


class InputSettings(Section):
    """What may come in."""

    max_megabytes: int = Field(200, ge=1, description="size of one input file")
    least: int = Field(1, ge=0, description="input files that a job needs")
    skip_unreadable: bool = Field(False, description="go on without files that cannot be read, instead of refusing")


class ReviewSettings(Section):
    """The review queue: doubtful places of documents that roles decide."""

    share: float = Field(0.15, ge=0, le=1, description="places of the queue for each sentence of the documents")
    per_page: float = Field(0.5, ge=0, description="places that roles are asked about for each page of the documents")
    least: int = Field(20, ge=0, description="places that roles are asked about at least, where there are so many")
    batch: int = Field(20, ge=1, le=20, description="places that one task decides")
    sample: int = Field(5, ge=0, le=20, description="places of each task that QA judges without knowing the decisions")


class RequirementSettings(Section):
    """The requirement work."""

    part_chars: int = Field(2_500, ge=500, description="characters of one part of a document")
    accept_at: float = Field(0.5, ge=0, le=1, description="confidence from which a candidate is accepted")
    profile: Literal["auto", "entries", "controls", "catalogue", "clauses", "rows", "sentences"] = Field(
        "auto", description="what one requirement is in the documents; auto: told by each document"
    )
    review: ReviewSettings = Field(
        ReviewSettings(),  # type: ignore[call-arg]
        description="which doubtful places of documents roles are asked about",
    )


class GraphSettings(Section):
    """The requirement graph."""

    url: str = Field(
        "", description="kglite:FILE, neo4j://... or bolt://...; empty: NEO4J_URI, else a file in the home"
    )
    batch: int = Field(50, ge=1, description="requirements that one todo integrates")
    may_write: bool = Field(False, description="whether Cypher that a model writes may change the graph")
    seconds: float = Field(10, gt=0, description="time that one query of a model may take")
    rows: int = Field(100, ge=1, description="rows that one query of a model may return")
    memory_mb: int = Field(
        384, ge=64, description="memory that one query of a model may need, a graph file's own content included"
    )


class PlanningSettings(Section):
    """How plans are made."""

    seconds: float = Field(20, gt=0, le=3600, description="time that the solver may take for a schedule")
    policy: dict[str, str | int | float] = Field(
        default_factory=dict,
        description="how a person wants to be spoken to, over their default (`echelon plan policy`): conversation_style, "
        "talkativeness, autonomy, brainstorming_preference, approval_policy, probing_depth, tone",
    )
    retries: int = Field(2, ge=0, description="times that a stage of a plan may be drafted again")
    turn_cost: Amount = Field(
        0.30, description="US dollars of one round after which a person is asked whether to go on"
    )
    day_cost: Amount = Field(5.0, description="US dollars that the plans of a home may cost on one day")
    allow_new_subtypes: bool = Field(True, description="whether a role may propose a subtype of a pattern")
    require_rfc: bool = Field(True, description="whether a person has to approve a proposed subtype")
    today: str = Field(
        "", pattern=r"^(\d{4}-\d{2}-\d{2})?$", description="the day that counts as today; empty: the clock's"
    )

    @field_validator("today", mode="before")
    @classmethod
    def _written(cls, value: object) -> object:
        """YAML reads a day as a date."""
        return value.isoformat() if isinstance(value, date) else value


class Grant(Section):
    """Domain tools that a type of job gives to a role, beyond those that it always has."""

    core: tuple[str, ...] = Field((), description="tools whose schemas are sent from the start")
    deferred: tuple[str, ...] = Field((), description="tools whose schemas arrive through find_tools")


class ApprovalTimeout(Section):
    """What becomes of a job that waits for an approval and hears nothing; decided when somebody next looks at it."""

    hours: Amount = Field("unlimited", description="hours that a job waits")
    then: Literal["approve", "reject", "wait"] = Field("wait", description="what happens after that")


class CodeSettings(Section):
    """Work on source code: how commands are fenced in, how tests are run, how far a search goes."""

    fence: Literal["auto", "none"] = Field(
        default="auto",
        description="auto: commands run behind bubblewrap or not at all; none: unfenced, for trusted code",
    )
    tests: str = Field(default="", description="command that runs the tests; empty: found out")
    python: str = Field(default="", description="interpreter of the repository's tests; empty: Echelon's own")
    commands: tuple[str, ...] = Field(
        default=("python", "python3", "pytest", "go", "cargo", "node", "make", "ls", "cat", "grep"),
        description="programs that a role may run",
    )
    seconds: float = Field(default=300, gt=0, description="time of one command or test run")
    memory_mb: int = Field(default=2048, ge=64, description="memory of one command")
    search_seconds: float = Field(default=180, gt=0, description="time of a search for a repair")
    search_changes: int = Field(default=1_500, ge=1, description="small changes that a search tries")


SMALL_WINDOW = 32_000
"""Tokens of a window below which a model is taken for a small one."""


class JobConfig(Section):
    """Everything that a job needs to know, resolved."""

    job: str = Field(description="name of the job type")
    description: str = ""
    model: Names = Field(
        "playbook",
        description="playbook, openai/<name>, <provider>/<name> with LangChain's integration of it, replay:<job>; a list of "
        "names, or names with | between them, is a chain: the next one stands in where one has no answer",
    )
    models: dict[str, Names] = Field(default_factory=dict, description="another model for single roles, by role name")
    playbook: str = Field(
        "", description="whose rules play this type of job without a language model; empty: it needs one"
    )
    request: str = Field("", description="what is asked for when the user says nothing")
    crew: Literal["hierarchy", "single"] = Field(
        "hierarchy", description="who does the job: the three tiers, or one agent with all tools and the same checks"
    )
    prompt_folder: str = Field("", description="folder with prompt templates that stand in for ours of the same name")
    prompts: Literal["auto", "plain", "guided"] = Field(
        "auto",
        description="how roles are spoken to: plain with instructions and room to think, guided step by step for small "
        "models; auto: guided where the window is below 32,000 tokens or calls are written as JSON",
    )
    instructions: str = Field("", description="file of instructions that stands in for ours for this type of job")
    keep_prompts: int = Field(500, ge=0, description="model calls whose prompts are kept for `show --step`: the latest")
    role_folder: str = Field("", description="folder of YAML files that stand in for those in agents/, or add roles")
    own: str = Field("", description="folder of the user's own type of job; filled in when the job is submitted")
    own_tools: dict[str, str] = Field(
        default_factory=dict,
        description="where the user's own tools are that `tools` names; filled in when the job is submitted",
    )
    approvals: Literal["none", "scope", "single_final", "milestones", "every_step"] = Field(
        "none",
        description="what a person must approve: nothing, the scope, the results before they are handed over, "
        "each milestone, or the scope and each task and milestone",
    )
    may_ask: Literal["nobody", "scope_agent", "all"] = Field(
        "scope_agent",
        description="which roles may ask a person: nobody, the ScopeAgent before work begins, or every role whenever only "
        "a person can know; the job waits for the answer",
    )
    without: tuple[Literal["qa", "assessor", "explain_code", "ask"], ...] = Field(
        (),
        description="roles that are not asked, for experiments: work that passes the checks in code is accepted, and a "
        "milestone that is claimed is met when code sees nothing open; and tools for questions that nobody gets",
    )
    park: str = Field(
        "",
        pattern=r"^(after [a-z_]+|[a-z_]+(:[1-9]\d*)?)?$",
        description="state before which the job stops with a snapshot, as qa or qa:2 for the second time, or after qa; "
        "experiments fork their arms there",
    )
    approval_timeout: ApprovalTimeout = ApprovalTimeout()  # type: ignore[call-arg]
    language: str = Field("en", description="language of what is written for people")
    isolated: bool = Field(
        False, description="take nothing from other jobs and leave nothing for them: lessons, results, the graph"
    )
    budget: Budget = Budget()  # type: ignore[call-arg]
    ceilings: Ceilings = Ceilings()  # type: ignore[call-arg]
    model_settings: ModelSettings = ModelSettings()  # type: ignore[call-arg]
    context: ContextSettings = ContextSettings()  # type: ignore[call-arg]
    confidence: ConfidenceSettings = ConfidenceSettings()  # type: ignore[call-arg]
    todos: TodoSettings = TodoSettings()  # type: ignore[call-arg]
    qa: QaSettings = QaSettings()  # type: ignore[call-arg]
    inputs: InputSettings = InputSettings()  # type: ignore[call-arg]
    tools: dict[str, Grant] = Field(default_factory=dict, description="domain tools by role name")
    graph: GraphSettings = GraphSettings()  # type: ignore[call-arg]
    planning: PlanningSettings = PlanningSettings()  # type: ignore[call-arg]
    requirements: RequirementSettings = RequirementSettings()  # type: ignore[call-arg]
    code: CodeSettings = CodeSettings()
    mcp: Servers = Field(default_factory=dict, description="MCP servers whose tools roles may use, by a short name")

    @property
    def is_guided(self) -> bool:
        """Whether roles are led step by step."""
        is_small = self.model_settings.context_window < SMALL_WINDOW or self.model_settings.tool_calls == "json_schema"
        return self.prompts == "guided" or (self.prompts == "auto" and is_small)

    def model_of(self, role: str) -> str:
        """Name of the model that plays this role."""
        return self.models.get(role, self.model)
