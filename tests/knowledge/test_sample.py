"""The sample documents say what their gold lists say, on the pages that they name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from echelon.knowledge.render_sample import LETTERS, Sentence, load_source, render, requirements_of, sentences_of

KNOWLEDGE = Path(__file__).parents[2] / "knowledge"
WHOLE = "records-retention-policy"
SHORT = "records-retention-policy-2pages"
BOTH = pytest.mark.parametrize("name", [WHOLE, SHORT])


def squeeze(text: str) -> str:
    """Letters and digits alone: line breaks and punctuation do not count."""
    return re.sub(r"[^0-9a-zäöüß]+", "", unicodedata.normalize("NFKC", text).lower())


@cache
def pages(path: Path) -> list[str]:
    return [page.extract_text() for page in PdfReader(path).pages]


@cache
def gold(name: str) -> list[dict[str, Any]]:
    return list(json.loads((KNOWLEDGE / f"{name}.gold.json").read_text(encoding="utf-8")))


@cache
def body(name: str, number: int) -> str:
    """The squeezed text of a page without its header and footer."""
    lines = pages(KNOWLEDGE / f"{name}.pdf")[number - 1].splitlines()
    source = load_source()
    furniture = {source["header"], source["footer"], f"Page {number}"}
    return squeeze("".join(line for line in lines if line not in furniture))


def source_sentences(name: str) -> list[Sentence]:
    return requirements_of(load_source(), short=name == SHORT)


@BOTH
def test_each_requirement_starts_on_its_page(name: str) -> None:
    """A clause over a page break goes on on the next page; a list item stands apart from its lead-in."""
    for entry, sentence in zip(gold(name), source_sentences(name), strict=True):
        printed = squeeze(sentence.printed)
        here = body(name, entry["page"])
        last = entry["page"] == len(pages(KNOWLEDGE / f"{name}.pdf"))
        beyond = "" if last else body(name, entry["page"] + 1)
        assert printed in here + beyond, entry
        assert printed not in beyond, entry


@BOTH
def test_gold_text_is_the_requirement_alone(name: str) -> None:
    for entry in gold(name):
        assert set(entry) == {"id", "text", "page", "modality"}
        assert entry["text"] == entry["text"].strip()
        assert entry["text"].endswith(".")
        assert not re.match(r"[\d(]|[a-z]\)", entry["text"]), "a number is no part of the text"
        assert entry["modality"] in {"obligation", "prohibition", "permission", "recommendation"}


@BOTH
def test_each_number_stands_before_its_requirement(name: str) -> None:
    whole = [squeeze(text) for text in pages(KNOWLEDGE / f"{name}.pdf")]
    numbers = Counter(entry["id"] for entry in gold(name))
    assert "" not in numbers
    seen: Counter[str] = Counter()
    for entry, sentence in zip(gold(name), source_sentences(name), strict=True):
        seen[entry["id"]] += 1
        if seen[entry["id"]] > 1 or entry["id"].startswith("RP-"):
            continue
        label = squeeze(entry["id"].split(" ")[-1])
        start = squeeze(sentence.printed)[:20]
        assert label + start in whole[entry["page"] - 1], entry


def test_lead_in_is_joined_to_its_items() -> None:
    texts = {entry["id"]: entry["text"] for entry in gold(WHOLE)}
    assert texts["3.2.1 b)"] == "Each records owner shall keep the register of the unit's record classes up to date."
    assert texts["9.2.2 b)"] == "Die Systemverantwortlichen müssen jede Löschung nachvollziehbar dokumentieren."


def test_the_policy_holds_what_makes_real_documents_hard() -> None:
    entries = gold(WHOLE)
    assert 8 <= len(pages(KNOWLEDGE / f"{WHOLE}.pdf")) <= 12
    assert 40 <= len(entries) <= 80
    assert len(Counter(entry["modality"] for entry in entries)) == 4
    assert sum(entry["id"].startswith("RP-") for entry in entries) >= 5, "rows of the table"
    assert sum(entry["id"].startswith("9.") for entry in entries) >= 10, "the German section"
    assert sum(entry["id"].endswith(")") for entry in entries) >= 8, "items of lists"
    assert max(Counter(entry["id"] for entry in entries).values()) == 2, "a clause with two requirements"


def test_a_clause_goes_over_a_page_break() -> None:
    """Its text is on neither page alone."""
    split = [
        entry["id"]
        for entry, sentence in zip(gold(WHOLE), source_sentences(WHOLE), strict=True)
        if squeeze(sentence.printed) not in body(WHOLE, entry["page"])
    ]
    assert split == ["7.1.2"]


def test_a_list_goes_over_a_page_break() -> None:
    by_id = {entry["id"]: entry["page"] for entry in gold(WHOLE)}
    assert by_id["3.2.1 c)"] == by_id["3.2.1 b)"] + 1


def test_two_clauses_nearly_repeat_each_other() -> None:
    from rapidfuzz import fuzz

    texts = {entry["id"]: entry["text"] for entry in gold(WHOLE)}
    assert texts["5.2.2"] != texts["8.3"]
    assert fuzz.ratio(texts["5.2.2"], texts["8.3"]) > 90


def test_every_page_has_header_footer_and_number_but_the_title_page() -> None:
    text = pages(KNOWLEDGE / f"{WHOLE}.pdf")
    assert "Page 1" not in text[0]
    for number, page in enumerate(text[1:], start=2):
        assert {"Records Retention Policy", "RRP-07, edition 3", f"Page {number}"} <= set(page.splitlines())


def test_contents_name_the_page_of_each_section() -> None:
    text = pages(KNOWLEDGE / f"{WHOLE}.pdf")
    for section in load_source()["sections"]:
        heading = squeeze(f"{section['number']} {section['title']}")
        page = next(n for n, t in enumerate(text[2:], start=3) if heading in [squeeze(x) for x in t.splitlines()])
        assert f"{page}{heading}" in squeeze(text[1]), "dots and page number come before the title in the text"


def test_the_short_document_is_two_pages_of_the_policy() -> None:
    assert len(pages(KNOWLEDGE / f"{SHORT}.pdf")) == 2
    assert 10 <= len(gold(SHORT)) <= 15
    assert {entry["page"] for entry in gold(SHORT)} == {1, 2}
    whole = [(entry["id"], entry["text"]) for entry in gold(WHOLE)]
    assert [(entry["id"], entry["text"]) for entry in gold(SHORT)] == whole[: len(gold(SHORT))]


@BOTH
def test_the_files_are_what_the_source_renders_to(name: str, tmp_path: Path) -> None:
    again = render(load_source(), tmp_path / "again.pdf", short=name == SHORT)
    assert again == gold(name)
    assert pages(tmp_path / "again.pdf") == pages(KNOWLEDGE / f"{name}.pdf")


def test_rendering_again_gives_the_same_bytes(tmp_path: Path) -> None:
    """In processes of their own, with another hash seed and another folder."""
    results = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        script = KNOWLEDGE / "render_sample.py"
        subprocess.run([sys.executable, script, folder], check=True, env={"PYTHONHASHSEED": seed}, capture_output=True)
        results.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    assert results[0] == results[1]
    assert len(results[0]) == 4


def test_keys_of_sentences_are_unique() -> None:
    keys = Counter(sentence.key for sentence in source_sentences(WHOLE))
    assert max(keys.values()) == 1


def test_an_unknown_kind_of_sentence_is_refused() -> None:
    with pytest.raises(ValueError, match=r"9\.9\.9: unknown kind of sentence: shall"):
        sentences_of({"clause": "9.9.9", "sentences": [{"shall": "The tests shall pass."}]})


def test_lists_are_short_enough_for_their_letters() -> None:
    for section in load_source()["sections"]:
        for block in section["blocks"]:
            assert len(block.get("items", [])) <= len(LETTERS)
