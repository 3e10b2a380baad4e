"""Is a result only what was given? Copies of inputs, of the request, or of what was delivered before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from echelon.tasks.texts.disguise import decoded, plain
from echelon.tasks.texts.marks import RULE, SENTENCE, is_fence, is_heading, without_marks
from echelon.tasks.texts.repetition import same_words

LEAST_COPIED = 25
"""Words of a text below which a result may well be the same."""
COVERED = 0.9
"""Share of a text's words, in their order, that a copy holds."""
ADDED = 0.05
"""Share of a copy's words that are its own."""
FRAME = 0.3
"""Words before and after a copy, against its own, up to which it stays one."""
REPEATED = 0.6
"""Share of a sentence from which a line repeats it."""
TITLE = 6
"""Words of a first line that may be a title."""
LEAST_LINE = 3
"""Words of a line below which it may stand in two texts by chance."""
_CONTENT_CHANGE = re.compile(
    r"\b(?:correct|proof-?read|translat\w+|sort|order|arrange|alphabeti[sz]e|redact|anonymi[sz]e|pseudonymi[sz]e|mask|rewrite|rephrase"
    r"|shorten|simplify|annotate|classify|korrigier\w*|übersetz\w*|sortier\w*|schwärz\w*|kürz\w*|vereinfach\w*)\b",
    re.IGNORECASE,
)
"""Words of a request after which what stands below the headings is another text."""
_FORM_CHANGE = re.compile(
    r"\b(?:format\w*|reformat|capitali[sz]e|number|renumber|nummerier\w*|indent|split|group|gruppier\w*|typeset|headings?|titles?"
    r"|rename|überschrift\w*|titel)\b",
    re.IGNORECASE,
)
_TRANSLATION = re.compile(r"\b(?:translat\w+|übersetz\w*)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SAME_IS_ASKED_FOR = re.compile(
    r"\b(?:cop(?:y|ies)|verbatim|word for word|unchanged|as (?:it|they) (?:is|are|stands?)|wörtlich|wortgleich"
    r"|unverändert|kopier\w*|kopie)\b",
    re.IGNORECASE,
)
_ALL_IS_ASKED_FOR = re.compile(
    r"\b(?:all|every\w*|each|whole|complete|full|together|collect\w*|gather|compile|assemble|append|concatenate"
    r"|one (?:list|file|document)|alle[nrs]?|alles|sämtliche\w*|jede\w*|ganze\w*|vollständig\w*|zusammen\w*|sammle)\b",
    re.IGNORECASE,
)
"""Words of a request for which several texts one after another may be the result."""
_CHANGE_IS_ASKED_FOR = re.compile(
    r"(?:^|[.!?;:,\n]\s*|\b(?:please|and|then|to|or)\s+)(?:correct|proof-?read|translate|sort|order|arrange|alphabeti[sz]e|format"
    r"|reformat|convert|transform|renumber|number|rename|replace|substitute|redact|anonymi[sz]e|pseudonymi[sz]e|mask|edit|fix|mend"
    r"|update|amend|clean|tidy|split|merge|combine|join|keep|annotate|mark|classify|label|tag|group|restructure|reorgani[sz]e|rewrite"
    r"|rephrase|shorten|simplify|capitali[sz]e|extract|quote|transcribe|digiti[sz]e|typeset|indent|deduplicate|remove|delete|insert"
    r"|add|say of each|put)\b"
    r"|\b(?:translation|corrected|translated|sorted|anonymi[sz]ed|redacted|korrigier\w*|übersetz\w*|sortier\w*|formatier\w*|wandle\w*"
    r"|ersetz\w*|schwärz\w*|bearbeit\w*|ergänz\w*|aktualisier\w*|zusammenführ\w*|kennzeichn\w*|markier\w*|gruppier\w*|nummerier\w*"
    r"|lösch\w*|streich\w*)\b",
    re.IGNORECASE,
)
"""Words of a request whose result is a text much like the input."""


def copied(text: str, given: Iterable[str], request: str = "") -> bool:
    """Whether a text is one of those that were given: the same lines in any order, or nearly the same words in order.

    A request that wants a text like the input (sorted, corrected, translated) gets one; only the very same text is no
    result then, unless the request wants just that. Where the words themselves have to change, other headings are no
    change, and a translation is in another language.
    """
    if _SAME_IS_ASKED_FOR.search(request):
        return False
    text, given = decoded(text) or plain(text), list(given)
    if not asks_for_change(request):
        return any(_is_like(text, other) for other in given) or _is_heaped(text, given, request)
    has_to_change = _CONTENT_CHANGE.search(request) is not None and _FORM_CHANGE.search(request) is None
    is_translation = _TRANSLATION.search(request) is not None
    return any(
        _is_same(text, other)
        or (has_to_change and _is_same(_body(text), _body(other)))
        or (is_translation and _is_like(text, other))
        for other in given
    )


