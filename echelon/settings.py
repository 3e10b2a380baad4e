"""Configuration: layered YAML with `extends`, validated, a misspelt key refused with the nearest known one.

A job's configuration is resolved once, when the job is submitted, and stored with it: a running job never looks at
the files again. `Environment` holds what belongs to the machine instead of the job (where state lives, keys).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Self, TypeVar, Union, get_args, get_origin

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from echelon import own
from echelon.addresses import escaped_password, without_password
from echelon.errors import UnknownName, UserError
from echelon.json_text import is_object
from echelon.servers.settings import Servers

T = TypeVar("T", bound=BaseModel)


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)] | Literal["unlimited"]
Count = Annotated[int, Field(ge=0)] | Literal["unlimited"]


def _chain(value: object) -> object:
    """A list of names of models as one name."""
    return " | ".join(map(str, value)) if isinstance(value, list) else value


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


def load_config(folder: Path, name: str, overrides: dict[str, Any] | None = None) -> JobConfig:
    """The configuration `name` (a file in `folder`, a type of job, or a path to a YAML file), with dotted `overrides`.

    Raises UserError for a file that does not exist or does not parse, and for a key that is not known.
    """
    layers = merged(_read_layers(folder, name, seen=()), overrides or {})
    return validated(JobConfig, layers, f"configuration '{name}'")


def merged(values: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    """`values` with dotted `overrides` on top."""
    for key, value in overrides.items():
        values = _merge(values, _nest(key, value))
    return values


def config_names(folder: Path) -> list[str]:
    """Names of the configurations of a job: files of `folder`, and types of job, which bring their own."""
    own = [p.parent.name for p in _own_settings(folder, "*")]
    return sorted({*own, *(p.stem for p in folder.glob("*.yaml") if "job" in _read_yaml(p))})


def _own_settings(folder: Path, name: str) -> list[Path]:
    """The settings that a type of job brings in its own folder, beside the folder of configurations."""
    return sorted((folder.parent / "crews").glob(f"{name}/settings.yaml"))


def _found(folder: Path, name: str) -> Path:
    path = Path(name) if name.endswith((".yaml", ".yml")) else folder / f"{name}.yaml"
    if path.is_file() or not name.isidentifier():
        return path
    mine = own.found(name)
    there = [*_own_settings(folder, name), *([mine / "settings.yaml"] if mine is not None else [])]
    return next((p for p in there if p.is_file()), path)


def _read_layers(folder: Path, name: str, seen: tuple[str, ...]) -> dict[str, Any]:
    path = _found(folder, name)
    if not path.is_file() and not seen:
        raise UnknownName("job type", name, config_names(folder))
    if not path.is_file():
        raise UnknownName(
            f"configuration in 'extends' of {seen[-1]}:", name, sorted(p.stem for p in folder.glob("*.yaml"))
        )
    real = str(path.resolve())
    if real in seen:
        raise UserError(f"Configuration '{name}' extends itself: {' -> '.join((*seen, real))}.")
    here = _read_yaml(path)
    parent = here.pop("extends", None)
    if parent is None:
        return here
    beside = path.parent if (path.parent / f"{parent}.yaml").is_file() else folder
    return _merge(_read_layers(beside, str(parent), (*seen, real)), here)


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise UserError(f"{path} is not valid YAML: {' '.join(str(error).split())}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error
    if not is_object(value):
        raise UserError(f"{path} must hold a mapping of settings.")
    return value


def _merge(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        both = is_object(value) and is_object(merged.get(key))
        merged[key] = _merge(merged[key], value) if both else value
    return merged


def _nest(key: str, value: Any) -> dict[str, Any]:
    head, _, rest = key.partition(".")
    return {head: _nest(rest, value) if rest else value}


def parse_override(text: str) -> tuple[str, Any]:
    """`key.sub=value` as (key, value); the value is read as YAML. Raises UserError for any other form."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UserError(f"'{text}' is not of the form key=value.")
    try:
        return key.strip(), yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise UserError(f"The value of '{key}' cannot be read: {' '.join(str(error).split())}.") from error


def validated(model: type[T], value: Any, what: str) -> T:
    """`value` as a `model`, or a UserError that names the first thing that is wrong with it."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise _explained(model, error, what) from error


def _explained(model: type[BaseModel], error: ValidationError, what: str) -> UserError:
    first, *others = error.errors()
    path = [str(part) for part in first["loc"]]
    if first["type"] == "extra_forbidden":
        known = [".".join((*path[:-1], name)) for name in _fields_at(model, path[:-1])]
        return UnknownName(f"key in {what}:", ".".join(path), known)
    place = _field_path(model, path)
    wrongs = [first, *(e for e in others if [str(part) for part in e["loc"]][: len(place)] == place)]
    said = "; ".join(dict.fromkeys(e["msg"].removeprefix("Value error, ") for e in wrongs))  # a union says several
    return UserError(f"In {what}, '{'.'.join(place)}': {said}." if place else f"In {what}: {said}.")


def _field_path(model: type[BaseModel], path: list[str]) -> list[str]:
    """The leading part of an error's place that names fields; what follows names branches of a union."""
    here: Any = model
    for depth, name in enumerate(path):
        if get_origin(here) in (Union, UnionType):
            return path[:depth]
        if not hasattr(here, "model_fields"):
            return path
        field = here.model_fields.get(name)
        here = field.annotation if field is not None else None
    return path


