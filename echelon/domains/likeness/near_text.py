"""Near-same texts, found exactly: all pairs above a similarity, without comparing all pairs.

The similarity of two texts is the share of words that stand in both in the same order: twice the longest common
subsequence of their words over the sum of their lengths (normalised indel similarity; Levenshtein 1966, Bergroth et al.
2000). Articles and the words that carry only the modality ("shall", "must not") are left out, so that an obligation and
the prohibition of the same thing come out as near. Texts with different numbers are never near: "6 years" does not
repeat "10 years".

Pairs are found by prefix filtering (Chaudhuri et al. 2006; Xiao et al. 2008): two texts with similarity t share at
least t / (2 - t) of the words of either, so they share one of the rarest words of each.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from echelon.domains.likeness.words import DETERMINERS, STOPWORDS, singular, word_set

LIGHT_WORDS = DETERMINERS | word_set(
    """shall must should will would may can could might need ought required be to
    muss müssen muß soll sollen sollte sollten darf dürfen kann können ist sind hat haben zu"""
)
NEGATIONS = word_set(
    "not no never neither nor without cannot nicht nie niemals kein keine keinen keiner keinem keines ohne"
)
SAME_WORD = 75.0
"""Out of 100: two words at least as near in letters are one word in two spellings (rapidfuzz ratio)."""
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
_SHORT_NOT = re.compile(r"(?<=\bcan)['’]t\b|n['’]t\b")
_BINDING = word_set("shall must muss müssen muß")
_ADVISING = word_set("should ought soll sollen sollte sollten")
_ALLOWING = word_set("may can could might darf dürfen kann können")
_NO = "no"


@dataclass(frozen=True, slots=True)
class NearText:
    """A text as it is compared: its words without the light ones and negations, its numbers, how often it says no, and
    what its modal words and negations do, in their order ("must not ..., may ..." is bind, no, allow)."""

    words: tuple[str, ...]
    numbers: tuple[str, ...]
    negations: int
    forces: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> NearText:
        """`text`, folded. Punctuation does not count."""
        words = _WORD.findall(_SHORT_NOT.sub(" not ", unicodedata.normalize("NFKC", text).casefold()))
        content = tuple(singular(word) for word in words if word not in LIGHT_WORDS and word not in NEGATIONS)
        numbers = tuple(sorted(word for word in words if word[0].isdigit()))
        forces = tuple(force for word in words for force in _forces(word))
        return cls(content, numbers, sum(word in NEGATIONS for word in words), forces)


def _forces(word: str) -> Iterator[str]:
    if word in _BINDING:
        yield "bind"
    elif word in _ADVISING:
        yield "advise"
    elif word in _ALLOWING or word == "cannot":
        yield "allow"
    if word in NEGATIONS:
        yield _NO


def same_force(left: NearText, right: NearText) -> bool:
    """Whether two texts bind, allow and deny alike: "may export" does not repeat "must export", nor "can" "cannot".

    A text without modal words ("is to be kept") is only asked how often it denies.
    """
    if left.negations != right.negations:
        return False
    has_modal = [any(force != _NO for force in text.forces) for text in (left, right)]
    return left.forces == right.forces or not all(has_modal)


def similarity(left: NearText, right: NearText) -> float:
    """From 0 to 1; 1 for the same words in the same order. 0 when the numbers differ or a text has no words."""
    from rapidfuzz.distance import Indel

    if left.numbers != right.numbers or not left.words or not right.words:
        return 0.0
    return Indel.normalized_similarity(left.words, right.words)


def exchanges_a_word(left: NearText, right: NearText) -> bool:
    """Whether one text has a word of content where the other has another one: "delete" for "archive".

    Words that are only spelt in another way do not count, nor does what one text says more than the other.
    """
    from rapidfuzz import fuzz
    from rapidfuzz.distance import Levenshtein

    first, second = sorted((left.words, right.words))  # so that the order of the arguments does not matter
    for step in Levenshtein.opcodes(first, second):
        if step.tag != "replace":
            continue
        ours = first[step.src_start : step.src_end]
        theirs = second[step.dest_start : step.dest_end]
        for one, other in zip(ours, theirs, strict=True):
            if not {one, other} & STOPWORDS and fuzz.ratio(one, other) < SAME_WORD:
                return True
    return False


def near_pairs(
    texts: Mapping[str, NearText], among: Iterable[str], threshold: float
) -> Iterator[tuple[str, str, float]]:
    """All pairs (a, b, similarity) with similarity >= `threshold` (0.5 to 1) and a in `among`, each pair once.

    `texts` maps a key to its text. The order of the pairs is that of `among`, then of `texts`.
    """
    from rapidfuzz.distance import Indel

    if not 0.5 <= threshold <= 1:
        raise ValueError(f"a threshold lies between 0.5 and 1, not {threshold}")
    order = {key: position for position, key in enumerate(texts)}
    frequency = Counter(word for text in texts.values() for word in set(text.words))
    prefixes = {key: _prefix(text, frequency, threshold) for key, text in texts.items()}
    index: dict[tuple[tuple[str, ...], tuple[str, int]], list[str]] = defaultdict(list)
    for key, prefix in prefixes.items():
        for token in prefix:
            index[texts[key].numbers, token].append(key)
    done: set[str] = set()
    for key in dict.fromkeys(among):
        text = texts[key]
        candidates = {other for token in prefixes[key] for other in index[text.numbers, token]} - done - {key}
        done.add(key)
        for other in sorted(candidates, key=order.__getitem__):
            # The cutoff only saves time; rapidfuzz rounds it, so it lies a little below.
            score = Indel.normalized_similarity(text.words, texts[other].words, score_cutoff=threshold - 1e-6)
            if score >= threshold:
                yield key, other, score


def _prefix(text: NearText, frequency: Counter[str], threshold: float) -> list[tuple[str, int]]:
    """The rarest words of a text, at least one of which every near text has in its own prefix.

    A word that comes twice counts as two (word, 1), (word, 2), so that the bound holds for lists of words.
    """
    seen: Counter[str] = Counter()
    tokens: list[tuple[str, int]] = []
    for word in text.words:
        seen[word] += 1
        tokens.append((word, seen[word]))
    tokens.sort(key=lambda token: (frequency[token[0]], token))
    shared = math.ceil(threshold / (2 - threshold) * len(tokens) - 1e-9)
    return tokens[: len(tokens) - shared + 1] if tokens else []
