"""Words as texts are compared by them: sets of them, folded case, plurals made singular."""

from __future__ import annotations

import re
import unicodedata


def word_set(text: str) -> frozenset[str]:
    """The words of `text`, split at white space."""
    return frozenset(text.split())


DETERMINERS = word_set(
    """a an the this that these those all any each every its their his her der die das den dem des ein eine einen einem
    einer eines alle jede jeder jedes diese dieser dieses"""
)


STOPWORDS = word_set(
    """of for in on to with from by at as about and or if when that which who whose what where it they
    von für in im am an auf zu zum zur mit aus bei durch und oder wenn dass die der das welche welcher"""
)
"""Words that say little about what a requirement is about."""


def folded_words(text: str, *, without: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The words of `text` for comparing names: letter case folded, English plurals made singular."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return tuple(singular(word) for word in words if word not in without)


def singular(word: str) -> str:
    """`word` without the ending of an English plural: entries -> entry, boxes -> box, logs -> log, access -> access."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def without_ending(word: str) -> str:
    """`word`, in small letters, without its ending: what is left names the same thing in the singular and the plural."""
    one = singular(word)
    return re.sub(r"(?:ings?|ed|es|s|en|er|em|e|n)$", "", one) if len(one) > 4 else one
