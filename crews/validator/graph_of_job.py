"""The graph of a job: which one it is, and opening it so that one job at a time holds a file."""

from __future__ import annotations

import functools
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from echelon.addresses import escaped_password
from echelon.domains.graph.cypher.guard import guard
from echelon.domains.graph.cypher.lexer import CypherRefusedError
from echelon.domains.graph.metamodel import Metamodel, load_metamodel
from echelon.domains.graph.stores.opening import open_graph
from echelon.domains.graph.stores.port import GraphError, GraphStore, QueryResult
from echelon.engine.run import Run
from echelon.errors import UserError
from echelon.settings import Environment

METAMODEL = Path(__file__).parents[2] / "configs" / "metamodel.yaml"


def graph_url(run: Run) -> str:
    """The address of the graph: the setting, NEO4J_URI with its user and password, or a file in the home.

    That of an isolated job is a file in its own folder.
    """
    if not run.config.graph.url and run.config.isolated:
        return f"kglite:{run.folder / 'graph.kgl'}"
    return address_of(run.environment, run.config.graph.url)


def graph_name(run: Run) -> str:
    """What a report calls the graph: the name of its file, or the address of its server without user and password."""
    address = graph_url(run)
    if address.startswith("kglite:"):
        place = "the folder of the job" if run.config.isolated and not run.config.graph.url else "the folder of jobs"
        return (
            f"{Path(address.removeprefix('kglite:')).name} in {place}"
            if not run.config.graph.url
            else Path(address).name
        )
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def address_of(environment: Environment, url: str = "") -> str:
    """The address of the graph of a home: `url`, NEO4J_URI with its user and password, or a file in the home."""
    if not url and environment.get("NEO4J_URI") is None:
        return f"kglite:{environment.home / 'graph.kgl'}"
    if not url:
        environment.check_together("NEO4J_URI")
    return with_password(url or environment.get("NEO4J_URI") or "", environment)


def with_password(url: str, environment: Environment) -> str:
    """The address of a server with NEO4J_USERNAME and NEO4J_PASSWORD in it, where it names no user itself."""
    scheme, found, host = url.partition("://")
    if not found or "@" in host:
        return escaped_password(url)
    user, password = environment.get("NEO4J_USERNAME") or "neo4j", environment.get("NEO4J_PASSWORD") or ""
    return f"{scheme}://{quote(user, safe='')}:{quote(password, safe='')}@{host}"


def ask(environment: Environment, query: str, url: str = "", rows: int = 1000) -> QueryResult:
    """What the graph of a home answers to a question in Cypher that changes nothing. Raises UserError."""
    from urllib.parse import unquote, urlsplit

    address = address_of(environment, url)
    if address.startswith("kglite:") and not Path(unquote(urlsplit(address).path)).is_file():
        raise UserError(f"There is no graph at {address}; run a validator first, or name another with --url.")
    try:
        with open_graph(address) as store:
            return store.read(guard(query).text, max_rows=rows)
    except (GraphError, CypherRefusedError) as error:
        raise UserError(f"{str(error).rstrip('.')}.") from error


@contextmanager
def graph(run: Run) -> Generator[GraphStore]:
    """The graph, with its metamodel prepared. Raises UserError when it cannot be used."""
    try:
        with open_graph(graph_url(run)) as store:
            metamodel().prepare(store)
            yield store
    except GraphError as error:
        text = str(error)
        raise UserError(text if text.endswith(".") else f"{text}.") from error


@functools.cache
def metamodel() -> Metamodel:
    """The metamodel that every graph has to fit, read once in a process."""
    return load_metamodel(METAMODEL)
