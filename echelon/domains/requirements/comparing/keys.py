"""Names of requirements that stay: they come from what the document says and not from what was counted."""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from collections.abc import Sequence

from echelon.domains.requirements.types import Requirement

_NAMESPACE = uuid.UUID("6b6f0d2e-8a58-5c3f-9c5c-7d0f4c6f2a11")


def stable_key(requirement: Requirement) -> str:
    """Ten letters that name a requirement as long as its document, its number and its words are the same.

    Another file of the job, another page or another count (`R-0007`) changes nothing. A text that stands twice in a
    document with the same number, or without, has one key.
    """
    document = requirement.citations[0].document if requirement.citations else ""
    said = "\x1f".join((document, requirement.source_id or "", " ".join(requirement.text.lower().split())))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def unique_names(requirements: Sequence[Requirement], kind: str) -> list[str]:
    """A name a requirement that no other one of any document or job has, the same again for the same requirement.

    `kind` goes into the names, so that other things of a requirement have names of their own. They begin with a letter
    or underscore, as identifiers of XML must.
    """
    seen: Counter[str] = Counter()
    names: list[str] = []
    for requirement in requirements:
        key = stable_key(requirement)
        seen[key] += 1
        names.append(name_of(kind, key, str(seen[key])))
    return names


def name_of(*parts: str) -> str:
    """The name of something that these parts tell from everything else."""
    told = "\x1f".join(parts).encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return f"_{uuid.uuid5(_NAMESPACE, told)}"
