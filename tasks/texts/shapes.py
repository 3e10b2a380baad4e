"""The form of a result: headings, keys or columns, and how many items, as a check asks for them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from echelon.json_text import is_list, is_object
from echelon.tasks.contracts import Check
from echelon.tasks.texts.marks import ROW, RULE, is_heading
from echelon.tasks.texts.placeholders import is_placeholder, sections
from echelon.tasks.texts.repetition import same_words

_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|[a-z][.)])\s+\S")


def unshaped(path: str, text: str, check: Check) -> str:
    """What of the headings, keys and numbers that a check asks for is not there; '' when all of it is."""
    titles = {title.casefold().strip() for _, title, _ in sections(text)}
    for heading in check.headings:
        if not any(heading.casefold().strip("# ") in title for title in titles):
            return f"has no heading '{heading}'"
    columns = _columns(path, text)
    missing = [key for key in check.keys if key.casefold() not in columns]
    if missing:
        return f"has no {', '.join(missing[:5])}"
    empty = [key for key in check.keys if all(is_placeholder(v) for v in columns[key.casefold()])]
    if len(check.keys) - len(empty) > 1:  # beside what is there, a dash says that there is none
        empty = [
            key for key in empty if not all(set(v.strip()) <= set("-–—") and v.strip() for v in columns[key.casefold()])
        ]
    if empty:
        return f"has nothing in {', '.join(empty[:5])}"
    if blank := [k for k in check.keys if _mostly_blank(columns[k.casefold()])]:
        return f"leaves most of '{blank[0]}' blank"
    return _miscounted(items_of(path, text), check)


def _mostly_blank(values: list[str]) -> bool:
    return sum(not v.strip() for v in values) * 2 > len(values)


def _miscounted(items: list[str], check: Check) -> str:
    if check.items is None and check.least is None:
        return ""
    count, different = len(items), len({same_words(i) or i for i in items})
    if check.items is not None and count != check.items:
        return f"has {count} items where {check.items} were asked for"
    if check.least is not None and count < check.least:
        return f"has {count} items where at least {check.least} were asked for"
    if different < count and different < max(check.items or 0, check.least or 0):
        return f"has {count} items of which only {different} differ"
    return ""


def _columns(path: str, text: str) -> dict[str, list[str]]:
    """Values by key that all items of a JSON text have, or by column of a table, in small letters."""
    if path.lower().endswith(".json"):
        dicts = [item for item in _items(json.loads(text)) if is_object(item)]
        keys: set[str] = set(dicts[0]).intersection(*dicts[1:]) if dicts else set()
        return {k.casefold(): ["" if d[k] is None else str(d[k]) for d in dicts] for k in keys}
    rows = _rows(path, text)
    if not rows:
        return {}
    return {cell.strip().casefold(): [row[n] for row in rows[1:] if n < len(row)] for n, cell in enumerate(rows[0])}


def _items(value: Any) -> Sequence[Any]:
    if is_list(value):
        return value
    if is_object(value):
        lists = [v for v in value.values() if is_list(v)]
        return lists[0] if lists else [value]
    return [value]


def _rows(path: str, text: str) -> list[list[str]]:
    """Header and body of a table: of a CSV file, or of the tables of a Markdown text."""
    if path.lower().endswith((".csv", ".tsv")):
        return [row for row in csv.reader(io.StringIO(text), delimiter="\t" if path.endswith(".tsv") else ",") if row]
    lines = [line for line in text.splitlines() if ROW.match(line) and not RULE.match(line)]
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]


def items_of(path: str, text: str) -> list[str]:
    """Items of a JSON text, rows of a table, or items of lists: what a person would count."""
    if PurePosixPath(path.lower()).suffix == ".json":
        return [json.dumps(item, sort_keys=True) for item in _items(json.loads(text))]
    rows = _rows(path, text)
    if rows:
        return [" | ".join(row) for row in rows[1:]]
    items = [line for line in text.splitlines() if _ITEM.match(line) and not line.startswith((" ", "\t"))]
    return items or [line for line in text.splitlines() if line.strip() and not is_heading(line)]


def counted(path: str, text: str) -> int:
    """How many items a text has."""
    return len(items_of(path, text))
