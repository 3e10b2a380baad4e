"""The requirement graph: integrating what a creator handed over, and questions to the graph."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from echelon.crews.validator import handed_over, results
from echelon.crews.validator.graph_of_job import graph, graph_url, metamodel
from echelon.domains.graph import edits, lookup, queries
from echelon.domains.graph.compliance import check_compliance
from echelon.domains.graph.cypher.apart import run_cypher_apart
from echelon.domains.graph.cypher.guard import CypherPolicy
from echelon.domains.graph.cypher.lexer import CypherRefusedError
from echelon.domains.graph.entities import Entity
from echelon.domains.graph.integrate import integrate
from echelon.domains.graph.stores.port import GraphError, GraphStore, GraphUnavailableError, Label
from echelon.domains.requirements import check_requirements, document_files
from echelon.domains.requirements.types import Modality
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import EVERYTHING, Arguments, Effect, Tool, ToolContext, ToolWork
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault, UserError
from echelon.files import write_atomically

LabelName = Literal["Requirement", "Document", "Section", "BusinessObject", "Message", "System"]
SHOWN = 20


def on_graph(question: Any) -> ToolWork:
    """A tool's work from a question to the open graph; what the database refuses is told to the model."""

    def work(context: ToolContext, a: Any) -> ToolResult:
        with graph(context.run) as store:
            try:
                result: ToolResult = question(context, store, a)
            except GraphError as error:
                raise ModelFault(f"{str(error).rstrip('.')}.") from error
        return result

    return work


def _answer(said: str, data: Any = None) -> ToolResult:
    return ToolResult(ok=True, explanations=(said,), data=data)


def _plain(values: Any) -> list[dict[str, Any]]:
    return [v.model_dump(mode="json") for v in values]


class IntegrateBatch(Arguments):
    document: str = Field(description="name of the document")
    batch: int = Field(description="number of the batch, from 1", ge=1)


def integrate_batch(context: ToolContext, store: GraphStore, a: IntegrateBatch) -> ToolResult:
    """Check a batch and put what holds into the graph. Running it again adds nothing."""
    run, workspace = context.run, context.workspace
    document = document_files.document(workspace, a.document)
    found = handed_over.batch(run, workspace, document.file, a.batch)
    problems = [str(p) for p in check_requirements(document, found)]
    sound, misquoted = handed_over.apart(found)
    done = integrate(store, sound, [document])
    done = done.model_copy(update={"refused": (*done.refused, *misquoted)})
    path = handed_over.report_path(document.file, a.batch)
    report = {
        "document": document.file,
        "batch": a.batch,
        "given": len(found),
        "problems": problems,
        **done.model_dump(mode="json"),
    }
    write_atomically(workspace.root / path, results.as_json(report))
    counts = f"{done.requirements} of {len(found)} requirements are in the graph, {len(done.refused)} refused"
    said = f"{counts}; the report is {path}."
    return _answer(
        said,
        {
            "duplicates": len(done.duplicates),
            "conflicts": len(done.conflicts),
            "refused": _plain(done.refused[:SHOWN]),
            "problems": problems[:SHOWN],
        },
    )


class NoArguments(Arguments):
    pass


def check_graph(context: ToolContext, store: GraphStore, _: NoArguments) -> ToolResult:
    violations = check_compliance(store, metamodel())
    said = f"{len(violations)} things do not fit the metamodel." if violations else "The graph fits its metamodel."
    return _answer(said, {"violations": _plain(violations[:SHOWN])})


def write_validation(context: ToolContext, store: GraphStore, _: NoArguments) -> ToolResult:
    paths = results.write(context.run, context.workspace, store)
    return _answer(f"Wrote {' and '.join(paths)}.", {"paths": paths})


class RunCypher(Arguments):
    query: str = Field(description="a Cypher query; values as $parameters, never in the text", max_length=4000)
    parameters: dict[str, Any] = Field(default={}, description="a value for each parameter")


