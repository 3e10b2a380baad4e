"""Does a text hold anything? Placeholders, talk about the work instead of the work, and what was left out."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from echelon.json_text import is_list, is_object
from echelon.tasks.texts.disguise import decoded, may_be_encoded, plain
from echelon.tasks.texts.forms import another_format
from echelon.tasks.texts.marks import HEADING, MARK, PAGES, ROW, RULE, bare, cells_of
from echelon.tasks.texts.repetition import names_alone, numbers_alone, repeated_items, repetition, same_words
from echelon.tasks.texts.scripts import comments_alone, stubs
from echelon.tasks.texts.talk import announces, breaks_off, is_talk, leaves_out

_EMPTY_WORDS = (
    r"to[ -]?do|t\.?b\.?[acd]\.?|fixme|(?:x{3,}\W*)+|placeholder|place holder|lorem ipsum.*|coming soon|work in progress"
    r"|wip|stub|(?:dummy|sample|example|filler)(?: text)?|(?:blah\W*)+|asdf\w*|qwert[yz]\w*|foo(?:\W+ba[rz])*"
    r"|not (yet )?(written|done|available|implemented)( yet)?"
    r"|to be (done|written|completed|added|filled( in)?|determined|defined|announced)( later)?|(will|to) follow"
    r"|(insert|add|put|fill in|write) .{0,60}\bhere|(your|some) (text|content) (goes )?here|(text|content) goes here"
    r"|folgt( noch| später)?|noch (offen|zu (tun|schreiben|ergänzen))|wird (noch )?(ergänzt|nachgereicht)|platzhalter"
    r"|…|\.{2,}|-+|\?+|<[^>]{1,40}>|\[[^\]]{1,40}\]|_+"
)
_PLACEHOLDER = re.compile(
    rf"^\W*(?:(?:{_EMPTY_WORDS})[\s.:!,;–-]*(?:(?:{_EMPTY_WORDS})|(?:write|fill|add|complete|finish|describe|insert)\b.*)?)\W*$",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"^\W*(?:to[ -]?do|t\.?b\.?[acd]\.?|fixme|placeholder|lorem ipsum.*|coming soon|folgt noch|platzhalter"
    r"|to be (?:done|written|completed|added|filled(?: in)?|determined|defined)(?: later)?|\[?insert .{0,60}here\]?)\W*$",
    re.IGNORECASE,
)
"""What stands for something that is not there wherever it stands alone: as an item, or as a cell."""
_OPEN_IS_ASKED_FOR = re.compile(
    r"\b(?:to-?dos?|tbd|template|placeholders?|form|blank|skeleton|outline|open (?:points?|questions?)|vorlage"
    r"|muster|formular"
    r"|platzhalter|lückentext|gliederung|offene[nr]?)\b", re.IGNORECASE,
)  # fmt: skip
"""Words of a request that wants open places in its result."""
_UNDERLINE = re.compile(r"^(=+|-{3,})\s*$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_ASCIIDOC_HEADING = re.compile(r"^(=+)(?=\s)", re.MULTILINE)
_HOLLOW = re.compile(r"^[\W_]*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)[\w-]*\s*$")
_DRAWING = re.compile(
    r"\b(?:draw|drawing|ascii|emojis?|symbols?|signs?|smileys?|zeichne\w*|zeichnung|symbole?)\b", re.IGNORECASE
)
_CALL_KEYS = ({"name", "arguments"}, {"tool", "arguments"}, {"tool", "input"}, {"function", "arguments"})
"""Keys of a call of a tool that was written as text."""
_WRITE_KEYS = ({"path", "text"}, {"path", "content"})
"""Arguments of a tool that writes; a file of JSON may have such keys, prose has not."""
_CALL_TAG = re.compile(r"^\s*</?\s*(?:tool|function)_?(?:call|use)\s*>\s*$", re.IGNORECASE)
_PAGE = re.compile(r"^\s*(?:<!doctype html|<html)\b", re.IGNORECASE)


def emptiness(path: str, text: str, request: str = "") -> str:
    """Why a text holds nothing, or nothing in one of its parts; '' when it does. `request` may want open places."""
    text = plain(text)
    if not text.strip():
        return "is empty"
    may_be_open = wants_open_places(request)
    suffix = PurePosixPath(path.lower()).suffix
    if other := another_format(suffix, text):
        return other
    match suffix:
        case ".json":
            return _json_emptiness([text])
        case ".jsonl" | ".ndjson":
            return _json_emptiness([line for line in text.splitlines() if line.strip()])
        case ".yaml" | ".yml":
            return _yaml_emptiness(text)
        case ".csv" | ".tsv":
            return _table_emptiness(path, text, may_be_open)
        case ".html" | ".htm" | ".xml" | ".svg":
            return _markup_emptiness(path, text)
        case ".py":
            return stubs(path, text)
        case ".adoc":
            return _prose_emptiness(_ASCIIDOC_HEADING.sub(lambda m: "#" * len(m[1]), text), may_be_open)
        case ".md" | ".markdown" | ".txt" | ".rst" | ".text" | "":
            if decoded(text) and not may_be_encoded(request):
                return "is a text in Base64, which nobody can read"
            if not _DRAWING.search(request) and not any(c.isalnum() for c in without_headings(text)):
                return "holds nothing but headings, placeholders or signs"
            return _prose_emptiness(_FRONT.sub("", _COMMENT.sub("", text)), may_be_open)
        case _:
            if comments_alone(suffix, text):
                return "holds nothing but comments"
            return "holds nothing but a placeholder" if is_placeholder(text) else ""


def wants_open_places(request: str) -> bool:
    """Whether a request asks for a result with places that are left open: a template, a form, a list of open points."""
    return _OPEN_IS_ASKED_FOR.search(request) is not None


def without_headings(text: str) -> str:
    """A Markdown text without its headings, the fences of code and comments."""
    return "\n".join(body for _, _, body in sections(_COMMENT.sub("", text)))


def _prose_emptiness(text: str, may_be_open: bool) -> str:
    if _is_call(text):
        return "is a call of a tool written down, and no result"
    if _PAGE.match(text) and (says := _markup_emptiness("page.html", text)):
        return says
    parts = sections(text)
    if all(is_placeholder(body) for _, _, body in parts):
        return "holds nothing but headings or placeholders"
    lines = [bare(line) for _, _, body in parts for line in body.splitlines() if line.strip()]
    if all(is_talk(line) or is_placeholder(line) for line in lines):
        return "speaks of the work and holds no result"
    if not may_be_open and (names_alone(lines) or numbers_alone(lines)):
        return "holds nothing but headings or placeholders"
    for n, (level, title, body) in enumerate(parts):
        has_parts = n + 1 < len(parts) and parts[n + 1][0] > level
        if title and is_placeholder(body) and (body.strip() or not has_parts):
            return f"has nothing below '{title[:60]}'"
        if not may_be_open and title and body.strip() and same_words(body) == same_words(title):
            return f"has nothing but its title below '{title[:60]}'"
    return _header_alone(text) or repetition(lines) or ("" if may_be_open else _open_places(text, lines))


def _is_call(text: str) -> bool:
    lines = [
        line for line in text.splitlines() if line.strip() and not _FENCE.match(line) and not _CALL_TAG.match(line)
    ]
    try:
        value = json.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return False
    return is_object(value) and any(keys <= value.keys() for keys in (*_CALL_KEYS, *_WRITE_KEYS))


def _open_places(text: str, lines: list[str]) -> str:
    """Places of a text that are left open though nobody asked for open places."""
    if (rows := _bodies(text)) and _is_hollow(rows):
        return "has a table with nothing but its first column"
    all_rows = [cells_of(line) for line in text.splitlines() if ROW.match(line) and not RULE.match(line)]
    if len(all_rows) > 1 and all(row == all_rows[0] for row in all_rows):
        return "has a table that only repeats its header"
    for line in text.splitlines():
        if ROW.match(line) and any(_STRICT.match(cell) for cell in cells_of(line)):
            return f"leaves a cell open: '{line.strip()[:60]}'"
        if MARK.match(line) and _STRICT.match(bare(line)):
            return f"leaves an item open: '{line.strip()[:60]}'"
    if left := next((line for line in lines if leaves_out(line)), ""):
        return f"leaves something out: '{left[:60]}'"
    if lines and (announces(lines[-1]) or breaks_off(text)):
        return f"ends with '{lines[-1][-60:]}', and nothing follows"
    return ""


def _bodies(text: str) -> list[list[str]]:
    """The rows of the tables of a text, without their headers."""
    lines = [line for line in text.splitlines() if line.strip()]
    headers = {n - 1 for n, line in enumerate(lines) if RULE.match(line) and n}
    return [
        cells_of(line) for n, line in enumerate(lines) if ROW.match(line) and not RULE.match(line) and n not in headers
    ]


def _is_hollow(rows: list[list[str]]) -> bool:
    """Whether nothing stands beyond the first column; a dash says that there is nothing, which is a word."""
    beyond = [cell for row in rows for cell in row[1:]]
    return bool(beyond) and all(_HOLLOW.match(c) and not set(c.strip()) & set("-–—") for c in beyond)


def _header_alone(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    for n, line in enumerate(lines[1:], 1):
        if RULE.match(line) and ROW.match(lines[n - 1]) and not (n + 1 < len(lines) and ROW.match(lines[n + 1])):
            return "has a table with a header and no row"
    return ""


def _json_emptiness(texts: list[str]) -> str:
    try:
        values = [json.loads(text) for text in texts]
    except (ValueError, RecursionError):
        return "is no valid JSON"
    return _of_values(values)


def _yaml_emptiness(text: str) -> str:
    import yaml

    try:
        values = list(yaml.safe_load_all(text))
    except (yaml.YAMLError, RecursionError):
        return "is no valid YAML"
    return _of_values([v for v in values if v is not None] or [None])


def _of_values(values: list[Any]) -> str:
    """A list without items may be the answer; nothing, an object without keys and an item without words never are."""
    if all(v is None or v == {} or v == "" for v in values):
        return "is empty"
    if any(is_list(v) and v and all(not i and not isinstance(i, bool | int) for i in v) for v in values):
        return "has nothing but empty items"
    if any(is_object(v) and any(keys <= v.keys() for keys in _CALL_KEYS[:1]) for v in values) and len(values) == 1:
        return "is a call of a tool written down, and no result"
    words = [w for v in values for w in _leaves(v)]
    if words and all(is_talk(w) for w in words if w):
        return "speaks of the work and holds no result"
    lists = [v for v in values if is_list(v)] + [w for v in values if is_object(v) for w in v.values() if is_list(w)]
    objects = [[json.dumps(i, sort_keys=True, default=str) for i in v if is_object(i)] for v in lists]
    if said := next((said for items in objects if (said := repeated_items(items))), ""):
        return said
    return "holds nothing but placeholders" if words and all(is_placeholder(w) for w in words) else ""


def _leaves(value: Any) -> Iterator[str]:
    if is_object(value):
        for v in value.values():
            yield from _leaves(v)
    elif is_list(value):
        for v in value:
            yield from _leaves(v)
    else:
        yield "" if value is None else str(value)


def _table_emptiness(path: str, text: str, may_be_open: bool) -> str:
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter="\t" if path.endswith(".tsv") else ",") if row]
    except csv.Error:
        return "is no valid table"
    cells = [c for row in rows for c in row]
    if all(is_placeholder(c) for c in cells):
        return "holds nothing but a placeholder"
    is_header = len(rows) == 1 and len(rows[0]) > 1 and not any(any(c.isdigit() for c in cell) for cell in rows[0])
    if is_header or (len(rows) > 1 and all(is_placeholder(c) for row in rows[1:] for c in row)):
        return "has a header and no row"
    if len(rows) > 1 and all(is_talk(c) for row in rows[1:] for c in row):
        return "speaks of the work and holds no result"
    if len(rows[0]) > 1 and (said := repeated_items([", ".join(row) for row in rows[1:]])):
        return said
    if may_be_open:
        return ""
    if len(rows) > 1 and _is_hollow(rows[1:]):
        return "has a table with nothing but its first column"
    if cell := next((c for c in cells if _STRICT.match(c)), ""):
        return f"leaves a cell open: '{cell.strip()[:60]}'"
    return ""


_NAMES = ("h1", "h2", "h3", "h4", "h5", "h6", "th", "caption", "legend", "dt")
_INLINE = ("b", "i", "em", "strong", "span", "a", "code", "small")


class _Words(html.parser.HTMLParser):
    """The words of a page, without scripts and styles, and whether it shows a picture."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.below: list[str] = []
        """The words that are no heading."""
        self.is_hidden = False
        self.is_name = False
        self.draws = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_hidden = tag in ("script", "style", "title", "head") or (self.is_hidden and tag != "body")
        self.is_name = tag in _NAMES or (self.is_name and tag in _INLINE)
        self.draws |= tag in ("img", "path", "rect", "circle", "line", "polyline", "polygon", "ellipse", "image", "use")

    def handle_endtag(self, tag: str) -> None:
        self.is_hidden &= tag not in ("script", "style", "title", "head")
        self.is_name &= tag not in _NAMES

    def handle_data(self, data: str) -> None:
        if not self.is_hidden:
            self.words.append(data)
            self.below.append("" if self.is_name else data)


