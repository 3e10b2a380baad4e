"""A real workspace, a real run on SQLite, and the sample documents read into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from echelon.engine.messages import ToolResult
from echelon.engine.run import Run
from echelon.engine.settings import Environment, load_config
from echelon.engine.workspace import Workspace
from echelon.store.store import Store, open_engine
from tools import library
from tools.registry import PhaseState, Toolbox, ToolContext, work_result
from tools.shelf import shelf

REPOSITORY = Path(__file__).parents[2]
SAMPLE = "records-retention-policy-2pages.pdf"
Use = Callable[..., ToolResult]


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
    library.bring_in(context.workspace, REPOSITORY / "knowledge" / SAMPLE, SAMPLE, 10_000_000)
    return context


def use(context: ToolContext, name: str, **arguments: Any) -> ToolResult:
    """Call a tool as a phase does: checked, run, and its effect on the phase applied."""
    tool = shelf()[name]
    checked = Toolbox([tool]).checked(name, arguments)
    result = work_result(tool, context, checked)
    if result.ok and tool.apply is not None:
        tool.apply(context.state, checked, result)
    return result


def files_of(context: ToolContext) -> dict[str, bytes]:
    """Every file of the workspace with its content, but git's own and the trace, which code keeps for itself."""
    root = context.workspace.root
    return {
        str(p.relative_to(root)): p.read_bytes()
        for p in sorted(root.rglob("*"))
        if p.is_file() and p.relative_to(root).parts[0] not in (".git", "trace")
    }


def notes_only(context: ToolContext) -> ToolContext:
    """The same for a role that may write notes alone."""
    return replace(context, may_write=("notes",))