def cypher(context: ToolContext, a: RunCypher) -> ToolResult:
    """Ask in a child process: what a model asks may cost more than this one has."""
    g = context.run.config.graph
    policy = CypherPolicy(allow_write=g.may_write, max_rows=g.rows, timeout_s=g.seconds, max_memory_mb=g.memory_mb)
    try:
        result = run_cypher_apart(graph_url(context.run), a.query, a.parameters, policy)
    except GraphUnavailableError as error:
        raise UserError(f"{str(error).rstrip('.')}.") from error
    except (CypherRefusedError, GraphError) as error:
        raise ModelFault(f"{str(error).rstrip('.')}.") from error
    more = " There are more." if result.truncated else ""
    return _answer(f"{len(result.rows)} rows.{more}", {"rows": list(result.rows)})


def graph_schema(context: ToolContext, store: GraphStore, _: NoArguments) -> ToolResult:
    return _answer(
        "Labels and relationships with their properties.", queries.graph_schema(store).model_dump(mode="json")
    )


def graph_statistics(context: ToolContext, store: GraphStore, _: NoArguments) -> ToolResult:
    return _answer("Nodes by label and relationships by type.", queries.graph_statistics(store))


def coverage(context: ToolContext, store: GraphStore, _: NoArguments) -> ToolResult:
    return _answer(
        "How many requirements are fulfilled, claimed to be, or open.", queries.coverage(store).model_dump(mode="json")
    )


class FindSimilar(Arguments):
    text: str = Field(description="the wording to look for", min_length=3, max_length=2000)
    limit: int = Field(default=10, ge=1, le=50, description="how many at most")


def find_similar(context: ToolContext, store: GraphStore, a: FindSimilar) -> ToolResult:
    hits = lookup.find_similar(store, a.text, limit=a.limit)
    return _answer(f"{len(hits)} similar requirements.", {"similar": _plain(hits)})


class CheckDuplicates(Arguments):
    text: str = Field(description="the wording of a requirement", min_length=3, max_length=2000)
    modality: Modality = Field(description="what it does")


def check_duplicates(context: ToolContext, store: GraphStore, a: CheckDuplicates) -> ToolResult:
    check = lookup.check_duplicates(store, a.text, a.modality)
    return _answer(f"It is {check.verdict.value}.", check.model_dump(mode="json"))


class ResolveName(Arguments):
    name: str = Field(description="the name as a document has it", min_length=1, max_length=300)


def resolve_business_object(context: ToolContext, store: GraphStore, a: ResolveName) -> ToolResult:
    return _answer(
        "What the graph knows by this name.", lookup.resolve_business_object(store, a.name).model_dump(mode="json")
    )


def resolve_message(context: ToolContext, store: GraphStore, a: ResolveName) -> ToolResult:
    return _answer("What the graph knows by this name.", lookup.resolve_message(store, a.name).model_dump(mode="json"))


class OfNode(Arguments):
    label: LabelName = Field(description="label of the node")
    key: str = Field(description="key of the node", min_length=1)


def read_relationships(context: ToolContext, store: GraphStore, a: OfNode) -> ToolResult:
    return _answer(
        "The node and what it is connected with.",
        queries.neighbourhood(store, Label(a.label), a.key).model_dump(mode="json"),
    )


def impact(context: ToolContext, store: GraphStore, a: OfNode) -> ToolResult:
    touched = queries.impact(store, Label(a.label), a.key)
    return _answer(f"A change touches {len(touched)} requirements.", {"requirements": _plain(touched[:SHOWN])})


class UpsertRequirement(Arguments):
    document: str = Field(description="name of the document")
    id: str = Field(description="id of the requirement, such as R-0007")


