"""Cypher that a model writes: read-only unless the configuration allows writing, limited, values by parameter only.

The guard works on tokens, and what reaches the database is rebuilt from the tokens that were checked: comments are
gone, and no text of a document can stand in it, since strings are refused and come as parameters instead. Keywords are
looked for everywhere outside backticks, also where they could be a property name: a false refusal costs one more turn,
a false pass could cost the graph. On top of it, the store runs the query in a read-only transaction.

Sources: openCypher 9; the Neo4j Cypher manual, "Clauses" and "Protecting against Cypher injection".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from echelon.domains.graph.cypher.lexer import CypherRefusedError, Kind, Token, render, tokenize
from echelon.domains.graph.stores.port import GraphStore, QueryResult
from echelon.domains.likeness.words import word_set

WRITE_CLAUSES = frozenset({"CREATE", "MERGE", "DELETE", "DETACH", "NODETACH", "SET", "REMOVE", "FOREACH", "INSERT"})
NEVER = frozenset(
    {
        *{"LOAD", "CSV", "DROP", "USE", "GRANT", "DENY", "REVOKE", "ALTER", "RENAME", "TERMINATE", "TRANSACTIONS"},
        *{"PERIODIC", "CONSTRAINT", "INDEX", "DATABASE", "CYPHER", "SHOW", "DEALLOCATE", "REALLOCATE", "DRYRUN"},
    }
)
FIRST_READ = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL"})
KEYWORDS = word_set(
    """
    ALL AND ANY AS ASC ASCENDING BY CALL CASE COLLECT CONTAINS COUNT CREATE DELETE DESC DESCENDING DETACH DISTINCT
    ELSE END ENDS EXISTS FALSE FILTER FINISH FOREACH GROUPS IN INSERT IS LET LIMIT MATCH MERGE NODETACH NONE NOT NULL
    OFFSET ON OPTIONAL OR ORDER REMOVE RETURN SET SHORTEST SINGLE SKIP STARTS THEN TRUE TYPED UNION UNWIND WHEN
    WHERE WITH XOR YIELD
    """
)
"""Words that may stand before a bracket without being a function."""
FUNCTIONS = word_set(
    """
    abs acos all allshortestpaths any asin atan atan2 avg btrim ceil char_length character_length coalesce collect
    cos cot count date datetime degrees duration elementid endnode exists exp floor head id isempty isnan keys
    labels last left length localdatetime localtime log log10 lower ltrim max min nodes none normalize nullif
    percentilecont percentiledisc pi point properties radians rand range reduce relationships replace reverse
    right round rtrim shortestpath sign sin single size split sqrt startnode stdev stdevp substring sum tail tan
    time toboolean tobooleanlist tobooleanornull tofloat tofloatlist tofloatornull tointeger tointegerlist
    tointegerornull tolower tostring tostringlist tostringornull toupper trim type upper valuetype date.truncate
    datetime.truncate datetime.fromepoch datetime.fromepochmillis duration.between duration.indays
    duration.inmonths duration.inseconds localdatetime.truncate localtime.truncate time.truncate point.distance
    vector.similarity.cosine vector.similarity.euclidean
    """
)
"""Functions of openCypher and Neo4j that only compute, in small letters."""
PROCEDURES = ("db.labels", "db.propertyKeys", "db.relationshipTypes", "db.index.fulltext.queryNodes")


class CypherPolicy(BaseModel):
    """What Cypher of a model may do. The configuration sets it, never the model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    allow_write: bool = Field(default=False, description="whether CREATE, MERGE, SET, REMOVE and DELETE may run")
    max_rows: int = Field(default=200, ge=1, le=100_000, description="rows that come back at most")
    timeout_s: float = Field(default=10.0, gt=0, le=600, description="seconds that a query may take")
    max_memory_mb: int = Field(default=384, ge=64, description="memory that a query may need, the graph included")
    max_result_mb: float = Field(default=1.0, gt=0, le=64, description="size of all rows that come back, as JSON")
    max_length: int = Field(default=8_000, ge=1, description="characters that a query may have")
    procedures: tuple[str, ...] = Field(default=PROCEDURES, description="procedures that may be called")


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """A query that passed: its text rebuilt from the checked tokens, and whether it writes."""

    text: str
    writes: bool
    parameters: frozenset[str]


def guard(query: str, policy: CypherPolicy | None = None) -> GuardedQuery:
    """Check `query` against `policy`, which is read-only unless given.

    Raises CypherRefusedError with the reason and the way out.
    """
    policy = policy or CypherPolicy()
    if len(query) > policy.max_length:
        raise CypherRefusedError(f"the query has {len(query)} characters; {policy.max_length} are allowed")
    tokens = tokenize(query)
    if tokens and tokens[-1].text == ";":
        tokens.pop()
    if not tokens:
        raise CypherRefusedError("the query is empty")
    if any(token.text == ";" for token in tokens):
        raise CypherRefusedError("one statement at a time: there is a ';' inside the query")
    writes = _check_clauses(tokens, policy)
    _check_strings(tokens)
    _check_calls(tokens, {name.lower() for name in policy.procedures})
    used = frozenset(token.value for token in tokens if token.kind is Kind.PARAMETER)
    return GuardedQuery(render(tokens), writes, used)


