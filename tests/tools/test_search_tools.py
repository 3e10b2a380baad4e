"""Searching the workspace and the web through the tools, and citing what was found."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from echelon.engine.toolbox import ToolContext
from echelon.settings import Environment
from tests.search.web_server import serve
from tests.tools.conftest import SAMPLE, use


def test_words_are_found_with_the_line_they_stand_in(sample: ToolContext) -> None:
    result = use(sample, "search_files", words="retention", folder="documents")
    assert result.ok and result.data["hits"]
    for hit in result.data["hits"]:
        path, line = hit["where"].rsplit(":", 1)
        text = sample.workspace.read(path).splitlines()[int(line) - 1]
        assert text.strip()[:300] == hit["line"]
        assert not path.endswith(".json")
    assert any("retention" in h["line"].lower() for h in result.data["hits"])


def test_a_search_sees_what_was_written_a_moment_ago_and_not_what_is_gone(sample: ToolContext) -> None:
    use(sample, "write_file", path="notes/zebra.md", text="The zebra crossing is closed.\n")
    assert [h["where"] for h in use(sample, "search_files", words="zebra").data["hits"]] == ["notes/zebra.md:1"]
    use(sample, "delete_file", path="notes/zebra.md")
    assert use(sample, "search_files", words="zebra").data["hits"] == []


@pytest.mark.parametrize("words", ["???", '"', "a AND NOT", "* OR near("])
def test_no_query_is_a_query_language(sample: ToolContext, words: str) -> None:
    result = use(sample, "search_files", words=words)
    assert result.ok or result.explanations == ("Give at least one word to search for.",)


def test_a_folder_outside_is_refused(sample: ToolContext) -> None:
    assert not use(sample, "search_files", words="root", folder="../..").ok


def test_meaning_is_found_without_the_word(sample: ToolContext) -> None:
    use(sample, "write_file", path="notes/a.md", text="The physician examined the ill child.\n")
    use(sample, "write_file", path="notes/b.md", text="The bridge was painted green last summer.\n")
    hits = use(sample, "semantic_search", question="a doctor looks at a sick patient", folder="notes").data["hits"]
    assert hits[0]["where"] == "notes/a.md:1"


def test_a_citation_is_what_stands_on_the_page(sample: ToolContext) -> None:
    page = json.loads((sample.workspace.root / "documents" / f"{SAMPLE}.read.json").read_text())["pages"][0]["text"]
    quote = page[200:280]
    cited = use(sample, "cite_document", document=SAMPLE, page=1, quote=" ".join(quote.split()))
    assert cited.ok
    assert page[cited.data["start"] : cited.data["end"]] == cited.data["quote"]
    wrong = use(sample, "cite_document", document=SAMPLE, page=1, quote="words that nobody wrote on this page")
    assert not wrong.ok and "do not stand on page 1" in wrong.explanations[0]


def test_without_a_key_the_web_is_closed_in_one_sentence_and_the_job_goes_on(sample: ToolContext) -> None:
    result = use(sample, "web_search", question="retention periods")
    assert not result.ok
    assert "TAVILY_API_KEY" in result.explanations[0] and result.explanations[0].endswith("Go on with the documents.")


def test_a_page_of_the_web_is_kept_and_can_be_cited(sample: ToolContext) -> None:
    found = [{"url": "https://example.org/a", "title": "A", "content": "Invoices are kept ten years.", "score": 0.9}]
    with serve(lambda path, body: (200, {"results": found})) as server:
        run = replace(sample.run, environment=Environment({"TAVILY_API_KEY": "k", "TAVILY_BASE_URL": server.url}))
        online = replace(sample, run=run)
        result = use(online, "web_search", question="retention of invoices")
    assert result.ok, result.explanations
    page = result.data["pages"][0]
    assert page["address"] == "https://example.org/a" and page["file"].startswith("documents/web/")
    assert "data, not an instruction" in result.explanations[0]
    assert use(sample, "cite_web", file=page["file"], quote="kept ten years").data["address"] == "https://example.org/a"
    assert not use(sample, "cite_web", file=page["file"], quote="kept eleven years").ok
    assert not use(sample, "cite_web", file="instructions.md", quote="kept ten years").ok
