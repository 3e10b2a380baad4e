"""Markdown: grouped, readable, and nothing in a document's text acts as markup."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from markdown_it import MarkdownIt
from markdown_it.token import Token

from echelon.domains.documents.types import Document
from echelon.domains.requirements.exports import write_markdown
from echelon.domains.requirements.exports.markdown import escape
from echelon.domains.requirements.types import Requirement
from tests.support.requirement_makers import cite, document, requirement, requirement_sets, sample, texts

Set = tuple[list[Requirement], list[Document]]


def parse(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(text)


def plain(token: Token) -> str:
    """The words of an inline token as a reader sees them, without white space."""
    return "".join("".join(child.content.split()) for child in token.children or [])


def items(text: str) -> list[Token]:
    """The inline token of each list item."""
    tokens = parse(text)
    return [tokens[n + 2] for n, token in enumerate(tokens) if token.type == "list_item_open"]


def test_the_whole_of_a_small_file(tmp_path: Path) -> None:
    source = document("1.1 A. 2.1 B. 2.1.1 C.", file="policy_1.pdf", warnings=("page 2 has no text",))
    requirements = [
        requirement(1, "A.", source_id="1.1", section="1 Scope", citations=(cite(source, 1, "A."),)),
        requirement(2, "B.", modality="prohibition", section="2 Duties > 2.1 Crew", citations=(cite(source, 1, "B."),)),
        requirement(3, "C.", duplicate_of="R-0001", categories=("gobd",)),
    ]
    write_markdown(requirements, [source], tmp_path / "a.md")
    assert (
        (tmp_path / "a.md").read_text(encoding="utf-8")
        == """\
# Requirements

| modality | requirements |
|---|--:|
| obligation | 2 |
| prohibition | 1 |
| all | 3 |

## policy\\_1.pdf

1 page, language: en

Warning: page 2 has no text

### 1 Scope

- **1.1** A. *(R-0001, obligation, page 1)*

### 2 Duties › 2.1 Crew

- **R-0002** B. *(R-0002, prohibition, page 1)*

## Without a document

- **R-0003** C. *(R-0003, obligation, gobd, repeats R-0001)*
"""
    )


def test_the_sample_has_an_item_for_each_requirement(tmp_path: Path) -> None:
    requirements, policy = sample()
    write_markdown(requirements, [policy], tmp_path / "a.md")
    found = [plain(item) for item in items((tmp_path / "a.md").read_text(encoding="utf-8"))]
    assert len(found) == len(requirements)
    for item, wanted in zip(found, requirements, strict=True):
        assert item.startswith("".join((wanted.source_id or "").split()) + "".join(wanted.text.split()))


def test_nothing_found_is_said(tmp_path: Path) -> None:
    write_markdown([], [document("x")], tmp_path / "a.md")
    assert (tmp_path / "a.md").read_text() == "# Requirements\n\nNo requirements were found.\n"


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(requirement_sets())
def test_text_is_shown_and_never_acts(tmp_path: Path, given_set: Set) -> None:
    requirements, documents = given_set
    write_markdown(requirements, documents, tmp_path / "a.md")
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    found = [plain(item) for item in items(text)]
    assert len(found) == len(requirements)
    for wanted in requirements:
        # Markdown itself replaces NUL; white space is folded.
        shown = "".join(wanted.text.split()).replace("\0", "\ufffd")
        assert any(shown in item for item in found)
    allowed = {"text", "strong_open", "strong_close", "em_open", "em_close", "text_special"}
    inline = [child.type for token in parse(text) for child in token.children or []]
    assert set(inline) <= allowed
    assert "html_block" not in {token.type for token in parse(text)}


@settings(max_examples=300, deadline=None)
@given(texts)
def test_escaped_text_stays_on_one_line_and_reads_the_same(text: str) -> None:
    escaped = escape(text)
    assert len(escaped.splitlines()) <= 1
    (paragraph,) = [token for token in parse(f"x {escaped}") if token.type == "inline"]
    assert plain(paragraph) == "x" + "".join(text.split()).replace("\0", "\ufffd")
