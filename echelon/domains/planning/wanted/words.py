"""Words of goals and titles: which of them say something, and when two are the same word in another form."""

from __future__ import annotations

import re

from echelon.digest import are_akin

_SMALL_TEXT = """
the and for with from into out our your their its his her this that these those all any some each new old good
own make made get put set have has had are was were will must can may should shall not then than also first last
next other more most only be been being is it we you they by on in at to of a an up off do does done der die das
den dem des ein eine einen und oder mit für von vom zum zur bis auf aus bei nach alle neue neuen alte ist sind
wird werden muss müssen kann sent finished ready complete completed
"""
_SMALL = frozenset(_SMALL_TEXT.split())
_EMPTY_TEXT = """
task tasks step steps part parts item items work works working do doing done todo tbd tba tbc phase thing things
stuff misc placeholder placeholders begin start finish end activity activities action actions project plan next
first second third fourth fifth last more other another etc something anything everything rest various it the
this that to be determined defined decided continue go on complete execute perform carry out stage one two three
four five six seven eight nine ten aufgabe aufgaben schritt schritte teil teile arbeit arbeiten machen tun
beginn beginnen ende beenden anfang anfangen vorgang aktivität sonstiges weiteres platzhalter a an and of for in
with und der die das planning planned outline monitor monitoring progress allocate resource resources goal goals
objective objectives milestone milestones timeline finished completed fertig ziel ziele planung planen
"""
_EMPTY = frozenset(_EMPTY_TEXT.split())


def words_of(text: str) -> set[str]:
    """The words of a text that say what it is about, in lower case."""
    return {w for w in re.findall(r"[^\W\d_]{3,}", text.casefold()) if w not in _SMALL}


def says_nothing(title: str) -> bool:
    """Whether a title names no work: 'Task 1', 'Step A', 'TBD', 'do the work'."""
    return not [w for w in re.findall(r"[^\W\d_]{2,}", title.casefold()) if w not in _EMPTY]


def names_any(title: str, wanted: str) -> bool:
    """Whether a title has one of the words of what is wanted, in some form."""
    return any(are_akin(a, b) for a in words_of(title) for b in words_of(wanted))
