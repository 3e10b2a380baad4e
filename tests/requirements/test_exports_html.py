"""The HTML report: complete in itself, quotes marked where they stand, and no text of a document acts as markup."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import html

from echelon.domains.documents.types import Document
from echelon.domains.requirements.exports import write_html
from echelon.domains.requirements.exports.marking import cut
from echelon.domains.requirements.types import Requirement
from tests.support.browser import CHROMIUM, needs_browser
from tests.support.requirement_makers import NASTY, cite, document, requirement, requirement_sets, sample

Set = tuple[list[Requirement], list[Document]]
shared_folder = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def report(folder: Path, requirements: list[Requirement], documents: list[Document]) -> Any:
    write_html(requirements, documents, folder / "a.html")
    return html.fromstring((folder / "a.html").read_bytes(), parser=html.HTMLParser(encoding="utf-8"))


def letters(text: str) -> str:
    """Without white space and without what HTML cannot hold."""
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f\ufffd\ufffe\uffff]|[^\x00-\U0001fffd]", "", text)


def marked(tree: Any, identifier: str) -> list[str]:
    """The pieces that are marked for a requirement."""
    return [mark.text_content() for mark in tree.iter("mark") if identifier in mark.get("data-requirements").split()]


def test_each_requirement_opens_its_page_with_the_quote_marked(tmp_path: Path) -> None:
    requirements, policy = sample()
    tree = report(tmp_path, list(requirements), [policy])
    assert len(tree.find_class("requirement")) == len(requirements)
    for one in requirements:
        item = tree.get_element_by_id(one.id)
        (link,) = item.find_class("open")
        page = tree.get_element_by_id(link.get("href")[1:])
        assert page.find("h2").text == f"{policy.file}, page {one.citations[0].page}"
        assert letters("".join(marked(page, one.id))) == letters(one.citations[0].quote)
        assert link.get("data-requirement") == one.id


def test_pages_are_whole_and_only_those_that_are_cited(tmp_path: Path) -> None:
    requirements, policy = sample()
    tree = report(tmp_path, list(requirements), [policy])
    shown = {page.get("id"): letters(page.find("pre").text_content()) for page in tree.find_class("page")}
    assert shown == {f"d1p{number}": letters(policy.page(number).text) for number in range(3, 10)}


def test_quotes_that_overlap_are_all_marked(tmp_path: Path) -> None:
    source = document("The archive shall be open and clean.")
    quotes = ["The archive shall be open", "shall be open and clean", "open"]
    requirements = [requirement(n, q, citations=(cite(source, 1, q),)) for n, q in enumerate(quotes, start=1)]
    tree = report(tmp_path, requirements, [source])
    for one in requirements:
        assert "".join(marked(tree, one.id)) == one.text
    (page,) = tree.find_class("page")
    assert page.find("pre").text_content().strip() == source.page(1).text


def test_a_quote_over_a_page_break_has_two_links(tmp_path: Path) -> None:
    source = document("The archive", "shall be open.")
    one = requirement(citations=(cite(source, 1, "The archive"), cite(source, 2, "shall be open.")))
    tree = report(tmp_path, [one], [source])
    assert [link.text for link in tree.find_class("open")] == ["page 1", "page 2"]
    assert marked(tree, "R-0001") == ["The archive", "shall be open."]


def test_a_quote_that_does_not_stand_there_is_not_marked(tmp_path: Path) -> None:
    source = document("The archive shall be open.")
    moved = cite(source, 1, "archive").model_copy(update={"start": 0, "end": 7})
    elsewhere = cite(source, 1, "archive").model_copy(update={"document": "other.pdf"})
    beyond = cite(source, 1, "archive").model_copy(update={"page": 2})
    tree = report(tmp_path, [requirement(citations=(moved, elsewhere, beyond))], [source])
    assert tree.find_class("open") == []
    assert [lost.text for lost in tree.find_class("lost")] == [f"page {n}, quote not found there" for n in (1, 1, 2)]
    assert list(tree.iter("mark")) == []


def test_filters_offer_what_is_there(tmp_path: Path) -> None:
    requirements = [requirement(1, categories=("gobd", "gdpr")), requirement(2, modality="permission")]
    tree = report(tmp_path, requirements, [])
    options = {name: [o.text for o in tree.get_element_by_id(name)] for name in ("modality", "category")}
    assert options == {"modality": ["all", "obligation", "permission"], "category": ["all", "gdpr", "gobd"]}
    assert tree.get_element_by_id("R-0001").get("data-categories") == '["gobd", "gdpr"]'
    assert "1 obligation" in tree.text_content() and "1 permissions" not in tree.text_content()


def test_nothing_found_is_said(tmp_path: Path) -> None:
    assert "No requirements were found." in report(tmp_path, [], []).text_content()


def test_the_file_needs_nothing_else(tmp_path: Path) -> None:
    requirements, policy = sample()
    tree = report(tmp_path, list(requirements), [policy])
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert not re.search(r"https?:|//|@import|url\(", text)
    assert all(element.get("src") is None for element in tree.iter())
    assert list(tree.iter("link")) == []
    assert all(link.get("href").startswith("#") for link in tree.iter("a"))


def test_the_policy_names_the_script_and_the_style_by_hash(tmp_path: Path) -> None:
    tree = report(tmp_path, [requirement()], [])
    (policy,) = [m.get("content") for m in tree.iter("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    for tag in ("script", "style"):
        (element,) = tree.iter(tag)
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


ELEMENTS = {
    *("html", "head", "meta", "title", "style", "body", "script"),
    *(
        "header",
        "main",
        "aside",
        "section",
        "article",
        "h1",
        "h2",
        "h3",
        "p",
        "span",
        "b",
        "a",
        "ul",
        "li",
        "pre",
        "mark",
    ),
    *("form", "label", "input", "select", "option", "output", "button"),
}


@shared_folder
@given(requirement_sets())
def test_no_text_becomes_markup(tmp_path: Path, given_set: Set) -> None:
    requirements, documents = given_set
    tree = report(tmp_path, requirements, documents)
    elements = [element for element in tree.iter() if isinstance(element.tag, str)]
    assert {element.tag for element in elements} <= ELEMENTS
    assert not any(name.startswith("on") for element in elements for name in element.attrib)
    assert len(list(tree.iter("script"))) == len(list(tree.iter("style"))) == 1
    assert [item.get("id") for item in tree.find_class("requirement")] == list(_ids_in_order(requirements, documents))
    for one in requirements:
        (text,) = tree.get_element_by_id(one.id).find_class("text")
        assert letters(text.text_content()) == letters((one.source_id or "") + one.text)


def _ids_in_order(requirements: list[Requirement], documents: list[Document]) -> Iterator[str]:
    names = [one.file for one in documents] + [""]
    for name in names:
        inside = [r for r in requirements if (r.citations[0].document if r.citations else "") == name]
        sections = dict.fromkeys(r.section or "" for r in inside)
        yield from (r.id for section in sections for r in inside if (r.section or "") == section)


@shared_folder
@given(requirement_sets())
def test_quotes_are_marked_whatever_is_in_them(tmp_path: Path, given_set: Set) -> None:
    requirements, documents = given_set
    tree = report(tmp_path, requirements, documents)
    for one in requirements:
        expected = {letters(citation.quote) for citation in one.citations}
        found = letters("".join(marked(tree, one.id)))
        assert all(quote in found for quote in expected)


spans = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.sampled_from(["R-1", "R-2", "R-3"])), max_size=6)


@settings(deadline=None)
@given(st.text(min_size=30, max_size=30), spans)
def test_cutting_keeps_the_text_and_knows_who_quotes_what(text: str, ends: list[tuple[int, int, str]]) -> None:
    wanted = [(min(a, b), max(a, b), name) for a, b, name in ends if a != b]
    pieces = cut(text, wanted)
    assert "".join(piece.text for piece in pieces) == text
    place = 0
    for piece in pieces:
        end = place + len(piece.text)
        assert set(piece.requirements) == {name for a, b, name in wanted if a <= place and end <= b}
        place = end


def in_browser(path: Path, fragment: str = "") -> Any:
    """The document after its script has run."""
    profile = f"--user-data-dir={path.parent / 'profile'}"
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom", profile]
    command = [str(CHROMIUM), *options, path.as_uri() + fragment]
    return html.fromstring(subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout)


@needs_browser
def test_the_script_runs_in_a_browser_under_the_policy(tmp_path: Path) -> None:
    requirements = [requirement(n, text) for n, text in enumerate(filter(str.strip, NASTY), start=1)]
    write_html(requirements, [], tmp_path / "a.html")
    tree = in_browser(tmp_path / "a.html")
    assert "scripted" in (tree.get("class") or "").split()
    assert tree.get_element_by_id("shown").text_content() == f"{len(requirements)} of {len(requirements)}"
    assert tree.get_element_by_id("filters").get("hidden") is None


@needs_browser
def test_a_requirement_opens_its_page_in_a_browser(tmp_path: Path) -> None:
    requirements, policy = sample()
    write_html(requirements, [policy], tmp_path / "a.html")
    one = requirements[20]
    tree = in_browser(tmp_path / "a.html", f"#{one.id}")
    (page,) = tree.xpath("//article[contains(concat(' ', @class, ' '), ' open ')]")
    assert page.get("id") == f"d1p{one.citations[0].page}"
    active = "".join(mark.text_content() for mark in page.find_class("active"))
    assert letters(active) == letters(one.citations[0].quote)
    assert [item.get("id") for item in tree.find_class("chosen")] == [one.id]
