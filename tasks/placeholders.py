"""Does a text hold anything? Placeholders, talk about the work instead of the work, and what was left out."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

from echelon.json_text import is_list, is_object

_EMPTY_WORDS = (
    r"to[ -]?do|t\.?b\.?[acd]\.?|fixme|xxx+|placeholder|place holder|lorem ipsum.*|coming soon|work in progress"
    r"|wip|stub|dummy"
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
_DEED = (
    r"(?:list|listed|write|written|create|created|complete|completed|finish|finished|done|do|look|looked|read|check|checked|add|added"
    r"|prepare|prepared|provide|provided|summari[sz]ed?|extract|extracted|analy[sz]ed?|make|made|review|reviewed|go|gone)\b"
)
_TALK = re.compile(
    r"^\W*(?:(?:it is |this is |everything is |task )?(?:done|finished|completed?|erledigt|fertig|abgeschlossen)"
    r"|(?:sure|certainly|of course|gerne?|natürlich)[,!] .{0,160}|here (?:is|are) .{0,160}|hier (?:ist|sind|folgt) .{0,160}"
    r"|(?:i'm|i am|we are) sorry\b.{0,300}|as an ai\b.{0,300}"
    rf"|(?:i|we)(?:'ll| will| shall|'ve| have| am going to| are going to| had| was able to)(?: now| not| already|"
    rf" then)* {_DEED}.{{0,300}}"
    r"|(?:i|we) (?:can ?not|can't|could ?n[o']t|am unable to|was unable to|do not|don't|did not|didn't)(?: have)? "
    r"(?:access|read|open|complete|do|help|provide|fulfil|process|comply|permission|time)\b.{0,300}"
    r"|ich (?:werde|habe|kann|konnte)\b.{0,200}\b(?:schreiben|geschrieben|erstell\w+|lesen|gelesen|aufgelistet"
    r"|auflisten|erledig\w+|zugreifen)\W*"
    r"|this (?:file|document|report|list|table|text|section|page) (?:contains?|lists?|holds?|shows?|will|is meant"
    r" to|is to)\b[^:\d]{0,300}"
    r"|(?:the|this) (?:file|report|list|table|deliverable|result)s? (?:has been|have been|was|were) "
    r"(?:written|created|completed|added|generated|updated|finished|delivered)\b[^:\d]{0,200}"
    r"|(?:diese|die) (?:datei|liste|tabelle) (?:enthält|wurde|wird)\b[^:\d]{0,200}"
    r"|(?:all|every)\b[^:\d]{0,120}\b(?:is|are|was|were|has been|have been) (?:listed|covered|included|done"
    r"|written|handled|complete)\b[^:\d]{0,80}"
    r"|(?:please )?see (?:the )?(?:input|document|file|above|attach|original|source)\b.{0,160}|(?:see )?documents/\S+"
    r"|siehe (?:eingabe|dokument|datei|oben|anlage|original|anhang)\b.{0,160}"
    r"|as (?:requested|asked|discussed)\b.{0,80}|wie (?:gewünscht|besprochen)\b.{0,80}"
    r")\W*$",
    re.IGNORECASE,
)
"""A line that speaks of the work, or excuses its absence, and is no result by itself."""
_LEFT_OUT = re.compile(
    r"^[\W_]*(?:and so on|etc|usw|u\. ?s\. ?w|und so weiter|omitted for brevity|to be continued|continued|fortsetzung folgt"
    r"|(?:and |the )*(?:rest|remaining|remainder|others?|further|more|additional)\b.{0,60}\b(?:omitted|left out"
    r"|unchanged|follows?|go(?:es)? here|skipped|continues?|analogous|accordingly)"
    r"|(?:und |die |der |das )*(?:rest|restlichen?|übrigen?|weitere[nr]?)\b.{0,60}\b(?:folg(?:t|en)|ausgelassen"
    r"|weggelassen|entsprechend|analog|unverändert))[\W_]*$",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"\b(?:here|following|follows|below|folgende[nrs]?|hier|nachstehend\w*)\b.*:\W*$", re.IGNORECASE
)
_OPEN_IS_ASKED_FOR = re.compile(
    r"\b(?:to-?dos?|tbd|template|placeholders?|form|blank|skeleton|outline|open (?:points?|questions?)|vorlage"
    r"|muster|formular"
    r"|platzhalter|lückentext|gliederung|offene[nr]?)\b", re.IGNORECASE,
)  # fmt: skip
"""Words of a request that wants open places in its result."""
_HEADING = re.compile(r"^(?P<level>#{1,6})\s+(?P<title>.*?)\s*#*$")
_UNDERLINE = re.compile(r"^(=+|-{3,})\s*$")
_MARK = re.compile(r"^\s*(?:[-*+•>]|\d+[.)]|\[[ xX]\])\s+")
ROW = re.compile(r"^\s*\|.*\|\s*$")
RULE = re.compile(r"^\s*\|?[\s:|-]+\|[\s:|-]*$")
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\u115f\u1160\u3164\u2800]")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
LEAST_REPEATED = 4
"""Lines from which a text that says one line again and again is recognised."""


def emptiness(path: str, text: str, request: str = "") -> str:
    """Why a text holds nothing, or nothing in one of its parts; '' when it does. `request` may want open places."""
    text = _UNSEEN.sub("", text).replace("\xa0", " ")
    if not text.strip():
        return "is empty"
    may_be_open = _OPEN_IS_ASKED_FOR.search(request) is not None
    match PurePosixPath(path.lower()).suffix:
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
        case ".md" | ".markdown" | ".txt" | ".rst" | ".adoc" | ".text" | "":
            return _prose_emptiness(_FRONT.sub("", _COMMENT.sub("", text)), may_be_open)
        case _:
            return "holds nothing but a placeholder" if is_placeholder(text) else ""


def _prose_emptiness(text: str, may_be_open: bool) -> str:
    parts = sections(text)
    if all(is_placeholder(body) for _, _, body in parts):
        return "holds nothing but headings or placeholders"
    lines = [_MARK.sub("", line).strip() for _, _, body in parts for line in body.splitlines() if line.strip()]
    if all(_TALK.match(line) or is_placeholder(line) for line in lines):
        return "speaks of the work and holds no result"
    for n, (level, title, body) in enumerate(parts):
        has_parts = n + 1 < len(parts) and parts[n + 1][0] > level
        if title and is_placeholder(body) and (body.strip() or not has_parts):
            return f"has nothing below '{title[:60]}'"
    return _header_alone(text) or _one_line(lines) or ("" if may_be_open else _open_places(text, lines))


def _open_places(text: str, lines: list[str]) -> str:
    """Places of a text that are left open though nobody asked for open places."""
    for line in text.splitlines():
        if ROW.match(line) and any(_STRICT.match(cell.strip()) for cell in line.strip().strip("|").split("|")):
            return f"leaves a cell open: '{line.strip()[:60]}'"
        if _MARK.match(line) and _STRICT.match(_MARK.sub("", line)):
            return f"leaves an item open: '{line.strip()[:60]}'"
    if left := next((line for line in lines if _LEFT_OUT.match(line)), ""):
        return f"leaves something out: '{left[:60]}'"
    return f"ends with '{lines[-1][:60]}', and nothing follows" if lines and _ANNOUNCES.search(lines[-1]) else ""


def _header_alone(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    for n, line in enumerate(lines[1:], 1):
        if RULE.match(line) and ROW.match(lines[n - 1]) and not (n + 1 < len(lines) and ROW.match(lines[n + 1])):
            return "has a table with a header and no row"
    return ""


def _one_line(lines: list[str]) -> str:
    said = Counter(" ".join(line.casefold().split()) for line in lines if any(c.isalpha() for c in line))
    line, times = max(said.items(), key=lambda item: item[1], default=("", 0))
    return f"says '{line[:60]}' {times} times" if times >= LEAST_REPEATED and times > sum(said.values()) / 2 else ""


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
    words = [w for v in values for w in _leaves(v)]
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
    if not may_be_open and (cell := next((c for c in cells if _STRICT.match(c)), "")):
        return f"leaves a cell open: '{cell.strip()[:60]}'"
    return ""


class _Words(html.parser.HTMLParser):
    """The words of a page, without scripts and styles, and whether it shows a picture."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.is_hidden = False
        self.draws = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_hidden = tag in ("script", "style", "title", "head") or (self.is_hidden and tag != "body")
        self.draws |= tag in ("img", "path", "rect", "circle", "line", "polyline", "polygon", "ellipse", "image", "use")

    def handle_endtag(self, tag: str) -> None:
        self.is_hidden &= tag not in ("script", "style", "title", "head")

    def handle_data(self, data: str) -> None:
        if not self.is_hidden:
            self.words.append(data)


