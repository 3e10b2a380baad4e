"""Is a text of the format that its name says?"""

from __future__ import annotations

import html.parser
import json
import xml.parsers.expat

from echelon.json_text import is_list, is_object
from echelon.tasks.texts.marks import PROSE, ROW, RULE

_CLOSED = ("ul", "ol", "table", "div", "section", "script", "style")
_CODED = (
    ".csv",
    ".tsv",
    ".json",
    ".yaml",
    ".yml",
    ".html",
    ".htm",
    ".xml",
    ".svg",
    ".py",
    ".sql",
    ".js",
    ".ts",
    ".sh",
    ".toml",
)
"""Formats that a fence of code around the whole breaks."""
_LINED = (*PROSE, ".csv", ".tsv")
"""Formats in which lines tell."""
PROSE_WORDS = 3


def another_format(suffix: str, text: str) -> str:
    """Why a text is none of its format, in words that follow the name of the file; '' where it may be one."""
    if suffix in _CODED and text.lstrip().startswith("```"):
        return "begins with a fence of code, so no program can read it"
    if suffix in _LINED and "\n" not in text.strip() and text.count("\\n") > 1:
        return "has '\\n' written out where its lines should end"
    match suffix:
        case ".json":
            return _one_string(text)
        case ".yaml" | ".yml":
            return _prose(text)
        case ".csv" | ".tsv":
            return _no_table(text)
        case ".html" | ".htm":
            return _no_page(text)
        case ".xml" | ".svg":
            return _no_xml(text)
        case _:
            return ""


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _one_string(text: str) -> str:
    """A text of several lines, or data once more, inside of one string."""
    value = _value(text)
    if not isinstance(value, str):
        return ""
    inner = _value(value)
    return "is one string, and no data" if "\n" in value.strip() or is_list(inner) or is_object(inner) else ""


def _prose(text: str) -> str:
    import yaml

    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError):
        return ""
    return "is prose, and no YAML" if isinstance(value, str) and len(value.split()) >= PROSE_WORDS else ""


def _no_table(text: str) -> str:
    value = _value(text)
    if is_list(value) or is_object(value):
        return "is JSON, and no table of its format"
    lines = [line for line in text.splitlines() if line.strip()]
    is_markdown = len(lines) > 1 and ROW.match(lines[0]) and RULE.match(lines[1])
    return "is a table of Markdown, and none of its format" if is_markdown else ""


class _Tags(html.parser.HTMLParser):
    """How many tags a page has, and which of those that must be closed are open at its end."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count += 1
        if tag in _CLOSED:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            self.open.remove(tag)


def _no_page(text: str) -> str:
    page = _Tags()
    page.feed(text)
    page.close()
    if not page.count and not text.lstrip().startswith("<"):
        return "has no tag, so it is no page"
    return f"breaks off: '{page.open[-1]}' is not closed" if page.open else ""


def _no_xml(text: str) -> str:
    parser = xml.parsers.expat.ParserCreate("utf-8")
    parser.SetParamEntityParsing(xml.parsers.expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(text.strip().encode(), True)
    except xml.parsers.expat.ExpatError as error:
        return f"is no valid XML ({xml.parsers.expat.ErrorString(error.code)})"
    return ""
