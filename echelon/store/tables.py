"""The tables. All state that is not DBOS's own lives here; the files of a job live in its folder."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

jobs = sa.Table(
    "echelon_jobs",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("type", sa.String, nullable=False),
    sa.Column("state", sa.String, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("config", sa.JSON, nullable=False),
    sa.Column("folder", sa.String, nullable=False),
    sa.Column("segment", sa.Integer, nullable=False, server_default="1"),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("updated", sa.Float, nullable=False),
    sa.Column("result", sa.JSON),
)

snapshots = sa.Table(
    "echelon_snapshots",
    metadata,
    sa.Column("job", sa.String, primary_key=True),
    sa.Column("segment", sa.Integer, primary_key=True),
    sa.Column("state", sa.JSON, nullable=False),
)
"""The control state of a job at the end of a segment, which is the one that the next segment begins with."""

steps = sa.Table(
    "echelon_steps",
    metadata,
    sa.Column("job", sa.String, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("role", sa.String, nullable=False, server_default=""),
    sa.Column("phase", sa.String, nullable=False, server_default=""),
    sa.Column("round", sa.Integer, nullable=False, server_default="0"),
    sa.Column("milestone", sa.Integer, nullable=False, server_default="0"),
    sa.Column("ok", sa.Boolean),
    sa.Column("prompt_tokens", sa.Integer, nullable=False, server_default="0"),
    sa.Column("completion_tokens", sa.Integer, nullable=False, server_default="0"),
    sa.Column("cached_tokens", sa.Integer, nullable=False, server_default="0"),
    sa.Column("cost", sa.Float, nullable=False, server_default="0"),
    sa.Column("milliseconds", sa.Float, nullable=False, server_default="0"),
    sa.Column("asked", sa.String, nullable=False, server_default=""),
    sa.Column("answered", sa.String, nullable=False, server_default=""),
    sa.Column("starts", sa.Integer, nullable=False, server_default="0"),
    sa.Column("started", sa.Float, nullable=False, server_default="0"),
    sa.Column("thinking_tokens", sa.Integer, nullable=False, server_default="0"),
    sa.Column("model", sa.String, nullable=False, server_default=""),
)
"""One row a step. `asked` and `answered` are hashes of request and result; `starts` counts how often it really ran."""

events = sa.Table(
    "echelon_events",
    metadata,
    sa.Column("job", sa.String, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("data", sa.JSON, nullable=False),
)

leases = sa.Table(
    "echelon_leases",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("owner", sa.String, nullable=False),
    sa.Column("expires", sa.Float, nullable=False),
)

requirement_cache = sa.Table(
    "echelon_requirement_cache",
    metadata,
    sa.Column("job", sa.String, primary_key=True),
    sa.Column("document", sa.String, primary_key=True),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("requirements", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("taker", sa.String),
)
"""What creators handed over: one row a document, with what was read and what was found in it; one taker each."""

effects = sa.Table(
    "echelon_effects",
    metadata,
    sa.Column("job", sa.String, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("tool", sa.String, nullable=False),
    sa.Column("arguments", sa.Text, nullable=False),
    sa.Column("state", sa.String, nullable=False),
    sa.Column("begun", sa.Float, nullable=False),
    sa.Column("ended", sa.Float),
    sa.Column("result", sa.JSON),
)
"""One row for each call of a tool that must not run twice: written before it runs, and again when it has run."""

experiments = sa.Table(
    "echelon_experiments",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("digest", sa.String, nullable=False),
    sa.Column("state", sa.String, nullable=False),
    sa.Column("definition", sa.JSON, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("updated", sa.Float, nullable=False),
)
"""One row an experiment. `definition` is all that is needed to repeat it, `digest` a hash of that."""

trials = sa.Table(
    "echelon_trials",
    metadata,
    sa.Column("experiment", sa.String, primary_key=True),
    sa.Column("trial", sa.String, primary_key=True),
    sa.Column("result", sa.JSON, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)
"""One row a trial that has ended and was graded; written once."""

judgements = sa.Table(
    "echelon_judgements",
    metadata,
    sa.Column("asked", sa.String, primary_key=True),
    sa.Column("answer", sa.JSON, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)
"""What a judging model answered, by a hash of what it was asked: a question is paid once."""

files = sa.Table(
    "echelon_files",
    metadata,
    sa.Column("job", sa.String, primary_key=True),
    sa.Column("path", sa.String, primary_key=True),
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("step", sa.Integer, nullable=False),
)
"""One row a file of a job's folder, as the step `step` left it; `sha256` is empty when it took the file away."""

