"""A real workspace, a real run on SQLite, and the sample documents read into it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.domains.requirements import document_files
from echelon.engine.run import Run
from echelon.engine.toolbox import PhaseState, ToolContext
from echelon.engine.workspace import Workspace
from echelon.settings import Environment, load_config
from echelon.store.engines import open_engine
from echelon.store.store import Store
from tests.support.tool_use import use

REPOSITORY = Path(__file__).parents[2]
__all__ = ["SAMPLE", "context", "sample", "use"]
SAMPLE = "records-retention-policy-2pages.pdf"


@pytest.fixture
def context(tmp_path: Path) -> Iterator[ToolContext]:
    """What a tool can reach in an empty workspace; the role may write everywhere."""
    environment = Environment({"ECHELON_HOME": str(tmp_path / "home")})
    store = Store(open_engine(environment.database_url))
    store.migrate()
    folder = tmp_path / "job"
    config = load_config(REPOSITORY / "configs", "creator")
    run = Run(job="creator-1", folder=folder, config=config, store=store, environment=environment)
    workspace = Workspace(folder)
    workspace.create()
    yield ToolContext(run=run, workspace=workspace, state=PhaseState(), role="implementor")
    store.engine.dispose()


@pytest.fixture
def sample(context: ToolContext) -> ToolContext:
    """The same with the sample document in it."""
    document_files.bring_in(context.workspace, REPOSITORY / "knowledge" / SAMPLE, SAMPLE, 10_000_000)
    return context
