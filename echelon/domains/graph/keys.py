"""Keys of nodes: made from content, so that the same thing always gets the same key, in any job and on any machine."""

from __future__ import annotations

import hashlib

from echelon.domains.likeness.words import DETERMINERS, folded_words


def requirement_key(document_sha256: str, source_id: str | None, text: str) -> str:
    """`req-` and 20 hexadecimal digits: the document's bytes, its own number for the requirement, and the wording.

    White space does not count; letter case does.
    """
    return "req-" + _digest(document_sha256, source_id or "", " ".join(text.split()))


def section_key(document_sha256: str, path: str) -> str:
    """`sec-` and 20 hexadecimal digits, from the document and the path of headings."""
    return "sec-" + _digest(document_sha256, path)


def document_key(document_sha256: str) -> str:
    """`doc-` and the first 20 digits of the document's SHA-256."""
    return "doc-" + document_sha256[:20]


def entity_key(name: str) -> str:
    """The key of a business object, message or system: its words, folded, joined by `-`; empty for a name without any.

    `The Audit Logs` and `audit log` have one key.
    """
    return "-".join(folded_words(name, without=DETERMINERS))


def _digest(*parts: str) -> str:
    # NUL cannot stand in a part, so no two lists of parts run together.
    return hashlib.sha256("\0".join(part.replace("\0", "") for part in parts).encode()).hexdigest()[:20]