orders = sa.Table(
    "echelon_orders",
    metadata,
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("digest", sa.String, nullable=False),
    sa.Column("job", sa.String, nullable=False),
    sa.Column("queued", sa.Boolean, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)
"""One row an order of a job over HTTP: the same key means the same job. `digest` is a hash of what was asked for; `queued`
says whether the job has come into the queue, so that a death in between loses nothing."""

webhooks = sa.Table(
    "echelon_webhooks",
    metadata,
    sa.Column("job", sa.String, primary_key=True),
    sa.Column("url", sa.String, primary_key=True),
    sa.Column("since", sa.Float, nullable=False),
)
"""Who is told when a job ends or waits: an address of one job, or of all of them (`job` is empty)."""

deliveries = sa.Table(
    "echelon_deliveries",
    metadata,
    sa.Column("job", sa.String, primary_key=True),
    sa.Column("segment", sa.Integer, primary_key=True),
    sa.Column("state", sa.String, primary_key=True),
    sa.Column("url", sa.String, primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("due", sa.Float, nullable=False),
    sa.Column("done", sa.Boolean, nullable=False),
    sa.Column("said", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)
"""One row a message to a webhook: what it says, how often it was tried, when it is due again, what came back last."""

latest_jobs = sa.Index("echelon_jobs_latest", jobs.c.created.desc(), jobs.c.id)
"""For a list of the latest jobs, a page at a time"""
changed_jobs = sa.Index("echelon_jobs_changed", jobs.c.updated)
plans = sa.Table(
    "echelon_plans",
    metadata,
    sa.Column("job", sa.String, sa.ForeignKey("echelon_jobs.id"), primary_key=True),
    sa.Column("title", sa.String, nullable=False),
    sa.Column("status", sa.String, nullable=False),
    sa.Column("pattern_type", sa.String, nullable=False, index=True),
    sa.Column("pattern_subtype", sa.String, nullable=False, index=True),
    sa.Column("pattern_variant", sa.String, nullable=False, index=True),
    sa.Column("zone", sa.String, nullable=False),
    sa.Column("begins", sa.Float, nullable=False),
    sa.Column("ends", sa.Float, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)
"""One row a plan that a job handed over; moments in seconds since 1970."""

scheduled_tasks = sa.Table(
    "echelon_scheduled_tasks",
    metadata,
    sa.Column("job", sa.String, sa.ForeignKey("echelon_plans.job"), primary_key=True),
    sa.Column("task", sa.String, primary_key=True),
    sa.Column("title", sa.String, nullable=False),
    sa.Column("begins", sa.Float, nullable=False, index=True),
    sa.Column("ends", sa.Float, nullable=False),
    sa.Column("done", sa.Boolean, nullable=False),
    sa.Column("resources", sa.JSON, nullable=False),
)
"""One row a task of a plan; `resources` has the units that it holds of each."""

plan_subtypes = sa.Table(
    "echelon_plan_subtypes",
    metadata,
    sa.Column("pattern_type", sa.String, primary_key=True),
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("rfc", sa.Text, nullable=False),
    sa.Column("job", sa.String, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)
"""One row a subtype of a pattern that a person approved, with the reasons that were given for it."""

server_tools = sa.Table(
    "echelon_server_tools",
    metadata,
    sa.Column("place", sa.String, primary_key=True),
    sa.Column("tool", sa.String, primary_key=True),
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("pinned", sa.JSON, nullable=False),
    sa.Column("definition", sa.JSON, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)
"""One row a tool of an MCP server that a person approved: where the server is, the hash and the whole definition that
was approved, and what of it roles are shown."""

traces = sa.Table(
    "echelon_traces",
    metadata,
    sa.Column("job", sa.String, primary_key=True),
    sa.Column("parent", sa.String, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)
"""One row a job that was traced: the root span of its latest trace."""

blobs = sa.Table(
    "echelon_blobs",
    metadata,
    sa.Column("job", sa.String, primary_key=True),
    sa.Column("sha256", sa.String, primary_key=True),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)
"""One row a content that a file of a job has or had, where files travel through the database."""

shared = sa.Table(
    "echelon_shared",
    metadata,
    sa.Column("job", sa.String, primary_key=True),
    sa.Column("path", sa.String, primary_key=True),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("mode", sa.Integer, nullable=False),
)
"""One row a file of a job's folder (and an input, below `@inputs/`), where files are shared between machines."""

shared_versions = sa.Table(
    "echelon_shared_versions",
    metadata,
    sa.Column("job", sa.String, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)
"""How often the list of a job's files has changed."""

migrations = sa.Table(
    "echelon_migrations",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
)
