"""Places in a sentence that wait for somebody to fill them in: "[Your Name]", "the fee is [insert amount]", "{{ fee }}"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from echelon.tasks.texts.marks import PAGES, PROSE
from echelon.tasks.texts.placeholders import spoken, wants_open_places

_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_BEGINS = (
    r"(?:please )?(?:insert|enter|fill[ -]in|specify|add|put|provide)\b"
    r"|(?:to be (?:added|filled|determined|defined|confirmed)|tbd|tba|recipient|sender)\b"
    r"|(?:bitte )?(?:einfügen|eintragen|ergänzen|ausfüllen)\b|(?:your|ihr(?:e[nrms]?)?|deine?[nrms]?) \w"
)
_ENDS = r"[^\[\]\n]{0,50}\b(?:here|einfügen|eintragen|ergänzen|ausfüllen)"
_NAMES = (
    r"(?:(?:full|first|last|company|team|project|user|contact|phone|vor|nach|firmen)[ -]?)?(?:names?|number|nummer)"
    r"|date|datum|signature|unterschrift|(?:job )?title|position|address|adresse|amount|betrag"
)
_SLOT = re.compile(
    rf"(?<![\w\]!])\[(?:(?:{_BEGINS})[^\[\]\n]{{0,60}}|{_ENDS})\](?![\[(:])"
    rf"|^\W*(?:[\w ]{{1,20}}:\s*)?\[(?:{_NAMES})\][\s.,]*$"
    rf"|\{{\{{\s*[\w .-]{{1,40}}\s*\}}\}}|<(?:your|insert|enter) [^<>\n]{{1,40}}>",
    re.IGNORECASE | re.MULTILINE,
)
_OPENS = re.compile(r"^[^\[{<]*")
_IS_A_DRAFT = re.compile(
    r"\b(?:drafts?|drafted|sign|signed|signature|entw[uü]rfe?|unterschr\w+|unterzeichn\w+)\b", re.IGNORECASE
)
"""Words of a request for something that somebody else finishes"""


def open_slot(path: str, text: str, given: Iterable[str], request: str = "") -> str:
    """The first such place of a result; '' where there is none, where the request wants one, and where it is quoted from
    what was `given`. A link, a reference and code are none; "[Date]" is one where it stands alone, or behind its label."""
    is_prose = PurePosixPath(path.lower()).suffix in (*PROSE, *PAGES)  # elsewhere brackets are the format's
    if not is_prose or _IS_A_DRAFT.search(request) or wants_open_places(request):
        return ""
    found = (_OPENS.sub("", m.group()).strip() for m in _SLOT.finditer(_CODE.sub("", spoken(path, text))))
    return next((slot for slot in found if not any(slot in source for source in given)), "")