def _markup_emptiness(path: str, text: str) -> str:
    page = _Words()
    page.feed(text)
    page.close()
    said = "\n".join(w.strip() for w in page.words)
    if page.draws or (path.lower().endswith(".xml") and re.search(r"=\s*[\"'][^\"']+[\"']", text)):
        return ""
    return "holds nothing but tags or placeholders" if is_placeholder(said) else ""


def spoken(path: str, text: str) -> str:
    """The words of a text without the signs of its format: the values of JSON, what a page shows."""
    suffix = PurePosixPath(path.lower()).suffix
    if suffix == ".json":
        try:
            return "\n".join(_leaves(json.loads(text)))
        except (ValueError, RecursionError):
            return text
    if suffix in (".html", ".htm"):
        page = _Words()
        page.feed(text)
        return "\n".join(page.words)
    return text


def is_placeholder(text: str) -> bool:
    """Whether each line of a text is empty or stands for something that is not there; an empty text is one."""
    lines = [_MARK.sub("", line).strip() for line in text.splitlines()]
    return all(not line or RULE.match(line) or _PLACEHOLDER.match(line) for line in lines)


def sections(text: str) -> list[tuple[int, str, str]]:
    """(level, title, body) of a Markdown text, in order; what stands before the first heading has level 0 and no title."""
    found: list[tuple[int, str, list[str]]] = [(0, "", [])]
    is_code = False
    lines = text.splitlines()
    for n, line in enumerate(lines):
        is_code ^= line.lstrip().startswith("```")
        heading = None if is_code else _HEADING.match(line)
        if heading:
            found.append((len(heading["level"]), heading["title"], []))
        elif not is_code and n and _UNDERLINE.match(line) and lines[n - 1].strip() and not ROW.match(lines[n - 1]):
            title = found[-1][2].pop() if found[-1][2] else lines[n - 1]
            found.append((1 if line.startswith("=") else 2, title.strip(), []))
        else:
            found[-1][2].append(line)
    kept = found if "".join(found[0][2]).strip() or len(found) == 1 else found[1:]
    return [(level, title, "\n".join(body)) for level, title, body in kept]


def is_heading(line: str) -> bool:
    """Whether a line is a heading of Markdown."""
    return _HEADING.match(line) is not None


def without_marks(lines: Iterable[str]) -> list[str]:
    """Lines without the marks of lists and quotations, and without empty ones."""
    return [bare for line in lines if (bare := _MARK.sub("", line).strip())]
