"""Cypher of models: what passes, what is refused, and that nothing changes the graph."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echelon.domains.graph.cypher.guard import NEVER, WRITE_CLAUSES, CypherPolicy, guard, run_cypher
from echelon.domains.graph.cypher.lexer import CypherRefusedError, Kind, render, tokenize
from echelon.domains.graph.stores.port import GraphError, GraphStore, Label, QueryError, QueryTimeoutError
from echelon.domains.graph.upsert import NodeRow, upsert_nodes

WRITER = CypherPolicy(allow_write=True)

READS = [
    "MATCH (n) RETURN n",
    "match (n:Requirement {key: $key}) return n.text as text limit 5",
    "MATCH (a)-[r:CITES|MENTIONS*1..3]->(b) WHERE a.key <> b.key RETURN DISTINCT type(head(r)), b ORDER BY b.key DESC",
    "MATCH (a)<-[:REFINES]-(b) WHERE a.confidence <-1 OR a.confidence>=0.5 RETURN count(*) AS c",
    "MATCH (n) WHERE n.text =~ $pattern AND NOT n.status IN [$a, $b] RETURN collect(DISTINCT n.key)[0..2]",
    "OPTIONAL MATCH (n:`Über-Label`) RETURN n.`set`, n.`create me`",
    "UNWIND $rows AS row RETURN row.x, size(row.y), toUpper(row.z), {a: 1, b: [1, 2]} AS m",
    "CALL { MATCH (n) RETURN count(n) AS c } RETURN c",
    "CALL db.labels() YIELD label RETURN label ORDER BY label",
    "CALL db.index.fulltext.queryNodes($index, $q) YIELD node, score RETURN node.key, score",
    "MATCH (n) WHERE EXISTS { (n)-[:CITES]->() } AND COUNT { (n)--() } > 2 RETURN n.key",
    "MATCH p = shortestPath((a)-[*..4]-(b)) WHERE a.key = $a AND b.key = $b RETURN [n IN nodes(p) | n.key]",
    "MATCH (n) RETURN CASE WHEN n.x > 1 THEN 2 ELSE 3 END",
    "MATCH (n) RETURN reduce(s = 0, x IN [1, 2] | s + x), all(x IN [1] WHERE x > 0)",
    "RETURN date($d), duration.between(date($a), date($b)), point.distance($p, $q)",
    "MATCH (n) RETURN n /* what a comment says: DELETE */ LIMIT 3 // DROP\n;",
    "MATCH (n) WITH n.modality AS m, count(*) AS c RETURN m, c UNION ALL MATCH (n:System) RETURN n.key AS m, 1 AS c",
]
WRITES = [
    "CREATE (n:Evil)",
    "MERGE (n:Evil {key: $k})",
    "MATCH (n) DELETE n",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) SET n.text = $t",
    "MATCH (n) REMOVE n.text",
    "MATCH (n) FOREACH (x IN [1] | SET n.x = x)",
    "CALL { MATCH (n) DETACH DELETE n } RETURN 1",
    "MATCH (n) CALL { WITH n DELETE n } RETURN n",
    "MATCH (n) RETURN n UNION MATCH (m) DETACH DELETE m RETURN m",
    "INSERT (:Evil)",
    "MATCH (n) NODETACH DELETE n",
    "MATCH (n)\tdElEtE\nn",
    "MATCH (n)/**/DELETE/**/n",
    "MATCH (n) // comment\nDELETE n",
    "MATCH (n) RETURN 1.SET n.x = 1",
    "WITH 1 AS x MERGE (n:Evil) RETURN n",
]
ALWAYS_REFUSED = [
    "LOAD CSV FROM $url AS line RETURN line",
    "load csv with headers from $url as line return line",
    "DROP INDEX requirement_text",
    "CREATE INDEX FOR (n:X) ON (n.y)",
    "CREATE CONSTRAINT FOR (n:X) REQUIRE n.y IS UNIQUE",
    "SHOW USERS",
    "USE system MATCH (n) RETURN n",
    "CREATE DATABASE evil",
    "ALTER USER admin SET PASSWORD $p",
    "CALL apoc.cypher.runWrite($q, {})",
    "CALL apoc.load.json($url) YIELD value RETURN value",
    "CALL `apoc`.`load`.`json`($url) YIELD value RETURN value",
    "CALL db.create.setNodeVectorProperty($n, $p, $v)",
    "CALL dbms.security.createUser($a, $b, false)",
    "RETURN apoc.cypher.runFirstColumnSingle($q, {})",
    "RETURN {x: apoc.text.format($q, [])}",
    "RETURN `apoc`.`text`.`format`($q)",
    "RETURN evil()",
    "MATCH (n:Label {x: custom.function(1)}) RETURN n",
    "MATCH (n) CALL { WITH n RETURN 1 AS x } IN TRANSACTIONS OF 10 ROWS RETURN x",
    "USING PERIODIC COMMIT MATCH (n) RETURN n",
    "EXPLAIN MATCH (n) RETURN n",
    "PROFILE MATCH (n) RETURN n",
    "MATCH (n) RETURN n; MATCH (m) RETURN m",
    "MATCH (n) RETURN n FORMAT CSV",
    "CYPHER 5 MATCH (n) RETURN n",
    "FOR VALID_TIME AS OF $d MATCH (n) RETURN n",
    "",
    "   // nothing\n",
    "(",
    "MATCH (n) WHERE n.x = 'text' RETURN n",
    'MATCH (n) WHERE n.x = "text" RETURN n',
    "MATCH (n) WHERE n.x = '\\u0027 DETACH DELETE n' RETURN n",
    "MATCH (n) \\u0044ELETE n",
    "MATCH (n) WHERE n.`a``b` = 1 RETURN n",
    "MATCH (n) WHERE n.`a RETURN n",
    "MATCH (n) /* DELETE n",
    "MATCH (n) WHERE n.x = 'open RETURN n",
    "MATCH (ſ) ſET ſ.x = 1",
    "MATCH (n) ＤＥＬＥＴＥ n",
    "MATCH (n)\u00a0DELETE n",
    "MATCH (n) RETURN n\x00",
    "MATCH (n:$(evil)) RETURN n",
    "MATCH (n) RETURN $ n",
    "MATCH (n) RETURN 1abc",
    "x" * 9_000,
]


@pytest.mark.parametrize("query", READS)
def test_reads_pass(query: str) -> None:
    guarded = guard(query)
    assert not guarded.writes
    assert tokenize(guarded.text) == [t for t in tokenize(query.strip().rstrip(";")) if t.text != ";"]


@pytest.mark.parametrize("query", WRITES)
def test_writes_are_refused(query: str) -> None:
    with pytest.raises(CypherRefusedError) as caught:
        guard(query)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("query", [query for query in WRITES if "1.SET" not in query])
def test_writes_pass_when_they_are_allowed(query: str) -> None:
    assert guard(query, WRITER).writes


@pytest.mark.parametrize("policy", [CypherPolicy(), WRITER], ids=["reader", "writer"])
@pytest.mark.parametrize("query", ALWAYS_REFUSED)
def test_some_things_are_never_allowed(query: str, policy: CypherPolicy) -> None:
    with pytest.raises(CypherRefusedError):
        guard(query, policy)


def test_a_refused_text_comes_back_as_a_parameter() -> None:
    with pytest.raises(CypherRefusedError) as caught:
        guard("MATCH (n) WHERE n.a = 'it\\'s' OR n.b = \"two\" RETURN n")
    message = str(caught.value)
    assert "MATCH (n) WHERE n.a = $p1 OR n.b = $p2 RETURN n" in message
    assert "{'p1': \"it's\", 'p2': 'two'}" in message


def test_procedures_can_be_configured() -> None:
    policy = CypherPolicy(procedures=("gds.pageRank.stream",))
    assert guard("CALL gds.pagerank.STREAM($g) YIELD nodeId RETURN nodeId", policy)
    with pytest.raises(CypherRefusedError, match="may be called"):
        guard("CALL db.labels()", policy)
    with pytest.raises(CypherRefusedError, match="none"):
        guard("CALL db.labels()", CypherPolicy(procedures=()))


def cased(draw: st.DrawFn, word: str) -> str:
    return "".join(draw(st.sampled_from([letter.lower(), letter.upper()])) for letter in word)


@st.composite
def queries_with_a_write(draw: st.DrawFn) -> str:
    """A read query with a word of writing somewhere in it, in any case, with any white space and comments."""
    gap = st.sampled_from([" ", "\n", "\t", "/**/", " /* x */ ", "//y\n", "\r\n"])
    word = cased(draw, draw(st.sampled_from(sorted(WRITE_CLAUSES | NEVER))))
    parts = draw(st.sampled_from(READS)).replace(";", "").split(" ")
    at = draw(st.integers(1, len(parts)))
    before, after = " ".join(parts[:at]), " ".join(parts[at:])
    return f"{before}{draw(gap)}{word}{draw(gap)}{after}"


@given(queries_with_a_write())
def test_a_word_of_writing_is_refused_anywhere(query: str) -> None:
    try:
        guarded = guard(query)
    except CypherRefusedError:
        return
    # It passed, so the word stood where it is no word: in a comment or in backticks.
    words = {token.keyword for token in tokenize(guarded.text)}
    assert not words & (WRITE_CLAUSES | NEVER) - {"INDEX"}


@given(st.text(max_size=60))
def test_any_text_is_refused_or_rendered_the_same(text: str) -> None:
    try:
        tokens = tokenize(text)
    except CypherRefusedError:
        return
    assert tokenize(render(tokens)) == tokens
    assert (
        not any(mark in render(tokens) for mark in ("//", "/*"))
        or any(token.kind is Kind.STRING for token in tokens)
        or any(token.kind is Kind.NAME for token in tokens)
    )


@given(
    st.lists(st.sampled_from(["a", "1", "1.5", ".5", "..", "-", ">", "<", "/", "*", "(", "`b c`", "$p", "'s'", " "]))
)
def test_tokens_survive_rendering(parts: list[str]) -> None:
    try:
        tokens = tokenize("".join(parts))
    except CypherRefusedError:
        return
    assert tokenize(render(tokens)) == tokens


def snapshot(store: GraphStore) -> list[object]:
    nodes = store.read("MATCH (n) RETURN n ORDER BY n.key").rows
    return [nodes, store.read("MATCH ()-[r]->() RETURN count(r) AS c").rows]


def seed(store: GraphStore) -> None:
    texts = ["alpha", "beta", "'}) DETACH DELETE n //", '$p`"\\u0027']
    rows = [NodeRow(key=f"k{number}", properties={"text": text}) for number, text in enumerate(texts)]
    upsert_nodes(store, Label.REQUIREMENT, rows)


def test_a_guarded_query_runs(store: GraphStore) -> None:
    seed(store)
    result = run_cypher(store, "match (n:Requirement) where n.text = $t return n.key as key // x", {"t": "beta"})
    assert result.rows == ({"key": "k1"},)


@pytest.mark.parametrize(
    "query", [query for query in READS if not any(x in query for x in ("fulltext", "point.", "~"))]
)
def test_reads_run(kglite_store: GraphStore, query: str) -> None:
    seed(kglite_store)
    parameters = dict.fromkeys(guard(query).parameters, "2026-01-01") | {"rows": [{"x": 1, "y": "ab", "z": "c"}]}
    run_cypher(kglite_store, query, parameters)


@pytest.mark.parametrize("query", [*WRITES, *ALWAYS_REFUSED])
def test_a_refused_query_has_no_effect(store: GraphStore, query: str) -> None:
    seed(store)
    before = snapshot(store)
    with pytest.raises(CypherRefusedError):
        run_cypher(store, query, {"k": "x", "t": "x", "url": "file:///etc/passwd", "q": "MATCH (n) DETACH DELETE n"})
    assert snapshot(store) == before


def test_document_text_in_a_parameter_is_only_text(store: GraphStore) -> None:
    seed(store)
    before = snapshot(store)
    for text in ("'}) DETACH DELETE n //", '$p`"\\u0027', "x' OR 1=1 //", "`) MATCH (m) DETACH DELETE m //"):
        rows = run_cypher(
            store, "MATCH (n:Requirement) WHERE n.text = $text RETURN n.text AS text", {"text": text}
        ).rows
        assert all(row["text"] == text for row in rows)
    assert snapshot(store) == before


def test_pasted_document_text_is_refused(store: GraphStore) -> None:
    seed(store)
    before = snapshot(store)
    for text in ("'}) DETACH DELETE n //", 'x"}) SET n.text = 1 //', "a', b: 'c"):
        with pytest.raises(CypherRefusedError):
            run_cypher(store, f"MATCH (n:Requirement {{text: '{text}'}}) RETURN n")
        with pytest.raises(CypherRefusedError):
            run_cypher(store, f'MATCH (n:Requirement {{text: "{text}"}}) RETURN n')
    assert snapshot(store) == before


PIECES = [
    *"()[]{}`'\"\\;,.:$*=-><| \n",
    *("//", "/*", "*/", "\\u0027", "MATCH", "(n)", "RETURN", "n", "DELETE", "SET", "create", "n.x = 1"),
    *("CALL", "WITH", "1", "WHERE", "true", "$p", "UNION", "FOREACH", "REMOVE"),
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(
    st.lists(
        st.sampled_from(PIECES),
        max_size=14,
    )
)
def test_no_query_changes_the_graph(kglite_store: GraphStore, parts: list[str]) -> None:
    if not kglite_store.read("MATCH (n) RETURN n LIMIT 1").rows:
        seed(kglite_store)
    before = snapshot(kglite_store)
    with suppress(CypherRefusedError, GraphError):
        run_cypher(kglite_store, " ".join(parts), {"p": 1}, CypherPolicy(timeout_s=2))
    assert snapshot(kglite_store) == before


def test_a_missing_parameter_is_named(kglite_store: GraphStore) -> None:
    with pytest.raises(CypherRefusedError, match=r"\$b; pass a value"):
        run_cypher(kglite_store, "RETURN $a, $b", {"a": 1})


def test_rows_are_limited(store: GraphStore) -> None:
    seed(store)
    result = run_cypher(store, "MATCH (n) RETURN n.key AS key ORDER BY key", policy=CypherPolicy(max_rows=2))
    assert [row["key"] for row in result.rows] == ["k0", "k1"] and result.truncated


def test_time_and_memory_are_limited(kglite_store: GraphStore) -> None:
    kglite_store.write("UNWIND range(1, 3000) AS x CREATE (:Section {key: toString(x)})")
    start = time.monotonic()
    with pytest.raises((QueryTimeoutError, QueryError)):
        run_cypher(kglite_store, "MATCH (a), (b), (c) RETURN a, b, c", policy=CypherPolicy(timeout_s=0.5))
    assert time.monotonic() - start < 4


def test_a_writer_writes(store: GraphStore) -> None:
    result = run_cypher(store, "CREATE (n:Section {key: $k}) RETURN n.key AS key", {"k": "s"}, WRITER)
    assert result.rows == ({"key": "s"},) and result.columns == ("key",)
    assert store.read("MATCH (n:Section) RETURN count(n) AS c").rows == ({"c": 1},)


def test_the_database_itself_refuses_to_write_in_a_read(kglite_store: GraphStore) -> None:
    with pytest.raises(QueryError, match=r"[Rr]ead"):
        kglite_store.read("CREATE (n:Evil)")
    assert kglite_store.read("MATCH (n) RETURN count(n) AS c").rows == ({"c": 0},)


def test_only_the_guard_keeps_a_query_from_reading_files(kglite_store: GraphStore, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("secret\n")
    query, parameters = "LOAD CSV FROM $url AS line RETURN line", {"url": f"file://{tmp_path}/secret.csv"}
    assert kglite_store.read(query.replace("$url", f"'{parameters['url']}'")).rows
    with pytest.raises(CypherRefusedError, match="LOAD is refused"):
        run_cypher(kglite_store, query, parameters, WRITER)
