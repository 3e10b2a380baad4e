"""The numbers and marks that open a line: clause numbers, requirement identifiers, list marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class MarkKind(StrEnum):
    """What kind of mark opens a line."""

    CODE = "code"  # MASVS-STORAGE-1, FR-12, OPS.1.1.A3, [REQ-7], /LF10/
    DECIMAL = "decimal"  # 3.1.1, V2.1.3, A.5.1, 03.01.01
    SECTION = "section"  # § 5, Article 5, Rz. 12
    INTEGER = "integer"  # 1. or 1) or (1)
    LETTER = "letter"  # a) a. (a)
    ROMAN = "roman"  # iv) (iv)
    BULLET = "bullet"


# Numbers that name an entry or a section by themselves; the others only count within a list.
STRONG = frozenset({MarkKind.CODE, MarkKind.DECIMAL, MarkKind.SECTION})


@dataclass(frozen=True, slots=True)
class Mark:
    """An opening mark. `label` is as printed without brackets and closing punctuation; the text begins at `end`."""

    kind: MarkKind
    label: str
    end: int
    style: str


_CODE = re.compile(
    r"""[\[/]?(?P<id>
      # AC-2(1), MSTG-ARCH-1, REQ_12
      [A-Z][A-Z0-9]{0,9}(?:[-_][A-Z0-9]{1,12}){0,4}[-_]\d{1,6}(?:\.\d{1,3}){0,3}(?:\(\d{1,2}\))*[a-z]?
      # OVR-6.1-03A, REQ-SYS-2.4-01
      |[A-Z]{2,10}(?:-[A-Z0-9]{1,12}){0,3}-\d{1,3}(?:\.\d{1,3}){1,3}-\d{1,4}[A-Za-z]?
      # [R-5.1.2-001]
      |(?<=\[)[A-Z]-\d{1,3}(?:\.\d{1,3}){0,5}-\d{1,4}[a-z]?(?=\])
      # O.Use_1, Req_Login_12: prose has no underscores
      |[A-Z][A-Za-z]{0,14}(?:[._-][A-Za-z][A-Za-z0-9]{0,14}){0,4}_\d{1,5}[a-z]?
      # BES.7.4.2, OPS.1.1.2.A3
      |[A-Z]{2,8}(?:\.\d{1,3}){1,4}(?:\.?[A-Z]\d{1,3})?
      # FR 2, R12, UC3
      |(?-i:FR|NFR|UR|SR|SRS|REQ|BR|TR|UC|R|Req|Anf|ANF|RQ|SYS|HLR|LLR|F|NF)\ ?[-.]?\ ?\d{1,4}(?:\.\d{1,3}){0,4}[a-z]?
      # Game.Plan.Board: names as identifiers, told by their colon
      |(?-i:[A-Z][A-Za-z]{1,20}(?:\.[A-Z][A-Za-z]{1,20}){1,4})(?=:)
      # /LF10/
      |(?<=/)[A-Z]{1,4}\ ?\d{1,5}[A-Z]?(?=/)
    )[\]/]?(?:\ \[[A-Z]{4,}\](?=:))?(?P<close>\s*[:.)]|\s*[-–—](?=\s))?(?=\s|$)""",
    re.VERBOSE,
)
# "Provision 5.1-2 Passwords ...": the word says that it is a rule, the number names it.
_NAMED = re.compile(
    r"(?:Provision|Requirement|Rule|Criterion|Recommendation|Anforderung|Regel|Vorgabe|Empfehlung|Kriterium)\s+"
    r"(?P<id>(?:[A-Z]{1,4}[-.]?)?\d{1,4}(?:[.-]\d{1,4}){0,4}[A-Za-z]?)(?P<close>\s*[:.)]|\s*[-–—](?=\s))?(?=\s+[A-ZÄÖÜ\"'“„\[(])"
)
_DECIMAL = re.compile(
    r"(?P<id>(?:[A-Z]\.?)?\d{1,4}(?:\.\d{1,4}){1,6}(?:\.?[a-z]|-\d{1,3}[A-Z]?)?|[A-Z]\.\d{1,3})(?P<close>\.|\)|:|\s*[-–—](?=\s))?(?=\s|$)"
)
_SECTION = re.compile(
    r"(?P<id>(?:§§?|Art\.|Article|Artikel|Section|Clause|Abschnitt|Rz\.|Rn\.|Tz\.|Kapitel|Chapter|Anhang|Anlage|Appendix|Annex|ANNEX|APPENDIX)"
    r"\s?(?:\d{1,4}[a-z]?(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})*))(?P<close>[.:]|\s*[-–—](?=\s)|\))?(?=\s|$|—)"
    # "§ 12 Absatz 1 ..." is a reference at the beginning of a line.
    r"(?!\s+(?:Absatz|Abs\.|Satz|Nummer|Nr\.|Buchstabe|des|der|of\s|paragraph))"
)
_INTEGER = re.compile(r"(?P<open>\()?(?P<id>\d{1,3}(?(open)[a-z]?))(?P<close>\)|\.)(?=\s|$)")
# A sign before an identifier, such as one that opens an entry ("⌦ A_12 Storage").
_SIGN = re.compile(r"[\u2190-\u21ff\u2300-\u23ff\u25a0-\u25ff\u2600-\u27bf\ue000-\uf8ff]\s{0,3}(?=[A-Z\[])")
_BARE_INTEGER = re.compile(r"(?P<id>\d{1,2})\s+(?=[A-ZÄÖÜ])")
_ROMAN = re.compile(r"(?P<open>\()?(?P<id>[ivx]{1,5})(?P<close>\)|\.)(?=\s|$)")
_LETTER = re.compile(r"(?P<open>\()?(?P<id>[a-zA-Z]|[a-z]{2})(?P<close>\)|\.)(?=\s|$)")
_BULLET = re.compile(r"(?P<id>[•●▪■◦○‣⁃∙·\uf0b7\uf0a7\uf02d➢➤►▶✓✔❖*+–—-]|o|\(cid:\d+\))(?=\s)")


@lru_cache(maxsize=1024)  # what stands around a line is looked at again from each line near it
def opening_mark(text: str, caseless: bool = False) -> Mark | None:
    """The mark that opens `text` (already stripped), or None. `caseless` reads codes in small letters. Never raises."""
    sign = _SIGN.match(text)
    if sign is not None and (signed := _CODE.match(text, sign.end())) is not None:
        return Mark(MarkKind.CODE, signed["id"], signed.end(), "code:sign")
    for kind, pattern in _CASELESS if caseless else _PATTERNS:
        match = pattern.match(text)
        if match is None:
            continue
        if kind is MarkKind.LETTER and not _is_list_letter(match):
            continue
        groups = match.groupdict()
        style = f"{kind}:{groups.get('open') or ''}{(groups.get('close') or '').strip()}"
        if kind is MarkKind.BULLET:
            style = f"{kind}:{match['id']}"
        elif kind is MarkKind.LETTER:
            style += "A" if match["id"].isupper() else "a"
        return Mark(kind, match["id"], match.end(), style)
    return None


_PATTERNS = (
    (MarkKind.DECIMAL, _DECIMAL),
    (MarkKind.CODE, _CODE),
    (MarkKind.CODE, _NAMED),
    (MarkKind.SECTION, _SECTION),
    (MarkKind.INTEGER, _INTEGER),
    (MarkKind.ROMAN, _ROMAN),
    (MarkKind.LETTER, _LETTER),
    (MarkKind.BULLET, _BULLET),
)


_CASELESS = tuple((kind, re.compile(p.pattern, p.flags | re.I) if p is _CODE else p) for kind, p in _PATTERNS)


def bare_number(text: str) -> Mark | None:
    """A number without dot before a capital ("4 Foo"): a heading of some type setters, or a footnote."""
    match = _BARE_INTEGER.match(text)
    return Mark(MarkKind.INTEGER, match["id"], match.end(), "integer:bare") if match else None


def _is_list_letter(match: re.Match[str]) -> bool:
    letter = match["id"]
    if match["open"] and match["close"] != ")":
        return False
    # "e." of "e. g." and initials such as "J." are no list marks; two letters only as aa) bb).
    if len(letter) == 2:
        return letter[0] == letter[1] and match["close"] == ")"
    # "e. g." and "i. e." open with a letter and a stop as well.
    return match["close"] == ")" or (letter.islower() and not re.match(r"\s+[a-z]\.", match.string[match.end() :]))


def depth(label: str) -> int:
    """Number of levels of a decimal label: 3 for `3.1.1`."""
    return len([part for part in re.split(r"[.\-_]", label) if part])