def run_cypher(
    store: GraphStore,
    query: str,
    parameters: Mapping[str, Any] | None = None,
    policy: CypherPolicy | None = None,
) -> QueryResult:
    """Run Cypher that a model wrote, with at most `policy.max_rows` rows and `policy.timeout_s` seconds.

    Raises CypherRefusedError when the guard refuses it or a parameter is missing, QueryTimeoutError and QueryError for
    what the database says.
    """
    policy = policy or CypherPolicy()
    guarded = guard(query, policy)
    given = dict(parameters or {})
    missing = sorted(guarded.parameters - given.keys())
    if missing:
        raise CypherRefusedError(f"the query uses ${missing[0]}; pass a value for it in the parameters")
    if not guarded.writes:
        return store.read(guarded.text, given, max_rows=policy.max_rows, timeout_s=policy.timeout_s)
    rows = store.write(guarded.text, given, timeout_s=policy.timeout_s).rows
    columns = tuple(rows[0]) if rows else ()
    return QueryResult(columns=columns, rows=rows[: policy.max_rows], truncated=len(rows) > policy.max_rows)


def _check_clauses(tokens: list[Token], policy: CypherPolicy) -> bool:
    """Refuse clauses that may not run; whether any clause writes."""
    words = [token.keyword for token in _outside_procedure_names(tokens)]
    for word in words:
        if word in NEVER:
            raise CypherRefusedError(f"{word} is refused; if it is a name, put it in backticks: `{word.lower()}`")
    written = sorted(WRITE_CLAUSES.intersection(words))
    if written and not policy.allow_write:
        raise CypherRefusedError(
            f"{written[0]} is refused, this graph is read-only here; if it is a name, put it in backticks: "
            f"`{written[0].lower()}`"
        )
    allowed_first = FIRST_READ | WRITE_CLAUSES if policy.allow_write else FIRST_READ
    if tokens[0].keyword not in allowed_first:
        raise CypherRefusedError(f"a query starts with one of {', '.join(sorted(allowed_first))}")
    return bool(written)


def _outside_procedure_names(tokens: list[Token]) -> Iterator[Token]:
    """All tokens but the names of procedures (`db.index…`), which have their own list."""
    index = 0
    while index < len(tokens):
        yield tokens[index]
        index += 1
        if tokens[index - 1].keyword == "CALL" and index < len(tokens):
            index = _dotted(tokens, index)[1]


def _check_strings(tokens: list[Token]) -> None:
    """Refuse text inside the query, and say how the query looks with parameters."""
    values: dict[str, str] = {}
    rewritten: list[Token] = []
    for token in tokens:
        if token.kind is Kind.STRING:
            name = f"p{len(values) + 1}"
            values[name] = token.value
            rewritten.append(Token(Kind.PARAMETER, f"${name}", name, token.spaced))
        else:
            rewritten.append(token)
    if values:
        shown = {name: value if len(value) <= 40 else value[:37] + "..." for name, value in values.items()}
        raise CypherRefusedError(f"text goes into parameters: send {render(rewritten)} with the parameters {shown}")


def _check_calls(tokens: list[Token], procedures: set[str]) -> None:
    """Refuse procedures and functions that are not on their lists."""
    index = 0
    while index < len(tokens):
        name, end = _dotted(tokens, index)
        follows = tokens[end].text if end < len(tokens) else ""
        if index and tokens[index - 1].keyword == "CALL" and tokens[index].text not in {"{", "("}:
            if name.lower() not in procedures:
                raise CypherRefusedError(
                    f"the procedure {name or tokens[index].text} is refused; these may be called: "
                    f"{', '.join(sorted(procedures)) or 'none'}"
                )
        elif name and follows == "(" and not _may_stand_before_bracket(tokens[index], name):
            raise CypherRefusedError(f"the function {name} is refused; use functions of openCypher only")
        index = max(end, index + 1)


def _dotted(tokens: list[Token], start: int) -> tuple[str, int]:
    """The dotted name that starts at `start` and the index after it; ("", start) when there is none there."""
    if tokens[start].kind not in {Kind.WORD, Kind.NAME}:
        return "", start
    parts = [tokens[start].value]
    index = start + 1
    while index + 1 < len(tokens) and tokens[index].text == "." and tokens[index + 1].kind in {Kind.WORD, Kind.NAME}:
        parts.append(tokens[index + 1].value)
        index += 2
    return ".".join(parts), index


def _may_stand_before_bracket(first: Token, name: str) -> bool:
    return name.lower() in FUNCTIONS or (first.keyword == name.upper() and first.keyword in KEYWORDS)
