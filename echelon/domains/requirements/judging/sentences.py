"""Where sentences begin and end in running text (English and German)."""

from __future__ import annotations

import re

# After these a full stop does not end a sentence.
_ABBREVIATED = """e.g i.e etc cf vs no nr fig figs sec sect ch vol ed eds al approx resp incl dr mr mrs ms prof inc ltd
    corp st dept est p pp art ref refs eq app min max u.s u.s.c d.h z.b u.a o.ä u.ä i.d.r i.s.d i.v.m i.s.v
    s.o s.u v.a
    ggf bzw vgl usw evtl ca abs rz rn tz abb tab kap bspw sog inkl exkl gem lt str hr fr dipl ing mio mrd zzgl abzgl
    b h a d ä r v m e g i"""
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
_BREAK = re.compile(r"([.!?]+)([\"'”’“»)\]]*)(\d{1,2}(?=\s))?\s+(?=[\"'“”„«(\[]*[A-ZÄÖÜ0-9•])")
_LAST_WORD = re.compile(r"(\S+)$")


def split_sentences(text: str, lower_case: bool = False) -> list[tuple[int, int]]:
    """Offsets (start, end) of the sentences of `text`, in order, without white space around them.

    A full stop after an abbreviation, an initial, a list number or inside a number does not end a sentence.
    `lower_case` also breaks before a small letter, for text that has no capitals.
    """
    pattern = _BREAK_LOWER if lower_case else _BREAK
    spans: list[tuple[int, int]] = []
    start = 0
    for match in pattern.finditer(text):
        if match.group(1) == "." and _is_abbreviation(text, match):
            continue
        spans.append((start, match.end(1) + len(match.group(2)) + len(match.group(3) or "")))
        start = match.end()
    spans.append((start, len(text)))
    return [trimmed for a, b in spans if (trimmed := _trim(text, a, b))[1] > trimmed[0]]


_BREAK_LOWER = re.compile(r"([.!?]+)([\"'”’“»)\]]*)(\d{1,2}(?=\s))?\s+(?=\S)")


def _is_abbreviation(text: str, match: re.Match[str]) -> bool:
    if match.group(2):
        return False
    before = _LAST_WORD.search(text, max(0, match.start() - 30), match.start())
    if before is None:
        return True
    word = before.group(1).lstrip("(\"'“„[").lower()
    following = text[match.end() : match.end() + 1]
    if word in _ABBREVIATIONS:
        return (
            word not in {"etc", "usw", "al", "inc", "ltd", "corp", "no", "min", "max", "ed", "app", "art"}
            or following.isdigit()
        )
    if re.fullmatch(r"\d{1,2}", word):
        # "am 3. Mai", "1. Introduction": an ordinal, unless a sentence ends in a number.
        return following.isupper() and bool(
            re.search(r"\b(?:am|vom|zum|bis|der|den|des|im|\A)\s*$", text[: before.start()], re.I)
        )
    return len(word) == 1 and word.isalpha() and following.isupper()


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
