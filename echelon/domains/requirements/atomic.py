"""Split a compound requirement into parts of one duty each; the original stays with every part.

Off by default: a catalogue lists the requirements of its document as they stand there, one to one, so that a reader
finds each of them again and a compound is reported (finding `compound`) instead of rewritten. A tracing or test plan
that needs one duty a row turns it on with `ExtractOptions(atomic=True)`.
"""

from __future__ import annotations

import re

from echelon.domains.requirements.judging.judge import modality_of
from echelon.domains.requirements.judging.sentences import split_sentences

_JOINT = re.compile(
    r"\s*(?:,|;)?\s+(?:and|but)\s+(?=(?:it\s+|they\s+)?(?:shall|must|should|may)\b)|\s*;\s+(?:and\s+)?(?=[^;]*\b(?:shall|must|should|muss|müssen|sollte|sollten|darf|dürfen)\b)"
)
_MODAL_FIRST = re.compile(r"^(?:shall|must|should|may)\b")
_SUBJECT = re.compile(r"^(.*?)\s+(?:shall|must|should|may)\b")


def split_compound(text: str, language: str) -> list[str]:
    """The duties of `text`, each as a sentence of its own; a single-element list when it has one.

    Sentences that bind become parts; sentences that only explain stay with the part before them. A sentence is split
    before a repeated modal verb, and its subject put in again: "A shall X and shall Y" gives "A shall X.", "A shall Y."
    """
    parts: list[str] = []
    for start, end in split_sentences(text):
        sentence = text[start:end]
        if parts and modality_of(sentence, language) is None:
            parts[-1] = f"{parts[-1]} {sentence}"
        else:
            parts.extend(_clauses(sentence))
    return parts or [text]


def _clauses(sentence: str) -> list[str]:
    pieces = [piece.strip() for piece in _JOINT.split(sentence) if piece.strip()]
    if len(pieces) < 2:
        return [sentence]
    subject = _SUBJECT.match(pieces[0])
    clauses: list[str] = []
    for piece in pieces:
        if _MODAL_FIRST.match(piece):
            if subject is None:
                return [sentence]
            piece = f"{subject.group(1)} {piece}"
        clauses.append(f"{piece[0].upper()}{piece[1:].rstrip('.;,')}.")
    return clauses
