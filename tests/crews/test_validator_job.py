"""The validator job: what creators handed over goes into the graph once, each document with one taker."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from echelon.domains.graph.stores.opening import open_graph
from echelon.service.service import Service
from tests.support.scripted import service

SAMPLE = Path(__file__).parents[2] / "knowledge" / "records-retention-policy-2pages.pdf"


def run(jobs: Service, type_: str, inputs: list[Path]):
    return jobs.run(jobs.submit(type_, list(inputs)))


@pytest.fixture(scope="module")
def validated(tmp_path_factory: pytest.TempPathFactory):
    """A creator job, the validator job that took it over, and what a second validator finds."""
    with service(tmp_path_factory.mktemp("validator")) as jobs:
        created = run(jobs, "creator", [SAMPLE])
        first = run(jobs, "validator", [])
        second = run(jobs, "validator", [])
        again = run(jobs, "validator", [created.folder / "output" / "requirements.json"])
        with open_graph(f"kglite:{jobs.environment.home / 'graph.kgl'}") as graph:
            found = graph.read("MATCH (r:Requirement) RETURN count(r) AS n", {}, max_rows=5, timeout_s=10)
        yield created, first, second, again, found.rows[0]["n"]


def test_everything_that_was_handed_over_is_in_the_graph(validated) -> None:
    created, first, *_, counted = validated
    assert (created.state, first.state) == ("completed", "completed")
    assert first.figures["given"] == first.figures["integrated"] == created.figures["requirements"] == counted > 5
    assert first.figures["refused"] == 0


def test_the_graph_answers_questions_and_changes_nothing(validated, capsys) -> None:
    from echelon.errors import UserError
    from echelon.faces.cli.commands import parse

    _, first, *_, counted = validated
    graph = next(first.folder.parents[1].glob("graph.kgl"))
    asked = ["graph", "MATCH (r:Requirement) RETURN count(r) AS n", "--url", f"kglite:{graph}"]
    for more, expected in ([], f"n\n{counted}\n"), (["--json"], f'"rows": [{{"n": {counted}}}]'):
        command = parse([*asked, *more])
        assert command.command(command) == 0
        assert expected in capsys.readouterr().out
    for query, why in ("MATCH (r) DETACH DELETE r", "DELETE is refused"), ("MATCH (", r"\.$"):
        command = parse(["graph", query, "--url", f"kglite:{graph}"])
        with pytest.raises(UserError, match=why):
            command.command(command)
    command = parse(["graph", "MATCH (r) RETURN r", "--url", f"kglite:{graph.with_name('none.kgl')}"])
    with pytest.raises(UserError, match="There is no graph at"):
        command.command(command)
    assert not graph.with_name("none.kgl").exists()


def test_what_one_took_no_other_gets(validated) -> None:
    _, _, second, *_ = validated
    assert second.state == "rejected" and second.exit_code == 2
    assert "Nothing was handed over" in second.reason
    assert not second.folder.exists(), "a rejected job left something half made"


def test_the_same_again_adds_nothing(validated) -> None:
    *_, again, _ = validated
    assert again.state == "completed"
    assert (again.figures["new_nodes"], again.figures["new_relationships"]) == (0, 0)


def test_the_report_names_what_happened(validated) -> None:
    _, first, *_ = validated
    report = json.loads((first.folder / "output" / "validation.json").read_text())
    assert report["totals"] == first.figures and report["violations"] == []
    text = (first.folder / "output" / "validation.md").read_text()
    assert "## Conflicts" in text and report["graph"].startswith("graph.kgl") and report["graph"] in text


def test_the_report_says_in_words_what_conflicts(tmp_path: Path) -> None:
    one = "# Policy\n\n3.1 Invoices shall be kept for 10 years after the end of the year.\n"
    other = "# Rules\n\n7.2 Invoices shall be kept for five years after the end of the year.\n"
    (tmp_path / "policy.md").write_text(one)
    (tmp_path / "rules.md").write_text(other)
    with service(tmp_path / "home") as jobs:
        made = run(jobs, "creator", [tmp_path / "policy.md", tmp_path / "rules.md"])
        checked = run(jobs, "validator", [])
    delivered = json.loads((made.folder / "output" / "requirements.json").read_text())
    (conflict,) = delivered["conflicts"]
    assert {conflict["left"]["words"], conflict["right"]["words"]} == {"10 years", "five years"}
    assert [r["conflicts_with"] for r in delivered["requirements"]] == [["R-0002"], ["R-0001"]]
    assert "## Conflicts" in (made.folder / "output" / "summary.md").read_text()
    text = (checked.folder / "output" / "validation.md").read_text()
    (line,) = [line for line in text.splitlines() if "against" in line]
    for words in ("10 years: R-0001", "five years: R-0002", "policy.md", "rules.md", "paragraph 1"):
        assert words in line, words


@pytest.mark.parametrize(
    ("content", "says"),
    [("{}", "is no requirements.json"), ("not json", "is no requirements.json"),
     ('{"documents": [{"file": "x.pdf"}], "requirements": []}', "cites x.pdf, which is not beside it")],
)  # fmt: skip
def test_a_file_of_another_kind_is_refused_in_one_sentence(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "requirements.json"
    path.write_text(content)
    with service(tmp_path) as jobs:
        result = run(jobs, "validator", [path])
    assert result.exit_code == 2 and says in result.reason


def test_a_cancelled_validator_gives_back_what_it_took(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        jobs.store.hand_over("creator-1", "rules.md", "1 The box must close.", "[]")
        nowhere = {"graph.url": "bolt://127.0.0.1:9"}
        stopped = jobs.run(jobs.submit("validator", [], overrides=nowhere))
        assert stopped.state == "failed" and stopped.reason
        another = jobs.run(jobs.submit("validator", [], overrides=nowhere))
        assert another.state == "rejected", "one taker each: a job that failed may still go on"
        jobs.cancel(stopped.job)
        assert [row.document for row in jobs.store.take_over("validator-2")] == ["rules.md"]