def _fields_at(model: type[BaseModel], path: list[str]) -> list[str]:
    """The keys that are known at a place of a configuration, as they are written there."""
    here: Any = model
    for name in path:
        here = _inside(here, name)
    fields = getattr(here, "model_fields", {})
    return sorted(field.alias or name for name, field in fields.items())


def _inside(here: Any, name: str) -> Any:
    """What the type `here` has under a key, a number, or the tag of a union; None when that is not known."""
    if hasattr(here, "model_fields"):
        fields = here.model_fields.items()
        return next((f.annotation for n, f in fields if name in (n, f.alias)), None)
    origin, given = get_origin(here), get_args(here)
    if origin is Annotated:
        return _inside(given[0], name)
    if origin in (Union, UnionType):
        models = [a for a in given if hasattr(a, "model_fields")]
        tagged = next((m for m in models for f in m.model_fields.values() if name in get_args(f.annotation)), None)
        return tagged or (_inside(models[0], name) if len(models) == 1 else None)
    return given[-1] if origin is dict else given[0] if given else None


KNOWN = (
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "TAVILY_API_KEY", "TAVILY_BASE_URL", "NEO4J_URI", "NEO4J_USERNAME",
    "NEO4J_PASSWORD",
)  # fmt: skip
OWN = "ECHELON_"
"""A `.env` may set these and what begins with `OWN`. Anything else in it would reach git, the linker, and every program
that is run, so it is left alone; and nothing of it is put into the environment of the process."""
TOGETHER = (
    ("OPENAI_BASE_URL", "OPENAI_API_KEY"), ("NEO4J_URI", "NEO4J_PASSWORD"), ("TAVILY_BASE_URL", "TAVILY_API_KEY"),
)  # fmt: skip
"""(address, key): a key of one place is not sent to an address of another."""
CONFIRM = "ECHELON_CONFIRM_ADDRESS"
"""Holds an address to which a key of another place may go. Counts in the shell only, not in a `.env`."""


def known(name: str) -> bool:
    """Whether a `.env` may set this variable."""
    return name in KNOWN or name.startswith(OWN)


class Environment:
    """What belongs to the machine: where state lives and which keys there are. Read from the environment when asked.

    `from_file` names the variables that come from a `.env`, not from the process's own environment.
    """

    def __init__(self, values: dict[str, str] | None = None, from_file: frozenset[str] = frozenset()) -> None:
        self._values = dict(os.environ) if values is None else values
        self.from_file = from_file

    @property
    def values(self) -> Mapping[str, str]:
        """All variables, so that secrets among them can be found and taken out of texts."""
        return self._values

    def get(self, name: str) -> str | None:
        """A variable's value, or None when it is missing or empty."""
        return self._values.get(name) or None

    def check_together(self, address: str) -> None:
        """Raises UserError when the key for `address` (a name in `TOGETHER`) comes from another place than it."""
        key = dict(TOGETHER)[address]
        where = self.get(address)
        if where is None or self.get(key) is None or (address in self.from_file) == (key in self.from_file):
            return
        if CONFIRM not in self.from_file and self.get(CONFIRM) == where:
            return
        places = (".env", "the environment") if address in self.from_file else ("the environment", ".env")
        raise UserError(
            f"{address} comes from {places[0]} and {key} from {places[1]}, so the key is not sent there: put both in "
            f"one place, or confirm the address with {CONFIRM}={without_password(where)}."
        )

    @cached_property
    def home(self) -> Path:
        """Folder of the jobs and of the SQLite database."""
        return Path(self.get("ECHELON_HOME") or ".echelon").expanduser().resolve()

    @cached_property
    def database_url(self) -> str:
        """SQLAlchemy URL of the database that holds all state."""
        url = self.get("ECHELON_DATABASE_URL")
        if url is None:
            return f"sqlite:///{self.home / 'echelon.sqlite'}"
        if url.startswith(("postgresql://", "postgres://")):
            return escaped_password("postgresql+psycopg://" + url.split("://", 1)[1])
        if url.startswith("postgresql+psycopg://"):
            return escaped_password(url)
        if url.startswith("sqlite:///"):
            return url
        raise UserError("ECHELON_DATABASE_URL must start with postgresql:// or sqlite:///.")


def read_environment() -> Environment:
    """The environment with `.env` of the current folder under it: the names that are `known`; variables that are set win."""
    from dotenv import dotenv_values

    there = dotenv_values(".env", interpolate=False)
    from_file = {n: value for n, value in there.items() if known(n) and value and n not in os.environ}
    return Environment({**os.environ, **from_file}, frozenset(from_file))