def upsert_requirement(context: ToolContext, store: GraphStore, a: UpsertRequirement) -> ToolResult:
    document = document_files.document(context.workspace, a.document)
    found = next((r for r in handed_over.requirements(context.workspace, document.file) if r.id == a.id), None)
    if found is None:
        raise ModelFault(f"'{document.file}' has no requirement {a.id}.")
    if misquoted := handed_over.apart([found])[1]:
        raise ModelFault(f"It cannot be in the graph: {misquoted[0].reason}.")
    if problems := check_requirements(document, [found]):
        raise ModelFault(f"It cannot be in the graph: {problems[0]}.")
    return _answer("It is in the graph.", {"key": edits.upsert_requirement(store, found, document)})


LEAST_WORDS = 3
"""Words that evidence has at least: a name alone shows nothing."""


def _stands_somewhere(workspace: Workspace, evidence: str) -> bool:
    """Whether the words of evidence stand in a document of the job, white space aside."""
    words = " ".join(evidence.casefold().split())
    names = document_files.names(workspace)
    pages = (page.text for name in names for page in document_files.document(workspace, name).pages)
    return len(words.split()) >= LEAST_WORDS and any(words in " ".join(text.casefold().split()) for text in pages)


class LinkFulfilment(Arguments):
    requirement: str = Field(description="key of the requirement in the graph")
    label: Literal["BusinessObject", "Message", "System"] = Field(description="kind of what fulfils it")
    name: str = Field(description="name of what fulfils it", min_length=1)
    evidence: str = Field(description="the words that show it", min_length=3)


def link_fulfilment(context: ToolContext, store: GraphStore, a: LinkFulfilment) -> ToolResult:
    if not _stands_somewhere(context.workspace, a.evidence):
        raise ModelFault(
            "The evidence stands in none of the documents that were handed over; copy words of a document that show it, "
            "or link nothing."
        )
    edits.link_fulfilment(store, a.requirement, Entity(label=Label(a.label), name=a.name), evidence=a.evidence)
    return _answer("Linked, as a claim that is not verified yet.")


def _tool(
    name: str, says: str, arguments: type[Arguments], question: Any, effect: Effect = Effect.READ, looks: str = ""
) -> Tool:
    return Tool(name, says, arguments, on_graph(question), effect, looks=looks)


WRITES = Effect.IDEMPOTENT

TOOLS = (
    _tool(
        "integrate_batch",
        "Check a batch of requirements and put it into the graph.",
        IntegrateBatch,
        integrate_batch,
        WRITES,
    ),
    _tool("check_graph", "Check that the graph fits its metamodel.", NoArguments, check_graph, looks=EVERYTHING),
    _tool("write_validation", "Write the report on what was integrated.", NoArguments, write_validation, WRITES),
    Tool("run_cypher", "Ask the graph in Cypher.", RunCypher, cypher, Effect.READ),
    _tool("graph_schema", "Show the labels, relationships and properties of the graph.", NoArguments, graph_schema),
    _tool("graph_statistics", "Count nodes and relationships.", NoArguments, graph_statistics),
    _tool("coverage", "Count requirements that are fulfilled, claimed, open.", NoArguments, coverage),
    _tool("find_similar", "Find requirements with a similar wording.", FindSimilar, find_similar),
    _tool(
        "check_duplicates",
        "Say whether a wording is new, a duplicate or a conflict.",
        CheckDuplicates,
        check_duplicates,
    ),
    _tool("resolve_business_object", "Find a business object by its name.", ResolveName, resolve_business_object),
    _tool("resolve_message", "Find a message by its name.", ResolveName, resolve_message),
    _tool("read_relationships", "Show a node and what it is connected with.", OfNode, read_relationships),
    _tool("impact", "Show which requirements a change of a node touches.", OfNode, impact),
    _tool("upsert_requirement", "Put one requirement into the graph.", UpsertRequirement, upsert_requirement, WRITES),
    _tool("link_fulfilment", "Say that something fulfils a requirement.", LinkFulfilment, link_fulfilment, WRITES),
)
