"""Scripted roles of the coder job: an able team that does what its task says, and parts of it that lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from echelon.crews.coder import tree
from echelon.crews.coder.tools import TOOLS
from echelon.engine.messages import ToolCall
from echelon.engine.run import Run
from echelon.engine.toolbox import PhaseState, ToolContext
from echelon.engine.workspace import Workspace
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.settings import Environment, load_config
from echelon.store.engines import open_engine
from echelon.store.store import Store
from tests.code.conftest import commit_all
from tests.support.scripted import Reply, Script, Seen, call, register

QUICK = {"code.search_seconds": 60, "code.search_changes": 200, "code.seconds": 60}
PATCH = "output/changes.patch"

REPOSITORY = Path(__file__).parents[2]
Change = Mapping[str, str | None]
"""Whole files by path; None takes one away."""
Steps = Sequence[ToolCall]
"""What the Implementor calls, in order."""


def made_repository(root: Path, files: dict[str, str]) -> Path:
    """A git repository of these files with one commit."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    commit_all(root, "Begin")
    return root


def team(steps: Steps, **own: Script) -> dict[str, Script]:
    """Every role does its part: the Implementor makes the calls, QA looks at the change and passes it."""
    return {"scope": scoped, "plan": planned, "implement": implementing(steps), "qa": looked, "assess": assessed, **own}


def scoped(seen: Seen) -> Reply:
    return call(
        "submit_scope", in_scope=["what the request asks for"], success=["the tests pass"], confidence=0.9,
        milestones=[{"outcome": "The repository does what the request asks for", "checks": ["the tests prove it"]}],
    )  # fmt: skip


def planned(seen: Seen) -> Reply:
    """Plans the open work but for the search; claims the milestone when none is open."""
    work = [w for w in seen.values.get("open", []) if w != "repair"]
    if not work and not seen.values.get("failed"):
        return call("submit_milestone_done", reason="The change is made and proven.")
    if seen.last_tool != "todo_write":
        return call("todo_write", todos=work or ["mend what is wrong"])
    return call("submit_task", title="make the change", rationale="It is asked for.", deliverables=[PATCH])


def implementing(steps: Steps) -> Script:
    """The calls in order, then all todos, then the report; what is refused is gone over."""

    def script(seen: Seen) -> Reply:
        if seen.turn < len(steps):
            return steps[seen.turn]
        if seen.todo is not None:
            return call("todo_complete")
        return call("submit_report", summary="The change is made.", deliverables=[PATCH])

    return script


def looked(seen: Seen) -> Reply:
    if "review_change" not in {c.name for m in seen.request.messages for c in m.calls}:
        return call("review_change")
    return call("submit_verdict", passed=True, settled=seen.values.get("open_findings", []), confidence=0.9)


def assessed(seen: Seen) -> Reply:
    """Says that it is reached whenever it is asked."""
    if seen.turn == 0:
        return call("review_change")
    return call("submit_assessment", trajectory="milestone_met", reasons=["the change is there and proven"])


def run_scripted(
    jobs: Service, name: str, source: Path, request: str, scripts: dict[str, Script], **overrides: object
) -> JobResult:
    """Run a coder job on `source`, played by `scripts`."""
    register(scripts, name)
    return jobs.run(jobs.submit("coder", [source], request, f"scripted/{name}", {**QUICK, **overrides}))


# tools, without a job


@contextmanager
def context_on(folder: Path, request: str) -> Iterator[ToolContext]:
    """What the tools of a job in `folder` can reach."""
    environment = Environment({"ECHELON_HOME": str(folder.parent / "home")})
    store = Store(open_engine(environment.database_url))
    store.migrate()
    config = load_config(REPOSITORY / "configs", "coder", {"code.seconds": 60})
    run = Run(job="coder-1", folder=folder, config=config, store=store, environment=environment)
    workspace = Workspace(folder)
    workspace.create()
    (folder / "instructions.md").write_text(f"# Instructions\n\n{request}\n", encoding="utf-8")
    try:
        yield ToolContext(run=run, workspace=workspace, state=PhaseState(), role="implementor")
    finally:
        store.engine.dispose()


def use(context: ToolContext, name: str, **arguments: object) -> str:
    """Call a tool; its words."""
    tool = next(tool for tool in TOOLS if tool.name == name)
    return " ".join(tool.work(context, tool.arguments.model_validate(arguments)).explanations)


def put(context: ToolContext, change: Change) -> None:
    """Change the repository as an Implementor could, whatever tools it found for it."""
    for path, text in change.items():
        file = tree.root_of(context.workspace) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            file.unlink()
        else:
            file.write_text(text, encoding="utf-8")
