"""What a ScopeAgent may not do with a request: change what code has read of it, or pass over what no result has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from echelon.domains.likeness.words import word_set
from echelon.domains.requirements.selection.describe import described
from echelon.domains.requirements.selection.types import OutputForm, Selection
from echelon.domains.requirements.selection.words import NUMBERS

FIELDS = ("documents", "pages", "sections", "modalities", "without", "categories", "parties", "words")
_DENYING = word_set("not no nor never but except without nicht kein keine keinen nie außer ohne sondern aber")
"""Words that may turn round what code has read: then it is for the ScopeAgent."""
_MADE_BY_NOBODY = word_set(
    """pdf docx powerpoint pptx latex tex xml yaml odt french italian spanish portuguese dutch polish czech danish
    swedish norwegian finnish russian ukrainian turkish arabic hebrew hindi chinese japanese korean greek hungarian romanian
    französisch italienisch spanisch portugiesisch niederländisch polnisch tschechisch dänisch schwedisch russisch türkisch
    arabisch chinesisch japanisch griechisch ungarisch rumänisch"""
)
"""Formats and languages that no result of this type of job has."""


def merged(read: Selection, given: Selection, open_: Sequence[str]) -> Selection:
    """What a role selects, with what code has read of the request where the role leaves a field out."""
    values = {f: getattr(given, f) or getattr(read, f) for f in FIELDS}
    form = given.form.model_copy(
        update={
            "table": given.form.table or read.form.table,
            "columns": given.form.columns or read.form.columns,
            "order": given.form.order or read.form.order,
            "language": given.form.language if given.form.language != OutputForm().language else read.form.language,
        }
    )
    more = {"with_deadline": given.with_deadline or read.with_deadline, "at_most": given.at_most or read.at_most}
    if _may_turn_round(open_):
        values = {f: getattr(given, f) for f in FIELDS}
    return Selection.model_validate({**values, **more, "form": form})


def _may_turn_round(open_: Sequence[str]) -> bool:
    return bool(_DENYING & {w.casefold() for w in open_})


def changed(read: Selection, now: Selection, open_: Sequence[str]) -> str:
    """What of a selection goes against the request as code has read it, in a sentence; '' where nothing does."""
    if _may_turn_round(open_):
        return ""
    for name in (*FIELDS, "with_deadline", "at_most"):
        was, is_ = getattr(read, name), getattr(now, name)
        if (was and not _says_the_same(was, is_)) or (not was and is_ and not open_):
            says = " ".join(described(read)) if was else "it leaves nothing out by " + name
            return (
                f"The request is plain: {says.rstrip('.')}. Call select_requirements without {name}, or with just that."
            )
    for name in ("columns", "order", "table"):
        was, is_ = getattr(read.form, name), getattr(now.form, name)
        if was and was != is_:
            return f"The request names the {name} of the result; call select_requirements without it."
    if not open_ and now.form.language != read.form.language:
        return "Nobody asked for another language of the result; call select_requirements without it."
    return ""


def _says_the_same(was: Any, now: Any) -> bool:
    """Whether two values of a field are the same, or the later ones are words out of those that code has read: it may
    have taken too many of them, and fewer words leave no requirement out."""
    if not isinstance(was, tuple) or not isinstance(now, tuple):
        return bool(was == now)
    one, other = _folded(was), _folded(now)  # pyright: ignore[reportUnknownArgumentType]
    if one == other or not other:
        return one == other
    return all(any(_is_in(o, w) for o in other) for w in one) and all(any(_is_in(o, w) for w in one) for o in other)


def _is_in(words: str, phrase: str) -> bool:
    return f" {words} " in f" {phrase} "


def _folded(values: Iterable[object]) -> set[str]:
    return {re.sub(r"^section ", "", str(v).casefold().strip(" .")) for v in values}


def passed_over(open_: Sequence[str], now: Selection) -> str:
    """A number, a format or a language of the request that is in no field of the selection; '' where there is none."""
    there = now.model_dump_json().casefold()
    for word in open_:
        folded = word.casefold()
        number = folded if folded.isdecimal() else str(NUMBERS.get(folded, ""))
        is_counted = bool(number) and folded not in ("one", "eins")
        if (is_counted and number not in re.findall(r"\d+", there)) or (
            folded in _MADE_BY_NOBODY and folded not in there
        ):
            return word
    return ""
