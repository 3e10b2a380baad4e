"""Two short documents, what they require, and an independent look at what a requirement job delivered.

Nothing here asks the job what it thinks of itself: the files in output/, and the graph, are held against `GOLD`.
"""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

POLICY = """# 1 Records

1.1 The unit shall keep an inventory of its records.

1.2 The unit must not destroy records before their time.

1.3 Records may be kept on paper.

1.4 The clerk should review the inventory every year.

Old keys will only be seen by the archive of the unit.

# 2 Keys

2.1 Users must not share keys unless the security officer agrees.

2.2 The unit shall replace a key within 30 days of its loss.

2.3 The unit shall replace a key within 60 days of its loss.

2.4 The unit shall keep copies of private keys in the vault.

2.5 The unit shall not keep copies of private keys in the vault.

# 3 Reports

3.1 The unit shall report losses to the board within 5 days and shall inform the owner of the key.

3.2 The unit shall keep an inventory of its records.

3.3 It is expected that reports are short and that the board can read them within an hour.
"""
ANNEX = """# 7 Backup

7.1 The operator shall make a backup every day.

7.2 The operator must not store backups in the same room.

Tapes have been in use since the year 1990 and most of them are brown.
"""
DOCUMENTS = {"policy.md": POLICY, "annex.md": ANNEX}
OPTIONAL = ("3.3", "old", "tapes")
"""What roles may judge either way; of the tapes nobody can honestly say that they bind."""
KINDS = {"shall": "obligation", "must not": "prohibition", "shall not": "prohibition", "may": "permission"}


@dataclass(frozen=True)
class Statement:
    number: str
    document: str
    text: str
    modality: str


def _statements() -> dict[str, Statement]:
    found = {}
    for name, text in DOCUMENTS.items():
        for number, words in re.findall(r"^(\d\.\d) (.+)$", text, re.MULTILINE):
            sign = re.search(r"shall not|must not|shall|may|should", words)
            kind = {"should": "recommendation", **KINDS}[sign[0]] if sign else ""
            found[number] = Statement(number, name, words, kind)
    found["old"] = Statement("", "policy.md", "Old keys will only be seen by the archive of the unit.", "")
    return found


GOLD = _statements()
SURE = tuple(n for n in GOLD if n not in OPTIONAL)
WRITTEN = {
    "requirements.json", "requirements.md", "summary.md", "requirements.csv", "requirements.xlsx", "requirements.reqif",
    "report.html",
}  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """What was asked for: statements, and the form of the result."""

    numbers: tuple[str, ...] = SURE
    in_order: bool = False
    shows: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Files besides those that code writes"""
    may_miss: tuple[str, ...] = ()


def letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def lies(folder: Path, wanted: Wanted) -> list[str]:
    """What of the delivered result is not so, one phrase each; empty where all that was asked for is there."""
    path = folder / "output" / "requirements.json"
    if not path.is_file():
        return ["requirements.json is not there"]
    delivered: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = delivered["requirements"]
    found: dict[str, list[dict[str, Any]]] = {}
    out: list[str] = []
    for row in rows:
        number = _number(row)
        out += _row(row, number, wanted)
        found.setdefault(number, []).append(row)
    missing = [n for n in wanted.numbers if n not in found and n not in wanted.may_miss]
    out += [f"{n} is lost" for n in missing]
    out += [f"of {n}, {lost} is lost" for n, own in found.items() if (lost := _left_away(n, own))]
    if wanted.in_order:
        order = [n for n in map(_number, rows) if n in wanted.numbers]
        out += ["the order is another"] if order != list(wanted.numbers) else []
    return out + _files(folder, rows, wanted) + _silent(folder, rows)


def _number(row: dict[str, Any]) -> str:
    own = [n for n, s in GOLD.items() if letters(row["text"]) == letters(s.text)]
    if (row["source_id"] or "") in own:
        return row["source_id"]
    within = [n for n, s in GOLD.items() if letters(row["text"]) in letters(s.text)]
    if (row["source_id"] or "") in within:
        return str(row["source_id"])
    return (own or within or [""])[0]


def _row(row: dict[str, Any], number: str, wanted: Wanted) -> list[str]:
    says = row["text"][:40]
    if not number and (row.get("review") or {}).get("for_person"):
        return []  # it says itself that a person has to look
    if not number:
        return [f"'{says}' is none of the requirements"]
    gold, out = GOLD[number], []
    if number not in wanted.numbers and number not in OPTIONAL:
        out.append(f"{number} was not asked for")
    if gold.modality and row["modality"] != gold.modality and number not in OPTIONAL:
        out.append(f"{number} is no {row['modality']}")
    if row["status"] == "duplicate" and number != "3.2":
        out.append(f"{number} repeats nothing")
    if row["source_id"] and row["source_id"] not in GOLD:
        out.append(f"there is no number {row['source_id']}")
    for c in row["citations"]:
        if letters(c["quote"]) not in letters(DOCUMENTS.get(c["document"], "")):
            out.append(f"the quote of {number} stands nowhere")
    cited = words(" ".join(c["quote"] for c in row["citations"]))
    if [w for w in words(row["text"]) if w not in cited]:
        out.append(f"the words of {number} are not those that it cites")
    return out


def _left_away(number: str, rows: list[dict[str, Any]]) -> str:
    if number in OPTIONAL or not number:
        return ""
    there = words(" ".join(r["text"] for r in rows))
    lost = [w for w in words(GOLD[number].text) if w not in there and w not in ("and", "the", "of", "its", "a")]
    return ", ".join(lost)


def _files(folder: Path, rows: list[dict[str, Any]], wanted: Wanted) -> list[str]:
    output = folder / "output"
    there = {p.relative_to(output).as_posix() for p in output.rglob("*") if p.is_file()}
    out = [f"{f} is not there" for f in sorted((WRITTEN | set(wanted.files)) - there)]
    out += [f"{f} is of somebody's own" for f in sorted(there - WRITTEN - set(wanted.files))]
    table = list(csv.reader((output / "requirements.csv").read_text(encoding="utf-8-sig").splitlines()))
    out += ["the CSV has other rows"] if len(table) != len(rows) + 1 else []
    text = (output / "requirements.md").read_text(encoding="utf-8") if "requirements.md" in there else ""
    return out + [f"'{s}' is not shown" for s in wanted.shows if s not in text]


def _silent(folder: Path, rows: list[dict[str, Any]]) -> list[str]:
    """Doubtful places that nobody decided, and of which nobody is told."""
    queue, decided = folder / "requirements" / "queue.json", folder / "requirements" / "decisions.json"
    if not queue.is_file():
        return []
    items: list[dict[str, Any]] = json.loads(queue.read_text(encoding="utf-8")).get("items", [])
    said = json.loads(decided.read_text(encoding="utf-8"))["entries"] if decided.is_file() else {}
    told = (folder / "output" / "summary.md").read_text(encoding="utf-8")
    delivered = {letters(r["text"]) for r in rows}
    left = [i for i in items if i["id"] not in said and letters(i["text"]) in delivered]
    untold = [i["id"] for i in left if i["id"] not in told]
    return [f"nobody decided {untold[0]}, and nobody is told"] if untold else []