def asks_for_change(request: str) -> bool:
    """Whether a request wants a text that is much like another one."""
    return _CHANGE_IS_ASKED_FOR.search(request) is not None


def unchanged(text: str, before: str, request: str = "") -> bool:
    """Whether a text is what it was but for the signs at its words and the order of its lines, if no order was asked for."""
    if asks_for_change(request):
        return text.split() == before.split()
    return same_words(text) == same_words(before) or Counter(_said(text)) == Counter(_said(before))


def kept(before: str, now: Iterable[str]) -> float:
    """The share of the words of a text, each as often as it stands there, that stand in later ones."""
    words = Counter(_words(before))
    left = words & Counter(w for text in now for w in _words(text))
    return left.total() / words.total() if words else 1.0


def repeats(text: str, said: Iterable[str]) -> bool:
    """Whether each line of a text is most of a sentence that was said: the request, an outcome, a check."""
    sentences = [words for s in said for part in SENTENCE.split(s) if (words := same_words(part))]
    lines = [line for line in _said(text) if line]
    whole = set(sentences)
    return any(_is_most_of(line, sentences) for line in lines) and all(
        line in whole or _is_most_of(line, sentences) for line in lines
    )


def _is_most_of(line: str, sentences: list[str]) -> bool:
    words = line.split()
    if len(words) <= LEAST_LINE:
        return False
    return any(_stand_in(words, s.split()) and len(words) >= REPEATED * len(s.split()) for s in sentences)


def _stand_in(words: list[str], sentence: list[str]) -> bool:
    """Whether words stand in a sentence in their order, with others between them or not."""
    rest = iter(sentence)
    return all(word in rest for word in words)


def _said(text: str) -> list[str]:
    return [same_words(line.lstrip("# ")) for line in text.splitlines() if line.strip() and not RULE.match(line)]


def _body(text: str) -> str:
    """What stands below the headings, and below a first line that stands for one."""
    lines = [line for line in text.splitlines() if line.strip()]
    return "\n".join(line for n, line in enumerate(lines) if not is_heading(line) and (n or len(line.split()) > TITLE))


def _is_same(text: str, other: str) -> bool:
    return len(other.split()) >= LEAST_COPIED and text.split() == other.split()


def _is_like(text: str, other: str) -> bool:
    """The words of `other` in their order with next to nothing added, or its lines in another order."""
    words, source = _words(text), _words(other)
    if len(source) < LEAST_COPIED or not words:
        return False
    mine, theirs = _lines(text), _lines(other)
    if (mine <= theirs and len(mine) >= COVERED * len(theirs)) or _is_framed(text, other):
        return True
    once = _words("\n".join(dict.fromkeys(without_marks(text.splitlines()))))
    if not COVERED <= len(once) / len(source) <= 1 / COVERED:
        return False
    from rapidfuzz.distance import LCSseq

    common = LCSseq.similarity(once, source)
    return common >= COVERED * len(source) and len(once) - common <= ADDED * len(once)


def _is_heaped(text: str, given: list[str], request: str) -> bool:
    """The lines of several texts one after another, none left out, nothing but headings added: no comparison, no extract."""
    if len(given) < 2 or _ALL_IS_ASKED_FOR.search(request):
        return False
    mine, *theirs = ({same_words(x) for x in t.splitlines() if x.strip() and not _leads(x)} for t in (text, *given))
    heaped = [lines for lines in theirs if lines and len(mine & lines) >= COVERED * len(lines)]
    words = sum(len(line.split()) for lines in heaped for line in lines)
    return len(heaped) > 1 and mine <= set().union(*heaped) and words >= LEAST_COPIED


def _leads(line: str) -> bool:
    """Whether a line only says what comes below it, or fences it."""
    return is_heading(line) or line.rstrip().endswith(":") or is_fence(line)


def _is_framed(text: str, other: str) -> bool:
    """The lines of `other` in their order, each with the same words around it, and little before and after them."""
    mine = [" ".join(_words(line)) for line in text.splitlines() if _words(line) and not is_heading(line)]
    theirs = [
        line
        for line in (" ".join(_words(line)) for line in other.splitlines() if not is_heading(line))
        if line.count(" ") >= LEAST_LINE
    ]
    at: list[int] = []
    around: set[str] = set()
    for line in theirs:
        found = next((n for n in range(at[-1] + 1 if at else 0, len(mine)) if line in mine[n]), None)
        if found is not None:
            at.append(found)
            around.add(mine[found].replace(line, "", 1).strip())
    if not theirs or len(at) < COVERED * len(theirs) or len(around) > 1:
        return False
    between = set(range(at[0], at[-1])) - set(at)
    frame = sum(len(line.split()) for n, line in enumerate(mine) if n not in at)
    return not between and frame <= FRAME * len(_words(other))


def _words(text: str) -> list[str]:
    return [w.casefold() for w in _WORD.findall(text)]


def _lines(text: str) -> set[str]:
    lines = (" ".join(_words(line)) for line in text.splitlines() if not RULE.match(line))
    return {line for line in lines if line}
