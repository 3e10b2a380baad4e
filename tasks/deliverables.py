"""Is a file a result? What code can tell of a deliverable without a model: there, filled, no copy of an input, its shape."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from echelon.tasks.contracts import Check, Finding

TEXTS = (".md", ".txt", ".json", ".csv", ".yaml", ".yml", ".html", ".rst", ".tsv", ".xml")
"""Endings of files that are read; of others only size is known."""
COPY = 95.0
"""Similarity in percent (rapidfuzz, words in order) from which a text is a copy of an input."""
LEAST_COPIED = 25
"""Words of an input below which a result may well be the same."""

_EMPTY_WORDS = (
    r"to ?do|t\.?b\.?[acd]\.?|fixme|xxx+|placeholder|place holder|lorem ipsum.*|coming soon|work in progress|wip|stub|dummy"
    r"|not (yet )?(written|done|available|implemented)( yet)?"
    r"|to be (done|written|completed|added|filled( in)?|determined|defined)( later)?|(will|to) follow"
    r"|(insert|add|put|fill in|write) .{0,60}\bhere|(your|some) (text|content) (goes )?here"
    r"|folgt( noch)?|noch (offen|zu (tun|schreiben|ergänzen))|wird (noch )?ergänzt|platzhalter"
    r"|…|\.{2,}|-+|\?+|<[^>]{1,40}>|\[[^\]]{1,40}\]|_+"
)
_PLACEHOLDER = re.compile(
    rf"^\W*(?:(?:{_EMPTY_WORDS})[\s.:!,;–-]*(?:(?:{_EMPTY_WORDS})|(?:write|fill|add|complete|finish|describe|insert)\b.*)?)\W*$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^(?P<level>#{1,6})\s+(?P<title>.*?)\s*#*$")
_UNDERLINE = re.compile(r"^(=+|-{3,})\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|[a-z][.)])\s+\S")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^\s*\|?[\s:|-]+\|[\s:|-]*$")


def problems_of(workspace: Workspace, path: str, inputs: Iterable[str], check: Check | None = None) -> list[Finding]:
    """What is wrong with a deliverable; empty when code finds nothing. `inputs` are texts of what was given."""
    if workspace.sha256(path) is None:
        return [Finding(says=f"'{path}' was promised and is not there", about=path, code="missing")]
    if not path.lower().endswith(TEXTS):
        real = workspace.path(path)
        return [] if real.stat().st_size else [Finding(says=f"'{path}' is empty", about=path, code="empty")]
    try:
        text = workspace.read(path)
    except ModelFault as fault:
        return [Finding(says=str(fault)[:400], about=path, code="unreadable")]
    says = _emptiness(path, text) or _copy(text, inputs) or (_shape(path, text, check) if check is not None else "")
    return [Finding(says=f"'{path}' {says}"[:400], about=path, code="file")] if says else []


def _emptiness(path: str, text: str) -> str:
    """Why a text holds nothing, or nothing in one of its sections; '' when it does."""
    if not text.strip():
        return "is empty"
    if path.lower().endswith(".json"):
        return _json_emptiness(text)
    if path.lower().endswith((".csv", ".tsv", ".yaml", ".yml", ".xml", ".html")):
        return "holds nothing but a placeholder" if is_placeholder(text) else ""
    parts = sections(text)
    if all(is_placeholder(body) for _, _, body in parts):
        return "holds nothing but headings or placeholders"
    for n, (level, title, body) in enumerate(parts):
        has_parts = n + 1 < len(parts) and parts[n + 1][0] > level
        if title and is_placeholder(body) and (body.strip() or not has_parts):
            return f"has nothing below '{title[:60]}'"
    return ""


def _json_emptiness(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return "is no valid JSON"
    words = list(_leaves(value))
    return "holds nothing but placeholders" if words and all(is_placeholder(w) for w in words) else ""


def _leaves(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        for v in value.values():
            yield from _leaves(v)
    elif isinstance(value, list):
        for v in value:
            yield from _leaves(v)
    else:
        yield str(value)


def is_placeholder(text: str) -> bool:
    """Whether each line of a text is empty or stands for something that is not there; an empty text is one."""
    lines = [re.sub(r"^\s*(?:[-*+•>]|\d+[.)])\s+", "", line).strip() for line in text.splitlines()]
    return all(not line or _RULE.match(line) or _PLACEHOLDER.match(line) for line in lines)


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
        elif not is_code and n and _UNDERLINE.match(line) and lines[n - 1].strip() and not _ROW.match(lines[n - 1]):
            title = found[-1][2].pop() if found[-1][2] else lines[n - 1]
            found.append((1 if line.startswith("=") else 2, title.strip(), []))
        else:
            found[-1][2].append(line)
    kept = found if "".join(found[0][2]).strip() or len(found) == 1 else found[1:]
    return [(level, title, "\n".join(body)) for level, title, body in kept]


def _copy(text: str, inputs: Iterable[str]) -> str:
    from rapidfuzz import fuzz

    words = text.split()
    for given in inputs:
        source = given.split()
        if len(source) < LEAST_COPIED or not 0.8 <= len(words) / len(source) <= 1.25:
            continue
        if fuzz.ratio(words, source) >= COPY:
            return "is a copy of an input"
    return ""


def _shape(path: str, text: str, check: Check) -> str:
    """What of the headings, keys and numbers that a check asks for is not there."""
    titles = {title.casefold().strip(): body for _, title, body in sections(text)}
    for heading in check.headings:
        if not any(heading.casefold().strip("# ") in title for title in titles):
            return f"has no heading '{heading}'"
    missing = [key for key in check.keys if key.casefold() not in _names(path, text)]
    if missing:
        return f"has no {', '.join(missing[:5])}"
    if check.items is None and check.least is None:
        return ""
    count = counted(path, text)
    if check.items is not None and count != check.items:
        return f"has {count} items where {check.items} were asked for"
    if check.least is not None and count < check.least:
        return f"has {count} items where at least {check.least} were asked for"
    return ""


def _names(path: str, text: str) -> set[str]:
    """Keys that all items of a JSON text have, or the columns of a table, in small letters."""
    if path.lower().endswith(".json"):
        items = _items(json.loads(text))
        dicts = [item for item in items if isinstance(item, dict)]
        return {k.casefold() for k in set.intersection(*(set(d) for d in dicts))} if dicts else set()
    rows = _rows(path, text)
    return {cell.strip().casefold() for cell in rows[0]} if rows else set()


def _items(value: Any) -> Sequence[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        lists = [v for v in value.values() if isinstance(v, list)]
        return lists[0] if lists else [value]
    return [value]


def _rows(path: str, text: str) -> list[list[str]]:
    """Header and body of a table: of a CSV file, or of the tables of a Markdown text."""
    if path.lower().endswith((".csv", ".tsv")):
        return [row for row in csv.reader(io.StringIO(text), delimiter="\t" if path.endswith(".tsv") else ",") if row]
    lines = [line for line in text.splitlines() if _ROW.match(line) and not _RULE.match(line)]
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]


def counted(path: str, text: str) -> int:
    """Items of a JSON text, rows of a table, or items of lists: what a person would count."""
    suffix = PurePosixPath(path.lower()).suffix
    if suffix == ".json":
        return len(_items(json.loads(text)))
    rows = _rows(path, text)
    if rows:
        return len(rows) - 1
    items = [line for line in text.splitlines() if _ITEM.match(line) and not line.startswith((" ", "\t"))]
    if items:
        return len(items)
    return sum(bool(line.strip()) and not _HEADING.match(line) for line in text.splitlines())
