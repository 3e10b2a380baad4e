"""Findings that code can tell to be none: a file is missed that is there, or fault is found with the request.

Small judges hand them in, and a task that holds is done again for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from echelon.digest import folded, terms
from echelon.engine.toolbox import ToolContext
from echelon.tasks.deliverables import named_in
from echelon.tasks.results import request_of, text_of
from echelon.tasks.texts.marks import is_heading

AGAIN = "Correct it and submit again."
"""How the refusal of a form ends"""
OF_THE_FORM = "That is what was wrong with the form of your last answer, not with the work."
NOTHING_MORE = "A finding that says the request again says not what is wrong."
NOTHING = "That is no finding yet: name the line, the number or the word that is missing or wrong."
_VERDICT_TEXT = """
the task does did not hold because since output file result answer deliverable deliverables contain contains include includes
provide provides satisfy meet meets fulfil fulfill fulfilled what was were asked asks for request requested requirement
requirements done any such information has have this that and all are been user check text match matches correct correctly
expected according with instructions completed complete incomplete finished done yet still remaining rest work unfinished
each both between from into only they there their these those look looks seem seems right wrong good well quite
"""
_OF_A_VERDICT = frozenset(_VERDICT_TEXT.split())
BESIDE = "What is wrong with a change that tests prove is about the lines that were changed, and quotes a word of them."
VAGUE = "Name the word or number of the inputs that is missing or wrong, or quote what is wrong in the result."
SAYS_THE_SAME = "That stands in the result."
_CORRECTS = re.compile(
    r"\b(?:not|no|never|none|miss\w*|lack\w*|omit\w*|without|wrong\w*|incorrect\w*|instead|should|must|false|fail\w*|but|only|"
    r"extra|too|mistake\w*|swap\w*|mix\w*|confus\w*|contradict\w*|however|although|made up|invent\w*|"
    r"nicht|kein\w*|fehl\w*|falsch\w*|statt|sondern|soll\w*|muss|aber|nur|erfunden)\b|n't\b",
    re.IGNORECASE,
)
"""Words with which one says that something is otherwise than it is said"""
NO_ADVICE = "The milestone is claimed and code sees nothing open."
_ADVICE_TEXT = """
more further tasks need needs needed necessary user users can could now continue continues continued ahead move proceed
next step steps planner should will would milestone milestones achieved reached job nothing good well
"""
_OF_NO_ADVICE = _OF_A_VERDICT | frozenset(_ADVICE_TEXT.split())
"""Words of who says to go on, and not with what"""
NO_FAULT = "What the request leaves open is no fault of the work."
_NOT_THERE = re.compile(
    r"\b(?:deliverables?|files?|\S+\.\w{2,4})\W+(?:\w+\W+){0,3}?(?:not|never)\W+(?:been\W+)?"
    r"(?:provided|included|given|found|there|present|attached|delivered|available|exist)\b"
    r"|\bdeliverables?\W+(?:do|does)\W+not\W+(?:mention|include|contain|list|name)\b"
    r"|\b(?:no|missing)\W+(?:deliverables?|files?)\b"
    r"|(?:\bdeliverables?|\bfiles?|\S+\.\w{2,4})\W+(?:is|are|was|were)\W+(?:missing|absent)(?=\s*(?:$|[.;,]))"
    r"|\bdeliverables?\W+list\W+is\W+empty\b",
    re.IGNORECASE,
)
_OF_THE_REQUEST = re.compile(
    r"^\W*(?:the|this)?\s*(?:user's\s+)?(?:request|goal|task|question|todo|instruction)s?\s+(?:itself\s+)?"
    r"(?:does\s+not|do\s+not|doesn't|don't|did\s+not|never)\s+(?:\w+ly\s+)?"
    r"(?:specif|stat|say|mention|defin|describ|provid|list|explain|clarif|tell|indicat|give)",
    re.IGNORECASE,
)

_LACKING = re.compile(
    r"\b(?:do|does|did)(?:\s+not|n't)\s+(?:include|contain|mention|have|provide|list|name|show|say|state)\b", re.I
)
_QUOTED = re.compile(r"(?<!\w)['\"“„](.+?)['\"”“](?!\w)")
LEAST_WORDS = 3
"""Words of a quotation below which it may stand somewhere by chance"""


def why_groundless(context: ToolContext, says: str, about: str) -> str:
    """Why a finding is none, as a sentence; '' where code cannot tell."""
    if AGAIN in says:
        return OF_THE_FORM
    if is_of_the_request(says):
        return NO_FAULT
    if there := _missed(context, says, about):
        return f"'{there}' is there."
    if _says_no_more(says, request_of(context.workspace)):
        return NOTHING_MORE
    if (context.run.config.is_guided or context.state.blind) and _words(says) <= _OF_A_VERDICT:
        return NOTHING  # whoever has judged each place alone says more than "this does not look right"
    if _is_beside(context, says):
        return BESIDE
    if vague := _vague(context.state.sources, says, text_of(context.workspace, about)):
        return vague
    if stands := _stands(context, says, about):
        return f"'{stands[:120]}' stands in '{about}', word for word."
    return ""


def why_no_reason(context: ToolContext, reasons: Sequence[str]) -> str:
    """Why reasons against the course of a milestone are none, as a sentence; '' where code cannot tell, or one may hold."""
    reasons = [reason for reason in reasons if AGAIN not in reason]
    if not reasons:
        return OF_THE_FORM
    if all(map(is_of_the_request, reasons)):
        return NO_FAULT
    if all(_is_beside(context, reason) for reason in reasons):
        return BESIDE
    results = _results(context)
    vague = [_vague(context.state.sources, reason, results) for reason in reasons]
    return vague[0] if all(vague) else ""


def why_no_advice(context: ToolContext, advice: str) -> str:
    """Why advice to go on with a milestone that is claimed, where code sees nothing open, is none; '' where it may be."""
    if not advice.strip() or (context.run.config.is_guided and _words(advice) <= _OF_NO_ADVICE):
        return NO_ADVICE
    return _vague(context.state.sources, advice, _results(context))


def _results(context: ToolContext) -> str:
    """What the role had to open before it may say that it holds, as one text."""
    return "\n".join(text_of(context.workspace, path) for path in context.state.must_open)


def _is_beside(context: ToolContext, says: str) -> bool:
    """Whether a finding names no word of the lines that it has to be about; without a word in them, no."""
    words = _words("\n".join(context.state.changed.values()))
    return bool(words) and not words & _words(says)


def _vague(sources: Sequence[str], says: str, result: str) -> str:
    """Why what is said against a result of short inputs is nothing: it names nothing of them and quotes nothing of the
    result, or it says what the result says and not what is wrong with it. Headings, and what stands in each of several
    inputs, name no place ("the meeting in Plan of March is wrong")."""
    if not sources or not result:
        return ""
    result = folded(result)
    named = terms(says) & terms("\n".join(sources)) - _OF_A_VERDICT
    if any(folded(quoted) in result for quoted in _QUOTED.findall(says)) or named - terms(result):
        return ""
    if named and not corrects(says):
        return SAYS_THE_SAME
    return "" if named - _of_no_place(sources) else VAGUE


def corrects(says: str) -> bool:
    """Whether a sentence says that something is otherwise than it should be."""
    return _CORRECTS.search(says) is not None


def _of_no_place(sources: Sequence[str]) -> set[str]:
    headings = terms("\n".join(line for text in sources for line in text.splitlines() if is_heading(line)))
    return headings | (set[str].intersection(*map(terms, sources)) if len(sources) > 1 else set())


def _says_no_more(says: str, request: str) -> bool:
    """Whether a finding is only that what was asked for is not done, with the request in place of a reason."""
    whole, asked = folded(says), folded(request).strip(" .")
    if len(asked.split()) < LEAST_WORDS or asked not in whole:
        return False
    return _words(whole.replace(asked, " ")) <= _OF_A_VERDICT


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{3,}", folded(text)))


def is_of_the_request(says: str) -> bool:
    """Whether a sentence finds fault with what was asked for, in place of what was made."""
    return _OF_THE_REQUEST.match(says) is not None


def _missed(context: ToolContext, says: str, about: str) -> str:
    """A file that is said not to be there, and that is; '' where nothing of the kind is said, or it is right."""
    found = _NOT_THERE.search(says)
    if found is None:
        return ""
    whole = f"{about} {says}"
    named = [*named_in([whole]), *(path for path in context.state.objects if path in whole)]
    is_of_this = "deliverable" in found[0].lower() and not context.state.changed  # and of no other file
    if not named and about and is_of_this and _are_there(context, [about]):
        return about
    return named[0] if named and _are_there(context, named) else ""


def _stands(context: ToolContext, says: str, about: str) -> str:
    """What a finding says a file does not have, and that stands in it word for word; '' where there is nothing of it.

    A finding quotes it, or names it after a colon, and says nothing else.
    """
    lacking = _LACKING.search(says)
    text = folded(text_of(context.workspace, about))
    if lacking is None or not text:
        return ""
    rest = says[lacking.end() :]
    quoted = _QUOTED.findall(rest) or [rest.rpartition(": ")[2]] if ": " in rest or _QUOTED.search(rest) else []
    named = [q.strip(" .'\"") for q in quoted]
    return named[0] if named and all(len(q.split()) >= LEAST_WORDS and folded(q) in text for q in named) else ""


def _are_there(context: ToolContext, paths: Iterable[str]) -> bool:
    return all(context.workspace.sha256(path) is not None for path in paths)
