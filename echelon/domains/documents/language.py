"""Which language a text is in, told by its function words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from echelon.domains.documents.types import Document

# The most frequent function words of each language that the other one does not have.
_ENGLISH = """the of and to is are for that with this be by as it from or on which shall must should not at have has an
    if when their its these all any other may can will each such than you we our"""
_GERMAN = """der die das und ist sind für mit von zu den dem des ein eine einer eines einem einen nicht auf werden wird
    durch oder bei sich auch als nach aus zur zum im am müssen muss sollte sollten kann können sowie wenn dass
    über vom diese dieser dieses haben hat sein soll dürfen darf"""
STOP_WORDS: dict[str, frozenset[str]] = {"en": frozenset(_ENGLISH.split()), "de": frozenset(_GERMAN.split())}
_OTHERS = {
    "French": """le la les de des du et est un une que qui dans pour par sur au aux ce cette ces sont pas ne plus avec
        leur leurs il elle doit doivent peut peuvent être ou se sa son""",
    "Spanish": """el la los las de del y es un una que en para por con se su sus no al como más este esta estos debe
        deben puede pueden ser lo o""",
    "Italian": """il la lo gli le di del della dei delle e è un una che in per con non si da dal alla sono come questo
        questa deve devono può possono essere nel nella""",
    "Portuguese": """o a os as de do da dos das e é um uma que em para por com não se ao como mais este esta deve devem
        pode podem ser no na""",
    "Dutch": """de het een van en is zijn voor met op dat die niet te aan door worden wordt of bij ook als naar uit
        moet moeten kan kunnen mag deze""",
    "Polish": """w i na z do się jest nie że o dla przez oraz są lub po od jak być musi muszą może mogą ten ta te""",
}
FOREIGN = {name: frozenset(words.split()) for name, words in _OTHERS.items()}
"""Function words of languages in which no requirement is found, by their names."""
_LEAST_FOREIGN = 0.15
"""Share of function words from which a text is in one of them; that of Lorem ipsum is below 0.1."""
_LEAST_OWN = 0.08
"""Share of function words that neither English nor German has, from which a text is in another language."""
_SHARED = frozenset[str]().union(*STOP_WORDS.values(), ["in", "a", "o", "do", "no", "was", "van"])
_WORD = re.compile(r"[^\W\d_]+")
UNKNOWN = "und"


def is_caseless(document: Document) -> bool:
    """Whether a document has practically no capital letters, so that small ones tell nothing."""
    small = capital = 0
    for page in document.pages[:50]:
        small += sum(map(str.islower, page.text))
        capital += sum(map(str.isupper, page.text))
    return capital < 0.004 * small


def detect_language(text: str, default: str = UNKNOWN) -> str:
    """ISO 639-1 code of the language of `text`: `en`, `de`, or `default` when neither has enough function words.

    A text counts as one of the languages when at least 4 % of its words are function words of it and it has more of
    them than of the other language. The first 20,000 words are looked at.
    """
    words = _words(text)
    if not words:
        return default
    counts = _counts(words, STOP_WORDS)
    best = max(sorted(counts), key=lambda code: counts[code])
    second = max(count for code, count in counts.items() if code != best)
    if counts[best] == second or counts[best] < 0.04 * len(words):
        return default
    return best


def foreign_language(text: str) -> str | None:
    """What to call the language of a document in which requirements cannot be found, such as 'French'.

    None for English, German, and whatever is too short to be told (fewer than 20 words or 100 letters). The first
    20,000 words are looked at.
    """
    words = _words(text)
    letters = "".join(words)[:2_000]
    if len(letters) >= 100 and sum(unicodedata.name(c, "").startswith("LATIN") for c in letters) < len(letters) / 2:
        return "a script other than Latin"
    if len(words) < 20:
        return None
    known = max(_counts(words, STOP_WORDS).values())
    name, count = max(_counts(words, FOREIGN).items(), key=lambda item: item[1])
    if count < known or count / len(words) < _LEAST_FOREIGN:
        return None
    # "is" and "of" are Dutch as well: what English or German share says nothing.
    own = sum(word in FOREIGN[name] and word not in _SHARED for word in words)
    return name if own >= _LEAST_OWN * len(words) else None


def _words(text: str) -> list[str]:
    """The first 20,000 words, in small letters."""
    return [w.lower() for w in _WORD.findall(text[:200_000])[:20_000]]


def _counts(words: list[str], languages: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """How many of the words are function words, by language."""
    return {name: sum(w in stops for w in words) for name, stops in languages.items()}
