"""How alike two sets of texts are: shared words, shared letter sequences, and meaning (static word vectors).

Word and letter similarity are cosines of TF-IDF vectors whose document frequencies come from both sets together (Salton
and Buckley 1988, sublinear term frequency); meaning is the cosine of the mean word vectors of `embedding`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from echelon.domains.likeness.embedding import embed, unit

_BLOCK = 512
_STOP_LIST = """
    the a an of and or to in on for with by is are be been was were this that these those it its as at from into
    than then there which who will shall must should can may not no all any each has have had do does if when such
    other also only one two use used using etc per via der die das den dem des ein eine einer eines einem einen und
    oder zu zur zum im am auf für mit von vom bei beim als aus nach ist sind wird werden muss müssen soll sollen
    sollte kann können nicht dass wenn
"""
_STOP = frozenset(_STOP_LIST.split())
_WORD = re.compile(r"[^\W\d_][\w]*|\d+[^\W\d_]\w*")
_PARTS = re.compile(r"[A-ZÄÖÜ]?[a-zäöüß]+|[A-ZÄÖÜ]+(?![a-zäöüß])|\d+")
_COMPOUND = re.compile(r"[a-zäöüß][A-ZÄÖÜ]|_")
_OTHER = re.compile(r"[^a-z0-9äöüß]+")
# Longest first: the ending and what replaces it.
_ENDINGS = (
    *(("ization", "ize"), ("ations", "ate"), ("ation", "ate"), ("ings", ""), ("edly", ""), ("ments", ""), ("ment", "")),
    *(
        ("sses", "ss"),
        ("ing", ""),
        ("ies", "y"),
        ("ied", "y"),
        ("ers", "er"),
        ("es", "e"),
        ("ed", ""),
        ("s", ""),
        ("e", ""),
    ),
)


class Likeness(NamedTuple):
    """Three similarities of each text of one set to each of another, all of shape (first, second), 0 to 1."""

    words: NDArray[np.float32]
    letters: NDArray[np.float32]
    meaning: NDArray[np.float32]

    @property
    def total(self) -> NDArray[np.float32]:
        """Their mean, with half weight for meaning: static word vectors see much likeness between any two texts."""
        import numpy as np

        return np.asarray(0.4 * self.words + 0.4 * self.letters + 0.2 * self.meaning, dtype=np.float32)


def likeness(first: Sequence[str], second: Sequence[str]) -> Likeness:
    """How alike each text of `first` is to each of `second`. Raises FileNotFoundError without the wordllama wheel."""
    vectors = unit(embed([*first, *second]))
    meaning = np.maximum(vectors[: len(first)] @ vectors[len(first) :].T, 0)
    return Likeness(word_similarity(first, second), letter_similarity(first, second), meaning)


def word_similarity(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float32]:
    """TF-IDF cosine over stemmed words; identifiers such as `ccmCtrlTask` also count by their parts."""
    return _tfidf(first, second, words)


def letter_similarity(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float32]:
    """TF-IDF cosine over letter sequences of 3 to 5, across word borders."""
    return _tfidf(first, second, letters)


def words(text: str) -> list[str]:
    """Stemmed lower-case words of `text` without stop words, in order, with the parts of compound identifiers."""
    found: list[str] = []
    for word in _WORD.findall(text):
        if _COMPOUND.search(word):
            found += [word.lower(), *(part.lower() for part in _PARTS.findall(word))]
        else:
            found.append(word.lower())
    return [stem(word) for word in found if word not in _STOP and len(word) > 1]


def letters(text: str) -> list[str]:
    """Letter sequences of 3, 4 and 5 characters of the lower-cased text, other characters folded to one space."""
    folded = f" {_OTHER.sub(' ', text.lower()).strip()} "
    return [folded[at : at + size] for size in (3, 4, 5) for at in range(len(folded) - size + 1)]


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """A rough English stem: "allocates", "allocated", "allocation" have one; other languages lose little."""
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + instead
            break
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _tfidf(first: Sequence[str], second: Sequence[str], terms: Callable[[str], list[str]]) -> NDArray[np.float32]:
    counts = [Counter(terms(text)) for text in (*first, *second)]
    frequency = Counter(term for count in counts for term in count)
    column = {term: at for at, term in enumerate(frequency)}
    idf = {term: math.log((1 + len(counts)) / (1 + seen)) + 1 for term, seen in frequency.items()}

    def rows(start: int, end: int) -> NDArray[np.float32]:
        table = np.zeros((end - start, len(column)), dtype=np.float32)
        for row, count in zip(table, counts[start:end], strict=True):
            for term, times in count.items():
                row[column[term]] = (1 + math.log(times)) * idf[term]
        return unit(table)

    # In blocks: the whole table of a large set would not fit into memory.
    result = np.zeros((len(first), len(second)), dtype=np.float32)
    for top in range(0, len(first), _BLOCK):
        left = rows(top, min(top + _BLOCK, len(first)))
        for at in range(0, len(second), _BLOCK):
            end = min(at + _BLOCK, len(second))
            result[top : top + len(left), at:end] = left @ rows(len(first) + at, len(first) + end).T
    return result