def _markup_emptiness(path: str, text: str) -> str:
    page = _Words()
    page.feed(text)
    page.close()
    said = "\n".join(w.strip() for w in (page.words if path.lower().endswith((".xml", ".svg")) else page.below))
    if page.draws or (path.lower().endswith(".xml") and re.search(r"=\s*[\"'][^\"']+[\"']", text)):
        return ""
    return "holds nothing but tags, headings or placeholders" if is_placeholder(said) else ""


def spoken(path: str, text: str) -> str:
    """The words of a text without the signs of its format: the values of JSON, what a page shows."""
    suffix = PurePosixPath(path.lower()).suffix
    if suffix == ".json":
        try:
            return "\n".join(_leaves(json.loads(text)))
        except (ValueError, RecursionError):
            return text
    if suffix in PAGES:
        page = _Words()
        page.feed(text)
        return "\n".join(page.words)
    return text


def is_placeholder(text: str) -> bool:
    """Whether each line of a text is empty or stands for something that is not there; an empty text is one."""
    lines = [bare(line) for line in text.splitlines() if not _FENCE.match(line)]
    return all(not line or RULE.match(line) or _PLACEHOLDER.match(line) for line in lines)


def sections(text: str) -> list[tuple[int, str, str]]:
    """(level, title, body) of a Markdown text, in order; what stands before the first heading has level 0 and no title."""
    found: list[tuple[int, str, list[str]]] = [(0, "", [])]
    is_code = False
    lines = text.splitlines()
    for n, line in enumerate(lines):
        is_code ^= line.lstrip().startswith("```")
        heading = None if is_code else HEADING.match(line)
        if heading:
            found.append((len(heading["level"]), heading["title"], []))
        elif not is_code and n and _UNDERLINE.match(line) and lines[n - 1].strip() and not ROW.match(lines[n - 1]):
            title = found[-1][2].pop() if found[-1][2] else lines[n - 1]
            found.append((1 if line.startswith("=") else 2, title.strip(), []))
        else:
            found[-1][2].append(line)
    kept = found if "".join(found[0][2]).strip() or len(found) == 1 else found[1:]
    return [(level, title, "\n".join(body)) for level, title, body in kept]
